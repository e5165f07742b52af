"""Nearest patterns of the own class and of the others: targets and impostors."""

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors


def class_neighbors(X: NDArray, y: NDArray, n_own: int, n_other: int) -> tuple[NDArray, NDArray]:
    """Indices of every pattern's nearest ones of its own class (N, n_own) and of the others (N, n_other).

    -1 fills up where a class, or what is left beside it, is too small.
    """
    own, other = np.full((len(X), n_own), -1), np.full((len(X), n_other), -1)
    for c in np.unique(y):
        inside, outside = np.flatnonzero(y == c), np.flatnonzero(y != c)
        k = min(n_own, len(inside) - 1)
        if k > 0:  # without queries a pattern is not its own neighbour
            own[inside, :k] = inside[_search(X[inside], k).kneighbors(return_distance=False)]
        k = min(n_other, len(outside))
        if k > 0:
            other[inside, :k] = outside[_search(X[outside], k).kneighbors(X[inside], return_distance=False)]
    return own, other


def _search(X, k):
    return NearestNeighbors(n_neighbors=k).fit(X)
