"""Dates become numbers, in the order that has one meaning, and a model remembers which."""

import numpy as np
import pandas as pd
import pytest

from freemetric import files
from freemetric.exceptions import DataWarning, ModelFileError
from freemetric.tabular import InputError, Schema, TableModel, read
from freemetric.tabular.notation import DATES, DateOrder, meaning
from freemetric.tabular.preprocessing import plan


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["2024-01-31", None, "1999-12-01"], "ymd"),
        (["2024-01-31 23:59:58.5", "2024-01-31T07:05Z", "2024-01-31 07:05:00+01:00"], "ymd"),
        (["2024/1/3"], "ymd"),
        (["03.04.2024", "1.12.1999"], "dmy"),
        (["03/04/2024", "13/04/2024"], "dmy"),
        (["03/04/2024", "04/13/2024"], "mdy"),
        (["03/03/2024"], "dmy"),  # the same in both
        (["2024-02-30"], None),
        (["2024-01-31", "soon"], None),
        (["2024-01/31"], None),
        (["1.2.3"], None),
        ([None, None], None),
        (["20240131"], None),
    ],
)
def test_orders(texts, order):
    found = meaning(texts, DATES)
    assert (found.reading, found.doubtful) == (order and DateOrder(order), None)


def test_two_meanings():
    assert meaning(["03/03/2024", "03/04/2024"], DATES)[:2] == (None, "03/04/2024")


def test_numbers_are_those_of_pandas():
    texts = ["2024-02-29 06:00:00", "1969-12-31 00:00:00", "2000-01-01 12:30:00"]
    stamps = pd.to_datetime(pd.Series(texts))
    days = (stamps - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
    expected = np.array([days, stamps.dt.year, stamps.dt.month, stamps.dt.day_of_week], dtype=float).T
    np.testing.assert_allclose(DateOrder("ymd").parts([*texts, None]), [*expected, [np.nan] * 4], rtol=1e-15)


def table(folder, text, **options):
    (folder / "a.csv").write_text(text)
    return read(folder / "a.csv", **options)


def infer(found, **options):
    with pytest.warns(DataWarning) as caught:
        schema = Schema.infer(found, "y", **options)
    return schema, [str(warning.message) for warning in caught]


def test_a_column_of_dates(tmp_path):
    found = table(tmp_path, "a,y\n31.01.2024,p\n,q\n01.02.2024,p\n")
    schema, said = infer(found)
    assert said[0].endswith(
        "a.csv: column 'a' read as dates ('31.01.2024' is 2024-01-31): days, year, month, weekday are features; "
        "--nominal COLUMN keeps them as names"
    )
    assert (schema.columns[0].kind, schema.columns[0].order, schema.columns[0].missing) == ("date", "dmy", 1)
    assert Schema.from_json(schema.as_json()) == schema
    frame = schema.frame(found)
    assert list(frame) == ["a: days", "a: year", "a: month", "a: weekday"]
    np.testing.assert_array_equal(frame["a: weekday"], [2, np.nan, 3])
    assert Schema.infer(found, "y", nominal=["a"]).columns[0].kind == "nominal"


def test_gaps_are_reported_once_and_constant_parts_are_no_features(tmp_path):
    schema, _ = infer(table(tmp_path, "a,y\n31.01.2024,p\n,q\n01.02.2024,p\n"))
    frame = schema.frame(read(tmp_path / "a.csv"))
    assert plan(frame, schema).groups == {"numbers": ["a: month", "a: weekday"], "numbers with gaps": ["a: days"]}
    assert plan(frame.iloc[:1], schema).left_out == {"a": "it is constant"}


def test_an_order_in_doubt_is_asked_for(tmp_path):
    text = "a,y\n03/04/2024,p\n05/06/2024,q\n"
    schema, said = infer(table(tmp_path, text))
    assert schema.columns[0].kind == "nominal"
    assert "'03/04/2024' may be 2024-04-03 or 2024-03-04: --date-order dmy or mdy says which" in said[0]
    for order, month in [("dmy", 4), ("mdy", 3)]:
        found = table(tmp_path, text, date_order=order)
        assert infer(found)[0].frame(found)["a: month"][0] == month
    with pytest.raises(InputError, match="the order of dates is one of ymd, dmy, mdy and not 'ydm'"):
        read(tmp_path / "a.csv", date_order="ydm")


def test_one_cell_that_is_no_date_is_said(tmp_path):
    schema, said = infer(table(tmp_path, "a,y\n2024-01-31,p\n2024-02-30,q\n2024-03-01,p\n"))
    assert schema.columns[0].kind == "nominal"
    assert "row 2 (line 3), column 'a': '2024-02-30' is no date as the others are" in said[0]


def test_dates_of_other_formats(tmp_path):
    days = pd.date_range("2024-01-30", periods=4)
    pd.DataFrame({"a": days, "b": days.date, "y": list("pqpq")}).to_parquet(tmp_path / "a.parquet")
    schema, _ = infer(read(tmp_path / "a.parquet"))
    assert [column.kind for column in schema.columns] == ["date", "date"]
    (tmp_path / "a.arff").write_text("@attribute a date yyyy-MM-dd\n@attribute y {p,q}\n@data\n2024-01-30,p\n?,q\n")
    schema = Schema.infer(read(tmp_path / "a.arff"), "y")  # as declared, without a word
    assert (schema.columns[0].kind, schema.columns[0].missing) == ("date", 1)


def test_a_column_of_the_name_of_a_part(tmp_path):
    found = table(tmp_path, "a,a: year,y\n2024-01-31,1,p\n2024-02-28,2,q\n")
    with pytest.warns(DataWarning), pytest.raises(InputError, match="a date becomes the column 'a: year'"):
        Schema.infer(found, "y")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    days = pd.date_range("2020-01-01", periods=60, freq="30D").strftime("%d/%m/%Y")
    rows = [f"{day},{'new' if i >= 30 else 'old'}\n" for i, day in enumerate(days)]
    found = table(tmp_path_factory.mktemp("data"), "a,y\n" + "".join(rows))
    with pytest.warns(DataWarning, match="read as dates"):
        return TableModel.fit(found, "y", "nca", parameters={"n_neighbors": 3})


def test_a_model_reads_new_files_as_it_has_learned(model, tmp_path):
    model.save(tmp_path / "a.fm")
    loaded = TableModel.load(tmp_path / "a.fm")
    assert loaded.schema == model.schema
    assert loaded.predict(table(tmp_path, "a\n03/02/2020\n02/08/2024\n"))[0].tolist() == ["old", "new"]
    assert loaded.predict(table(tmp_path, "a\n2020-02-03\n2024-08-02\n", date_order="ymd"))[0].tolist() == [
        "old",
        "new",
    ]
    with pytest.raises(InputError, match=r"row 2 \(line 3\), column 'a': '02/13/2024' is no date \(dmy\)"):
        loaded.predict(table(tmp_path, "a\n03/02/2020\n02/13/2024\n"))


@pytest.mark.parametrize(
    "change", [{"order": "ydm"}, {"order": ""}, {"order": None}, {"order": ["dmy"]}, {"kind": "numeric"}], ids=str
)
def test_altered_orders_are_refused(model, change, tmp_path):
    about = {**model.notes, **model.schema.as_json(), "options": {}}
    about["columns"][0].update(change)
    files.save(model.pipeline, tmp_path / "a.fm", about={"table": about})
    with pytest.raises(ModelFileError, match="a model, but not of a table"):
        TableModel.load(tmp_path / "a.fm")
