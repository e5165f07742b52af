"""Coordinates of a kernel's feature space: distances between them are those between images of samples.

The images of n samples span a space of at most n - 1 dimensions around their mean. Kernel principal components are an
orthonormal basis of it, so that a linear map learned on the coordinates is a linear map of the feature space.
"""

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from ..exceptions import DataWarning, callers_stacklevel
from .kernel_functions import Kernel

ROUNDING = 1e-12  # of the largest eigenvalue; smaller ones are none
WEIGHTY = 1e-6  # share of the eigenvalues that is more than rounding


class KernelSpace(NamedTuple):
    """z(x) = P (k(x) - c): r coordinates of the image of x, from its kernel with m landmarks."""

    landmarks: NDArray  # (m, d) samples, or (m,) numbers of columns of a given matrix
    projection: NDArray[np.float64]  # (r, m) P
    offset: NDArray[np.float64]  # (m,) c, mean kernel of the samples learned from
    eigenvalues: NDArray[np.float64]  # (r,) their variances along the directions, falling

    def coordinates(self, kernel: Kernel, X: NDArray) -> NDArray[np.float64]:
        """Samples (N, d) as (N, r), a block of them after the other."""
        Z = np.empty((len(X), len(self.projection)))
        start = 0
        with np.errstate(over="ignore", invalid="ignore"):  # _finite says it in one line
            for K in kernel.blocks(X, self.landmarks):
                Z[start : start + len(K)] = (_finite(K) - self.offset) @ self.projection.T
                start += len(K)
        return _finite(Z)


def exact_space(kernel: Kernel, X: NDArray, landmarks: NDArray, tol: float, n_directions: int | None) -> KernelSpace:
    """The space that the images of all samples span; every one of them is a landmark."""
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
    """The part of it that the images of m landmarks span, turned to the main axes of all samples.

    ``own`` (m, m) is the kernel of the landmarks among each other.
    """
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
        raise ValueError("The kernel gives values that are no numbers: scale the features, or take a smaller gamma.")
    return K
