"""Scores of numbers of any magnitude, scaled by a power of two, so that squares neither
overflow nor vanish.

A power of two changes only exponents: results stay the same to the last bit, and those
of 2^k y are 2^k times as large.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import r2_score

LARGEST = np.finfo(np.float64).max


def exponent_of(*arrays: ArrayLike) -> Any:
    """The smallest e with :math:`|y| < 2^e` for all numbers y of arrays (n,), or (m,)
    of every column of arrays (n, m).

    0 where there are none, or all are zero.

    Examples
    --------
    >>> int(exponent_of([0.3, -5.0]))
    3
    """
    largest = [
        np.abs(np.asarray(y, dtype=np.float64)).max(axis=0, initial=0) for y in arrays
    ]
    return np.frexp(np.max(largest, axis=0))[1]


def reduced(y: ArrayLike, exponent: Any) -> NDArray[np.float64]:
    """Numbers y in units of 2^exponent."""
    return np.ldexp(np.asarray(y, dtype=np.float64), np.negative(exponent))


def enlarged(y: ArrayLike, exponent: Any) -> NDArray[np.float64]:
    """Numbers whose values in units of 2^exponent are y; the largest that there are in
    place of infinite ones.
    """
    with np.errstate(over="ignore"):
        return np.clip(
            np.ldexp(np.asarray(y, dtype=np.float64), exponent), -LARGEST, LARGEST
        )


def lengths(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Euclidean lengths (n,) of differences (n, p) of any magnitude, all finite."""
    exponent = exponent_of(differences.T)
    return enlarged(
        np.linalg.norm(reduced(differences, exponent[:, None]), axis=1), exponent
    )


def r2(
    y: ArrayLike, predicted: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """scikit-learn's R^2 of predictions (n,) or (n, n_outputs) of any magnitude."""
    if np.shape(y) == np.shape(predicted):
        exponent = exponent_of(y, predicted)
        y, predicted = reduced(y, exponent), reduced(predicted, exponent)
    return float(r2_score(y, predicted, sample_weight=sample_weight))


def mae(y: NDArray, predicted: NDArray) -> float:
    """Mean absolute error of predictions (n,) of any magnitude."""
    exponent = exponent_of(y, predicted)
    return float(
        enlarged(
            np.abs(reduced(y, exponent) - reduced(predicted, exponent)).mean(), exponent
        )
    )


def rmse(y: NDArray, predicted: NDArray) -> float:
    """Root mean squared error of predictions (n,) of any magnitude."""
    exponent = exponent_of(y, predicted)
    squares = (reduced(y, exponent) - reduced(predicted, exponent)) ** 2
    return float(enlarged(np.sqrt(squares.mean()), exponent))


def spread(y: NDArray, ddof: int = 0) -> float:
    """Standard deviation of numbers (n,) of any magnitude, with numpy's ``ddof``."""
    exponent = exponent_of(y)
    return float(enlarged(reduced(y, exponent).std(ddof=ddof), exponent))
