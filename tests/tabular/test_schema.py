"""Kinds of columns, and labels."""

import numpy as np
import pytest

from freemetric.exceptions import DataWarning
from freemetric.tabular import InputError, Schema, read
from freemetric.tabular.tasks import label_texts, labels


def table(tmp_path, text):
    (tmp_path / "a.csv").write_text(text)
    return read(tmp_path / "a.csv")


def test_a_column_that_is_mostly_numbers_is_nominal_and_said(tmp_path):
    found = table(tmp_path, "a,y\n1,p\n2,q\nabc,p\n")
    with pytest.warns(DataWarning, match=r"a\.csv: row 3 \(line 4\), column 'a': 'abc' is no number"):
        schema = Schema.infer(found, "y")
    assert schema.columns[0].kind == "nominal"
    with pytest.raises(InputError, match=r"row 3 \(line 4\), column 'a': 'abc' is not a finite number"):
        Schema.infer(found, "y", numeric=["a"])


def test_infinity_is_no_number(tmp_path):
    with pytest.raises(InputError, match=r"row 2 .*column 'a': '-inf' is not a finite number"):
        Schema.infer(table(tmp_path, "a,y\n1,p\n-inf,q\n"), "y")


def test_numbers_whose_squares_are_none(tmp_path):
    with pytest.raises(InputError, match=r"row 2 .*column 'a': '-1e308' is too large a number"):
        Schema.infer(table(tmp_path, "a,y\n1,p\n-1e308,q\n"), "y")


def test_numbers_can_be_names_and_columns_left_out(tmp_path):
    schema = Schema.infer(table(tmp_path, "a,b,y\n1,2,p\n3,4,q\n"), "y", nominal=["a"], drop=["b"])
    assert [(column.name, column.kind, column.categories) for column in schema.columns] == [
        ("a", "nominal", ("1", "3"))
    ]
    assert Schema.from_json(schema.as_json()) == schema


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "which column is to be predicted"),
        ({"target": "z"}, "no column 'z'; there are 'a', 'y'"),
        ({"target": "y", "drop": ["z"]}, "no column 'z'"),
        ({"target": "y", "drop": ["a"]}, "no column is left beside the target 'y'"),
    ],
)
def test_columns_that_are_not_there(tmp_path, options, message):
    with pytest.raises(InputError, match=message):
        Schema.infer(table(tmp_path, "a,y\n1,p\n"), **options)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1", "2", "1"], np.array([1, 2, 1])),
        (["-1", "1.0", "1"], np.array([-1, 1, 1])),
        (["True", "False", "True"], np.array([True, False, True])),
        (["01", "1", "2"], np.array(["01", "1", "2"], dtype=object)),
        (["yes", "no", "yes"], np.array(["yes", "no", "yes"], dtype=object)),
        (["1" * 30, "2", "2"], np.array(["1" * 30, "2", "2"], dtype=object)),
    ],
)
def test_labels_keep_their_type(tmp_path, texts, expected):
    found = table(tmp_path, "a,y\n" + "".join(f"1,{text}\n" for text in [*texts, ""]))
    y, present = labels(found, "y")
    assert y.dtype == expected.dtype
    np.testing.assert_array_equal(y, expected)
    assert present.tolist() == [True, True, True, False]
    assert [str(label) for label in y] == label_texts(found, "y")[:3].tolist()


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["p", "p"], "every row has the class 'p' in column 'y'"),
        (["?", "?"], "no row has a class"),
    ],
)
def test_what_is_no_class(tmp_path, texts, message):
    with pytest.raises(InputError, match=message):
        labels(table(tmp_path, "a,y\n" + "".join(f"1,{text}\n" for text in texts)), "y")


def test_numbers_with_decimals_may_be_names_of_classes(tmp_path):
    y, present = labels(table(tmp_path, "a,y\n1,1\n1,2.5\n"), "y")
    assert (y.tolist(), present.all()) == (["1", "2.5"], True)
