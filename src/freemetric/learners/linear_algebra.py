"""Symmetric matrices: shrinking, roots, and the map behind a metric."""

import numpy as np
from scipy.linalg import eigh

RIDGE = 1e-6  # of the mean eigenvalue


def shrunk(C, ridge=RIDGE):
    """C plus a small multiple of the identity: invertible even with constant or repeated features."""
    level = np.trace(C) / len(C)
    return C + ridge * (level if level > 0 else 1.0) * np.eye(len(C))


def inverse_root(C):
    """C^(-1/2) of a symmetric positive matrix, symmetric itself."""
    values, vectors = eigh(shrunk(C))
    return (vectors / np.sqrt(values)) @ vectors.T


def map_of(M, n_components=None):
    """A with A^T A = M, rows by falling eigenvalue; only the leading ``n_components``."""
    values, vectors = eigh(M)
    values, vectors = values[::-1], vectors[:, ::-1]
    A = (vectors * np.sqrt(np.clip(values, 0, None))).T
    return A[:n_components]


def generalised_eigenvectors(S, T):
    """Values (falling) and directions (rows) of S v = lambda T v, with v^T T v = 1; T is shrunk."""
    values, vectors = eigh(S, shrunk(T))
    return values[::-1], vectors[:, ::-1].T


def within_scatter(X, groups):
    """Mean covariance within groups, sum over groups of centred x x^T / N; groups of -1 are left out."""
    X, groups = X[groups >= 0], groups[groups >= 0]
    centred = X - group_means(X, groups)[groups]
    return centred.T @ centred / len(X)


def group_means(X, groups):
    sums = np.zeros((groups.max() + 1, X.shape[1]))
    np.add.at(sums, groups, X)
    return sums / np.bincount(groups)[:, None]
