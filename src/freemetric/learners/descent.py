"""Descent over maps: its start, L-BFGS, and stochastic gradients of mini-batches."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import OptimizeResult, minimize
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils import check_array

from ..magnitudes import exponent_of, reduced
from ..mc import Streams
from .base import MetricLearner, generator, one_blas_thread
from .fitting import Lowest, tell
from .linear_algebra import map_of
from .parameters import INITS, INITS_OF_REGRESSION
from .side_information import PriorLearner
from .training_rows import NUMBERS

MOST_SQUARE = 500  # features; beyond, square maps cost too much memory and time


def initial_map(
    init: str | ArrayLike,
    rng: np.random.Generator,
    X: NDArray,
    y: NDArray | None,
    n_components: int | None = None,
    is_regression: bool = False,
) -> NDArray:
    """A map of shape (n_components, n_features), or an array of that shape as given.

    "identity" (its first rows), "pca", "lda" or, in regression, "pls" (the leading directions), "random" (standard
    normal), "uniform" (U(0, 1), as in the paper's Algorithm 1). "auto" is the identity for all dimensions; for fewer it
    is "lda" where classes have so many directions, "pls" in regression, and "pca" elsewhere. For very wide data all
    dimensions are those that the samples span; the identity is then a rotation into them.
    """
    d, p = X.shape[1], n_dimensions(n_components, X)
    if not isinstance(init, str):
        A = check_array(init, dtype=np.float64, copy=True)
        if A.shape[1] != d or A.shape[0] > d or n_components not in (None, A.shape[0]):
            raise ValueError(f"init has shape {A.shape}; expected ({f'<= {d}' if n_components is None else p}, {d}).")
        return A
    if n_components is None and p < d and init in ("auto", "identity"):
        init = "pca"
    if init == "auto":
        supervised = "pls" if is_regression else "lda" if y is not None and p < len(np.unique(y)) else "pca"
        init = "identity" if p == d else supervised
    if init == "identity":
        return np.eye(p, d)
    if init == "random":
        return rng.standard_normal((p, d))
    if init == "uniform":
        return rng.random((p, d))
    if init == "pca":
        return _leading(PCA().fit(X).components_, p, d)
    if init == "pls" and is_regression:
        return _partial_least_squares(X, y, p)
    if init == "lda":
        if is_regression:
            raise ValueError("init='lda' needs classes; for regression use 'pls'.")
        if y is None:
            raise ValueError("init='lda' needs labels; with triplets choose another start.")
        scalings = LinearDiscriminantAnalysis(n_components=min(p, len(np.unique(y)) - 1, d)).fit(X, y).scalings_
        return _leading(scalings.T, p, d)
    known = INITS_OF_REGRESSION if is_regression else INITS
    raise ValueError(f"Unknown init {init!r}; known: {', '.join(map(repr, known))}, or an array.")


def n_dimensions(n_components: int | None, X: NDArray) -> int:
    """Rows of a map of samples X (N, d): None means d, or the rank of very wide data."""
    N, d = X.shape
    if n_components is not None:
        return n_components
    return max(1, N - 1) if d > MOST_SQUARE and d >= N else d


def _partial_least_squares(X, y, p):
    """Orthonormal directions, completed by principal ones."""
    most = min(p, *X.shape, np.linalg.matrix_rank(X - X.mean(axis=0)))
    y = reduced(y, exponent_of(y))
    spread = np.std(y, axis=0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="y residual is constant")
        pls = PLSRegression(n_components=max(1, most), scale=False).fit(X, y / np.where(spread > 0, spread, 1))
    found = pls.x_weights_.T
    directions = np.vstack([found[np.linalg.norm(found, axis=1) > 0.5], PCA().fit(X).components_])
    q, r = np.linalg.qr(directions.T)
    return _leading(q.T[np.abs(np.diag(r)) > 1e-6], p, X.shape[1])


def _leading(directions, p, d):
    """The first p directions; zeros where there are fewer."""
    A = np.zeros((p, d))
    A[: len(directions[:p])] = directions[:p]
    return A


MOST_WHOLE = 10_000  # samples: there batches begin to be faster than all pairs (benchmarks/large_metrics.py)
BATCH = 2048
SUBSET = 4096  # samples on which maps are compared
STEPS = 25  # between two evaluations on the subset
FIRST_STEP = 0.1  # of the root mean square of the map's elements
SHORTEST_STEP = 1 / 64  # of the first one: the descent has converged
MEMORY = (0.9, 0.99)  # of the mean and the square of gradients
PATIENCE = 2  # evaluations without a better map, after which steps are halved
Array = NDArray[np.float64]


def lbfgs(
    objective: Callable, start: Array, max_iter: int, callback: Callable | None = None, ftol: float = 0, gtol: float = 0
) -> OptimizeResult:
    """scipy's L-BFGS down the value and gradient of flat arrays, of which ``callback`` gets every iterate."""
    options = {"maxiter": max_iter, "maxfun": 20 * (max_iter + 1), "ftol": ftol, "gtol": gtol}
    return minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", options=options, callback=callback)


class Descent:
    """L-BFGS on an objective of arrays like ``start``, which returns value and gradient; keeps the lowest value."""

    def __init__(self, name: str, objective: Any, start: Array, gtol: float | None = None) -> None:
        self.name, self.objective, self.start, self.gtol = name, objective, start, gtol
        self.best, self.n_iter, self.verbose = Lowest(), 0, False

    def run(self, max_iter: int, tol: float, verbose: bool) -> bool:
        """Whether it converged within so many iterations."""
        self.verbose = verbose
        gtol = 0.1 * tol if self.gtol is None else self.gtol
        return lbfgs(self, self.start, max_iter, self.report, tol, gtol).status != 1

    def __call__(self, flat: Array) -> tuple[float, Array]:
        at = flat.reshape(self.start.shape)
        value, gradient = self.objective(at)
        self.best.offer(value, at)
        return value, gradient.ravel()

    def report(self, flat: Array | None = None) -> None:
        self.n_iter += 1
        tell(self.verbose, "%s iteration %d: objective %.6f", self.name, self.n_iter, self.best.value)


class BoundedDescent(Descent):
    """L-BFGS until ``gap``, an upper bound on the distance from the optimum, is small.

    Subclasses are their own objective and update ``gap``.
    """

    def __init__(self, name: str, start: Array) -> None:
        super().__init__(name, None, start)
        self.gap, self.tol, self.rounding = np.inf, 0.0, 0.0

    @property
    def value(self) -> float:
        """The best objective so far."""
        return self.best.value

    def run(self, max_iter: int, tol: float, verbose: bool) -> bool:
        """Whether the gap is small, or nothing better could be found."""
        self.tol, self.verbose = tol, verbose
        lbfgs(self, self.start, max_iter, self.report)
        return self.has_settled() or self.n_iter < max_iter

    def report(self, flat: Array | None = None) -> None:
        self.n_iter += 1
        tell(self.verbose, "%s iteration %d: objective %.6g, gap %.2e", self.name, self.n_iter, self.value, self.gap)
        if self.has_settled():
            raise StopIteration

    def has_settled(self) -> bool:
        return self.gap <= max(self.tol * self.value, self.rounding)


class StochasticDescent(Descent):
    """Adam with steps that are halved when they stop to help (Kingma and Ba 2015).

    The objective is a function of stacks (1, p, d) of maps, with ``draw(rng)``, whose ``value_and_grad`` is that of a
    new batch. Every ``STEPS`` steps it is evaluated at the mean of the maps on the way, which is less noisy.
    """

    def __init__(self, name: str, objective: Any, rng: np.random.Generator, start: NDArray) -> None:
        super().__init__(name, objective, start)
        self.rng = rng

    def run(self, max_iter: int, tol: float, verbose: bool) -> bool:
        """Whether it converged within so many evaluations on the subset."""
        self.verbose, streams, A = verbose, Streams.of(self.rng, 1), self.start
        self.best.offer(self.objective(A[None])[0], A)
        first = step = FIRST_STEP * np.sqrt(np.mean(A**2))
        self.mean, self.square, self.n_steps, waited = np.zeros(A.shape), 0.0, 0, 0
        while step > SHORTEST_STEP * first:
            if self.n_iter == max_iter:
                return False
            A, mean = self._walk(streams, A, step)
            before = self.best.value
            self.best.offer(self.objective(mean[None])[0], mean)
            self.report()
            waited = 0 if self.best.value < before - tol else waited + 1
            if waited == PATIENCE:
                waited, step, A = 0, step / 2, self.best.item.copy()
        return True

    def _walk(self, streams, A, step):
        """The map after ``STEPS`` steps, and the mean of the maps on the way."""
        (a, b), mean = MEMORY, np.zeros_like(A)
        for _ in range(STEPS):
            gradient = self.objective.draw(streams).value_and_grad(A[None])[1][0]
            self.n_steps += 1
            self.mean = a * self.mean + (1 - a) * gradient
            self.square = b * self.square + (1 - b) * np.mean(gradient**2)
            size = np.sqrt(self.square / (1 - b**self.n_steps))
            A = A - step * (self.mean / (1 - a**self.n_steps) / (size if size > 0 else 1.0))
            mean += A / STEPS
        return A, mean


def well_scaled(A: NDArray, value: Callable[[NDArray], NDArray]) -> NDArray:
    """A map (p, d) times the power of two of the lowest value."""
    maps = 2.0 ** np.arange(-10, 11)[:, None, None] * A
    return maps[int(np.argmin([value(scaled[None])[0] for scaled in maps]))]


class MapSearch(MetricLearner):
    """A learner that searches for a map from ``init`` on, or from the last fit's where ``warm_start``."""

    init: Any
    n_components: Any
    warm_start: Any

    def _initial(self, rng, X, y):
        """The map that ``init`` names; an array is a map of the data that users gave."""
        A = initial_map(self.init, rng, X, y, self.n_components, self._is_regression)
        return A if isinstance(self.init, str) else self._unit * A

    def _previous(self, n_features, n_rows=None):
        """The last fit's map for a warm start where it fits the data, and has so many rows; else None."""
        previous = getattr(self, "components_", None) if self.warm_start else None
        if previous is None or previous.shape[1] != n_features:
            return None
        p = len(previous)
        return previous * self._unit if self.n_components in (None, p) and n_rows in (None, p) else None

    def _start(self, rng, X, y):
        previous = self._previous(X.shape[1])
        return self._initial(rng, X, y) if previous is None else previous


class MiniBatched(MapSearch):
    """A search with the parameter ``batch_size``; very many samples may stay in single precision."""

    _dtypes = NUMBERS
    batch_size: Any

    def _rows_per_batch(self, n_samples: int) -> int | None:
        """Samples of a batch; None for no batches."""
        if self.batch_size is None:
            return None if n_samples <= MOST_WHOLE else BATCH
        return None if n_samples <= self.batch_size else self.batch_size


class SmoothDescent(MapSearch):
    """Subclasses call ``_descend`` with their objective in ``_learn``; lengths are in units of X's own."""

    _has_units = True

    def _first_map(self, X, y):
        with one_blas_thread():
            return self._initial(generator(self.random_state), X, y)

    def _descend(self, objective, start):
        """Lowest value and the array there, from an objective that returns value and gradient."""
        search = Descent(type(self).__name__, objective, start)
        self._run(search)
        return search.best.value, search.best.item


class ConvexDescent(SmoothDescent, PriorLearner):
    """A learner whose objective is convex in M = A^T A and stays near a prior; it descends over the map A."""

    def _beginning(self, X, y, M0):
        """Start of the descent: the last fit's map, the prior's, or the one that ``init`` names."""
        at_prior = isinstance(self.init, str) and self.init == "auto" and self.n_components in (None, len(M0))
        A = map_of(M0) if at_prior else self._first_map(X, y)
        previous = self._previous(A.shape[1], len(A))
        return A if previous is None else previous


def departure(A: Array, M0: Array, cost: float) -> tuple[float, Array]:
    """cost |A^T A - M_0|^2 and its gradient by A."""
    off = A.T @ A - M0
    return cost * float((off**2).sum()), 4 * cost * np.dot(A, off)
