"""Descent over maps: where it begins, L-BFGS, and the best map so far.

Progress is logged by the logger "freemetric" at level INFO.
"""

import logging
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

from ..kernels import one_blas_thread
from ..sklearn_compat import generator
from .linear_algebra import map_of

MOST_SQUARE = 500  # features; beyond, square maps cost too much memory and time
Array = NDArray[np.float64]
logger = logging.getLogger("freemetric")


def first_map(
    model: Any, X: NDArray, y: NDArray | None, unit: float, M0: NDArray | None = None
) -> NDArray:
    """The map that the ``init`` of a model names.

    "auto" is the map of a prior M0 (d, d) where all components are kept. X is in units
    of ``unit``.
    """
    is_auto = isinstance(model.init, str) and model.init == "auto"
    if M0 is not None and is_auto and model.n_components in (None, len(M0)):
        return map_of(M0)
    rng = generator(model.random_state)
    is_regression = getattr(model, "_is_regression", False)
    return initial_map(model.init, rng, X, y, model.n_components, is_regression, unit)


@one_blas_thread()
def initial_map(
    init: str | ArrayLike,
    rng: np.random.Generator,
    X: NDArray,
    y: NDArray | None,
    n_components: int | None = None,
    is_regression: bool = False,
    unit: float = 1.0,
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
    unit : float, default=1.0
        What X is divided by; an array ``init`` is a map of X before that.

    Returns
    -------
    A : ndarray of shape (n_components, n_features)
        The map.
    """
    d = X.shape[1]
    p = n_dimensions(n_components, X)
    if not isinstance(init, str):
        return unit * _checked_map(init, n_components, d)
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
