"""Symmetric matrices: invertible covariances, roots, and the map behind a metric."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.linalg.lapack import dtrtri
from scipy.sparse import csr_array

SINGULAR = 1e-8  # smallest against mean eigenvalue
FEW_GROUPS = 32  # up to which a dense product is faster than a sparse one


def map_of(M: NDArray, n_components: int | None = None) -> NDArray:
    """The leading rows of A with A^T A = M, by falling eigenvalue."""
    values, vectors = eigh(M)
    values, vectors = values[::-1], vectors[:, ::-1]
    return (vectors * np.sqrt(np.clip(values, 0, None))).T[:n_components]


def map_by_contrast(
    M: NDArray, near: NDArray, far: NDArray, n_components: int | None = None
) -> NDArray:
    """The leading rows of A with A^T A = M, by differences ``far`` against ``near``.

    Differences are (n, d). The mean square of near images is added in every direction,
    so that directions of little variance do not win.
    """
    A = map_of(M)
    like = _mean_square(near @ A.T)
    unlike = _mean_square(far @ A.T)
    _, directions = generalised_eigenvectors(unlike, shrunk(like, 1.0))
    return (np.linalg.qr(directions.T)[0].T @ A)[:n_components]


def _mean_square(Z):
    return (Z.T @ Z) / max(len(Z), 1)


def shrunk(C: NDArray, ridge: float = 1e-6) -> NDArray:
    """C with ``ridge`` times its mean eigenvalue added to every eigenvalue."""
    return C + ridge * _level(C) * np.eye(len(C))


def invertible(
    C: NDArray, rows: NDArray | int, regularization: float | str = "auto"
) -> NDArray:
    """The covariance C of centred rows (n, d), or of so many, made invertible.

    A number is a relative ridge. "auto" shrinks a singular matrix by Ledoit and Wolf's
    amount, or by that of Chen et al. where only the number of rows is at hand.
    """
    kept, ridge = shrinkage(C, rows, regularization)
    return kept * C + ridge * np.eye(len(C))


def shrinkage(
    C: NDArray, rows: NDArray | int, regularization: float | str = "auto"
) -> tuple[float, float]:
    """The share of C that is kept, and the multiple of I that is added."""
    if regularization != "auto":
        return 1.0, max(float(regularization), SINGULAR) * _level(C)
    if is_regular(C):
        return 1.0, 0.0
    if isinstance(rows, int):
        amount = oracle_amount(C, rows)
    else:
        amount = ledoit_wolf_amount(C, rows)
    amount = min(max(amount, 100 * SINGULAR), 1 - SINGULAR)
    return 1 - amount, amount * _level(C)


def _level(C):
    """The mean eigenvalue; one where all are zero."""
    level = np.trace(C) / len(C)
    return level if level > 0 else 1.0


def ledoit_wolf_amount(C: NDArray, rows: NDArray) -> float:
    """Shrinkage of C towards a multiple of the identity (Ledoit and Wolf 2004)."""
    distance = (C**2).sum() - np.trace(C) ** 2 / len(C)
    squares = np.einsum("ni,ni->n", rows, rows)  # |z z^T|_F = |z|^2
    noise = ((squares**2).mean() - (C**2).sum()) / len(rows)
    return noise / distance if noise < distance else 1.0


def oracle_amount(C: NDArray, n: int) -> float:
    """Shrinkage of the covariance C of n rows of a normal distribution (Chen 2010)."""
    square = (C**2).sum()
    trace = np.trace(C) ** 2
    noise = square + trace
    distance = (n + 1) * (square - trace / len(C))
    return noise / distance if noise < distance else 1.0


def covariance(rows: NDArray, regularization: float | str = "auto") -> NDArray:
    """rows^T rows / n of centred rows (n, d), made invertible."""
    return invertible(rows.T @ rows / len(rows), rows, regularization)


def is_regular(C: NDArray) -> bool:
    """Whether every eigenvalue is above ``SINGULAR`` times their mean."""
    least = SINGULAR * np.trace(C) / max(len(C), 1)
    try:
        np.linalg.cholesky(C - least * np.eye(len(C)))
    except np.linalg.LinAlgError:
        return False
    return len(C) > 0


def generalised_eigenvectors(S: NDArray, T: NDArray) -> tuple[NDArray, NDArray]:
    """Falling values and rows v of S v = lambda T v, with v^T T v = 1.

    T must be positive definite.
    """
    whiten, _ = dtrtri(np.linalg.cholesky(T), lower=1)
    values, vectors = np.linalg.eigh(whiten @ S @ whiten.T)
    return values[::-1], vectors[:, ::-1].T @ whiten


def within_groups(X: NDArray, groups: NDArray) -> NDArray:
    """The samples minus the mean of their group; groups of -1 are left out."""
    if groups.min() < 0:
        X = X[groups >= 0]
        groups = groups[groups >= 0]
    means = group_means(X, groups)[groups]
    return np.subtract(X, means, out=means)


def group_means(X: NDArray, groups: NDArray) -> NDArray:
    """Means (C, d) of the samples of groups 0..C-1."""
    counts = np.bincount(groups)
    if len(counts) <= FEW_GROUPS:
        is_member = groups == np.arange(len(counts))[:, None]
        return is_member.astype(np.float64) @ X / counts[:, None]
    ones = np.ones(len(X))
    membership = csr_array((ones, groups, np.arange(len(X) + 1)))  # (N, groups)
    return membership.T @ X / counts[:, None]
