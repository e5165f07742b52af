"""Views that rotate the features: principal axes, and features without correlations."""

import numpy as np
from sklearn.covariance import ledoit_wolf_shrinkage

from ..files.checks import check_array, require
from .averaged_metric import singular_vectors, some_rows
from .views import Scaled, View, register_view

MOST_AXES = 300  # a full map has as many rows and columns
MOST_LOOKED_AT = 1000  # rows that the axes are computed from
NEGLIGIBLE = 1e-9  # length of an axis, against the longest


class LinearView(View):
    """V = (X - centre) W.

    Parameters
    ----------
    centre : ndarray of shape (n_features,)
        The origin.
    matrix : ndarray of shape (n_features, n_axes)
        W, in units of the features.
    """

    def __init__(self, centre, matrix):
        self.centre, self.matrix = centre, matrix

    def __call__(self, X):
        return (X - self.centre) @ self.matrix

    def made_of(self, X):
        """Itself: a linear view is part of the maps that were learned on it, and holds no value of a single row."""
        return self

    def slopes(self):
        return self.matrix

    def to_state(self):
        return {"centre": self.centre, "matrix": self.matrix}

    @classmethod
    def from_state(cls, state):
        centre, matrix = state["centre"], state["matrix"]
        check_array(centre, f"centre of {cls.__name__}", 1)
        check_array(matrix, f"matrix of {cls.__name__}", 2)
        fits = matrix.shape[0] == len(centre) and matrix.size
        require(fits, f"matrix of {cls.__name__}", "is of other features")
        return cls(centre, matrix)


class Axes(LinearView):
    """The principal axes of the scaled features, longest first, at most 300.

    With no more than 300 axes this is a rotation: distances between training samples are those of the scaled features,
    and a full map of the axes can do what a full map of the features could. Costs O(N^2 d).
    """

    words = "principal axes of the features"
    mixes_features = True

    def __init__(self, centre, matrix):
        super().__init__(centre, matrix)
        self.owner = np.abs(matrix).argmax(axis=0)  # no axis is of one feature alone: the one that counts most

    @classmethod
    def of(cls, X):
        scaled = Scaled.of(X)
        step = -(-len(X) // MOST_LOOKED_AT)
        V = scaled(some_rows(X)[::step])
        centre = V.mean(axis=0)
        lengths, axes = singular_vectors(V - centre)
        kept = np.flatnonzero(lengths > NEGLIGIBLE * max(lengths[0], np.finfo(float).tiny))[:MOST_AXES]
        axes = axes[kept] if len(kept) else np.eye(1, X.shape[1])  # no two rows differ
        return cls(scaled.low + scaled.span * centre, np.ascontiguousarray(axes.T / scaled.span[:, None]))


register_view("axes", Axes)


SMALLEST_SHARE = 1e-6  # of the variance of a feature, that an axis of the correlations keeps


class Whitened(LinearView):
    """The features without their correlations, V = (X - centre) C^(-1/2): distances are Mahalanobis'.

    Of all maps that whiten, the symmetric one changes features the least: a column still belongs to its feature. The
    correlations are shrunk (Ledoit and Wolf 2004), and the total variance is that of the scaled features.
    """

    words = "whitened features"
    most_features = 300  # the matrix costs d^2, and its root d^3

    def __init__(self, centre, matrix):
        super().__init__(centre, matrix)
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

    @classmethod
    def from_state(cls, state):
        view = super().from_state(state)
        require(view.matrix.shape[0] == view.matrix.shape[1], "matrix of Whitened", "is not square")
        return view


register_view("whitened", Whitened)
