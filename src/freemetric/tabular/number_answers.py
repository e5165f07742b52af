"""What a fitted regressor says of rows that it has never seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..magnitudes import exponent_of, reduced

CHANCES = (0.1, 0.5, 0.9)
"""Whose quantiles are asked for."""
LEVELS = (0.8, 0.9, 0.95)
"""Chances with which intervals hold the number."""


@dataclass(frozen=True, eq=False)
class NumberAnswers:
    """Predicted numbers of n rows.

    Attributes
    ----------
    rows : ndarray of shape (n,)
        Numbers of the rows among all that have a number to predict.
    truth, told : ndarray of shape (n,)
        The number of every row, and the predicted one.
    unit : float
        Standard deviation of the numbers of all rows, in which errors are counted.
    quantiles : ndarray of shape (n, 3) or None
        Of ``CHANCES``; None where the regressor tells none.
    ends : ndarray of shape (n, 3, 2) or None
        Lower and upper ends of intervals of ``LEVELS``.
    """

    rows: NDArray[np.intp]
    truth: NDArray[np.float64]
    told: NDArray[np.float64]
    unit: float
    quantiles: NDArray | None = None
    ends: NDArray | None = None

    constant = "the mean"
    undefined = "have one number alone"
    unsure = "gives no quantiles, so that it has no pinball loss and no intervals"

    @property
    def is_sure(self) -> bool:
        """Whether it is known how sure they are."""
        return self.quantiles is not None

    def losses(self) -> NDArray[np.float64]:
        """Squared errors (n,) in units of the numbers' variance."""
        e = exponent_of(self.told, self.truth)
        return ((reduced(self.told, e) - reduced(self.truth, e)) / reduced(self.unit, e)) ** 2

    def error(self) -> float:
        """Root of the mean squared error in % of the numbers' standard deviation."""
        return 100 * float(np.sqrt(self.losses().mean()))

    def compact(self) -> "NumberAnswers":
        """To be kept in numbers."""
        return self

    def pooled(self, parts: Sequence[Any]) -> "NumberAnswers":
        """Answers of several splits as one, without intervals."""
        of = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", "truth", "told")}
        return NumberAnswers(**of, unit=self.unit)


def asked_for_numbers(model: Any, X: Any, rows: NDArray[np.intp], truth: NDArray, unit: float) -> NumberAnswers:
    """The answers of a pipeline that ends with a regressor; quantiles and intervals where that tells them."""
    features, last = model[:-1].transform(X), model[-1]
    told = np.asarray(last.predict(features), dtype=np.float64)
    if not hasattr(last, "predict_quantiles"):
        return NumberAnswers(rows, truth, told, unit)
    ends = np.stack([last.predict_interval(features, 1 - level) for level in LEVELS], axis=1)
    return NumberAnswers(rows, truth, told, unit, last.predict_quantiles(features, CHANCES), ends)


def always_the_mean(train: NDArray, rows: NDArray[np.intp], truth: NDArray, unit: float) -> NumberAnswers:
    """The mean of the training numbers for every row, with their quantiles for quantiles and intervals."""
    n, tails = len(rows), np.array([[(1 - level) / 2, (1 + level) / 2] for level in LEVELS])
    quantiles = np.broadcast_to(np.quantile(train, CHANCES), (n, len(CHANCES)))
    ends = np.broadcast_to(np.quantile(train, tails), (n, *tails.shape))
    return NumberAnswers(rows, truth, np.full(n, train.mean()), unit, quantiles, ends)
