"""Columns to numbers: which treatment each gets, and that later rows land among the training rows."""

import numpy as np
import pandas as pd
import pytest

from freemetric.exceptions import DataWarning
from freemetric.tabular import InputError, Schema
from freemetric.tabular.preprocessing import MOST_CATEGORIES, features, plan, useful_plan
from freemetric.tabular.schema import Column

NUMBERS = np.arange(60.0)
FRAME = pd.DataFrame(
    {
        "number": NUMBERS,
        "gaps": np.where(NUMBERS % 5 == 0, np.nan, NUMBERS),
        "one gap": np.where(NUMBERS == 0, np.nan, NUMBERS),
        "presence": np.where(NUMBERS % 3 == 0, np.nan, 7.0),
        "two": pd.Series(["a", "b"] * 30, dtype=object),
        "three": pd.Series(["a", "b", "b"] * 20, dtype=object),
        "many": pd.Series([f"v{i % 40}" for i in range(60)], dtype=object),
        "names and gaps": pd.Series(["a", "b", np.nan] * 20, dtype=object),
        "constant": pd.Series(["a"] * 60, dtype=object),
        "empty": np.full(60, np.nan),
        "identity": pd.Series([f"row {i}" for i in range(60)], dtype=object),
    }
)
SCHEMA = Schema("y", tuple(Column(n, "numeric" if FRAME[n].dtype.kind == "f" else "nominal") for n in FRAME))


def test_every_column_has_its_treatment():
    made = plan(FRAME, SCHEMA)
    assert made.groups == {
        "numbers": ["number", "one gap"],
        "numbers with gaps": ["gaps"],
        "gaps": ["presence"],
        "names": ["two", "three", "many"],
        "names with gaps": ["names and gaps"],
    }
    assert made.left_out == {
        "constant": "it is constant",
        "empty": "it has no value at all",
        "identity": "it names every row differently",
    }
    with pytest.warns(DataWarning, match="left out: column 'constant', it is constant; column 'empty'"):
        useful_plan("a.csv", FRAME, SCHEMA)


def test_features_are_named_as_they_are_made():
    made = plan(FRAME, SCHEMA).transformer().fit(FRAME)
    X, names = made.transform(FRAME), features(made)
    assert X.shape == (60, len(names))
    assert np.isfinite(X).all()
    column = {name: X[:, i] for i, name in enumerate(names)}
    np.testing.assert_array_equal(column["number", ""], NUMBERS)
    np.testing.assert_array_equal(column["gaps", "missing"], FRAME["gaps"].isna())
    np.testing.assert_array_equal(column["presence", "missing"], FRAME["presence"].isna())
    np.testing.assert_array_equal(column["two", "b"], FRAME["two"] == "b")
    assert ("two", "a") not in column
    np.testing.assert_array_equal(column["names and gaps", "missing"], FRAME["names and gaps"].isna())
    many = [name for name in names if name[0] == "many"]
    assert len(many) == MOST_CATEGORIES
    assert many[-1] == ("many", "others")
    np.testing.assert_array_equal(sum(column[name] for name in many), np.ones(60))
    np.testing.assert_array_equal(column["many", "v3"], FRAME["many"] == "v3")


def test_unknown_names_and_new_gaps_become_known_ones():
    made = plan(FRAME, SCHEMA).transformer().fit(FRAME)
    names = features(made)
    later = FRAME.iloc[:1].copy()
    later[["two", "three", "names and gaps"]] = np.array([["?!", np.nan, "?!"]], dtype=object)
    later["number"] = np.nan
    x = dict(zip(names, made.transform(later)[0], strict=True))
    assert x["number", ""] == np.median(NUMBERS)
    assert x["three", "b"] == 1  # the most frequent
    assert x["names and gaps", "missing"] == 1
    assert x["two", "b"] in (0, 1)


def test_nothing_of_use():
    with pytest.raises(InputError, match=r"a\.csv: no column is of use; column 'constant', it is constant"):
        useful_plan("a.csv", FRAME, Schema("y", (Column("constant", "nominal"),)))
