"""Very many rows: a bounded search, all of them vote, nothing copied."""

import numpy as np
import pytest

from freemetric import FreeEnergyClassifier, Recipe
from freemetric.ensemble.search import searched_part
from freemetric.ensemble.tasks.classification import ClassificationTask
from freemetric.learners import training_rows as rows_module
from freemetric.learners.training_rows import canonical_order, training_rows
from freemetric.metrics import ClassEncoding, TrainingSet

SHORT = Recipe(most_searched=300, most_scored=200, smallest_bag=50, candidates=("scaled/diagonal", "scaled/full"))


def blobs(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.standard_normal((n, 4)).astype(np.float32)
    X[:, 0] += 3 * y
    return X, y


def test_the_searched_part_is_a_stratified_sample():
    X, y = blobs(5000)
    y[y == 2] = np.where(np.arange((y == 2).sum()) < 5, 2, 1)  # a rare class
    training_set = TrainingSet(X, y, ClassEncoding(3), rows=np.arange(5000) + 7)
    part = searched_part(training_set, ClassificationTask(3), 500, np.random.SeedSequence(0))
    assert abs(len(part) - 500) <= 3
    np.testing.assert_array_equal(training_set.X[part.rows - 7], part.X)
    share = np.bincount(part.y) / len(part)
    np.testing.assert_allclose(share, np.bincount(y) / 5000, atol=0.005)
    assert (part.y == 2).sum() == 2  # one would have no neighbour of its class
    assert searched_part(training_set, ClassificationTask(3), 5000, np.random.SeedSequence(0)) is training_set


def test_all_rows_vote_though_few_were_searched():
    X, y = blobs(2000)
    Q, truth = blobs(500, seed=1)
    model = FreeEnergyClassifier(12, recipe=SHORT, random_state=0).fit(X, y)
    assert len(model.ensemble_.training_set) == model.n_searched_ == 2000
    scored = ~np.isnan(model.oob_decision_function_[:, 0])
    assert scored.sum() <= 200
    assert model.oob_score_ == pytest.approx(
        (model.oob_decision_function_[scored].argmax(axis=1) == y[scored]).mean(), abs=1e-9
    )
    bayes = 2 / 3 * 2 * 0.0668  # errors of the nearest of three centres at distance 3: (1 + 2 + 1) / 3 Phi(-1.5)
    assert 1 - model.score(Q, truth) < bayes + 0.03


def test_very_many_rows_stay_where_they_are(monkeypatch, tmp_path):
    monkeypatch.setattr(rows_module, "MOST_ORDERED", 1000)
    X, y = blobs(1500)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = FreeEnergyClassifier(6, recipe=SHORT, random_state=0).fit(mapped, y)
    assert np.shares_memory(model.ensemble_.training_set.X, mapped)
    assert model.ensemble_.training_set.X.dtype == np.float32
    copied = FreeEnergyClassifier(6, recipe=SHORT, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X[:50]), copied.predict_proba(X[:50]))


def test_an_order_that_no_order_changes(rng):
    for n_values in (1, 2, 3, 1000):
        X, y = rng.integers(0, n_values, (60, 3)).astype(float), rng.integers(0, 2, 60)
        weights = rng.integers(1, 3, 60).astype(float)
        shuffled = rng.permutation(60)
        table = np.column_stack([X, y, weights])
        one = table[canonical_order(X, y, weights)]
        other = table[shuffled][canonical_order(X[shuffled], y[shuffled], weights[shuffled])]
        np.testing.assert_array_equal(one, other)
        back = np.argsort(np.random.default_rng(0).permutation(60))
        np.testing.assert_array_equal(one[back], table[np.lexsort(table.T[::-1])])


def test_known_classes(rng):
    rows = training_rows(rng.random((4, 2)), np.array(["b", "a", "b", "a"]), None, classes=["c", "b", "a"])
    assert rows.classes.tolist() == ["a", "b", "c"]
    assert sorted(rows.y.tolist()) == [0, 0, 1, 1]
    with pytest.raises(ValueError, match="labels that are not among the classes: z"):
        training_rows(rng.random((2, 2)), np.array(["a", "z"]), None, classes=["a", "b"])
