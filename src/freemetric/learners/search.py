"""What searches share: the best state so far, and L-BFGS.

Progress is logged by the logger "freemetric" at level INFO.
"""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, minimize

Array = NDArray[np.float64]
logger = logging.getLogger("freemetric")


class BestSoFar:
    """The item of the lowest value offered so far, copied; None before the first."""

    def __init__(self, value: float = np.inf, item: Any = None) -> None:
        self.value = value
        self.item = item

    def offer(self, value: float, item: Any) -> bool:
        """Keep the item if it is better than all before; return whether it is."""
        if not value < self.value:
            return False
        self.value = float(value)
        self.item = item.copy()
        return True


def lbfgs(
    objective: Callable,
    start: Array,
    max_iter: int,
    callback: Callable | None = None,
    ftol: float = 0,
    gtol: float = 0,
) -> OptimizeResult:
    """scipy's L-BFGS of an objective that returns value and gradient of flat arrays."""
    options = {
        "maxiter": max_iter,
        "maxfun": 20 * (max_iter + 1),
        "ftol": ftol,
        "gtol": gtol,
    }
    return minimize(
        objective,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        options=options,
        callback=callback,
    )


class Descent:
    """L-BFGS on an objective of arrays like ``start``; keeps the lowest value.

    ``objective(array)`` returns the value and the gradient.
    """

    def __init__(self, objective: Any, start: Array, gtol: float | None = None) -> None:
        self.objective = objective
        self.start = start
        self.gtol = gtol
        self.best = BestSoFar()
        self.n_iter = 0

    def run(self, max_iter: int, tol: float) -> bool:
        """Whether it converged within so many iterations."""
        gtol = 0.1 * tol if self.gtol is None else self.gtol
        result = lbfgs(self, self.start, max_iter, self.report, tol, gtol)
        return result.status != 1

    def __call__(self, flat: Array) -> tuple[float, Array]:
        at = flat.reshape(self.start.shape)
        value, gradient = self.objective(at)
        self.best.offer(value, at)
        return value, gradient.ravel()

    def report(self, flat: Array | None = None) -> None:
        """Count and log an iteration."""
        self.n_iter += 1
        value = self.best.value
        logger.info("iteration %d: objective %.6g", self.n_iter, value)


class BoundedDescent(Descent):
    """L-BFGS until ``gap``, a bound on the distance from the optimum, is small.

    Subclasses are their own objective and update ``gap``.
    """

    def __init__(self, start: Array) -> None:
        super().__init__(None, start)
        self.gap = np.inf
        self.tol = 0.0
        self.rounding = 0.0

    @property
    def value(self) -> float:
        """The best objective so far."""
        return self.best.value

    def run(self, max_iter: int, tol: float) -> bool:
        """Whether the gap is small, or nothing better could be found."""
        self.tol = tol
        lbfgs(self, self.start, max_iter, self.report)
        return self.has_settled() or self.n_iter < max_iter

    def report(self, flat: Array | None = None) -> None:
        super().report()
        if self.has_settled():
            raise StopIteration

    def has_settled(self) -> bool:
        """Whether the gap is small."""
        return self.gap <= max(self.tol * self.value, self.rounding)
