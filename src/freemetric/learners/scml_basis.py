"""SCML's bases: the directions that tell classes, or far from near, in regions of the data."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr, solve
from sklearn.neighbors import NearestNeighbors

from .linear_algebra import group_means, shrunk

SCALES = (10, 20, 50)  # samples per class in a region, as in the paper; without classes, samples that begin triplets
SHRINKAGE = 0.1  # of a region's mean variance: ten samples do not span the features
PER_REGION = 5  # most discriminants of a region of triplets
MOST_EACH = 100  # triplets that a sample brings into a region


def draw_basis(rng: np.random.Generator, X: NDArray, y: NDArray | None, triplets: NDArray, n_basis: int) -> NDArray:
    """Unit vectors (n_basis, d): the discriminants of random regions, at every scale."""
    per_region = _per_region(X, y)
    n_regions = -(-n_basis // (per_region * len(SCALES)))
    regions = _triplet_regions(rng, X, triplets, n_regions) if y is None else _class_regions(rng, X, y, n_regions)
    directions = [
        triplet_discriminants(X, triplets[region], per_region)
        if y is None
        else class_discriminants(X[region], y[region], per_region)
        for region in regions
    ]
    return _unit_rows(rng, np.vstack(directions)[:n_basis])


def class_discriminants(X: NDArray, y: NDArray, n_directions: int) -> NDArray:
    """Leading directions (n_directions, d) of Fisher's criterion; zeros where there are fewer.

    The eigenvectors of S_w^-1 S_b are S_w^-1 M^T u with u those of M S_w^-1 M^T, M the class means: no larger
    eigenproblem than the number of classes.
    """
    X, span = _spanned(X - X.mean(axis=0))
    means = group_means(X, y)
    inside = X - means[y]
    M = means - means.mean(axis=0)
    V = solve(shrunk(inside.T @ inside / len(X), SHRINKAGE), M.T, assume_a="pos")
    values, U = eigh(M @ V)
    return _leading(values, (V @ U).T, n_directions) @ span.T


def triplet_discriminants(X: NDArray, triplets: NDArray, n_directions: int) -> NDArray:
    """Leading directions (n_directions, d) of the far pairs' scatter against the near pairs'; zeros for none."""
    a, p, n = triplets.T
    D, span = _spanned(np.vstack([X[a] - X[p], X[a] - X[n]]))
    near, far = D[: len(a)], D[len(a) :]
    values, V = eigh(far.T @ far / len(a), shrunk(near.T @ near / len(a), SHRINKAGE))
    return _leading(values, V.T, n_directions) @ span.T


def _spanned(X):
    """X in coordinates of the space that its rows span, and that space (d, .): few rows are cheap."""
    if X.shape[0] >= X.shape[1]:
        return X, np.eye(X.shape[1])
    span = qr(X.T, mode="economic")[0]
    return X @ span, span


def _leading(values, directions, n_directions):
    """Directions by falling value, zeros for those whose value is none."""
    order = np.argsort(-values, kind="stable")[:n_directions]
    real = values[order] > 1e-9 * max(values[order[0]], 1e-300)
    leading = np.zeros((n_directions, directions.shape[1]))
    leading[: len(order)] = directions[order] * real[:, None]
    return leading


def _unit_rows(rng, B):
    """Rows of length 1; random directions for rows of zeros."""
    lost = ~B.any(axis=1)
    B[lost] = rng.standard_normal((lost.sum(), B.shape[1]))
    B /= np.abs(B).max(axis=1, keepdims=True)
    return B / np.linalg.norm(B, axis=1, keepdims=True)


def _class_regions(rng, X, y, n_regions):
    """Samples around random ones, the nearest of every class; a list for every scale and centre."""
    centres = X[rng.choice(len(X), n_regions, replace=False)]
    nearest = []
    for c in range(y.max() + 1):
        own = np.flatnonzero(y == c)
        search = NearestNeighbors(n_neighbors=min(SCALES[-1], len(own))).fit(X[own])
        nearest.append(own[search.kneighbors(centres, return_distance=False)])
    return [np.concatenate([of_class[r, :k] for of_class in nearest]) for k in SCALES for r in range(n_regions)]


def _triplet_regions(rng, X, triplets, n_regions):
    """Numbers of the triplets that begin nearest to a random beginning, as many as ``SCALES`` samples have."""
    beginnings = np.unique(triplets[:, 0])
    each = min(MOST_EACH, -(-len(triplets) // len(beginnings)))
    nearest = []
    for centre in rng.choice(beginnings, n_regions, replace=False):
        distances = ((X - X[centre]) ** 2).sum(axis=1)
        nearest.append(np.argsort(distances[triplets[:, 0]], kind="stable")[: SCALES[-1] * each])
    return [order[: k * each] for k in SCALES for order in nearest]


def _per_region(X, y):
    return min(X.shape[1], PER_REGION if y is None else y.max())


def most_bases(X: NDArray, y: NDArray | None, triplets: NDArray) -> int:
    """Every sample, or every one that begins a triplet, can be the centre of one region of each scale."""
    n_centres = len(np.unique(triplets[:, 0])) if y is None else len(X)
    return n_centres * len(SCALES) * _per_region(X, y)
