"""What workers do with a partition of the training samples, and with queries."""

from copy import copy
from dataclasses import dataclass

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_array, check_X_y

from ..ensemble.averaged_metric import Embedding
from ..ensemble.base import SAMPLES, in_reach
from ..ensemble.ensemble import Ensemble
from ..ensemble.neighbors import MANY, Shortlist
from ..ensemble.training_set import row_codes
from ..sklearn_compat import check_sample_weight, dense

# --- the part that is searched ----------------------------------------------------


def checked_samples(model, X, y, weights):
    """Validated samples with gaps, targets and weights of a partition."""
    y = np.asarray(y)
    if y.dtype == object:
        y = np.array(y.tolist())
    if y.dtype == object:
        raise ValueError("y has missing values, or values of several types.")
    if not is_classifier(model):
        y = y.astype(np.float64)
    X, y = check_X_y(X, y, **SAMPLES)
    options = {"dtype": np.float64, "ensure_non_negative": True}
    return in_reach(dense(X)), y, check_sample_weight(weights, X, **options)


def strata_of(model, samples):
    """What the part that is searched has its share of: classes, or signs of targets.

    A logarithm of targets must meet those that are not positive.
    """
    y = samples[1]
    return y if is_classifier(model) else y > 0


def rows_of(samples, rows):
    """Some rows of a partition."""
    return [column[rows] for column in samples]


def fit_together(model, parts):
    """The local model, fitted to the drawn rows of all partitions."""
    X, y, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    return model.fit(X, y, weights)


# --- training samples -------------------------------------------------------------


@dataclass(frozen=True)
class FixedMetricEnsemble(Ensemble):
    """An ensemble whose averaged metric does not depend on who votes.

    Parameters
    ----------
    embedding : Embedding
        Coordinates in which the averaged metric is Euclidean.
    """

    embedding: Embedding


def without_samples(model):
    """A fitted model for the workers, which get their training samples elsewhere."""
    ensemble = model.ensemble_
    sent = copy(model)
    sent.ensemble_ = FixedMetricEnsemble(
        ensemble.gap_values,
        ensemble.views,
        ensemble.members,
        ensemble.sizes,
        ensemble.training_set.part(np.arange(0)),
        ensemble.embedding,
    )
    return sent


@dataclass(frozen=True)
class Points:
    """A training set as an ensemble needs it: what its different rows vote for.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Samples.
    row_of_point : ndarray of shape (n_points,)
        A row at every point.
    counts, masses : ndarray of shape (n_points,)
        Number of samples at every point, and the sum of their weights.
    sums : ndarray of shape (n_points, n_values)
        Sums of their weighted values.
    codes : ndarray of shape (n_points,)
        Hashes of the rows, ascending, by which partitions recognise a point.
    """

    X: np.ndarray
    row_of_point: np.ndarray
    counts: np.ndarray
    masses: np.ndarray
    sums: np.ndarray
    codes: np.ndarray

    @classmethod
    def of(cls, X, counts, masses, sums):
        """One point for all equal rows."""
        codes, first, point = np.unique(
            row_codes(X), return_index=True, return_inverse=True
        )
        counts = np.bincount(point, counts).astype(np.int64)
        total = np.zeros((len(codes), sums.shape[1]))
        np.add.at(total, point, sums)
        return cls(X, first, counts, np.bincount(point, masses), total, codes)

    @property
    def values(self):
        """An array of as many columns as there are values."""
        return self.sums

    def with_codes(self, codes):
        """The points that are among these codes."""
        wanted = np.unique(codes)
        at = np.searchsorted(self.codes, wanted).clip(max=len(self.codes) - 1)
        at = at[self.codes[at] == wanted]
        columns = self.counts, self.masses, self.sums, self.codes
        X = self.X[self.row_of_point[at]]
        return Points(X, np.arange(len(X)), *(column[at] for column in columns))


@dataclass(frozen=True)
class Partition:
    """Training samples that stay on their worker.

    Parameters
    ----------
    points : Points
        The samples, and the different rows among them.
    values, weights : ndarray of shape (n_samples, n_values) and (n_samples,)
        What every sample votes for, and how much that counts.
    shortlist : Shortlist
        What finds the nearest points.
    """

    points: Points
    values: np.ndarray
    weights: np.ndarray
    shortlist: Shortlist


def prepare_partition(model, samples, rows, drawn_values):
    """A partition ready for queries.

    Parameters
    ----------
    model : estimator
        The fitted model.
    samples : tuple of ndarray
        Samples with gaps, targets and weights.
    rows, drawn_values : ndarray of shape (n_drawn,) and (n_drawn, n_values)
        Rows that the model has learned from, and what they vote for.
    """
    X, y, weights = samples
    X = model.ensemble_.filled(X)
    values = values_of(model, X, y)
    values[rows] = drawn_values
    points = Points.of(X, np.ones(len(X)), weights, weights[:, None] * values)
    shortlist = Shortlist(model.ensemble_.embed(X[points.row_of_point]))
    return Partition(points, values, weights, shortlist)


def values_of(model, X, y):
    """What samples vote for that the model has not learned from."""
    if is_classifier(model):
        return np.eye(len(model.classes_))[np.searchsorted(model.classes_, y)]
    z = model.scale_(y)
    trends = [trend.predict(X) for _, trend in model.estimators_]
    return np.column_stack([z, z**2, *trends])


# --- queries ----------------------------------------------------------------------


def checked_queries(model, X):
    """Validated samples without gaps."""
    return model.ensemble_.filled(in_reach(dense(check_array(X, **SAMPLES))))


def nearest_points(model, partition, X):
    """Squared distances and codes (n, size) of the nearest points of a partition."""
    shortlist = partition.shortlist
    Q = model.ensemble_.embed(X)
    found = shortlist.nearest(Q, model.ensemble_.n_candidates)
    Q = Q[:, None, : shortlist.Z.shape[1]].astype(np.float32)
    differences = shortlist.Z[found] - Q
    return (differences**2).sum(axis=2), partition.points.codes[found]


def nearest_of_all(model, found):
    """Distances and codes of the nearest points of several partitions.

    A point that several partitions have counts once.
    """
    distances = np.hstack([own for own, _ in found])
    codes = np.hstack([own for _, own in found])
    order = np.lexsort((distances, codes))
    distances = np.take_along_axis(distances, order, axis=1)
    codes = np.take_along_axis(codes, order, axis=1)
    distances[:, 1:][codes[:, 1:] == codes[:, :-1]] = np.inf
    size = min(model.ensemble_.n_candidates, codes.shape[1])
    best = np.argpartition(distances, size - 1, axis=1)[:, :size]
    return [np.take_along_axis(both, best, axis=1) for both in (distances, codes)]


def points_among(partition, nearest):
    """The points of a partition that are among the nearest of all."""
    return partition.points.with_codes(nearest[1])


def predict_from_points(model, method, X, nearest, found, options):
    """What a method of the model predicts for queries near these points."""
    X_points, counts, masses, sums = (
        np.concatenate([getattr(points, name) for points in found])
        for name in ("X", "counts", "masses", "sums")
    )
    everyone = Points.of(X_points, counts, masses, sums)
    codes = nearest[1]
    model = copy(model)
    # With fewer points than MANY, the search among them is exact.
    step = max(1, (MANY - 1) // codes.shape[1])
    predictions = []
    for start in range(0, len(X), step):
        part = slice(start, start + step)
        points = everyone.with_codes(codes[part])
        model.ensemble_ = model.ensemble_.with_training_set(points)
        predictions.append(getattr(model, method)(X[part], *options))
    return np.concatenate(predictions)
