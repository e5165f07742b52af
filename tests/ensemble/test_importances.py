"""Importances by shuffling, against sums by hand, scikit-learn's on new rows, and what must be so."""

import inspect
import pickle
import re
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import permutation_importance

import freemetric
from freemetric import FreeEnergyClassifier, Recipe
from freemetric.ensemble import importances
from freemetric.ensemble.oob import OOBPredictor
from freemetric.exceptions import DataWarning

PLAIN = replace(Recipe(), calibration="none", densities=(), n_neighbors=(5,))


def coin_and_clues(rng, n):
    """A coin, which says nothing and varies as much as a feature can, and five features with a clue in each."""
    y = rng.integers(0, 2, n)
    clues = rng.standard_normal((n, 5)) + y[:, None] * np.linspace(1.2, 0.6, 5)
    return np.column_stack([rng.integers(0, 2, n), clues]), y


@pytest.fixture(scope="module")
def coin():
    rng = np.random.default_rng(1)
    X, y = coin_and_clues(rng, 300)
    return FreeEnergyClassifier(8, random_state=0).fit(X, y), coin_and_clues(rng, 400)


def out_of_bag(model):
    return OOBPredictor(model.ensemble_, model.oob_indices_, 10**6, 10**6, 10**6)


def by_hand(X, y, changed, k=5, weights=None):
    """Accuracy of k-NN that leaves each row out, where rows look like ``changed`` and training samples stay."""
    low, span = X.min(axis=0), np.ptp(X, axis=0)
    U, V = (changed - low) / span, (X - low) / span
    apart = ((U[:, None] - V[None]) ** 2).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    w = np.ones(len(y)) if weights is None else weights
    near = np.argsort(apart, axis=1)[:, :k]
    votes = np.array([[(w[row] * (y[row] == c)).sum() for c in range(y.max() + 1)] for row in near])
    return np.average(votes.argmax(axis=1) == y, weights=w)


def test_the_coin_weighs_and_does_not_matter(coin):
    model, _ = coin
    found, error = model.feature_importances_, model.feature_importances_error_
    assert model.distance_weights_.argmax() == 0  # what misled
    forest = RandomForestClassifier(random_state=0).fit(model.ensemble_.training_set.X, model.ensemble_.training_set.y)
    assert (found[1:4] > found[0] + 2 * np.hypot(error[1:4], error[0])).all()
    assert (forest.feature_importances_[1:4] > 5 * forest.feature_importances_[0]).all()
    assert abs(found[0]) < 3 * error[0] < 0.05
    assert not SelectFromModel(model, prefit=True, threshold=0.03).get_support()[0]


def test_unchanged_samples_get_their_out_of_bag_probabilities():
    for model in (few_classes(), few_classes(class_weight="balanced"), few_classes(recipe__scoring="f1_macro")):
        predictor = out_of_bag(model)
        rows = model.ensemble_.training_set.rows[predictor.oob_samples]
        everyone = np.arange(len(rows))
        again = predictor.answers(predictor.X, everyone)
        np.testing.assert_allclose(again, model.oob_decision_function_[rows], atol=1e-5)


def few_classes(**options):
    X, y = make_classification(180, 5, n_informative=4, n_redundant=0, n_classes=3, weights=[0.6, 0.3], random_state=2)
    weights = np.random.default_rng(0).random(180) + 0.5
    return FreeEnergyClassifier(6, random_state=0).set_params(**options).fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("weighted", [False, True])
