"""What is predicted, and all of a search that depends on it.

A target says how bags are drawn, what out-of-bag shares are worth, and how shares become predictions. Classes are one;
numbers are another.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from ..metrics import Calibration


class Target(Protocol):
    """What a search asks of a target; shares (..., N, C) are what judges got of all votes."""

    energy: str  # by name, that replicas sample where nothing else is said
    score_words: str  # what scores are, for people
    columns: tuple[str, str]  # what errors and scores are called in tables

    def strata(self, y: NDArray) -> list[NDArray]:
        """Rows that a bag must hold a part of each of, (n,) row numbers."""

    def scores(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Scores (...), the lower the better."""

    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """What scores are the means of, (..., N)."""

    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """What people would ask for instead of a score, (...)."""

    def error_of(self, score: float, n_judges: float) -> float:
        """The standard error of a score of so many judges."""


class Classes:
    """Class numbers 0..C-1; shares (..., C) are those of the classes among neighbours.

    Parameters
    ----------
    n_classes : int
        C.
    """

    energy = "log-nca"
    score_words = "Brier score"
    columns = "oob_error", "oob_brier"

    def __init__(self, n_classes: int):
        self.n_classes = n_classes

    def strata(self, y: NDArray) -> list[NDArray]:
        """Rows that a bag must hold a part of each of, (n,) row numbers: the members of every class."""
        return [np.flatnonzero(y == c) for c in range(self.n_classes)]

    def scores(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Brier scores of shares (..., N, C): half the mean squared distance to the truth; 0 is perfect."""
        return np.average(self.deviations(shares, y), axis=-1, weights=weights)

    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """Half the squared distance (..., N) of shares (..., N, C) to the truth: 0 is right, 1 all wrong."""
        apart = shares.copy()
        apart[..., np.arange(len(y)), y] -= 1
        return (apart**2).sum(axis=-1) / 2

    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Errors (...) of deciding for the largest of shares (..., N, C)."""
        return np.average(shares.argmax(axis=-1) != y, axis=-1, weights=weights)

    def error_of(self, score: float, n_judges: float) -> float:
        """The standard error of a Brier score of so many judges, as if they were right or wrong altogether."""
        return float(np.sqrt(score * (1 - min(score, 0.99)) / n_judges) + 0.5 / n_judges)

    def calibrated(
        self,
        shares: NDArray,
        y: NDArray,
        weights: NDArray | None = None,
        energies: NDArray | None = None,
        *,
        with_bias: bool = True,
        prior: float = 5.0,
        basin_prior: float = 0.5,
        floor: float = 0.05,
    ) -> Calibration:
        """The calibration of lowest log loss on shares (N, C) and free energies (n_basins, N, C).

        Gaussian priors of these weights, in patterns, hold slope and bias near 1 and 0, and strengths near 0.
        """
        N, C = shares.shape
        energies = np.empty((0, N, C)) if energies is None else energies
        if N == 0:
            return Calibration(1.0, np.zeros(C), floor, np.zeros(len(energies)))
        terms, rows = np.concatenate([np.log(shares + floor)[None], -energies]), np.arange(N)
        weights, B = np.ones(N) if weights is None else weights, len(energies)
        priors = np.repeat([prior, basin_prior, prior], [1, B, C])

        def loss(parameters):
            slope = np.exp(parameters[0])
            Z = np.tensordot(np.append(slope, parameters[1 : B + 1]), terms, 1) + parameters[B + 1 :]
            excess = softmax(Z, axis=1)
            value = -weights @ log_softmax(Z, axis=1)[rows, y] + priors / 2 @ parameters**2
            excess[rows, y] -= 1
            excess *= weights[:, None]
            of_terms = np.tensordot(terms, excess, 2)
            of_terms[0] *= slope
            return value, np.append(of_terms, excess.sum(axis=0)) + priors * parameters

        bounds = [(-4, 3)] + [(0, None)] * B + [(-5, 5) if with_bias else (0, 0)] * C
        best = minimize(loss, np.zeros(1 + B + C), jac=True, method="L-BFGS-B", bounds=bounds).x
        return Calibration(float(np.exp(best[0])), best[B + 1 :], floor, best[1 : B + 1])
