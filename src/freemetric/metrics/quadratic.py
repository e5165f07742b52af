"""Matrices of metrics, which are written as their diagonals (d,) where no two columns are mixed.

M (d, d) of a wide view would take more memory than everything else; of weights alone its diagonal says all.
"""

import numpy as np
from numpy.typing import NDArray


def root(M: NDArray) -> NDArray:
    """A map B with B^T B = M, for a symmetric M without negative eigenvalues."""
    if M.ndim == 1:
        return np.sqrt(np.clip(M, 0, None))
    values, vectors = np.linalg.eigh(M)
    return np.sqrt(np.clip(values, 0, None))[:, None] * vectors.T


def image(B: NDArray, V: NDArray) -> NDArray:
    """Rows V (n, d) under a map B."""
    return V * B if B.ndim == 1 else V @ B.T


def followed_by(B: NDArray, axes: NDArray) -> NDArray:
    """The matrix (d, q) of B and then ``axes`` (p, q): V is mapped to V @ it."""
    return B[:, None] * axes if B.ndim == 1 else B.T @ axes


def pulled_back(M: NDArray, J: NDArray) -> NDArray:
    """J M J^T (d, d): the metric M of V, whose differences are those of X times J (d, d_view), as one of X."""
    if J.ndim == 1:
        return np.diag(J**2 * M) if M.ndim == 1 else J[:, None] * M * J
    return (J * M if M.ndim == 1 else J @ M) @ J.T
