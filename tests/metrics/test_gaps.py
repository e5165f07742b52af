"""Squared distances of samples with gaps are means over all values that the gaps could have."""

import numpy as np
import pytest

from freemetric.metrics import ClassEncoding, TrainingSet
from freemetric.metrics.gaps import Gaps
from freemetric.metrics.training_set import has_gaps
from freemetric.metrics.views import VIEWS, view_of


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    X = rng.normal([3.0, -1.0, 50.0, 0.0], [1.0, 0.1, 20.0, 1.0], (40, 4))
    X[::4, 0] = X[1::5, 2] = X[3, 1] = np.nan  # feature 1 has one gap, feature 3 none
    return X


def training_set(X):
    gaps = Gaps.of(X)
    return TrainingSet(gaps(X), np.zeros(len(X), dtype=int), ClassEncoding(1)).with_gaps(gaps)


def expected(X, x, y, weights):
    """The mean of the squared distance of x and y over all values of X in place of each gap of x, one by one."""
    total = 0.0
    for known, a, b, w in zip(X.T, x, y, weights, strict=True):
        draws = known[~np.isnan(known)] if np.isnan(a) else [a]
        total += np.mean([(w * (draw - b)) ** 2 for draw in draws])
    return total


def test_distances_are_expected_ones(X):
    samples = training_set(X)
    gaps, view = samples.gaps, view_of("scaled", samples)
    np.testing.assert_array_equal(gaps.features, [0, 2])
    V, spans = view(samples.X), np.nanmax(X, axis=0) - np.nanmin(X, axis=0)
    weights = np.array([2.0, 0.5, 1.0, 3.0])  # of a map that stretches companions as their features
    complete = np.flatnonzero(~np.isnan(X).any(axis=1))
    for i in (0, 1, 8, 16):
        for j in complete[:5]:
            squared = (((V[i] - V[j]) * weights[gaps.owner]) ** 2).sum()
            assert squared == pytest.approx(expected(X, X[i], X[j], weights / spans), rel=1e-12)
    assert np.isnan(X[[0, 1, 8, 16]]).any(axis=1).all()
    assert (V[0] - V[0] == 0).all()


def test_few_gaps_are_filled_without_a_companion(X):
    Z = training_set(X).X
    assert Z.shape == (40, 6)
    assert Z[3, 1] == pytest.approx(np.nanmean(X[:, 1]))


def test_samples_without_gaps_stay_the_same_array(X):
    known = np.nan_to_num(X)
    assert Gaps.of(known)(known) is known
    assert not has_gaps(known)
    assert has_gaps(X)
    later = known[:2].copy()
    later[0, 3] = np.nan
    assert Gaps.of(known)(later)[0, 3] == pytest.approx(known[:, 3].mean())


def test_there_and_back(X):
    gaps = Gaps.of(X)
    back = gaps.back(gaps(X))
    np.testing.assert_array_equal(back[:, [0, 2, 3]], X[:, [0, 2, 3]])
    assert back[3, 1] == gaps.means[1]  # the only gap without a companion


@pytest.mark.parametrize("single", [np.float32, np.float64])
def test_precision_stays(X, single):
    assert Gaps.of(X.astype(single))(X.astype(single)).dtype == single


@pytest.mark.parametrize("name", list(VIEWS))
def test_views_are_made_of_known_values(X, name):
    """Means would fill a fifth of the quantiles and of the thresholds."""
    samples = training_set(X)
    view = view_of(name, samples)
    assert np.isfinite(view(samples.X)).all()
    assert view(samples.X).shape[1] == len(view.owner)
    assert set(view.owner) <= set(range(6))


def test_quantiles_are_those_of_known_values(X):
    samples = training_set(X)
    V, known = view_of("quantiles", samples)(samples.X), ~np.isnan(X[:, 0])
    ranks = np.argsort(np.argsort(X[known, 0])) / (known.sum() - 1)
    np.testing.assert_allclose(V[known, 0], ranks, atol=0.05)
    np.testing.assert_allclose(V[:, 4], np.where(known, 0, np.sqrt(1 / 12)), atol=1e-9)


def test_gaps_of_logarithms_spread_as_logarithms_do(rng):
    X = np.exp(0.1 * rng.standard_normal((4000, 1))) * [3.0, 1.0]
    X[0], X[1] = X.min() / 2, X.max() * 2  # vary by a factor
    X[::4, 0] = np.nan
    samples = training_set(X)
    known, companion = np.log(X[~np.isnan(X[:, 0]), 0]), view_of("logs", samples)(samples.X)[::4, 2]
    np.testing.assert_allclose(companion, known.std() / np.ptp(known), rtol=0.05)


def test_a_feature_with_one_value_and_gaps():
    X = np.column_stack([np.arange(8.0), np.where(np.arange(8) % 2, np.nan, 7.0)])
    samples = training_set(X)
    np.testing.assert_array_equal(samples.X[:, 1], 7.0)
    np.testing.assert_array_equal(view_of("scaled", samples)(samples.X)[:, 2], np.arange(8) % 2)


def test_states(X):
    gaps = Gaps.of(X)
    again = Gaps.from_state(gaps.to_state())
    np.testing.assert_array_equal(again(X), gaps(X))
    wrong = {
        "means": (np.full(4, np.nan), np.zeros((1, 4))),
        "features": (np.array([2, 0]), np.array([0, 4]), np.array([0.0, 2.0])),
        "spreads": (np.array([1.0, 0.0]), np.array([1.0])),
    }
    for name, values in wrong.items():
        for value in values:
            with pytest.raises(ValueError, match=f"{name} of Gaps"):
                Gaps.from_state({**gaps.to_state(), name: value})
    samples = training_set(X)
    assert TrainingSet.from_state(samples.to_state()).gaps is samples.gaps
    assert "gaps" not in samples.with_gaps(None).to_state()  # as files have been
    with pytest.raises(ValueError, match="gaps of TrainingSet are of other features"):
        TrainingSet.from_state({**samples.to_state(), "gaps": Gaps.of(X[:, :2])})
