"""Decimal commas and thousands are read where they have one meaning only, and a model remembers how."""

import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

from freemetric import files
from freemetric.exceptions import DataWarning, ModelFileError
from freemetric.tabular import InputError, Schema, TableModel, read
from freemetric.tabular.notation import NUMBERS, Marks, Meaning, marks_of, meaning
from freemetric.tabular.schema import marks_of_file
from freemetric.tabular.tasks import row_weights


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["3,5", "-12,25", None], [3.5, -12.25, np.nan]),
        (["1.234,56", "3,5", "7"], [1234.56, 3.5, 7]),
        (["1.234", "1.234,56"], [1234, 1234.56]),
        (["1,234.56", "1,234", "0.5"], [1234.56, 1234, 0.5]),
        (["12.345.678", "1.000"], [12345678, 1000]),
        (["1'234.5", "1\u2019000"], [1234.5, 1000]),
        (["1 234,5", "1\u202f000,25", "1\u00a0000"], [1234.5, 1000.25, 1000]),
        (["0,123", "1,234"], [0.123, 1.234]),  # no thousands begin with a zero
        (["1,5e3", ",5"], [1500, 0.5]),
    ],
)
def test_one_meaning(texts, numbers):
    found = meaning(texts, NUMBERS)
    np.testing.assert_allclose(found.reading.values(texts), numbers, rtol=1e-15)


@pytest.mark.parametrize("texts", [["1,234"], ["1,234", "22", None], ["9,999", "1,000"]])
def test_two_meanings(texts):
    found = meaning(texts, NUMBERS)
    assert (found.reading, found.doubtful) == (None, texts[0])


@pytest.mark.parametrize(
    "texts", [["3,5", "3.5"], ["1,2,3"], ["12.05.2024"], ["1.23.456"], ["1,2345.6"], ["3,5", "red"], ["1_000,5"], ["-"]]
)
def test_no_meaning(texts):
    assert meaning(texts, NUMBERS) == Meaning()


def table(folder, text, **options):
    (folder / "a.csv").write_text(text)
    return read(folder / "a.csv", **options)


GERMAN = "lohn;note;farbe;y\n1.234,56;3,5;rot;p\n17,00;2,25;grün;q\n999,5;1;rot;p\n"


def test_a_german_file_is_read_with_notes(tmp_path):
    with pytest.warns(DataWarning, match=r"a\.csv: read with the delimiter ';'"):
        found = table(tmp_path, GERMAN)
    with pytest.warns(DataWarning, match=r"columns 'lohn', 'note' read as numbers with decimal ',' \('1.234,56' is"):
        schema = Schema.infer(found, "y")
    assert [column.kind for column in schema.columns] == ["numeric", "numeric", "nominal"]
    np.testing.assert_array_equal(schema.frame(found)["lohn"], [1234.56, 17, 999.5])
    assert Schema.from_json(schema.as_json()) == schema
    assert schema.as_json()["columns"][2].keys() == {"name", "kind", "missing", "categories"}


def test_what_is_doubtful_is_said_and_can_be_decided(tmp_path):
    text = 'a,y\n"1,234",p\n"2,500",q\n'
    with pytest.warns(DataWarning, match="'1,234' may be .*1.234.*: --decimal , or --thousands , says which"):
        assert Schema.infer(table(tmp_path, text), "y").columns[0].kind == "nominal"
    with pytest.raises(InputError, match="column 'a': '1,234' may be"):
        Schema.infer(table(tmp_path, text), "y", numeric=["a"])
    for options, expected in [({"decimal": ","}, [1.234, 2.5]), ({"thousands": ","}, [1234, 2500])]:
        found = table(tmp_path, text, **options)
        np.testing.assert_array_equal(Schema.infer(found, "y").frame(found)["a"], expected)


def test_names_stay_names_where_that_is_said(tmp_path):
    schema = Schema.infer(table(tmp_path, 'a,y\n"1,5",p\n"2,5",q\n'), "y", nominal=["a"])
    assert schema.columns[0].categories == ("1,5", "2,5")


def test_a_point_that_may_be_thousands_is_said(tmp_path):
    text = "a;b;y\n1,5;1.234;p\n2,5;17;q\n"
    found = table(tmp_path, text, delimiter=";")
    with pytest.warns(DataWarning) as caught:
        schema = Schema.infer(found, "y")
    assert "column 'b': '1.234' is read as 1.234, though other columns have decimal commas" in str(caught[1].message)
    np.testing.assert_array_equal(schema.frame(found)["b"], [1.234, 17])
    found = table(tmp_path, text, delimiter=";", decimal=",")
    np.testing.assert_array_equal(Schema.infer(found, "y").frame(found)["b"], [1234, 17])


def test_one_word_among_such_numbers_is_said(tmp_path):
    found = table(tmp_path, "a;y\n3,5;p\n2,5;q\nabc;p\n", delimiter=";")
    with pytest.warns(DataWarning, match=r"row 3 \(line 4\), column 'a': 'abc' is no number, so the column is nominal"):
        Schema.infer(found, "y")


def test_weights_of_rows(tmp_path):
    from freemetric import FreeEnergyClassifier

    found = table(tmp_path, "a;w;y\n1;0,5;p\n2;1,5;q\n", delimiter=";")
    np.testing.assert_array_equal(row_weights(found, "w", FreeEnergyClassifier(), "free-energy"), [0.5, 1.5])


@pytest.mark.parametrize(
    ("given", "marks"),
    [
        ((None, None), None),
        ((",", None), Marks(",", ".")),
        ((None, "."), Marks(",", ".")),
        ((None, " "), Marks(".", " ")),
        ((",", ""), Marks(",", "")),
    ],
)
def test_marks_that_are_given(given, marks):
    assert marks_of(*given) == marks


