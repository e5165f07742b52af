"""Learners that go down to the nearest minimum of an energy: by L-BFGS, or by batches where patterns are many."""

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from ..energies import Energy, MiniBatch
from ..exceptions import callers_stacklevel
from ..sklearn_compat import Interval, StrOptions
from .base import generator, one_blas_thread, tell
from .batches import BATCH_SIZE, SAMPLE, MiniBatched
from .init import initial_map
from .lowest import Lowest, keeping_the_best
from .stochastic_descent import StochasticDescent, well_scaled
from .units import InUnits
from .weighted_learner import WeightedMetricLearner

Array = NDArray[np.float64]


def descent_constraints(inits: tuple[str, ...]) -> dict:
    """What the parameters of such a learner may be; the starts have these names."""
    return {
        **WeightedMetricLearner._parameter_constraints,
        "init": [StrOptions(set(inits)), np.ndarray, list],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "batch_size": BATCH_SIZE,
        "warm_start": ["boolean"],
        "device": [str],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }


class DescendingLearner(MiniBatched, WeightedMetricLearner):
    """Subclasses say what to minimise, ``_energy``, and what is lowest for a start of a good size, ``_size_energy``."""

    _has_units = True
    _energy: type[Energy]
    _size_energy: type[Energy]

    def _learn(self, X, y, weights=None):
        n = self._rows_per_batch(len(X))
        if n is not None:
            return self._learn_by_batches(X, y, weights, n)
        X = X / self._unit
        energy = self._energy().bind(X, y, sample_weight=weights, device=self.device)
        start = self._previous(X) if self.warm_start else None
        if start is None:
            start = self._initial(generator(self.random_state), X, y)
        objective = Objective(energy, start.shape, self._report)
        with one_blas_thread(), keeping_the_best(type(self).__name__, objective.best):
            # float32 gradients carry noise of about 1e-7: the gradient's own tolerance only stops at a true minimum
            options = {"maxiter": self.max_iter, "ftol": self.tol, "gtol": self.tol / len(X)}
            result = minimize(
                objective, start.ravel(), jac=True, method="L-BFGS-B", options=options, callback=objective.report
            )
            if result.status == 1:
                self._warn_of_early_end()
        self.n_iter_, self.energy_ = objective.n_iter, objective.best.value
        return objective.best.item.reshape(start.shape)

    def _learn_by_batches(self, X, y, weights, n):
        rng = generator(self.random_state)
        seed = int(rng.integers(2**32))
        energy = self._batches(self._energy(), n, seed).bind(X, y, sample_weight=weights, device=self.device)
        best = Lowest()
        descent = StochasticDescent(energy, best, lambda: self._report(descent.n_iter, best.value))
        with one_blas_thread(), keeping_the_best(type(self).__name__, best):
            start = self._previous(X) if self.warm_start else None
            if start is None:
                size = self._batches(self._size_energy(), n, seed).bind(X, y, sample_weight=weights, device=self.device)
                rows = energy.sample
                start = well_scaled(self._initial(rng, X[rows] / self._unit, y[rows]), size)
            if not descent.run(rng, start, self.max_iter, self.tol):
                self._warn_of_early_end()
        self.n_iter_, self.energy_ = descent.n_iter, best.value
        return best.item

    def _batches(self, energy, n, seed):
        return MiniBatch(InUnits(energy, self._unit), n, sample_size=SAMPLE, random_state=seed)

    def _report(self, n_iter, value):
        tell(self.verbose, "%s iteration %d: energy %.6f", type(self).__name__, n_iter, value)

    def _warn_of_early_end(self):
        name = type(self).__name__
        message = f"{name} stopped at max_iter={self.max_iter} before it converged to tol={self.tol}."
        warnings.warn(message, ConvergenceWarning, stacklevel=callers_stacklevel())

    def _initial(self, rng, X, y):
        return initial_map(self.init, rng, X, y, self.n_components, self._unit, of_numbers=self._wants_numbers())

    def _previous(self, X):
        """The last fit's map, if there is one that fits the data."""
        previous = getattr(self, "components_", None)
        if previous is not None and previous.shape[1] == X.shape[1] and self.n_components in (None, len(previous)):
            return previous * self._unit
        return None


class Objective:
    """The energy as scipy wants it; remembers the best map it was asked about."""

    def __init__(self, energy: Any, shape: tuple[int, ...], told: Callable[[int, float], None]) -> None:
        self.energy, self.shape, self.told = energy, shape, told
        self.best, self.n_iter = Lowest(), 0

    def __call__(self, flat: Array) -> tuple[float, Array]:
        value, gradient = self.energy.value_and_grad(flat.reshape(1, *self.shape))
        self.best.offer(value[0], flat)
        return value[0], gradient.ravel()

    def report(self, flat: Array) -> None:
        self.n_iter += 1
        self.told(self.n_iter, self.best.value)
