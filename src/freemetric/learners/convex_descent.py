"""Learners whose objective is convex in M and stays near a prior; they go down over the map A, M = A^T A."""

from numbers import Real
from typing import Any

import numpy as np

from ..sklearn_compat import Interval
from .linear_algebra import map_of
from .priors import PRIOR
from .smooth_descent import Array, SmoothDescent
from .unlabelled import PriorOfAllRows


class ConvexDescent(SmoothDescent, PriorOfAllRows):
    """With as many components as features every minimum over A is one over M, and so the global one."""

    _parameter_constraints: dict = {
        **SmoothDescent._parameter_constraints,
        "regularization": [Interval(Real, 0, None, closed="left")],
        "prior": PRIOR,
    }
    regularization: Any

    def _beginning(self, X, y, M0):
        """The map that the descent begins with: the last fit's, the prior's, or what ``init`` names."""
        at_prior = isinstance(self.init, str) and self.init == "auto" and self.n_components in (None, len(M0))
        A = map_of(M0) if at_prior else self._initial(X, y)
        previous = self._previous(A.shape)
        return A if previous is None else previous


def departure(A: Array, M0: Array, cost: float) -> tuple[float, Array]:
    """cost |A^T A - M_0|^2 and its gradient by A."""
    off = A.T @ A - M0
    return cost * float((off**2).sum()), 4 * cost * np.dot(A, off)
