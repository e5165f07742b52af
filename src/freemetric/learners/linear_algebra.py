"""Symmetric matrices: covariances that can be inverted, roots, and the map behind a metric."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.linalg.lapack import dtrtri
from scipy.sparse import csr_array

SINGULAR = 1e-8  # smallest against mean eigenvalue
FEW_GROUPS = 32  # up to which a dense product is faster than a sparse one


def map_of(M: NDArray, n_components: int | None = None) -> NDArray:
    """A with A^T A = M, rows by falling eigenvalue; only the leading ``n_components``."""
    values, vectors = eigh(M)
    values, vectors = values[::-1], vectors[:, ::-1]
    return (vectors * np.sqrt(np.clip(values, 0, None))).T[:n_components]


def map_by_contrast(
    M: NDArray, near: NDArray, far: NDArray, n_components: int | None = None
) -> NDArray:
    """A with A^T A = M, rows by the length of differences ``far`` (n, d) along them against those of ``near``.

    The mean square of near images is added in every direction, so that directions of little variance do not win.
    """
    A = map_of(M)
    like, unlike = ((Z.T @ Z) / max(len(Z), 1) for Z in (near @ A.T, far @ A.T))
    _, directions = generalised_eigenvectors(unlike, shrunk(like, 1.0))
    return (np.linalg.qr(directions.T)[0].T @ A)[:n_components]


def shrunk(C: NDArray, ridge: float = 1e-6) -> NDArray:
    """C with ``ridge`` times its mean eigenvalue added to every eigenvalue."""
    return C + ridge * _level(C) * np.eye(len(C))


def invertible(
    C: NDArray, rows: NDArray, regularization: float | str = "auto"
) -> NDArray:
    """The covariance C of centred rows (n, d), made invertible.

    A number is a relative ridge. "auto" shrinks a singular matrix by Ledoit and Wolf's amount.
    """
    kept, ridge = shrinkage(C, rows, regularization)
    return kept * C + ridge * np.eye(len(C))


def shrinkage(
    C: NDArray, rows: NDArray, regularization: float | str = "auto"
) -> tuple[float, float]:
    """The share of C that is kept, and the multiple of the identity that is added."""
    if regularization != "auto":
        return 1.0, max(float(regularization), SINGULAR) * _level(C)
    if is_regular(C):
        return 1.0, 0.0
    amount = min(max(ledoit_wolf_amount(C, rows), 100 * SINGULAR), 1 - SINGULAR)
    return 1 - amount, amount * _level(C)


def _level(C):
    """The mean eigenvalue; one where all are zero."""
    level = np.trace(C) / len(C)
    return level if level > 0 else 1.0


def ledoit_wolf_amount(C: NDArray, rows: NDArray) -> float:
    """Shrinkage of C towards a multiple of the identity (Ledoit and Wolf 2004); |z z^T|_F = |z|^2."""
    distance = (C**2).sum() - np.trace(C) ** 2 / len(C)
    noise = ((np.einsum("ni,ni->n", rows, rows) ** 2).mean() - (C**2).sum()) / len(rows)
    return noise / distance if noise < distance else 1.0


def covariance(rows: NDArray, regularization: float | str = "auto") -> NDArray:
    """rows^T rows / n of centred rows (n, d), made invertible."""
    return invertible(rows.T @ rows / len(rows), rows, regularization)


def is_regular(C: NDArray) -> bool:
    """Whether every eigenvalue is above ``SINGULAR`` times their mean, by a Cholesky factorisation."""
    try:
        np.linalg.cholesky(C - SINGULAR * np.trace(C) / max(len(C), 1) * np.eye(len(C)))
    except np.linalg.LinAlgError:
        return False
    return len(C) > 0


def generalised_eigenvectors(S: NDArray, T: NDArray) -> tuple[NDArray, NDArray]:
    """Values (falling) and directions (rows v, with v^T T v = 1) of S v = lambda T v; T must be positive definite."""
    whiten, _ = dtrtri(np.linalg.cholesky(T), lower=1)
    values, vectors = np.linalg.eigh(whiten @ S @ whiten.T)
    return values[::-1], vectors[:, ::-1].T @ whiten


def within_groups(X: NDArray, groups: NDArray) -> NDArray:
    """The samples minus the mean of their group; groups of -1 are left out."""
    if groups.min() < 0:
        X, groups = X[groups >= 0], groups[groups >= 0]
    means = group_means(X, groups)[groups]
    return np.subtract(X, means, out=means)


def group_means(X: NDArray, groups: NDArray) -> NDArray:
    """Means (C, d) of the samples of groups 0..C-1."""
    counts = np.bincount(groups)
    if len(counts) <= FEW_GROUPS:
        return (
            (groups == np.arange(len(counts))[:, None]).astype(np.float64)
            @ X
            / counts[:, None]
        )
    membership = csr_array(
        (np.ones(len(X)), groups, np.arange(len(X) + 1))
    )  # (N, groups), a one in every row
    return membership.T @ X / counts[:, None]
