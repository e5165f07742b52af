"""Rows of a group are never parted, classes keep their shares, and every repeat has folds of its own."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedGroupKFold

from freemetric.exceptions import DataWarning
from freemetric.tabular import InputError, Settings, Table, evaluate, read
from freemetric.tabular.protocol import grouped_splits

QUICK = {"euclidean": {"n_neighbors": 1}}


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(3)
    sizes = rng.geometric(0.1, 60)
    groups = np.repeat(np.arange(60), sizes)
    tends = rng.dirichlet([0.5, 0.3, 0.2], 60)
    return np.array([rng.choice(3, p=tends[g]) for g in groups]), groups


def test_a_group_is_on_one_side(many):
    y, groups = many
    splits = list(grouped_splits(y, groups, 5, 2, 0))
    assert len(splits) == 10
    for train, test in splits:
        assert not set(groups[train]) & set(groups[test])
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(len(y)))
        assert len(test)


def imbalance(y, splits):
    """Largest deviation of a class's share in a test part from its share in all rows."""
    overall = np.bincount(y) / len(y)
    return max(np.abs(np.bincount(y[test], minlength=3) / len(test) - overall).max() for _, test in splits)


def test_classes_keep_their_shares(many):
    """At least about as well as scikit-learn's folds do, whatever the seed."""
    y, groups = many
    theirs = imbalance(y, StratifiedGroupKFold(5, shuffle=True, random_state=0).split(y, y, groups))
    ours = [imbalance(y, grouped_splits(y, groups, 5, 1, seed)) for seed in range(10)]
    assert max(ours) < max(2 * theirs, 0.1)


def test_repeats_and_seeds_differ_and_come_again(many):
    y, groups = many
    tests = [tuple(test) for _, test in grouped_splits(y, groups, 5, 3, 0)]
    assert len(set(tests)) == 15
    assert tests == [tuple(test) for _, test in grouped_splits(y, groups, 5, 3, 0)]
    assert not set(tests) & {tuple(test) for _, test in grouped_splits(y, groups, 5, 3, 1)}


def test_as_many_groups_as_folds():
    """No fold is empty, even where one group holds nearly all rows."""
    groups = np.repeat(np.arange(4), [97, 1, 1, 1])
    y = np.arange(100) % 2
    assert sorted(len(test) for _, test in grouped_splits(y, groups, 4, 1, 0)) == [1, 1, 1, 97]


@pytest.fixture
def patients(tmp_path):
    """Every patient has a mark of its own, by which a row's class is known as soon as another of its rows is."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(40), 5)
    frame = pd.DataFrame({"patient": [f"p{i}" for i in patient]})
    for mark in "abc":
        frame[mark] = rng.normal(size=40)[patient] + 1e-3 * rng.normal(size=200)
    frame["class"] = np.where(rng.random(40) < 0.5, "ill", "well")[patient]
    frame.to_csv(tmp_path / "patients.csv", index=False)
    return frame, tmp_path / "patients.csv"


def test_groups_take_away_what_rows_know_of_each_other(patients):
    _, path = patients
    table = read(path)
    free, held = (Settings(5, 1, parameters=QUICK, groups=groups) for groups in (None, "patient"))
    known = evaluate({"a": table}, "class", ["euclidean"], free, drop=["patient"])
    assert known.error("a", "euclidean").mean < 5
    unknown = evaluate({"a": table}, "class", ["euclidean"], held)
    assert unknown.error("a", "euclidean").mean > 40  # there is nothing to learn
    assert "is not clearly better" in unknown.notes()[0]


def test_the_column_is_no_feature(patients):
    _, path = patients
    settings = Settings(4, 1, groups="patient", parameters={"rf": {"n_estimators": 5}})
    found = evaluate({"a": read(path)}, "class", ["rf"], settings)
    assert found.settings.groups == "patient"
    assert "rows of one 'patient' are never parted" in found.protocol()
    table = read(path)
    without = Table(table.source, {name: table.columns[name] for name in ("patient", "class")})
    with pytest.raises(InputError, match="no column is left beside the target 'class'"):
        evaluate({"a": without}, "class", ["rf"], Settings(4, 1, groups="patient"))


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.parametrize(
    ("groups", "folds", "message"),
    [
        ("patient", 41, "column 'patient': 40 groups are fewer than 41 folds; 40 folds are the most"),
        ("class", 5, "column 'class' is to be predicted and cannot be the groups, too"),
        ("nobody", 5, "no column 'nobody'; there are 'patient', 'a'"),
        ("one", 2, "column 'one': all rows are of one group"),
        ("by class", 2, "only the class '(ill|well)' is left to learn from"),
    ],
)
def test_groups_that_cannot_be(patients, tmp_path, groups, folds, message):
    frame, _ = patients
    frame.assign(one="x", **{"by class": frame["class"]}).to_csv(tmp_path / "b.csv", index=False)
    settings = Settings(folds, 1, groups=groups)
    with pytest.raises(InputError, match=message):
        evaluate(read(tmp_path / "b.csv"), "class", ["euclidean"], settings, drop=["one", "by class"])


def test_gaps_among_groups_and_classes_of_one_group(patients, tmp_path):
    frame, _ = patients
    frame.loc[:4, "class"] = "strange"
    frame.loc[5:6, "patient"] = None
    frame.to_csv(tmp_path / "b.csv", index=False)
    with pytest.warns(DataWarning) as caught:
        evaluate(read(tmp_path / "b.csv"), "class", ["euclidean"], Settings(3, 1, parameters=QUICK, groups="patient"))
    said = [str(warning.message) for warning in caught]
    assert any("2 rows have no value in column 'patient'; each is a group of its own" in text for text in said)
    assert any("in one group alone, so that no test can know it: 'strange'" in text for text in said)


def test_copies_within_a_group_do_no_harm(patients, tmp_path):
    frame, _ = patients
    pd.concat([frame] * 2).to_csv(tmp_path / "b.csv", index=False)
    evaluate(read(tmp_path / "b.csv"), "class", ["euclidean"], Settings(3, 1, parameters=QUICK, groups="patient"))
    with pytest.warns(DataWarning, match="200 of 400 rows are copies of others"):
        evaluate(read(tmp_path / "b.csv"), "class", ["euclidean"], Settings(3, 1, parameters=QUICK), drop=["patient"])
