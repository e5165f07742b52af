"""Learners that go down a smooth objective of the map by L-BFGS, all patterns at a time."""

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from ..exceptions import callers_stacklevel
from ..sklearn_compat import Interval, StrOptions
from .base import MetricLearner, generator, one_blas_thread, tell
from .init import INITS, initial_map
from .lowest import Lowest, keeping_the_best

Array = NDArray[np.float64]


class SmoothDescent(MetricLearner):
    """Subclasses call ``_descend`` with their objective in ``_learn``; lengths are in units of X's own."""

    _has_units = True
    _parameter_constraints: dict = {
        **MetricLearner._parameter_constraints,
        "init": [StrOptions(set(INITS)), np.ndarray, list],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }
    n_components: Any
    init: Any
    max_iter: Any
    tol: Any
    warm_start: Any
    verbose: Any
    random_state: Any

    def _initial(self, X, y):
        with one_blas_thread():
            return initial_map(self.init, generator(self.random_state), X, y, self.n_components, self._unit)

    def _previous(self, shape):
        """The last fit's map, if it is to go on from there and the map fits; else None."""
        previous = getattr(self, "components_", None) if self.warm_start else None
        return previous * self._unit if previous is not None and previous.shape == shape else None

    def _descend(self, objective: Callable[[Array], tuple[float, Array]], start: Array) -> tuple[float, Array]:
        """The lowest value that was met, and where, from the value and gradient of a flat array; sets ``n_iter_``."""
        best, name = Lowest(), type(self).__name__

        def offered(flat):
            value, gradient = objective(flat)
            best.offer(value, flat)
            return value, gradient

        def report(_):
            self.n_iter_ += 1
            tell(self.verbose, "%s iteration %d: objective %.6f", name, self.n_iter_, best.value)

        self.n_iter_ = 0
        options = {"maxiter": self.max_iter, "maxfun": 20 * self.max_iter, "ftol": self.tol, "gtol": 0.1 * self.tol}
        with one_blas_thread(), keeping_the_best(name, best):
            result = minimize(offered, start, jac=True, method="L-BFGS-B", options=options, callback=report)
            if result.status == 1:
                message = f"{name} stopped at max_iter={self.max_iter} before it converged to tol={self.tol}."
                warnings.warn(message, ConvergenceWarning, stacklevel=callers_stacklevel())
        return best.value, best.item
