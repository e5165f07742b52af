"""Kernels k(u, v), and coordinates of their feature spaces by kernel principal components."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import gen_batches

from ..exceptions import DataWarning, callers_stacklevel

PRECOMPUTED = "precomputed"
WITH_GAMMA = ("rbf", "laplacian", "poly", "sigmoid")
KINDS = (*WITH_GAMMA, "cosine", "linear", PRECOMPUTED)
SPREADING = {"rbf": "sqeuclidean", "laplacian": "cityblock"}  # kernels of a distance, and which
MOST_COMPARED = 1000  # rows whose distances have a median
BLOCK = 2**22  # values of a kernel held at once, 32 MB
ROUNDING = 1e-12  # of the largest eigenvalue; smaller ones are none
WEIGHTY = 1e-6  # share of the eigenvalues that is more than rounding


class Kernel(NamedTuple):
    """A kernel with its parameters; called with samples (n, d) and landmarks (m, d) it gives (n, m)."""

    kind: str | Callable[[NDArray, NDArray], Any]
    gamma: float = 1.0
    degree: float = 3.0
    coef0: float = 1.0

    def __call__(self, X: NDArray, landmarks: NDArray) -> NDArray[np.float64]:
        if callable(self.kind):
            K, shape = np.asarray(self.kind(X, landmarks)), (len(X), len(landmarks))
            if K.shape != shape or K.dtype.kind not in "fiub":
                what = f"kernel must be a function of two arrays of samples that gives a matrix {shape}"
                raise ValueError(f"{what}; it gave {K.dtype} of shape {K.shape}.")
            return K.astype(np.float64, copy=False)
        if self.kind == PRECOMPUTED:  # X holds the values; landmarks are column indices
            return X[:, landmarks]
        if self.kind in SPREADING:  # kernels of differences are more exact around zero
            centre = landmarks.mean(axis=0)
            X, landmarks = X - centre, landmarks - centre
        parameters = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        return pairwise_kernels(X, landmarks, metric=self.kind, filter_params=True, **parameters)

    def blocks(self, X: NDArray, landmarks: NDArray) -> Iterator[NDArray[np.float64]]:
        """The same in blocks of rows."""
        return (self(X[rows], landmarks) for rows in gen_batches(len(X), max(1, BLOCK // len(landmarks))))


def width(gamma: float | str, kind: Any, X: NDArray, rng: np.random.Generator) -> float:
    """gamma as a number: as given, 1 / d ("auto"), 1 / (d var X) ("scale"), or one over the "median" distance."""
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "auto" or kind not in WITH_GAMMA:  # a kernel without gamma ignores it
        return 1 / X.shape[1]
    if gamma == "scale":
        size = X.shape[1] * X.var()
    else:
        rows = X if len(X) <= MOST_COMPARED else X[rng.choice(len(X), MOST_COMPARED, replace=False)]
        sizes = pdist(rows, SPREADING[kind]) if kind in SPREADING else np.einsum("ni,ni->n", rows, rows)
        sizes = sizes[sizes > 0]  # copies are at no distance
        size = float(np.median(sizes)) if len(sizes) else 0.0
    return 1 / size if size > 0 else 1.0


class KernelSpace(NamedTuple):
    """z(x) = P (k(x) - c): r coordinates of the image of x, from its kernel with m landmarks."""

    landmarks: NDArray  # (m, d) samples, or (m,) column indices
    projection: NDArray[np.float64]  # (r, m) P
    offset: NDArray[np.float64]  # (m,) c, mean kernel of the samples learned from
    eigenvalues: NDArray[np.float64]  # (r,) their variances along the directions, falling

    def coordinates(self, kernel: Kernel, X: NDArray) -> NDArray[np.float64]:
        """Samples (N, d) as (N, r), in blocks of rows."""
        with np.errstate(over="ignore", invalid="ignore"):  # _finite raises
            blocks = [(_finite(K) - self.offset) @ self.projection.T for K in kernel.blocks(X, self.landmarks)]
        return _finite(np.concatenate(blocks))


def exact_space(kernel: Kernel, X: NDArray, landmarks: NDArray, tol: float, n_directions: int | None) -> KernelSpace:
    """The span of the images of all samples."""
    K = _finite(kernel(X, landmarks))
    K = (K + K.T) / 2
    offset = K.mean(axis=0)
    values, vectors = leading(K - offset - offset[:, None] + offset.mean(), tol, n_directions)
    projection = _scaled(values, vectors)
    projection -= projection.mean(axis=1, keepdims=True)  # orthogonal to the mean up to rounding, and now exactly
    return KernelSpace(landmarks, projection, offset, values / len(X))


def nystroem_space(
    kernel: Kernel, X: NDArray, landmarks: NDArray, own: NDArray, tol: float, n_directions: int | None
) -> KernelSpace:
    """The span of the images of m landmarks, whose own kernel is (m, m), turned to the main axes of all samples."""
    values, vectors = leading((own + own.T) / 2, 0)  # around the origin the mean may be larger than all else
    basis = _scaled(values, vectors)
    total, squares = np.zeros(len(landmarks)), np.zeros((len(basis), len(basis)))
    for K in kernel.blocks(X, landmarks):
        image = _finite(K) @ basis.T
        total += K.sum(axis=0)
        squares += image.T @ image
    offset = total / len(X)
    mean = basis @ offset
    values, vectors = leading(squares / len(X) - np.outer(mean, mean), tol, n_directions)
    return KernelSpace(landmarks, vectors.T @ basis, offset, values)


def leading(S: NDArray, tol: float, most: int | None = None) -> tuple[NDArray, NDArray]:
    """Eigenvalues of S above ``tol`` times the largest, falling, and their vectors as columns; at least one."""
    values, vectors = eigh(S, driver="evd", overwrite_a=True, check_finite=False)
    values, vectors = values[::-1], vectors[:, ::-1]
    negative = -values[values < 0].sum() / max(np.abs(values).sum(), np.finfo(np.float64).tiny)
    if negative > WEIGHTY:
        what = f"This kernel is not positive: {negative:.2g} of its eigenvalues are negative and left out"
        warnings.warn(f"{what}; distances are those of the rest.", DataWarning, stacklevel=callers_stacklevel())
    kept = max(1, int((values > max(tol, ROUNDING) * max(values[0], 0)).sum()))
    kept = kept if most is None else min(kept, most)
    return np.maximum(values[:kept], 0), np.ascontiguousarray(vectors[:, :kept])


def _scaled(values, vectors):
    """Rows v / sqrt(lambda); nothing where no sample differs from another."""
    return np.divide(vectors, np.sqrt(values), out=np.zeros_like(vectors), where=values > 0).T


def _finite(K):
    if not np.isfinite(K).all():
        raise ValueError("The kernel gives values that are not finite: scale the features, or take a smaller gamma.")
    return K
