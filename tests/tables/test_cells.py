import numpy as np
import pandas as pd
import pytest

from freemetric.tables.cells import (
    DATE_FORMATS,
    ISO,
    cells_of_table,
    format_of_dates,
    needs_comma,
    read_dates,
    read_numbers,
)

NUMBERS = np.array([1234.56, -0.5, 7.0, 1e6, 20906.0])


@pytest.mark.parametrize(
    "texts",
    [
        ["1234.56", "-0.5", "7", "1e6", "20906"],
        ["1,234.56", "-.5", "7.", "1,000,000", "20,906"],
        ["1.234,56", "-0,5", "7", "1.000.000", "20.906"],
        ["1'234.56", "-0.5", "7", "1'000'000", "20\u2019906"],
        ["1 234,56", "\u22120,5", "7,0", "1\u202f000\u202f000", "20\u00a0906"],
        ["$1,234.56", "-$0.50", "$ 7", "1000000 $", "20,906"],
        ["1.234,56 €", "-0,5€", "7 €", "€ 1.000.000", "20.906"],
        ["1234.56 %", "-0.5%", "7 %", "1e6 %", "20906%"],
        ["1,234.56 USD", "-0.5 usd", "7 USD", "1,000,000 USD", "20906"],
        ["$1,234.56", "($0.50)", "7", "1,000,000", "20,906"],
        ["₹1,234.56", "(0.5)", "₹ 7", "1,000,000 ₹", "20906₹"],
    ],
)
def test_numbers_in_texts(texts):
    numbers = read_numbers([*texts, None])
    assert numbers.unread == []
    np.testing.assert_allclose(numbers.values, [*NUMBERS, np.nan])


NO_NUMBERS = ["1,23,4", "12A", "1_000", "inf", "infinity", "$", "%", "1.2.3", "0x10"]
NO_NUMBERS += ["e5", "-", "(50", "50)", "(-5)", "()", "5 5"]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_texts_that_are_no_numbers(text):
    assert read_numbers(["1.5", text]).unread == [1]


def test_two_units_are_no_numbers():
    assert read_numbers(["$5", "€5", "5"]).unread == [1]
    assert read_numbers(["€5"], unit="$").unread == [0]


def test_the_preferred_mark_decides_what_both_can_read():
    assert read_numbers(["1,234"]).values == 1234
    assert read_numbers(["1,234"], decimal=",").values == 1.234
    assert read_numbers(["1.234"], decimal=",").values == 1234
    assert read_numbers(["12.5"], decimal=",").values == 12.5


@pytest.mark.parametrize(
    ("texts", "needs"),
    [
        (["1,5"], True),
        (["1,234"], False),
        (["1.5", "2"], False),
        (["1.234,5", "1,234"], True),
        (["a", "1,5"], False),
        ([], False),
    ],
)
def test_a_comma_is_needed(texts, needs):
    assert needs_comma(texts) is needs


def test_truth_values_in_texts():
    numbers = read_numbers(["Yes", "no", "TRUE", "False", None, "1"])
    np.testing.assert_array_equal(numbers.values, [1, 0, 1, 0, np.nan, 1])


@pytest.mark.parametrize("date_format", DATE_FORMATS)
def test_every_format_of_dates(date_format):
    dates = pd.date_range("2019-12-30", periods=40, freq="1D").floor("D")
    if date_format == "%Y-%m":
        dates = pd.date_range("2019-01-01", periods=40, freq="MS")
    written = "%Y-%m-%d" if date_format == ISO else date_format
    texts = dates.strftime(written).tolist()
    assert format_of_dates(texts) == date_format
    read = read_dates([*texts, None, "word"], date_format)
    np.testing.assert_array_equal(read[:-2], dates.to_numpy())
    assert np.isnat(read[-2:]).all()


def test_time_zones_become_universal_time():
    texts = ["2020-05-01T01:30:00+02:00", "2020-05-01 01:30:00"]
    expected = ["2020-04-30T23:30", "2020-05-01T01:30"]
    read = read_dates(texts, ISO)
    np.testing.assert_array_equal(read, np.array(expected, dtype="datetime64[us]"))
    column = pd.Series(pd.to_datetime(texts[:1]))
    cells = cells_of_table(pd.DataFrame({"t": column}), ["t"])["t"]
    np.testing.assert_array_equal(cells, read[:1])


GAPS = [None, np.nan, pd.NA, pd.NaT]
GAP_TEXTS = ["", " ", "?", "NA", "n/a", "NaN", "null", "None"]


def test_bytes_are_texts():
    frame = pd.DataFrame({"c": ["1.5", "a", "Köln", "?"]})
    encoded = frame.map(lambda cell: cell.encode())
    assert cells_of_table(encoded, ["c"]) == cells_of_table(frame, ["c"])


@pytest.mark.parametrize("gap", GAPS + GAP_TEXTS)
def test_gaps(gap):
    frame = pd.DataFrame({"c": pd.Series(["a", gap, " b "], dtype=object)})
    assert cells_of_table(frame, ["c"])["c"] == ["a", None, "b"]


@pytest.mark.parametrize("cell", [[1], {"a": 1}, (1, 2), {1}, 1j, np.zeros(2)])
def test_what_a_cell_cannot_hold(cell):
    frame = pd.DataFrame({"c": pd.Series(["a", None], dtype=object)})
    frame.at[1, "c"] = cell
    with pytest.raises(TypeError, match=r"Column 'c', row 1: .*string.*number"):
        cells_of_table(frame, ["c"])


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float32", "Int64", "Float32"])
def test_columns_of_numbers_are_floats(dtype):
    frame = pd.DataFrame({"a": pd.Series([1, 2], dtype=dtype), "b": ["x", "y"]})
    cells = cells_of_table(frame, ["b", "a"])
    assert cells["a"].dtype == float
    assert cells["a"].tolist() == [1, 2]
    assert cells["b"] == ["x", "y"]
