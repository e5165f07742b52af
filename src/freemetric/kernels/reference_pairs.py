"""Soft neighbours in plain numpy: what the definitions for classes and for numbers share."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


def distances(Z: NDArray) -> NDArray:
    """Squared, infinite from a pattern to itself."""
    D = ((Z[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    return D


def chances(X: NDArray, w: NDArray, listed: NDArray, A: NDArray) -> NDArray:
    """p_ij (N, N), of the listed ones."""
    D = np.where(listed, distances(X @ A.T), np.inf)
    P = w * np.exp(D.min(axis=1, keepdims=True) - D)
    return P / P.sum(axis=1, keepdims=True)


def slope(W: NDArray, X: NDArray, A: NDArray) -> NDArray:
    """dE/dA from W = dE/dD."""
    Z, W = X @ A.T, W + W.T
    return 2 * (W.sum(axis=1, keepdims=True) * Z - W @ Z).T @ X


def element_sweep(
    energy_of_data: Callable[[NDArray], NDArray],
    A: NDArray,
    rows: NDArray,
    columns: NDArray,
    deltas: NDArray,
    allowed: NDArray,
    ridge: float,
) -> tuple[NDArray, NDArray, NDArray]:
    """Trials of single elements, one after another, as ``nca_element_sweep`` says."""

    def energy_of(A):
        return energy_of_data(A) + ridge * (A**2).sum(axis=(1, 2))

    A, energy = A.copy(), energy_of(A)
    accepted = np.zeros(rows.shape, dtype=bool)
    for t in range(rows.shape[1]):
        B = A.copy()
        B[np.arange(len(A)), rows[:, t], columns[:, t]] += deltas[:, t]
        trial = energy_of(B)
        accepted[:, t] = ok = trial - energy <= allowed[:, t]
        A[ok], energy[ok] = B[ok], trial[ok]
    return A, energy, accepted
