"""Counterfactuals change the class, need each change, and obey their rules."""

from itertools import combinations

import numpy as np
import pytest

from freemetric import FreeEnergyClassifier
from freemetric.inspection import counterfactuals
from freemetric.inspection.counterfactuals import _differ


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


def test_a_gap_differs_from_a_value_alone():
    first, second = np.array([[np.nan, np.nan, 1.0, 1.0]]), np.array([np.nan, 2, 1, 3])
    assert _differ(first, second).tolist() == [[False, True, False, True]]


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


def test_a_single_donor_is_found_in_the_first_row(rng):
    X = rng.normal(size=(7, 3)) + 20 * np.eye(7)[0][:, None]
    model = FreeEnergyClassifier(4, random_state=0).fit(X, [1, 0, 0, 0, 0, 0, 0])
    found = counterfactuals(model, X[1:])
    assert (found.rows == 0).all()
    assert (found.y == 1).all()
    assert found.changed.any(axis=1).all()


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
