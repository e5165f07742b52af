"""Lists of nearest neighbours: distances by a product, the nearest by insertion."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from .compiling import njit

PAIRS = 1 << 18  # distances at a time, which stay in the cache


@njit(nogil=True, cache=True)
def keep_nearest(D, first, lists):
    """Write to lists (n, K) which of the distances D (n, N) are least, nearest first.

    Rows of D belong to the samples from ``first`` on, which are not their own
    neighbours. Of equal distances the first comes first. What stands in the lists, K
    different others, is a guess: a good one saves most insertions. D is overwritten.
    """
    n, N = D.shape
    K = lists.shape[1]
    near = np.empty(K, D.dtype)
    for i in range(n):
        D[i, first + i] = np.inf
        worst, last = np.inf, 0
        for t in range(K + N):
            is_guess = t < K
            j = lists[i, t] if is_guess else t - K
            value = D[i, j]
            if is_guess or value < worst or (value == worst and j < last):
                D[i, j] = np.inf  # not twice
                at = t if is_guess else K - 1
                while at > 0 and (
                    near[at - 1] > value
                    or (near[at - 1] == value and lists[i, at - 1] > j)
                ):
                    near[at] = near[at - 1]
                    lists[i, at] = lists[i, at - 1]
                    at -= 1
                near[at] = value
                lists[i, at] = j
                worst, last = near[K - 1], lists[i, K - 1]


def first_guess(R: int, N: int, size: int) -> NDArray[np.int32]:
    """Lists (R, N, size) of the samples that follow each sample."""
    rows = np.arange(N, dtype=np.int32)[:, None] + np.arange(
        1, size + 1, dtype=np.int32
    )
    return np.repeat((rows % N)[None], R, axis=0)


def others_nearest(
    Z: NDArray, n_neighbors: int, guess: NDArray | None = None
) -> NDArray[np.int32]:
    """Rows (R, N, n_neighbors) of the samples nearest to every sample but itself in
    spaces Z (R, N, p), nearest first.

    ``guess`` are such lists under similar maps.
    """
    R, N, p = Z.shape
    lists = first_guess(R, N, n_neighbors) if guess is None else guess.copy()
    queries = np.ones((N, p + 1), Z.dtype)
    places = np.empty((N, p + 1), Z.dtype)
    step = max(1, PAIRS // N)
    for r in range(R):
        queries[:, :p] = -2 * Z[r]
        places[:, :p] = Z[r]
        places[:, p] = np.einsum("np,np->n", Z[r], Z[r])
        for i in range(0, N, step):
            # Squared distances but for a constant of each row.
            D = queries[i : i + step] @ places.T
            keep_nearest(D, i, lists[r, i : i + step])
    return lists


def others_in_order(Z: NDArray, n_neighbors: int) -> NDArray[np.int32]:
    """The same by exact distances, so that samples at one place are equally far."""
    R, N, _ = Z.shape
    lists = first_guess(R, N, n_neighbors)
    step = max(1, PAIRS // N)
    for r in range(R):
        for i in range(0, N, step):
            D = cdist(Z[r, i : i + step], Z[r], "sqeuclidean")
            keep_nearest(D, i, lists[r, i : i + step])
    return lists
