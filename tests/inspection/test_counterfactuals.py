"""Counterfactuals change the class, need each change, and obey their rules."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from freemetric import FreeEnergyClassifier
from freemetric.inspection import counterfactuals
from freemetric.inspection.counterfactuals import _found


@pytest.fixture(scope="module")
def model(wine):
    return FreeEnergyClassifier(n_replicas=5, random_state=0).fit(*wine)


@pytest.fixture(scope="module")
def samples(wine):
    return wine[0][::12]


@pytest.fixture(scope="module")
def found(model, samples):
    return counterfactuals(model, samples)


def test_the_class_changes(model, samples, found):
    assert (model.predict(found.X) == found.y).all()
    assert (found.y != model.predict(samples)).all()
    np.testing.assert_array_equal(samples != found.X, found.changed)


def test_each_change_is_needed(model, samples, found):
    sample, column = np.nonzero(found.changed)
    without = found.X[sample]
    without[np.arange(len(sample)), column] = samples[sample, column]
    assert (model.predict(without) != found.y[sample]).all()
    assert np.median(found.changed.sum(axis=1)) <= 5


def test_values_are_those_of_one_training_row_of_the_class(model, found):
    donors = model.ensemble_.X[found.rows]
    assert (found.X[found.changed] == donors[found.changed]).all()
    assert (model.predict(donors) == found.y).all()


def test_as_few_as_brute_force_finds_where_two_features_decide(rng):
    X = rng.random((200, 4))
    y = (X[:, 0] > 0.5) & (X[:, 1] > 0.5)
    model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X, y)
    new = np.array([[0.9, 0.2, 0.5, 0.5], [0.2, 0.2, 0.3, 0.8], [0.8, 0.8, 0.2, 0.2]])
    found = counterfactuals(model, new)
    for x, changed, row in zip(new, found.changed, found.rows, strict=True):
        fewest = fewest_changes(model, x, model.ensemble_.X[row])
        assert changed.sum() == fewest


def fewest_changes(model, x, donor):
    for n in range(1, len(x) + 1):
        for columns in combinations(range(len(x)), n):
            changed = x.copy()
            changed[list(columns)] = donor[list(columns)]
            if model.predict(changed[None]) != model.predict(x[None]):
                return n


def test_the_nearest_row_gives_its_value_also_if_it_is_the_first():
    values = [0.9, *np.linspace(0, 0.5, 30), *np.linspace(0.92, 1.4, 30)]
    X = np.array(values)[:, None]
    model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X, X[:, 0] > 0.7)
    found = counterfactuals(model, [[0.2]])
    assert found.rows.tolist() == [0]
    assert found.X.tolist() == [[0.9]]


def test_a_target_class(model, wine):
    found = counterfactuals(model, wine[0][[0, 70, 160]], target=2)
    assert (model.predict(found.X) == 2).all()
    assert not found.changed[2].any()
    assert found.rows[2] == -1


def test_fixed_features(model, wine):
    X = wine[0][::20]
    found = counterfactuals(model, X, fixed=[6, 12])
    is_found = found.rows >= 0
    assert is_found.sum() >= 5
    assert not found.changed[:, [6, 12]].any()
    assert (model.predict(found.X[is_found]) != model.predict(X[is_found])).all()


def test_the_first_training_row_may_be_the_donor():
    model = SimpleNamespace(predict=lambda X: X[:, 0] > 0)
    search = SimpleNamespace(model=model, counterfactual=lambda *_: (np.ones(2), 0))
    found = _found(search, np.zeros((1, 2)), None)
    assert (found.rows, found.y) == (0, 1)
    assert found.changed.all()


def test_none_where_nothing_may_change(model, wine):
    found = counterfactuals(model, wine[0][:2], fixed=range(13))
    assert np.isnan(found.X).all()
    assert not found.changed.any()
    assert found.rows.tolist() == [-1, -1]
    assert (found.y == model.predict(wine[0][:2])).all()


def test_one_hot_columns_change_together(rng):
    colour, size = rng.integers(0, 3, 200), rng.random(200)
    X = np.column_stack([np.eye(3)[colour], size])
    y = (colour == 1) | (size > 0.8)
    model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X, y)
    groups = ["colour", "colour", "colour", "size"]
    found = counterfactuals(model, X[:30], groups=groups)
    assert (found.rows >= 0).all()
    assert (np.sort(found.X[:, :3], axis=1) == [0, 0, 1]).all()
    only_size = counterfactuals(model, X[:30], groups=groups, fixed=["colour"])
    assert not only_size.changed[:, :3].any()


def test_names_of_features(wine):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(wine[0], columns=[f"f{i}" for i in range(13)])
    y = np.array(["a", "b", "c"])[wine[1]]
    model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(frame, y)
    found = counterfactuals(model, frame[:3], target="c", fixed=["f6"])
    assert found.y.tolist() == ["c"] * 3
    assert not found.changed[:, 6].any()
    with pytest.raises(ValueError, match="feature names"):
        counterfactuals(model, frame[frame.columns[::-1]])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(target=7), "target is 7"),
        (dict(fixed=["age"]), "fixed names 'age'"),
        (dict(groups=["a"]), "group of each of 13 features"),
    ],
)
def test_refused(model, wine, options, words):
    with pytest.raises(ValueError, match=words):
        counterfactuals(model, wine[0][:1], **options)
