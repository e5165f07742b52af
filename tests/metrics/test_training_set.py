"""Targets as votes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from freemetric.metrics import TargetEncoding, TrainingSet


def test_shares_of_votes_are_means_of_values(rng):
    values, w = rng.standard_normal((3, 40)) * [[1], [100], [1e-3]], rng.random(40)
    encoding = TargetEncoding.of(values)
    votes = encoding.votes(values) * w[:, None]
    shares = votes.sum(axis=0) / votes.sum()
    assert_allclose(
        encoding.means(shares), np.average(values, axis=1, weights=w), atol=1e-6 * np.abs(values).max(axis=1).max()
    )
    assert_allclose(encoding.mean(shares, 2), np.average(values[2], weights=w), atol=1e-9)


def test_a_sample_has_one_vote_for_each_value(rng):
    votes = TargetEncoding.of(rng.random((4, 20))).votes(rng.random((4, 20)))
    assert_allclose(votes.reshape(20, 4, 2).sum(axis=2), 1, rtol=1e-6)


@pytest.mark.parametrize("value", [7.0, 0.0, -1e-9, 1e9, -1e200])
def test_equal_values_have_a_range(value):
    equal = np.full((1, 5), value)
    encoding = TargetEncoding.of(equal)
    assert encoding.low < encoding.high
    assert_allclose(encoding.means(encoding.votes(equal).mean(axis=0)), value)


def test_copies_vote_together(rng):
    X = np.repeat(rng.random((5, 2)), 2, axis=0)
    values = rng.random((2, 10))
    training_set = TrainingSet(X, values, TargetEncoding.of(values))
    places = training_set.places
    assert len(places.rows) == 5
    assert (places.counts == 2).all()
    assert_allclose(places.votes, training_set.votes(np.arange(10)).reshape(5, 2, 4).sum(axis=1), rtol=1e-6)
