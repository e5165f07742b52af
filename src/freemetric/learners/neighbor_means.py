"""Means of the numbers of nearest neighbours, for several numbers of neighbours at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..kernels import kernels_for
from ..magnitudes import exponent_of
from ..metrics.neighbor_votes import within_reach
from ..metrics.training_set import equal_rows

CHUNK_BYTES = 64 << 20
Array = NDArray[np.float64]


class NeighborMeans:
    """Training rows Z (N, p) with numbers Y (N, m), ready to be asked.

    Rows at one place are equally far: where only some of them are among the k nearest, each has the same part in the
    mean, so that no order of the rows matters.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, p)
        The rows in a learned space.
    Y : ndarray of shape (n_rows, n_outputs)
        Their numbers.
    by_distance : bool
        Whether neighbours count by the inverse of their distances; those at none are then the only ones.
    n_jobs : int or None, default=None
        Threads of the search.
    """

    def __init__(self, Z: Array, Y: Array, by_distance: bool, n_jobs: int | None = None) -> None:
        first, of_row = equal_rows(Z)
        self.exponent = int(exponent_of(Z.ravel()))
        self.Z, self.by_distance = np.ldexp(Z[first], -self.exponent), by_distance
        self.counts = np.bincount(of_row, minlength=len(first))
        self.means = np.zeros((len(first), Y.shape[1]))
        np.add.at(self.means, of_row, Y)
        self.means /= self.counts[:, None]
        self.search = kernels_for("cpu").NearestNeighbors(self.Z, "cpu", n_jobs)

    def of(self, Q: Array, numbers: Sequence[int]) -> Array:
        """Means (n, len(numbers), m) of so many nearest rows, for new patterns Q (n, p)."""
        Q = within_reach(Q, self.exponent)
        most = min(max(numbers), len(self.Z))
        size = max(1, CHUNK_BYTES // (8 * most * (len(numbers) + self.Z.shape[1])))
        parts = [self._of(Q[start : start + size], np.asarray(numbers), most) for start in range(0, len(Q), size)]
        return np.concatenate(parts) if parts else np.empty((0, len(numbers), self.means.shape[1]))

    def _of(self, Q, numbers, most):
        nearest = self.search.kneighbors(Q, most)
        counts = self.counts[nearest]
        before = counts.cumsum(axis=1) - counts
        asked = np.clip(numbers[:, None] - before[:, None, :], 0, counts[:, None, :])  # (n, len(numbers), places)
        shares = asked * self._nearness(Q, nearest)[:, None, :]
        return shares @ self.means[nearest] / shares.sum(axis=2, keepdims=True)

    def _nearness(self, Q, nearest):
        if not self.by_distance:
            return np.ones(nearest.shape)
        distances = np.sqrt(((Q[:, None] - self.Z[nearest]) ** 2).sum(axis=2))
        is_there = distances == 0
        with np.errstate(divide="ignore"):
            return np.where(is_there.any(axis=1, keepdims=True), is_there, 1 / distances)
