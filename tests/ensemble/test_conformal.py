"""Prediction sets: counts by hand, and coverage of known data."""

import numpy as np
import pytest
from scipy.special import softmax

from freemetric.ensemble.base import check_alpha
from freemetric.ensemble.classifier import prediction_sets


@pytest.mark.parametrize("by_class", [False, True])
def test_sets_are_counts_by_hand(rng, by_class):
    known, y = rng.dirichlet(np.ones(3), 60), rng.integers(0, 3, 60)
    P = rng.dirichlet(np.ones(3), 20)
    sets = prediction_sets(P, known, y, 0.2, by_class)
    for p, found in zip(P, sets, strict=True):
        for c in range(3):
            same = [known[i, y[i]] for i in range(60) if y[i] == c or not by_class]
            p_value = (sum(own <= p[c] for own in same) + 1) / (len(same) + 1)
            assert found[c] == (p_value > 0.2)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize("by_class", [False, True])
def test_coverage_of_exchangeable_samples(rng, alpha, by_class):
    y = rng.choice(3, 30_000, p=[0.7, 0.25, 0.05])
    P = softmax(2 * np.eye(3)[y] + rng.normal(size=(30_000, 3)) + [1, 0, -1], axis=1)
    sets = prediction_sets(P[6000:], P[:6000], y[:6000], alpha, by_class)
    is_inside = sets[np.arange(24_000), y[6000:]]
    assert is_inside.mean() == pytest.approx(1 - alpha, abs=0.015)
    of_classes = [is_inside[y[6000:] == c].mean() for c in range(3)]
    assert (np.abs(np.array(of_classes) - 1 + alpha).max() < 0.04) == by_class


def test_without_samples_every_class_is_possible():
    sets = prediction_sets(np.eye(2), np.empty((0, 2)), np.empty(0, int), 0.1, True)
    assert sets.all()


@pytest.mark.parametrize("alpha", [0, 1, -0.1, "0.1", None, True, np.nan, 3])
def test_other_shares_are_refused(alpha):
    with pytest.raises(ValueError, match="alpha is the share of predictions"):
        check_alpha(alpha)
