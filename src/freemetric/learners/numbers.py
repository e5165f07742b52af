"""Numbers as the target of a search."""

import numpy as np
from numpy.typing import NDArray

from ..metrics import Told

QUARTERS = 4  # strata of the rows, by their numbers
FEWEST = 6  # rows of a stratum
LEAST_ERROR = 1e-12


class Numbers:
    """Numbers of variance one, which voters tell; shares (..., C) are those of the cells of their ballots.

    Parameters
    ----------
    told : Told
        What they tell; the target first.
    """

    energy = "likeness"
    score_words = "squared error"
    columns = "oob_absolute", "oob_squared"

    def __init__(self, told: Told):
        self.told = told

    def strata(self, y: NDArray) -> list[NDArray]:
        """Rows that a bag must hold a part of each of: the quarters of y."""
        n = int(np.clip(len(y) // FEWEST, 1, QUARTERS))
        return [np.sort(part) for part in np.array_split(np.argsort(y, kind="stable"), n)]

    def scores(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Mean squared errors (...) of what neighbours tell on average."""
        return np.average(self.deviations(shares, y), axis=-1, weights=weights)

    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """Squared errors (..., N) of shares (..., N, C)."""
        return (self.told.mean(shares, 0) - y) ** 2

    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Mean absolute errors (...)."""
        return np.average(np.sqrt(self.deviations(shares, y)), axis=-1, weights=weights)

    def error_of(self, score: float, n_judges: float) -> float:
        """The standard error of a mean squared error of so many judges, if errors are normal."""
        return float(score * np.sqrt(2 / n_judges) + LEAST_ERROR)
