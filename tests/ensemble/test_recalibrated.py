"""Spreads of a regressor are those of predictions that look at a shortlist, not of a search that looks at all."""

import numpy as np
import pytest

from freemetric import FreeEnergyRegressor, Recipe
from freemetric.datasets import SYNTHETIC
from freemetric.ensemble.running import given_recipe
from freemetric.ensemble.tasks.intervals import oob_predictor_of, out_of_bag_intervals
from freemetric.ensemble.tasks.regression import RegressionTask


@pytest.fixture(scope="module")
def sample():
    return SYNTHETIC["two-noises"].sample(500, 3)


@pytest.fixture(scope="module")
def short(sample):
    return FreeEnergyRegressor(n_replicas=10, recipe=Recipe(shortlist=60), random_state=0).fit(sample.X, sample.y)


def coverage(model, sample, alpha=0.2):
    low, high = model.predict_interval(sample.X, alpha).T
    return ((low <= sample.y) & (sample.y <= high)).mean()


def test_out_of_bag_samples_are_held_as_often_as_promised(short, sample):
    for alpha in (0.1, 0.3):
        rows, intervals = out_of_bag_intervals(short, alpha)
        inside = (intervals[:, 0] <= sample.y[rows]) & (sample.y[rows] <= intervals[:, 1])
        assert abs(inside.mean() - (1 - alpha)) < 0.02


def test_errors_are_those_of_predictions_with_the_same_shortlist(short):
    predictor = oob_predictor_of(short)
    everybody = np.arange(len(predictor.oob_samples))
    head = short.ensemble_.head
    wholes = head.wholes_of(predictor.training_set, predictor.oob_samples)
    prediction = head(predictor.shares(predictor.X, everybody), wholes)
    errors = np.sort((predictor.y - prediction.location) / prediction.spread)
    apart = np.abs(errors - head.errors)  # noises of single samples are crossed in a fit
    assert np.quantile(apart, 0.95) < 0.1  # 0.27 with the spread of a search that looks at all samples
    assert apart.mean() < 0.02


def test_new_samples_are_held_as_often_as_promised(short):
    assert abs(coverage(short, SYNTHETIC["two-noises"].sample(4000, 4)) - 0.8) < 0.04


def test_nothing_changes_where_all_samples_are_looked_at(short):
    ensemble, recipe = short.ensemble_, given_recipe(short, 500)
    task = RegressionTask(ensemble.head.encoding)
    assert task.recalibrated(ensemble, short.oob_indices_, None, recipe) is ensemble
    assert task.recalibrated(ensemble, short.oob_indices_, 500, recipe) is ensemble


def test_locations_do_not_change(short, sample):
    wide = FreeEnergyRegressor(n_replicas=10, recipe=Recipe(shortlist=None), random_state=0).fit(sample.X, sample.y)
    assert np.array_equal(wide.ensemble_.head.strengths, short.ensemble_.head.strengths)
    assert not np.array_equal(wide.ensemble_.head.spread, short.ensemble_.head.spread)
