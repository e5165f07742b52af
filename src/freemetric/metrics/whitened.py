"""A view without correlations: what every feature says beyond the others."""

import numpy as np
from sklearn.covariance import ledoit_wolf_shrinkage

from ..files.checks import check_array, require
from .views import Scaled, View, register_view

SMALLEST_SHARE = 1e-6  # of the variance of a feature, that an axis of the correlations keeps


class Whitened(View):
    """The features without their correlations, V = (X - centre) C^(-1/2), shrunk where patterns are few.

    Distances in it are Mahalanobis' of the whole sample. Of all maps that whiten, the symmetric one changes features
    the least: a column still belongs to its feature, and shows what the others do not say already. Where classes differ
    by a small difference of two large numbers, a weight of the features cannot show it; a weight of these can, and full
    maps find it sooner.

    The correlations are shrunk towards none (Ledoit and Wolf 2004), and all variances together are those of scaled
    features, so that temperatures mean the same.
    """

    words = "whitened features"
    most_features = 300  # the matrix costs d^2, and its root d^3

    def __init__(self, centre, matrix):
        self.centre, self.matrix = centre, matrix
        self.owner = np.arange(len(centre))

    @classmethod
    def of(cls, X):
        scaled = Scaled.of(X)
        V = scaled(X)
        centre, spread = V.mean(axis=0), V.std(axis=0)
        spread = np.where(spread > 0, spread, 1.0)
        Z = (V - centre) / spread
        shrinkage = ledoit_wolf_shrinkage(Z, assume_centered=True)
        correlations = (1 - shrinkage) * (Z.T @ Z) / len(Z) + shrinkage * np.eye(len(centre))
        lengths, axes = np.linalg.eigh(correlations)
        root = axes / np.sqrt(np.maximum(lengths, SMALLEST_SHARE)) @ axes.T
        whitened = (Z @ root).var(axis=0).sum()
        scale = np.sqrt(V.var(axis=0).sum() / whitened) if whitened > 0 else 1.0
        return cls(scaled.low + scaled.span * centre, scale * root / (scaled.span * spread)[:, None])

    def __call__(self, X):
        return (X - self.centre) @ self.matrix

    def slopes(self):
        return self.matrix

    def to_state(self):
        return {"centre": self.centre, "matrix": self.matrix}

    @classmethod
    def from_state(cls, state):
        centre, matrix = state["centre"], state["matrix"]
        check_array(centre, "centre of Whitened", 1)
        require(len(centre), "centre of Whitened", "is empty")
        check_array(matrix, "matrix of Whitened", 2, (len(centre), len(centre)))
        return cls(centre, matrix)


register_view("whitened", Whitened)
