"""Where patterns lie in the averaged metric: coordinates whose Euclidean distances are its distances."""

from collections.abc import Mapping
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .averages import some_rows
from .quadratic import followed_by, image, root
from .views import View

NEGLIGIBLE = 1e-6  # length of an axis, against the longest
# No attribute of a committee: embedding must not change it, and its file holds nothing that can be computed.
EMBEDDINGS: "WeakKeyDictionary[object, Embedding]" = WeakKeyDictionary()


class Embedding(NamedTuple):
    """Linear maps of the views whose images add up to the coordinates, on principal axes.

    Of views with more than 2,000 columns together the axes are those of so many rows as have eight million numbers:
    all, or what is left out of distances is little.
    """

    maps: dict[str, NDArray]  # by view, (d_view, q)
    centre: NDArray  # (q,)

    @classmethod
    def of(cls, matrices: Mapping[str, NDArray], views: Mapping[str, View], X: NDArray) -> "Embedding":
        """The embedding in which matrices of the views measure, centred on rows X (N, d)."""
        roots = {name: root(M) for name, M in matrices.items()}
        if not roots:  # no two rows differ
            return cls({}, np.zeros(1))
        rows = some_rows(X, sum(map(len, roots.values())))
        Z = np.hstack([image(B, views[name](rows)) for name, B in roots.items()])
        centre = Z.mean(axis=0)
        _, size, axes = np.linalg.svd(Z - centre, full_matrices=False)
        axes = axes[size > NEGLIGIBLE * size[0]].T
        ends = np.cumsum([len(B) for B in roots.values()])[:-1]
        maps = {name: followed_by(B, part) for (name, B), part in zip(roots.items(), np.split(axes, ends), strict=True)}
        return cls(maps, centre @ axes)

    def __call__(self, views: Mapping[str, View], X: NDArray) -> NDArray:
        """Coordinates (n, q) of patterns X (n, d)."""
        images = (views[name](X) @ B for name, B in self.maps.items())
        return sum(images, np.zeros((len(X), len(self.centre)))) - self.centre
