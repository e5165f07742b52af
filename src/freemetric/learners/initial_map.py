"""Where a search for a map begins: the identity, leading directions, random numbers, or what was given."""

import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils import check_array

from ..magnitudes import exponent_of, reduced
from .parameters import INITS, INITS_OF_REGRESSION

MOST_SQUARE = 500  # features: beyond, maps of features by features cost more memory and time than they are worth


def initial_map(
    init: str | ArrayLike,
    rng: np.random.Generator,
    X: NDArray,
    y: NDArray | None,
    n_components: int | None = None,
    is_regression: bool = False,
) -> NDArray:
    """A map of shape (n_components, n_features).

    "identity" (its first rows), "pca" and "lda" (the leading directions), "random" (standard normal), "uniform"
    (U(0, 1), as in the paper's Algorithm 1), or an array of that shape. "auto" is the identity where all dimensions are
    kept; for fewer it is "lda" where classes have so many directions, and "pca" elsewhere, so that nothing depends on
    the order of features. In regression with targets (N,) or (N, m) "pls", partial least squares, replaces "lda".

    Of many features that outnumber the samples all dimensions are those that the samples span; the identity is then a
    rotation into these, in which distances are the same.
    """
    d, p = X.shape[1], n_dimensions(n_components, X)
    if not isinstance(init, str):
        return _given(init, None if n_components is None else p, d)
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
            raise ValueError("init='lda' needs classes; for regression use 'pls'.")
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
    """Orthonormal directions; principal ones where there are too few."""
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
