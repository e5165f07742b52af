"""The training samples of an ensemble, and what they vote for."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TrainingSet:
    """Rows that vote. Equal rows lie at one point, where their votes are counted.

    A copy of a row is a row: where the k nearest rows end within a point, a part of its
    votes counts. The order of equal rows then does not matter.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples, without gaps.
    values : ndarray of shape (n_samples, n_values)
        What every sample votes for.
    weights : ndarray of shape (n_samples,)
        How much its vote counts; the mean is one.
    row_of_point : ndarray of shape (n_points,)
        A row at every point.
    point_of_row : ndarray of shape (n_samples,)
        The point of every row.
    """

    X: np.ndarray
    values: np.ndarray
    weights: np.ndarray
    row_of_point: np.ndarray
    point_of_row: np.ndarray

    @classmethod
    def of(cls, X, values, weights):
        first, point = equal_rows(X)
        return cls(X, values, weights, first, point)

    def __len__(self):
        return len(self.X)

    @property
    def counts(self):
        """Number of rows at every point."""
        return np.bincount(self.point_of_row)

    @property
    def masses(self):
        """Sum of the weights of the rows at every point."""
        return np.bincount(self.point_of_row, self.weights)

    @property
    def sums(self):
        """Sums (n_points, n_values) of the weighted values at every point."""
        weighted = self.weights[:, None] * self.values
        if len(self.row_of_point) == len(self.X):
            return weighted[self.row_of_point]
        out = np.zeros((len(self.row_of_point), self.values.shape[1]))
        np.add.at(out, self.point_of_row, weighted)
        return out

    def part(self, rows):
        """The training set of some rows."""
        return TrainingSet.of(self.X[rows], self.values[rows], self.weights[rows])


def equal_rows(X):
    """Return a row at every point, and the point of every row; equal rows share one."""
    _, first, point = np.unique(row_codes(X), return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    return first[order], number[point]


def row_codes(X):
    """A hash of 64 bits (n_samples,) of every row, the same for equal rows.

    Even among a million rows, two different ones share it with a probability of 1e-7.
    """
    codes = np.zeros(len(X), dtype=np.uint64)
    for column in X.T:
        # Adding zero makes 0.0 of -0.0.
        bits = np.ascontiguousarray(column + 0.0, dtype=np.float64).view(np.uint64)
        codes = scrambled(bits + scrambled(codes))
    return codes


def scrambled(codes):
    """Mix the bits of unsigned integers (Stafford's variant of MurmurHash's finish)."""
    codes = codes + np.uint64(0x9E3779B97F4A7C15)
    codes = (codes ^ (codes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    codes = (codes ^ (codes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return codes ^ (codes >> np.uint64(31))
