"""Descent over maps: where a search for a map begins, and how L-BFGS takes it down a smooth objective."""

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils import check_array

from ..magnitudes import exponent_of, reduced
from .base import MetricLearner, generator, one_blas_thread, tell
from .fitting import Lowest
from .linear_algebra import map_of
from .pair_learner import PriorLearner
from .parameters import INITS, INITS_OF_REGRESSION

MOST_SQUARE = 500  # features: beyond, maps of features by features take more memory and time than what they tell
Array = NDArray[np.float64]


class Descent:
    """L-BFGS from a flat array down an objective, which gives its value and gradient; keeps the lowest that it met."""

    def __init__(
        self, name: str, objective: Callable[[Array], tuple[float, Array]], start: Array, gtol: float | None = None
    ) -> None:
        self.name, self.objective, self.start, self.gtol = name, objective, start, gtol
        self.best, self.n_iter, self.verbose = Lowest(), 0, False

    def run(self, max_iter: int, tol: float, verbose: bool) -> bool:
        """Whether it converged within so many iterations."""
        self.verbose = verbose
        gtol = 0.1 * tol if self.gtol is None else self.gtol
        options = {"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": tol, "gtol": gtol}
        found = minimize(self, self.start, jac=True, method="L-BFGS-B", options=options, callback=self.report)
        return found.status != 1

    def __call__(self, flat: Array) -> tuple[float, Array]:
        value, gradient = self.objective(flat)
        self.best.offer(value, flat)
        return value, gradient

    def report(self, flat: Array) -> None:
        self.n_iter += 1
        tell(self.verbose, "%s iteration %d: objective %.6f", self.name, self.n_iter, self.best.value)


class SmoothDescent(MetricLearner):
    """Subclasses call ``_descend`` with their objective in ``_learn``; lengths are in units of X's own."""

    _has_units = True

    def _initial(self, X, y):
        with one_blas_thread():
            return initial_map(self.init, generator(self.random_state), X, y, self.n_components, self._unit)

    def _previous(self, shape):
        """The last fit's map, if it is to go on from there and the map fits; else None."""
        previous = getattr(self, "components_", None) if self.warm_start else None
        return previous * self._unit if previous is not None and previous.shape == shape else None

    def _descend(self, objective, start):
        """The lowest value that was met, and where, from the value and gradient of a flat array; sets ``n_iter_``."""
        search = Descent(type(self).__name__, objective, start)
        self._run(search)
        self.n_iter_ = search.n_iter
        return search.best.value, search.best.item


class ConvexDescent(SmoothDescent, PriorLearner):
    """A learner whose objective is convex in M = A^T A and stays near a prior; it descends over the map A.

    With as many components as features every minimum over A is one over M, and so the global one.
    """

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


def initial_map(
    init: str | ArrayLike,
    rng: np.random.Generator,
    X: NDArray,
    y: NDArray | None,
    n_components: int | None = None,
    unit: float = 1.0,
    is_regression: bool = False,
) -> NDArray:
    """A map of shape (n_components, n_features).

    "identity" (its first rows), "pca" and "lda" (the leading directions), "random" (standard normal),
    "uniform" (U(0, 1), as in the paper's Algorithm 1), or an array of that shape. "auto" is the identity where all
    dimensions are kept; the first rows of it would be the first features, whatever they are, so for fewer dimensions it
    is "lda" where classes have so many directions, and "pca" elsewhere. Where y are numbers, (N,) or (N, m), "pls" are
    the directions of partial least squares, and "auto" takes them for fewer dimensions. An array is a map of X times
    ``unit``, the data that users gave.

    Of many features that outnumber the rows all dimensions are those that the rows span; the identity is then a
    rotation into these, in which distances are the same.
    """
    d, p = X.shape[1], n_dimensions(n_components, X)
    if not isinstance(init, str):
        return unit * _given(init, None if n_components is None else p, d)
    if n_components is None and p < d and init in ("auto", "identity"):
        init = "pca"
    if init == "auto":
        init = _usual(p, d, y, is_regression)
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
            raise ValueError("init='lda' needs classes, and y are numbers: 'pls' is its like.")
        if y is None:
            raise ValueError("init='lda' needs labels; with triplets choose another start.")
        scalings = LinearDiscriminantAnalysis(n_components=min(p, len(np.unique(y)) - 1, d)).fit(X, y).scalings_
        return _leading(scalings.T, p, d)
    known = INITS_OF_REGRESSION if is_regression else INITS
    raise ValueError(f"Unknown init {init!r}; known: {', '.join(map(repr, known))}, or an array.")


def n_dimensions(n_components: int | None, X: NDArray) -> int:
    """Rows of a map that begins with samples X (N, d): as many as wanted; for None d, or of very many what X spans."""
    N, d = X.shape
    if n_components is not None:
        return n_components
    return max(1, N - 1) if d > MOST_SQUARE and d >= N else d


def _usual(p, d, y, is_regression):
    if p == d:
        return "identity"
    if is_regression:
        return "pls"
    return "lda" if y is not None and p < len(np.unique(y)) else "pca"


def _partial_least_squares(X, y, p):
    """Orthonormal directions; principal ones where so many cannot be told."""
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


def _given(init, p, d):
    A = check_array(init, dtype=np.float64)
    if A.shape[1] != d or A.shape[0] > d or (p is not None and A.shape[0] != p):
        raise ValueError(f"init has shape {A.shape}; expected ({'<= ' + str(d) if p is None else p}, {d}).")
    return A.copy()
