"""What is predicted, and all of a search that depends on it.

A target says how bags are drawn, what out-of-bag shares are worth, and how shares become predictions. Classes are one;
a target of numbers would be another, without a change in the search.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from ..metrics import Calibration


class Classes:
    """Class numbers 0..C-1; shares (..., C) are those of the classes among neighbours.

    Parameters
    ----------
    n_classes : int
        C.
    """

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
        truth = np.eye(self.n_classes, dtype=shares.dtype)[y]
        return ((shares - truth) ** 2).sum(axis=-1) / 2

    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Errors (...) of deciding for the largest of shares (..., N, C)."""
        return np.average(shares.argmax(axis=-1) != y, axis=-1, weights=weights)

    def calibrated(
        self,
        shares: NDArray,
        y: NDArray,
        weights: NDArray | None = None,
        *,
        with_bias: bool = True,
        prior: float = 5.0,
        floor: float = 0.05,
    ) -> Calibration:
        """The calibration of lowest log loss on shares (N, C); slope and bias are held near 1 and 0 by the prior.

        ``prior`` is the weight of that Gaussian prior, in patterns.
        """
        N, C = shares.shape
        if N == 0:
            return Calibration(1.0, np.zeros(C), floor)
        F, rows = np.log(shares + floor), np.arange(N)
        weights = np.ones(N) if weights is None else weights

        def loss(parameters):
            slope, bias = np.exp(parameters[0]), parameters[1:]
            Z = slope * F + bias
            excess = softmax(Z, axis=1)
            value = -weights @ log_softmax(Z, axis=1)[rows, y] + prior / 2 * parameters @ parameters
            excess[rows, y] -= 1
            excess *= weights[:, None]
            gradient = np.append(slope * (excess * F).sum(), excess.sum(axis=0)) + prior * parameters
            return value, gradient

        bounds = [(-2, 3)] + [(-5, 5) if with_bias else (0, 0)] * C
        best = minimize(loss, np.zeros(C + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
        return Calibration(float(np.exp(best[0])), best[1:], floor)