@pytest.mark.parametrize("given", [(";", None), ("", None), (",.", None), (None, "x"), (None, ".,"), (",", ",")])
def test_marks_that_are_none(given):
    with pytest.raises(ValueError, match="mark"):
        marks_of(*given)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    rng = np.random.default_rng(0)
    rows = [f"{900 * label + x:.2f};{label}\n".replace(".", ",") for label in (0, 1) for x in rng.normal(50, 9, 20)]
    found = table(tmp_path_factory.mktemp("data"), "a;y\n" + "".join(rows), delimiter=";")
    with pytest.warns(DataWarning, match="read as numbers"):
        return TableModel.fit(found, "y", "euclidean", parameters={"n_neighbors": 3})


def test_a_model_reads_new_files_as_it_has_learned(model, tmp_path):
    model.save(tmp_path / "a.fm")
    loaded = TableModel.load(tmp_path / "a.fm")
    assert loaded.schema.columns[0].marks == Marks(",")
    for text in ("a\n45\n951\n", 'a\n"45,5"\n"1.234,5"\n'):
        assert loaded.predict(table(tmp_path, text))[0].tolist() == [0, 1]
    assert loaded.predict(table(tmp_path, "a\n45.5\n951.5\n", decimal="."))[0].tolist() == [0, 1]
    with pytest.raises(InputError, match=r"row 2 .*'1.23.4' is not a finite number$"):
        loaded.predict(table(tmp_path, "a\n45\n1.23.4\n"))


@pytest.mark.parametrize(
    "change", [{"decimal": ";"}, {"decimal": 1}, {"decimal": None}, {"thousands": ","}, {"thousands": None}, {"x": 1}]
)
def test_altered_marks_are_refused(model, change, tmp_path):
    about = {**model.notes, **model.schema.as_json(), "options": {}}
    about["columns"][0].update(change)
    files.save(model.pipeline, tmp_path / "a.fm", about={"table": about})
    with pytest.raises(ModelFileError, match="a model, but not of a table"):
        TableModel.load(tmp_path / "a.fm")


COMMAS, POINTS = {"sep": ";", "decimal": ","}, {"sep": ",", "decimal": "."}


@pytest.mark.parametrize(("learned", "new"), [(COMMAS, POINTS), (POINTS, COMMAS), (COMMAS, {"sep": "\t"})])
def test_files_written_otherwise_are_predicted_alike(learned, new, tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(50, 30, 60).round(2), "b": rng.normal(0.5, 1, 60).round(3)})
    frame["y"] = np.where(frame["a"] > 50, "p", "q")
    for name, style in {"same.csv": learned, "other.csv": new}.items():
        frame.to_csv(tmp_path / name, index=False, **style)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = TableModel.fit(read(tmp_path / "same.csv"), "y", "euclidean", parameters={"n_neighbors": 3})
        expected = model.predict(read(tmp_path / "same.csv"))[0]
        table = read(tmp_path / "other.csv")
    with pytest.warns(DataWarning, match=r"columns 'a', 'b' read with decimal .*, unlike the training table$"):
        found = model.matched(table)
    np.testing.assert_array_equal(model.pipeline.predict(found), expected)
    np.testing.assert_array_equal(found.to_numpy(), frame[["a", "b"]].to_numpy())


@pytest.mark.parametrize(
    ("known", "ends", "texts", "numbers", "said"),
    [
        (Marks(), {}, ["1,234", "5"], [1234, 5], "'1,234' is read as 1234, with decimal '.'; --decimal , reads 1.234"),
        (Marks(), {"a": (0, 9)}, ["1,234"], [1.234], "is read as 1.234, with decimal ','; --decimal . reads 1234"),
        (Marks(), {"a": (0, 9999)}, ["1,234"], [1234], "is read as 1234"),  # both are in the range
        (Marks(","), {}, ["1.234"], [1234], "is read as 1234, with decimal ','; --decimal . reads 1.234"),
        (Marks(","), {"a": (0, 9)}, ["1.234"], [1.234], "is read as 1.234"),
        (Marks(","), {}, ["1,234"], [1.234], None),  # as in the training file
        (Marks(".", ","), {}, ["1,234"], [1234], None),
        (Marks(unit="$"), {}, ["$1,234"], [1234], r"'\$1,234' is read as 1234"),
    ],
)
def test_the_training_values_decide_about_ambiguous_numbers(known, ends, texts, numbers, said, tmp_path):
    found = table(tmp_path, "a;b\n" + "".join(f"{text};\n" for text in texts), delimiter=";")
    with pytest.warns(DataWarning, match=said) if said else nullcontext():
        marks = marks_of_file(found, {"a": known}, ends)
    np.testing.assert_array_equal(found.numbers("a", marks["a"]), numbers)


def test_other_columns_of_the_file_decide_about_ambiguous_numbers(tmp_path):
    found = table(tmp_path, "a;b\n1,234;2.5\n", delimiter=";")
    with pytest.warns(DataWarning) as caught:
        marks = marks_of_file(found, {"a": Marks(","), "b": Marks(",")}, {"a": (0, 9)})
    assert [str(warning.message).partition(": ")[2] for warning in caught] == [
        "column 'b' read with decimal '.' ('2.5' is 2.5), unlike the training table",
        "column 'a': '1,234' is read as 1234, with decimal '.'; --decimal , reads 1.234",
    ]
    assert [found.numbers(name, marks[name]).tolist() for name in "ab"] == [[1234], [2.5]]
