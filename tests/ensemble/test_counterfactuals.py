"""Counterfactuals change the class, need every change, obey their rules, and have values of training samples."""

from itertools import combinations

import numpy as np
import pytest

from freemetric import FreeEnergyClassifier


@pytest.fixture(scope="module")
def model(wine):
    return FreeEnergyClassifier(n_replicas=5, random_state=0).fit(*wine)


@pytest.fixture(scope="module")
def found(model, wine):
    return model.counterfactual(wine[0][::12])


def test_the_class_changes(model, wine, found):
    X = wine[0][::12]
    assert (model.predict(found.X) == found.y).all()
    assert (found.y != model.predict(X)).all()
    assert ((found.X != X) == found.changed).all()


def test_every_change_is_needed(model, wine, found):
    sample, column = np.nonzero(found.changed)
    without = found.X[sample]
    without[np.arange(len(sample)), column] = wine[0][::12][sample, column]
    assert (model.predict(without) != found.y[sample]).all()


def test_values_are_those_of_one_training_row_of_the_class(wine, found):
    X, y = wine
    for row, new, changed, label in zip(found.rows, found.X, found.changed, found.y, strict=True):
        assert (new[changed] == X[row][changed]).all()
        assert y[row] == label


def test_few_changes(found):
    n = found.changed.sum(axis=1)
    assert n.min() >= 1
    assert np.median(n) <= 5


def test_as_few_as_brute_force_finds_where_two_features_decide(rng):
    X = rng.random((200, 4))
    y = (X[:, 0] > 0.5) & (X[:, 1] > 0.5)
    model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X, y)
    X_new = np.array([[0.9, 0.2, 0.5, 0.5], [0.2, 0.2, 0.3, 0.8], [0.8, 0.8, 0.2, 0.2]])
    found = model.counterfactual(X_new)
    for x, changed, row in zip(X_new, found.changed, found.rows, strict=True):

        def does(columns, x=x, row=row):
            new = x.copy()
            new[list(columns)] = X[row][list(columns)]
            return model.predict(new[None]) != model.predict(x[None])

        fewest = next(n for n in range(1, 5) if any(does(some) for some in combinations(range(4), n)))
        assert changed.sum() == fewest


def test_a_target_class(model, wine):
    X = wine[0][[0, 70, 160]]
    found = model.counterfactual(X, target=2)
    assert (model.predict(found.X) == 2).all()
    assert not found.changed[2].any()
    assert found.rows[2] == -1


def test_fixed_and_monotone_features(model, wine):
    X = wine[0][::20]
    found = model.counterfactual(X, fixed=[6, 12], monotone={0: 1, 9: -1})
    is_found = ~np.isnan(found.X).any(axis=1)
    assert is_found.sum() >= 5
    assert not found.changed[:, [6, 12]].any()
    assert (found.X[is_found, 0] >= X[is_found, 0]).all()
    assert (found.X[is_found, 9] <= X[is_found, 9]).all()
    assert (model.predict(found.X[is_found]) != model.predict(X[is_found])).all()


def test_none_where_nothing_may_change(model, wine):
    found = model.counterfactual(wine[0][:2], fixed=range(13))
    assert np.isnan(found.X).all()
    assert not found.changed.any()
    assert found.rows.tolist() == [-1, -1]
    assert (found.y == model.predict(wine[0][:2])).all()


def test_one_hot_columns_change_together(rng):
    colour, size = rng.integers(0, 3, 200), rng.random(200)
    X = np.column_stack([np.eye(3)[colour], size])
    model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X, (colour == 1) | (size > 0.8))
    groups = ["colour", "colour", "colour", "size"]
    found = model.counterfactual(X[:30], groups=groups)
    is_found = ~np.isnan(found.X).any(axis=1)
    assert is_found.all()
    assert (np.sort(found.X[:, :3], axis=1) == [0, 0, 1]).all()
    only_size = model.counterfactual(X[:30], groups=groups, fixed=["colour"])
    assert not only_size.changed[:, :3].any()


def test_names_of_features(wine):
    pd = pytest.importorskip("pandas")
    X, y = wine
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(13)])
    model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(frame, np.array(["a", "b", "c"])[y])
    found = model.counterfactual(frame[:3], target="c", fixed=["f6"])
    assert found.y.tolist() == ["c"] * 3
    assert not found.changed[:, 6].any()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (dict(target=7), "target is 7"),
        (dict(fixed=["age"]), "fixed names 'age'"),
        (dict(monotone={3: 2}), "must be 1"),
        (dict(monotone={99: 1}), "monotone names 99"),
    ],
)
def test_refused(model, wine, given, words):
    with pytest.raises(ValueError, match=words):
        model.counterfactual(wine[0][:1], **given)
