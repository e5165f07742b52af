"""Numbers with one unit are numbers, and the unit is kept; codes, dates and mixed units stay what they are."""

import warnings

import numpy as np
import pytest

from freemetric import files
from freemetric.exceptions import DataWarning, ModelFileError
from freemetric.tabular import InputError, Schema, TableModel, read


def put(folder, header, rows):
    path = folder / "a.csv"
    path.write_text(f"{header}\n" + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def inferred(folder, texts):
    """The column of these texts, which a delimiter that none of them has separates from a target."""
    table = read(put(folder, "a|y", [f"{text}|{'pq'[i % 2]}" for i, text in enumerate(texts)]), delimiter="|")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (column,) = Schema.infer(table, "y").columns
    return table, column


@pytest.mark.parametrize(
    ("texts", "unit", "numbers"),
    [
        (["45.3%", "7 %", "100%"], "%", [45.3, 7, 100]),
        (["45,3 %", "7,25\u00a0%"], "%", [45.3, 7.25]),
        (["$1,234.00", "-$3.50", "$-7", "$ 12", "5 $"], "$", [1234, -3.5, -7, 12, 5]),
        (["$1,234.00", "($3.50)", "(1,000.25)", "7"], "$", [1234, -3.5, -1000.25, 7]),
        (["1.234,56 €", "-3,50 €", "7 €"], "€", [1234.56, -3.5, 7]),
        (["€ 3,50", "€12,00", "- €1,25"], "€", [3.5, 12, -1.25]),
        (["12 EUR", "15.5 EUR", "?"], "EUR", [12, 15.5, np.nan]),
        (["EUR 12", "15.5 EUR"], "EUR", [12, 15.5]),
        (["CHF 1'234.50", "CHF 12.00"], "CHF", [1234.5, 12]),
        (["182,5 cm", "90cm"], "cm", [182.5, 90]),
        (["12 h", "1.5 h"], "h", [12, 1.5]),
        (["21.5°C", "-3 °C"], "°C", [21.5, -3]),
        (["5%", "7", "12%"], "%", [5, 7, 12]),  # a number without its unit
    ],
)
def test_numbers_with_a_unit(texts, unit, numbers, tmp_path):
    table, column = inferred(tmp_path, texts)
    assert (column.kind, column.unit) == ("numeric", unit)
    np.testing.assert_array_equal(table.numbers("a", column.marks), numbers)


@pytest.mark.parametrize(
    "texts",
    [
        ["12 EUR", "15 USD"],
        ["12 EUR", "$15"],
        ["12%", "3 kg"],
        ["A12", "A13"],
        ["12A", "13A"],
        ["12 A", "14 A"],
        ["EUR12", "EUR13"],
        ["12h", "5h"],
        ["+49 30 1234", "030/555"],
        ["1.2.3", "1.10.0"],
        ["5% off", "7% off"],
        ["12 rue Monge", "14 rue Monge"],
        ["(1)", "(2)"],
        ["(1,234)", "2,500.5"],  # a negative amount only beside amounts of money
        ["$", "%"],
        ["$5%", "$6%"],
        ["10-12%", "5-7%"],
        ["12345 Berlin", "12347 Berlin"],
        ["5% ", "nothing", "many", "few", "7%"],
    ],
)
def test_what_is_no_number_with_a_unit(texts, tmp_path):
    _, column = inferred(tmp_path, texts)
    assert (column.kind, column.unit) == ("nominal", "")


def test_dates_and_plain_numbers_have_no_unit(tmp_path):
    assert inferred(tmp_path, ["12.05.2024", "13.05.2024"])[1].kind == "date"
    assert inferred(tmp_path, ["01234", "10115"])[1] == inferred(tmp_path, ["1234", "10115"])[1]


def test_what_is_said(tmp_path):
    rows = [f"{i}.5%;{i} EUR;{i} {'EUR' if i % 3 else 'USD'};{i}%;{'pq'[i % 2]}" for i in range(12)]
    rows[4] = rows[4].replace(";4%;", ";four;")
    table = read(put(tmp_path, "a;b;c;d;y", rows), delimiter=";")
    with pytest.warns(DataWarning) as caught:
        Schema.infer(table, "y")
    assert [str(warning.message).partition(": ")[2] for warning in caught] == [
        "column 'c' has numbers with the units 'EUR', 'USD', so it is nominal",
        "row 5 (line 6), column 'd': 'four' is no number, so the column is nominal",
        "column 'a' read as numbers with decimal '.', unit '%' ('0.5%' is 0.5); --nominal COLUMN keeps them as names",
        "column 'b' read as numbers with decimal '.', unit 'EUR' ('0 EUR' is 0); --nominal COLUMN keeps them as names",
    ]
    with pytest.raises(InputError, match=r"row 5 \(line 6\), column 'd': 'four' is not a finite number with decimal"):
        Schema.infer(table, "y", numeric=["d"], drop=["c"])
    assert [column.kind for column in Schema.infer(table, "y", nominal="abcd").columns] == ["nominal"] * 4


@pytest.fixture
def model(tmp_path):
    rows = [f'"${900 * (i % 2) + i:,.2f}";{i + 1} %;{"pq"[i % 2]}' for i in range(40)]
    with pytest.warns(DataWarning, match="unit"):
        made = TableModel.fit(read(put(tmp_path, "a;b;y", rows), delimiter=";"), "y", "euclidean")
    made.save(tmp_path / "a.fm")
    return TableModel.load(tmp_path / "a.fm")


def test_new_files_are_read_alike_with_and_without_the_unit(model, tmp_path):
    assert [column.unit for column in model.schema.columns] == ["$", "%"]
    expected = [[905.5, 6], [12, 7]]
    for rows in (["$905.50;6%", "$12;7%"], ["905.5;6", "12;7"], ["905.50 $;6 %", "12.00;7"]):
        frame = model.schema.frame(read(put(tmp_path, "a;b", rows), delimiter=";"))
        np.testing.assert_array_equal(frame.to_numpy(), expected)
    with pytest.warns(DataWarning, match=r"column 'a' read with decimal ',', unit '\$' .*, unlike the training table"):
        frame = model.schema.frame(read(put(tmp_path, "a;b", ["905,50 $;6%", "12,00 $;7%"]), delimiter=";"))
    np.testing.assert_array_equal(frame.to_numpy(), expected)
    with pytest.raises(InputError, match=r"row 1 .*'5 EUR' is not a finite number with decimal '.', unit '\$'$"):
        model.predict(read(put(tmp_path, "a;b", ["5 EUR;6"]), delimiter=";"))


@pytest.mark.parametrize("unit", ["x", "EU", 1, None, ["%"]])
def test_altered_units_are_refused(model, unit, tmp_path):
    about = {**model.notes, **model.schema.as_json()}
    about["columns"][0]["unit"] = unit
    files.save(model.pipeline, tmp_path / "b.fm", about={"table": about})
    with pytest.raises(ModelFileError, match="a model, but not of a table"):
        TableModel.load(tmp_path / "b.fm")


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_a_target_with_a_unit_is_a_number(tmp_path):
    rows = [f"{i}.5;{1.5 * i + 100:.2f} EUR" for i in range(40)]
    table = read(put(tmp_path, "a;price", rows), delimiter=";")
    model = TableModel.fit(table, "price", "euclidean", parameters={"n_neighbors": 1})
    assert model.predicts_numbers
    assert model.target_marks.unit == "EUR"
    truth = model.truth(read(put(tmp_path, "a;price", ["1;100", "2;101.5 EUR"]), delimiter=";"))
    assert truth.y.tolist() == [100, 101.5]