def test_plain_neighbours_by_hand(weighted):
    rng = np.random.default_rng(3)
    X, y = make_classification(160, 4, n_informative=3, n_redundant=0, random_state=3)
    weights = rng.random(160) + 0.5 if weighted else None
    model = FreeEnergyClassifier(recipe=replace(PLAIN, candidates=["scaled/identity"]), random_state=0)
    model.fit(X, y, sample_weight=weights)
    training_set = model.ensemble_.training_set
    X, y, w = training_set.X, training_set.y, training_set.weights
    found = model.permutation_importances(n_repeats=2, random_state=7)
    shuffles = np.random.default_rng(7)
    shuffles = [shuffles.permutation(160) for _ in range(2)]
    before = by_hand(X, y, X, weights=w)
    assert found.score == pytest.approx(before) == pytest.approx(model.oob_score_)
    for j in range(4):
        lost = []
        for shuffle in shuffles:
            changed = X.copy()
            changed[:, j] = X[shuffle, j]
            lost.append(before - by_hand(X, y, changed, weights=w))
        assert found.mean[j] == pytest.approx(np.mean(lost))


@pytest.mark.slow
def test_as_on_new_rows(coin):
    """scikit-learn's importances on rows that the model has never seen, within the errors of both."""
    model, (X, y) = coin
    theirs = permutation_importance(model, X, y, n_repeats=2, random_state=0)
    error = np.hypot(model.feature_importances_error_, theirs.importances_std + 0.01)
    assert (np.abs(model.feature_importances_ - theirs.importances_mean) < 3 * error).all()
    theirs = permutation_importance(model, X, y, n_repeats=2, random_state=0, scoring="neg_log_loss")
    ours = model.permutation_importances(scoring="neg_log_loss")
    assert (np.abs(ours.mean - theirs.importances_mean) < 3 * np.hypot(ours.error, theirs.importances_std + 0.02)).all()


@pytest.mark.slow
def test_the_error_is_the_spread_over_data_sets():
    found = []
    for seed in range(24):
        rng = np.random.default_rng(seed)
        X, y = rng.random((120, 3)), rng.integers(0, 2, 120)
        X[:, 1] = (X[:, 1] + y) / 2 * (1 - 0.3 * X[:, 2])
        model = FreeEnergyClassifier(recipe=replace(PLAIN, candidates=["scaled/identity"]), random_state=0).fit(X, y)
        found.append(model.permutation_importances()[1:3])
    mean, error = np.array(found).swapaxes(0, 1)
    ratio = mean.std(axis=0) / error.mean(axis=0)
    assert ((ratio > 0.6) & (ratio < 1.6)).all(), ratio


