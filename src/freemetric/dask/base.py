"""What the classifier and the regressor on partitions have in common."""

from copy import copy

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ..ensemble.base import MOST_SEARCHED
from ..ensemble.search import stratified_part
from ..ensemble.training_set import TrainingSet
from .collections import (
    array,
    as_array,
    blocks_of,
    check_not_lost,
    dask,
    header,
    merged_in_steps,
)
from .partitions import (
    checked_queries,
    checked_samples,
    fit_together,
    nearest_of_all,
    nearest_points,
    points_among,
    predict_from_points,
    prepare_partition,
    rows_of,
    strata_of,
    without_samples,
)

MOST_QUERIES = 1024  # at a time


class DaskFreeEnergyModel(BaseEstimator):
    """A local model that learned from a part of the samples; all of them vote."""

    def _fit(self, model, X, y, sample_weight):
        """Fit a local model to a part of the samples, and let all of them vote."""
        self._validate_params()
        samples = as_array(X, 2, "X")
        names = header(X, samples.shape[1])
        check = dask.delayed(checked_samples)
        blocks = blocks_of(samples, y, sample_weight)
        samples = dask.persist(*(check(model, *block) for block in blocks))
        of_part = dask.delayed(strata_of)
        strata = dask.compute(*(of_part(model, part) for part in samples))
        ends = np.cumsum([len(own) for own in strata])
        rng = check_random_state(self.random_state)
        searched = draw_part(np.concatenate(strata), rng)
        cuts = np.searchsorted(searched, ends)[:-1]
        starts = np.append(0, ends[:-1])
        rows = np.split(searched, cuts)
        rows = [own - start for own, start in zip(rows, starts, strict=True)]

        take = dask.delayed(rows_of)
        parts = [take(*pair) for pair in zip(samples, rows, strict=True)]
        model = dask.delayed(fit_together)(model, parts).compute()
        drawn_values = np.split(model.ensemble_.training_set.values, cuts)
        sent = dask.delayed(without_samples(model), traverse=False)
        prepare = dask.delayed(prepare_partition)
        each_own = zip(samples, rows, drawn_values, strict=True)
        prepared = [prepare(sent, *own) for own in each_own]

        for estimator in (self, model):
            validate_data(estimator, names, reset=True, skip_check_array=True)
        self._kept = dask.persist(sent, *prepared)
        self._searched = searched
        self.local_ = model
        self.n_samples_ = int(ends[-1])
        return self

    def _gathered(self):
        """The local model with all training samples."""
        partitions = self._partitions()[1]
        found = [(part.points.X, part.values, part.weights) for part in partitions]
        found = dask.compute(*found)
        X, values, weights = (np.concatenate(c) for c in zip(*found, strict=True))
        training_set = TrainingSet.of(X, values, weights / weights.mean())
        model = copy(self.local_)
        model.ensemble_ = model.ensemble_.with_training_set(training_set)
        return model

    def _of_all_samples(self, drawn):
        """Out-of-bag predictions of all samples; NaN where there are none."""
        out = np.full((self.n_samples_, *drawn.shape[1:]), np.nan)
        out[self._searched] = drawn
        return out

    def _partitions(self):
        """The delayed model, and the delayed partitions."""
        check_is_fitted(self)
        check_not_lost(self._kept)
        return self._kept[0], self._kept[1:]

    def _predict(self, method, X, shape=(), dtype=np.float64, options=()):
        """Predictions (n, *shape) of a method of the local model; of Dask if X is."""
        model, partitions = self._partitions()
        queries = as_array(X, 2, "X")
        names = header(X, queries.shape[1])
        validate_data(self, names, reset=False, skip_check_array=True)
        lengths = queries.chunks[0]
        queries = queries.rechunk((MOST_QUERIES, -1))
        blocks = queries.to_delayed()[:, 0]
        parts = []
        for block, length in zip(blocks, queries.chunks[0], strict=True):
            part = delayed_predictions(model, partitions, method, block, options)
            parts.append(array.from_delayed(part, (length, *shape), dtype=dtype))
        out = array.concatenate(parts).rechunk({0: lengths})
        return out if dask.is_dask_collection(X) else out.compute()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def draw_part(strata, rng):
    """Numbers of the samples that metrics are searched with."""
    check_classification_targets(strata)
    return stratified_part(strata, min(len(strata), MOST_SEARCHED), rng)


def delayed_predictions(model, partitions, method, block, options):
    """Delayed predictions for a delayed block of queries.

    Only distances and codes of points travel from all partitions; then those points do
    that are among the nearest of a query.
    """
    queries = dask.delayed(checked_queries)(model, block)
    search = dask.delayed(nearest_points)
    merge = dask.delayed(nearest_of_all)
    choose = dask.delayed(points_among)
    found = [search(model, partition, queries) for partition in partitions]
    nearest = merged_in_steps(found, lambda few: merge(model, few))
    points = [choose(partition, nearest) for partition in partitions]
    predict = dask.delayed(predict_from_points)
    return predict(model, method, queries, nearest, points, options)
