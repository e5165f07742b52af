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
        "three": pd.Series(["a", "b", "b", "c"] * 15, dtype=object),
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
        "two names": ["two"],
        "names": ["three", "many"],
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
    assert len(many) == 21  # half of the 40 stand there once
    assert many[-1] == ("many", "others")
    np.testing.assert_array_equal(sum(column[name] for name in many), np.ones(60))
    np.testing.assert_array_equal(column["many", "v3"], FRAME["many"] == "v3")


def test_names_beyond_the_most_frequent_share_a_feature():
    frame = pd.DataFrame({"a": pd.Series([f"v{i % 40}" for i in range(140)], dtype=object)})
    names = features(plan(frame, Schema("y", (Column("a", "nominal"),))).transformer().fit(frame))
    assert len(names) == MOST_CATEGORIES
    assert names[-1] == ("a", "others")


def encoded(row):
    """Features by column and value of the first row with other cells."""
    made = plan(FRAME, SCHEMA).transformer().fit(FRAME)
    later = FRAME.iloc[:1].copy()
    for name, cell in row.items():
        later[name] = pd.Series([cell], dtype=later[name].dtype)
    return dict(zip(features(made), made.transform(later)[0], strict=True))


@pytest.mark.parametrize("cell", ["never seen", np.nan])
def test_what_was_never_seen_is_none_of_what_was(cell):
    x = encoded({"two": cell, "three": cell, "many": cell})
    assert x["two", "b"] == 0.5  # as far from the one as from the other
    assert [x["three", value] for value in "abc"] == [0, 0, 0]
    assert [value for (name, value), cell in x.items() if name == "many" and cell] == ["others"]


def test_rare_names_share_the_fate_of_unseen_ones():
    rare, unseen = encoded({"many": "v39"}), encoded({"many": "never seen"})
    assert rare == unseen
    assert encoded({"many": "v3"})["many", "v3"] == 1


def test_gaps_are_gaps_and_medians_medians():
    x = encoded({"names and gaps": np.nan, "number": np.nan})
    assert x["number", ""] == np.median(NUMBERS)
    assert x["names and gaps", "missing"] == 1
    x = encoded({"names and gaps": "never seen"})
    assert [x["names and gaps", value] for value in ("a", "b", "missing")] == [0, 0, 0]


def test_one_of_two_names_that_is_rare():
    frame = pd.DataFrame({"a": pd.Series(["x"] * 20 + ["z"], dtype=object)})
    made = plan(frame, Schema("y", (Column("a", "nominal"),)))
    assert made.groups == {"names": ["a"]}
    assert features(made.transformer().fit(frame)) == [("a", "x"), ("a", "others")]


def test_nothing_of_use():
    with pytest.raises(InputError, match=r"a\.csv: no column is of use; column 'constant', it is constant"):
        useful_plan("a.csv", FRAME, Schema("y", (Column("constant", "nominal"),)))
