"""Where a search over maps begins, and bases of learners that descend over a map."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils import check_array

from ..kernels.threads import one_blas_thread
from ..mc.streams import generator
from .base import MetricLearner
from .linear_algebra import map_of
from .search import Array, Descent
from .side_information import PriorLearner

MOST_SQUARE = 500  # features; beyond, square maps cost too much memory and time


def initial_map(
    init: str | ArrayLike,
    rng: np.random.Generator,
    X: NDArray,
    y: NDArray | None,
    n_components: int | None = None,
    is_regression: bool = False,
) -> NDArray:
    """A map of shape (n_components, n_features).

    Parameters
    ----------
    init : str or array-like
        "identity" (its first rows), "pca", "lda" or, in regression, "pls" (the leading
        directions), "random" (standard normal), "uniform" (U(0, 1)), or the map itself.
        "auto" is the identity for all dimensions; for fewer it is "lda" where classes
        have so many directions, "pls" in regression, and "pca" elsewhere.
    rng : numpy.random.Generator
        Source of random maps.
    X : ndarray of shape (n_samples, n_features)
        Samples.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs), or None
        Class indices or targets.
    n_components : int or None, default=None
        None is ``n_dimensions``.
    is_regression : bool, default=False
        Whether y are targets.

    Returns
    -------
    A : ndarray of shape (n_components, n_features)
        The map.
    """
    d = X.shape[1]
    p = n_dimensions(n_components, X)
    if not isinstance(init, str):
        return _checked_map(init, n_components, d)
    if init in ("auto", "identity") and n_components is None and p < d:
        init = "pca"
    if init == "auto":
        init = "identity" if p == d else _supervised(y, p, is_regression)
    if init == "identity":
        return np.eye(p, d)
    if init == "random":
        return rng.standard_normal((p, d))
    if init == "uniform":
        return rng.random((p, d))
    if init == "pca":
        return _leading(PCA().fit(X).components_, p, d)
    if is_regression != (init == "pls"):
        needed = "classes" if is_regression else "targets of regression"
        raise ValueError(f"init={init!r} needs {needed}.")
    if y is None:
        raise ValueError(f"init={init!r} needs labels; choose another start.")
    return _partial_least_squares(X, y, p) if is_regression else _discriminants(X, y, p)


def n_dimensions(n_components: int | None, X: NDArray) -> int:
    """Rows of a map of X (N, d): None means d, or the rank of very wide data."""
    N, d = X.shape
    if n_components is not None:
        return n_components
    return max(1, N - 1) if d > MOST_SQUARE and d >= N else d


def _supervised(y, p, is_regression):
    """The kind of start for fewer dimensions than features."""
    if is_regression:
        return "pls"
    return "lda" if y is not None and p < len(np.unique(y)) else "pca"


def _checked_map(init, n_components, d):
    A = check_array(init, dtype=np.float64, copy=True)
    if A.shape[1] != d or A.shape[0] > d or n_components not in (None, A.shape[0]):
        expected = f"({'<= ' + str(d) if n_components is None else n_components}, {d})"
        raise ValueError(f"init has shape {A.shape}; expected {expected}.")
    return A


def _discriminants(X, y, p):
    n_directions = min(p, len(np.unique(y)) - 1, X.shape[1])
    model = LinearDiscriminantAnalysis(n_components=n_directions).fit(X, y)
    return _leading(model.scalings_.T, p, X.shape[1])


def _partial_least_squares(X, y, p):
    """Orthonormal directions, completed by principal ones."""
    most = min(p, *X.shape, np.linalg.matrix_rank(X - X.mean(axis=0)))
    # In units of a power of two, squares of targets are numbers, and nothing rounds.
    y = np.ldexp(y, -np.frexp(np.abs(y).max(axis=0))[1])
    spread = np.std(y, axis=0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="y residual is constant")
        pls = PLSRegression(n_components=max(1, most), scale=False)
        pls.fit(X, y / np.where(spread > 0, spread, 1))
    found = pls.x_weights_.T
    found = found[np.linalg.norm(found, axis=1) > 0.5]
    directions = np.vstack([found, PCA().fit(X).components_])
    q, r = np.linalg.qr(directions.T)
    return _leading(q.T[np.abs(np.diag(r)) > 1e-6], p, X.shape[1])


def _leading(directions, p, d):
    """The first p directions; zeros where there are fewer."""
    A = np.zeros((p, d))
    A[: len(directions[:p])] = directions[:p]
    return A


class MapSearch(MetricLearner):
    """A learner that searches for a map of X / unit from ``init`` on."""

    init: Any
    n_components: Any
    _is_regression: Any = False

    def _start(self, rng, X, y, unit):
        """The first map of X, in its unit; an array ``init`` is a map in another."""
        A = initial_map(self.init, rng, X, y, self.n_components, self._is_regression)
        return A if isinstance(self.init, str) else unit * A

    def _first_map(self, X, y, unit):
        """The map that ``init`` names, by a generator of its own."""
        with one_blas_thread():
            return self._start(generator(self.random_state), X, y, unit)

    def _descend(self, objective, start):
        """Lowest value, the array there, and the iterations of L-BFGS."""
        search = Descent(objective, start)
        n_iter = self._run(search)
        return search.best.value, search.best.item, n_iter


class ConvexDescent(MapSearch, PriorLearner):
    """A learner whose objective is convex in M = A^T A and that stays near a prior."""

    def _beginning(self, X, y, M0, unit):
        """Start of the descent: the map of the prior, or that of ``init``."""
        is_auto = isinstance(self.init, str) and self.init == "auto"
        if is_auto and self.n_components in (None, len(M0)):
            return map_of(M0)
        return self._first_map(X, y, unit)


def departure(A: Array, M0: Array, cost: float) -> tuple[float, Array]:
    """cost |A^T A - M_0|^2 and its gradient by A."""
    off = A.T @ A - M0
    return cost * float((off**2).sum()), 4 * cost * np.dot(A, off)
