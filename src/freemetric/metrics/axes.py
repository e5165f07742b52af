"""Scaled features on the axes along which rows differ: what a table with very many features is seen in."""

import numpy as np

from ..files.checks import check_array, require
from .averages import some_rows
from .views import Scaled, View, register_view

MOST_AXES = 300  # a full map has as many rows and columns
MOST_LOOKED_AT = 1000  # rows that say where the axes are
NEGLIGIBLE = 1e-9  # length of an axis, against the longest


class Axes(View):
    """The principal axes of the scaled features, V = (X - centre) W, longest first, at most 300.

    N rows span N - 1 dimensions, however many features they have. Where there are not more than 300 of them this is a
    rotation: all distances between rows are those of the scaled features, and a full map of the axes can do what a full
    map of the features could. Part of a new pattern lies outside of what the rows span, equally far from all of them.
    Costs O(N^2 d) instead of the d^2 numbers that every full map of d features has.

    Parameters
    ----------
    centre : ndarray of shape (n_features,)
        What is taken away.
    matrix : ndarray of shape (n_features, n_axes)
        W, in units of the features.
    """

    words = "principal axes of the features"
    mixes_features = True

    def __init__(self, centre, matrix):
        self.centre, self.matrix = centre, matrix
        self.owner = np.abs(matrix).argmax(axis=0)  # no axis is of one feature alone: the one that counts most

    @classmethod
    def of(cls, X):
        scaled = Scaled.of(X)
        step = -(-len(X) // MOST_LOOKED_AT)
        V = scaled(some_rows(X)[::step])
        centre = V.mean(axis=0)
        _, lengths, axes = np.linalg.svd(V - centre, full_matrices=False)
        kept = np.flatnonzero(lengths > NEGLIGIBLE * max(lengths[0], np.finfo(float).tiny))[:MOST_AXES]
        axes = axes[kept] if len(kept) else np.eye(1, X.shape[1])  # no two rows differ
        return cls(scaled.low + scaled.span * centre, np.ascontiguousarray(axes.T / scaled.span[:, None]))

    def __call__(self, X):
        return (X - self.centre) @ self.matrix

    def slopes(self):
        return self.matrix

    def to_state(self):
        return {"centre": self.centre, "matrix": self.matrix}

    @classmethod
    def from_state(cls, state):
        centre, matrix = state["centre"], state["matrix"]
        check_array(centre, "centre of Axes", 1)
        check_array(matrix, "matrix of Axes", 2)
        fits = matrix.shape[0] == len(centre) and matrix.shape[1]
        require(fits and len(centre), "matrix of Axes", "is of other features")
        return cls(centre, matrix)


register_view("axes", Axes)
