"""Text as numbers."""

import numpy as np
import pytest

from freemetric.experiments import DatasetError
from freemetric.experiments.encoding import TextTable, encode

COLUMNS = {
    "size": ["1", "", "4", "2.5"],
    "colour": ["red", "green", "", "red"],
    "side": ["l", "r", "l", "r"],
}
NOMINAL = {"colour": ["green", "blue", "red"], "side": ["l", "r"]}
TABLE = TextTable("toys", COLUMNS, ["a", "b", "a", "b"])


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("onehot", {"colour=green": [0, 1, 0, 0], "colour=red": [1, 0, 1, 1]}),
        ("ordinal", {"colour": [3, 1, 3, 3]}),
        ("bits", {"colour:1": [1, 0, 1, 1], "colour:0": [0, 0, 0, 0]}),
    ],
)
def test_rules_and_the_most_frequent_value(rule, expected):
    X, names = encode(TABLE, NOMINAL, {"colour": rule})
    if rule == "onehot":  # two values that occur are one feature
        expected = {"colour=red": expected["colour=red"]}
    assert names == ("size", *expected, "side=r")
    np.testing.assert_array_equal(X[:, 0], [1, 2.5, 4, 2.5])
    np.testing.assert_array_equal(X[:, 1:-1], np.array(list(expected.values())).T)
    np.testing.assert_array_equal(X[:, -1], [0, 1, 0, 1])


def test_a_gap_as_a_value_of_its_own():
    X, names = encode(TABLE, NOMINAL, {"*": "declared"}, missing="value")
    gap = "colour=(missing)"
    assert names == ("size", "colour=green", "colour=blue", "colour=red", gap, "side=r")
    np.testing.assert_array_equal(X[:, 1:5].argmax(axis=1), [2, 0, 3, 2])


@pytest.mark.parametrize(
    ("field", "message"),
    [("two", "could not convert string to float: 'two'"), ("", "no value at all")],
)
def test_what_is_no_number(field, message):
    table = TextTable("toys", {"size": [field]}, ["a"])
    with pytest.raises(DatasetError, match=f"toys.*'size'.*{message}"):
        encode(table, {})