def test_features_that_stand_in_for_each_other():
    """One twin stands in for the other, both are missed; all together are all that is known; a constant is 0."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    clue = y + 0.2 * rng.standard_normal(200)
    X = np.column_stack([clue, clue, rng.random(200), np.ones(200)])
    with pytest.warns(DataWarning, match="Constant"):
        model = FreeEnergyClassifier(
            8, recipe=Recipe(candidates=["scaled/diagonal"], temperature=1e-3), random_state=0
        ).fit(X, y)
    alone = model.permutation_importances()
    twins = model.permutation_importances(["twins", "twins", "noise", "constant"])
    assert twins.names.tolist() == ["twins", "noise", "constant"]
    assert twins.mean[0] > alone.mean[:2].mean() + 0.1
    assert twins.mean[1:].tolist() == alone.mean[2:].tolist()  # whatever else is asked
    assert (alone.mean[3], alone.error[3]) == (0, 0)
    everything = model.permutation_importances(np.zeros(4, dtype=int))
    chance = model.oob_score_ - (np.bincount(y) ** 2).sum() / 200**2
    assert abs(everything.mean[0] - chance) < 3 * everything.error[0]


def test_copies_of_rows_make_errors_no_smaller():
    X, y = coin_and_clues(np.random.default_rng(5), 120)
    plain = replace(PLAIN, candidates=("scaled/identity",))
    tripled = FreeEnergyClassifier(recipe=replace(plain, n_neighbors=15), random_state=0)
    with pytest.warns(DataWarning, match="copies"):
        tripled.fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    predictor = out_of_bag(tripled)
    rows = tripled.ensemble_.training_set.rows[predictor.oob_samples]
    np.testing.assert_allclose(
        predictor.answers(predictor.X, np.arange(360)), tripled.oob_decision_function_[rows], atol=1e-5
    )
    once = FreeEnergyClassifier(recipe=plain, random_state=0).fit(X, y)
    assert tripled.feature_importances_error_[1] > 0.6 * once.feature_importances_error_[1]


def test_the_same_whatever_the_threads_and_after_a_file(coin, tmp_path):
    model, _ = coin
    again = freemetric.load(model.save(tmp_path / "coin.fm") or tmp_path / "coin.fm").set_params(n_jobs=2)
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)
    np.testing.assert_array_equal(again.feature_importances_error_, model.feature_importances_error_)
    assert not any("importances" in name for name in vars(model))


def test_fewer_samples_and_replicas_where_features_are_very_many(coin, monkeypatch):
    model, _ = coin
    monkeypatch.setattr("freemetric.ensemble.importances.AFFORDABLE", 1e6)
    monkeypatch.setattr("freemetric.ensemble.oob.MOST_LOOKED_AMONG", 250)
    monkeypatch.setattr("freemetric.ensemble.oob.KEPT_BYTES", 0)
    few = model.permutation_importances()
    assert few.n_oob <= 200
    assert few.mean[1] > few.mean[0]


def test_new_rows_are_not_scored_and_old_ones_still_are(coin):
    X, y = coin_and_clues(np.random.default_rng(8), 150)
    model = FreeEnergyClassifier(8, recipe=Recipe(candidates=["scaled/full"], temperature=1e-3), random_state=0)
    model.partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    assert set(model.oob_indices_.rows) <= set(range(100))
    left_out = np.concatenate(model.oob_indices_.left_out(model.members_))
    assert left_out.shape == (model.ensemble_.n_replicas, len(model.oob_indices_))
    assert 0.3 < left_out.mean() < 0.7
    assert model.feature_importances_[1:].max() > 3 * abs(model.feature_importances_[0])


def test_no_sample_is_out_of_bag():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    with pytest.warns(DataWarning, match="never out of bag"):
        model = FreeEnergyClassifier(2, recipe=Recipe(candidates=["scaled/full"]), random_state=0).fit(X, [0, 0, 1, 1])
    assert np.isnan(model.feature_importances_).all()
    assert model.permutation_importances().n_oob == 0


def test_what_is_refused(coin):
    model, _ = coin
    with pytest.raises(ValueError, match="groups must name a group for each of 6 features"):
        model.permutation_importances(["a", "b"])
    with pytest.raises(ValueError, match="n_repeats is a number of shuffles"):
        model.permutation_importances(n_repeats=0)
    assert not hasattr(FreeEnergyClassifier(), "feature_importances_")


def test_importances_are_computed_once_and_only_if_they_are_asked_for(coin, monkeypatch, caplog):
    model = copy(coin[0])
    model.ensemble_ = copy(model.ensemble_)
    model.ensemble_.computed = {}
    calls, compute = [], type(model).permutation_importances
    counted = lambda self, *given: calls.append(1) or compute(self, *given)  # noqa: E731
    monkeypatch.setattr(type(model), "permutation_importances", counted)
    monkeypatch.setattr(importances, "SLOW", 0.0)
    assert "feature_importances_" not in dir(model)
    assert "oob_score_" in dir(model)
    repr(model), vars(model), pickle.dumps(model), inspect.getmembers(model)
    assert calls == []
    with caplog.at_level("INFO", "freemetric"):
        first, second = model.feature_importances_, model.feature_importances_
        assert model.feature_importances_error_.shape == first.shape
    assert first is second
    assert calls == [1]
    assert "feature_importances_" in dir(model)
    inspect.getmembers(model)
    assert calls == [1]
    (message,) = [record.getMessage() for record in caplog.records]
    assert re.fullmatch(r"feature_importances_ took [0-9.]+ s on first access; the result is cached", message)
