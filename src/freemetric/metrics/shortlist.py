"""One search instead of one per replica: the places nearest in the averaged metric, for whom every replica is asked.

Neighbours in one replica's space are near in the mean of all of them. Their exact distances are computed in every
space, all others are left out.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .averages import root
from .views import View

BLOCK_BYTES = 64 << 20  # of distances


class Shortlist(NamedTuple):
    """Places (M,) by their coordinates in the averaged metric, ready to be searched."""

    roots: dict[str, NDArray]  # by view, (q, d_view): maps whose squared distances add up to the averaged one
    coordinates: NDArray[np.float32]  # (M, Q)
    lengths: NDArray[np.float32]  # (M,) squared

    @classmethod
    def of(cls, matrices: Mapping[str, NDArray], seen: Mapping[str, NDArray]) -> "Shortlist":
        """The shortlist of places seen (M, d_view) in every view, under the averaged matrices of the views."""
        roots = {name: root(M) for name, M in matrices.items()}
        coordinates = _mapped(roots, seen)
        return cls(roots, coordinates, (coordinates**2).sum(axis=1))

    def nearest(self, seen: Mapping[str, NDArray], size: int) -> NDArray[np.int64]:
        """Numbers (n, size) of the places nearest to queries seen (n, d_view) in every view, nearest first."""
        Q = _mapped(self.roots, seen)
        M, block = len(self.coordinates), max(1, BLOCK_BYTES // (4 * len(self.coordinates)))
        parts = []
        for start in range(0, len(Q), block):
            distances = self.lengths - 2 * (Q[start : start + block] @ self.coordinates.T)
            some = np.broadcast_to(np.arange(M), distances.shape)
            if size < M:
                some = np.argpartition(distances, size - 1, axis=1)[:, :size]
            order = np.argsort(np.take_along_axis(distances, some, axis=1), axis=1, kind="stable")
            parts.append(np.take_along_axis(some, order, axis=1))
        return np.concatenate(parts)


def seen_in(views: Mapping[str, View], X: NDArray) -> dict[str, NDArray]:
    """Patterns X (n, d) in every view."""
    return {name: view(X) for name, view in views.items()}


def _mapped(roots, seen):
    n = len(next(iter(seen.values())))
    blocks = [seen[name] @ B.T for name, B in roots.items()]
    return np.ascontiguousarray(np.hstack(blocks) if blocks else np.zeros((n, 1)), dtype=np.float32)
