"""JSON lines and arrays of records: types, gaps, and what is no cell of a table."""

import json

import numpy as np
import pytest

from freemetric.tabular import InputError, Schema, read


@pytest.fixture
def put(tmp_path):
    def write(content, name="a.jsonl"):
        (tmp_path / name).write_text(content)
        return tmp_path / name

    return write


ROWS = [{"a": 1, "b": "x", "c": True}, {"a": 2.5, "c": None, "d": "1,5"}, {"b": "NA", "a": None, "c": False}]


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json"])
@pytest.mark.parametrize("layout", ["lines", "array", "indented"])
def test_lines_and_arrays_under_either_name(put, name, layout):
    lines = "\n\n".join(map(json.dumps, ROWS)) + "\n"
    content = {"lines": lines, "array": json.dumps(ROWS), "indented": " \n" + json.dumps(ROWS, indent=4)}[layout]
    table = read(put(content, name))
    np.testing.assert_array_equal(table.numbers("a"), [1, 2.5, np.nan])
    assert table.texts("b").tolist() == ["x", None, None]
    assert table.texts("c").tolist() == ["True", None, "False"]
    assert table.texts("d").tolist() == [None, "1,5", None]
    assert table.place(1).endswith("row 2 (line 3)" if layout == "lines" else "row 2")


def test_numbers_with_texts_for_gaps_and_others(put):
    table = read(put('{"a": 1, "b": 1}\n{"a": "-", "b": "-"}\n{"a": 3, "b": "?"}\n'), missing=["-"])
    np.testing.assert_array_equal(table.numbers("a"), [1, np.nan, 3])
    assert table.texts("b").tolist() == ["1", None, "?"]
    assert np.isnan(read(put('{"a": -9}\n{"a": NaN}\n'), missing=["-9"]).maybe_numbers("a")).all()


@pytest.mark.parametrize("number", ["1e999", "9" * 400, "-Infinity"])
def test_numbers_that_are_too_large(put, number):
    table = read(put(f'{{"a": {number}, "c": 1}}\n{{"a": 2, "c": 0}}\n'))
    with pytest.raises(InputError, match=r"row 1.*(is not a finite number|is too large a number)"):
        Schema.infer(table, "c", numeric=["a"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"a": 1}\n{"a": {"b": 1}}\n', "line 2: 'a' holds several values, which are no cell of a table; flatten it"),
        ('{"a": [1, 2]}\n', "line 1: 'a' holds several values"),
        ('[{"a": 1}, {"a": []}]', "record 2: 'a' holds several values"),
        ("[[1, 2], [3, 4]]", r"record 1: '\[1, 2\]' is no record, {name: value, ...}; pandas writes such by"),
        ('{"a": 1, "a": 2}', "line 1: a name stands twice in a record"),
        ('{"a": 1, "a ": 2}', "line 1: a name stands twice in a record"),
        ('{"a": 1}\n{"a": 1', "line 2: not a record in JSON"),
        ("{'a': 1}", "line 1: not a record in JSON"),
        ('{"a":' * 100_000, "line 1: not a record in JSON .too deeply nested"),
        ("[" * 100_000, "not a record in JSON .too deeply nested"),
        ('{"a": ' + "9" * 5000 + "}", "line 1: not a record in JSON"),
        ('{"a": "\\ud800"}', "line 1: half a character"),
        ('{"": 1}', "column 1 has no name"),
        ("[]", "no rows"),
        ("{}\n{}\n", "rows without columns"),
        ("null", "line 1: 'null' is no record"),
        ("".join(f'{{"k{i}": 1}}\n' for i in range(5_000)), "5000 different names in 5000 rows are too many"),
    ],
)
def test_what_is_no_table(put, content, message):
    with pytest.raises(InputError, match=message) as caught:
        read(put(content))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_characters_in_two_halves(put):
    assert read(put('{"a": "\\ud83d\\ude00"}')).texts("a").tolist() == ["\U0001f600"]
