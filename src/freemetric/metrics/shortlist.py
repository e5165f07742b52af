"""One search instead of one per replica: the places nearest in the averaged metric, for whom every replica is asked.

Neighbours in one replica's space are near in the mean of all of them. Their exact distances are computed in every
space, all others are left out. Of very many places only those in the cells around a query are looked at.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels import kernels_for
from ..kernels.cells import Cells
from ..kernels.nearest import as_places, as_queries, nearest
from .averages import WIDE, some_rows
from .quadratic import followed_by, image, root
from .views import View

MANY_PLACES = 65_536  # from which it pays to look at some cells only
CELLS_FOR = 4  # of the wanted, one cell is asked
MOST_AXES, ENOUGH = 32, 0.999  # of the averaged metric: as many as make up this share of the squared distances
BLOCK = 16_384  # rows that are mapped at a time
FARTHEST = 1e15  # of a coordinate; where rows are, views give some units


class Shortlist(NamedTuple):
    """Places (M,) by their coordinates in the averaged metric, ready to be searched."""

    maps: dict[str, NDArray]  # by view, (d_view, q): the images of all views add up to the coordinates
    centre: NDArray  # (q,)
    places: NDArray[np.float32] | None  # (M, q + 1)
    cells: Cells | None  # where there are many

    @classmethod
    def of(cls, matrices: Mapping[str, NDArray], seen: Mapping[str, NDArray]) -> "Shortlist":
        """The shortlist of places seen (M, d_view) in every view, under the averaged matrices of the views."""
        maps = _principal_maps(matrices, seen)
        some = {name: some_rows(seen[name]) for name in maps}
        centre = _images(maps, some, 0.0).mean(axis=0) if maps else np.zeros(1)
        Z = _images(maps, seen, centre)
        if len(Z) < MANY_PLACES:
            return cls(maps, centre, as_places(Z), None)
        return cls(maps, centre, None, Cells.of(Z))

    def nearest(self, seen: Mapping[str, NDArray], size: int, device: str = "cpu") -> NDArray[np.int32]:
        """Numbers (n, size) of the places nearest to queries seen (n, d_view) in every view, nearest first.

        A GPU looks at all of them, however many.
        """
        Q = _images(self.maps, seen, self.centre)
        if device not in ("cpu", "reference"):
            places = self.cells.places if self.cells is not None else self.places
            assert places is not None
            found = kernels_for(device).NearestNeighbors(places[:, :-1], device).kneighbors(Q, min(size, len(places)))
            return (found if self.cells is None else self.cells.numbers[found]).astype(np.int32)
        if self.cells is not None:
            M = len(self.cells.places)
            return self.cells.nearest(Q, min(size, M), max(1, size // CELLS_FOR))
        assert self.places is not None
        return nearest(as_queries(Q), self.places, min(size, len(self.places)))


def seen_in(views: Mapping[str, View], X: NDArray) -> dict[str, NDArray]:
    """Patterns X (n, d) in every view, none so far away that single precision cannot square it."""
    with np.errstate(over="ignore", invalid="ignore"):
        return {name: np.clip(np.nan_to_num(view(X)), -FARTHEST, FARTHEST) for name, view in views.items()}


def _principal_maps(matrices, seen):
    """Maps (d_view, q) of the views onto the principal axes of the averaged metric; those of little length are left."""
    roots = {name: root(M) for name, M in matrices.items()}
    if not roots:
        return {}
    width = sum(map(len, roots.values()))
    images = np.hstack([image(B, some_rows(seen[name], width)) for name, B in roots.items()])
    lengths, axes = _principal_axes(images)
    share = np.cumsum(lengths) / max(lengths.sum(), np.finfo(float).tiny)
    axes = axes[:, : min(MOST_AXES, int((share < ENOUGH).sum()) + 1)]
    ends = np.cumsum([len(B) for B in roots.values()])[:-1]
    return {name: followed_by(B, part) for (name, B), part in zip(roots.items(), np.split(axes, ends), strict=True)}


def _principal_axes(Z):
    """Variances (q,) of rows Z (n, d) along axes (d, q), the largest first; of very many columns there are few rows."""
    if Z.shape[1] > WIDE:
        _, lengths, axes = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
        return lengths**2, axes.T
    lengths, axes = np.linalg.eigh(np.atleast_2d(np.cov(Z, rowvar=False)))
    return np.clip(lengths[::-1], 0, None), axes[:, ::-1]


def _images(maps, seen, centre):
    """Coordinates (n, q) of patterns seen (n, d_view) in every view."""
    n = len(next(iter(seen.values())))
    out = np.zeros((n, next(iter(maps.values())).shape[1] if maps else 1), dtype=np.float32)
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        for name, B in maps.items():
            out[rows] += seen[name][rows] @ B
        out[rows] -= centre
    return out
