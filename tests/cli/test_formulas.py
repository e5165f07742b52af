"""Names of classes and cells that were copied run in no spreadsheet; what is a number stays one."""

import csv
import gzip
import io

import pandas as pd
import pytest

from freemetric.tabular.formulas import inert

EVIL = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "@SUM(A1)",
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "\t=1",
    "\r=1",
    "\uff1d1+1",
    "-low",
    "+49-170",
]
TAME = [
    "-1.5",
    "+2",
    "-1e-3",
    "-.5",
    "-1,5",
    "-1.234,5",
    "-1 000",
    "-5%",
    "-",
    "",
    "a=b",
    "1-2",
    "'=1",
    "2024-01-31",
    " x",
]


def test_texts():
    assert [inert(text) for text in EVIL] == [f"'{text}" for text in EVIL]
    assert [inert(text) for text in TAME] == TAME


@pytest.fixture(scope="module")
def table(freemetric, people, tmp_path_factory):
    """A table whose class, a column and its name are formulas, and a model of it."""
    folder = tmp_path_factory.mktemp("formulas")
    frame = people.assign(**{"=link": "@SUM(A1)", "town": "-1.5"})
    frame["class"] = frame["class"].replace({"yes": "=1+1", "no": "-1"})
    frame.to_csv(folder / "a.csv", index=False)
    words = ["--target", "class", "--method", "euclidean", "--set", "n_neighbors=3", "--drop", "=link"]
    assert freemetric("fit", folder / "a.csv", *words, "-o", folder / "a.fm").code == 0
    return folder


def rows_of(text, delimiter=","):
    return list(csv.reader(io.StringIO(text), delimiter=delimiter))


WORDS = ["--proba", "--keep", "=link", "--keep", "town"]


def test_predictions(freemetric, table):
    answer = freemetric("predict", table / "a.fm", table / "a.csv", *WORDS)
    names, *cells = rows_of(answer.out)
    assert names == ["'=link", "town", "prediction", "probability of -1", "probability of =1+1"]
    assert {(row[0], row[1]) for row in cells} == {("'@SUM(A1)", "-1.5")}
    assert {row[2] for row in cells} == {"-1", "'=1+1"}


def test_for_programs(freemetric, table):
    names, *cells = rows_of(freemetric("predict", table / "a.fm", table / "a.csv", *WORDS, "--no-escape").out)
    assert names[0] == "=link"
    assert {row[2] for row in cells} == {"-1", "=1+1"}


@pytest.mark.parametrize(("name", "delimiter"), [("o.tsv", "\t"), ("o.csv.gz", ","), ("o", ",")])
def test_files(freemetric, table, name, delimiter, tmp_path):
    for escape, wanted in (("--escape", "'=1+1"), ("--no-escape", "=1+1")):
        words = [*WORDS, escape, "-o", tmp_path / name]
        assert freemetric("predict", table / "a.fm", table / "a.csv", *words).code == 0
        content = (tmp_path / name).read_bytes()
        text = (gzip.decompress(content) if name.endswith("gz") else content).decode()
        assert {row[2] for row in rows_of(text, delimiter)[1:]} == {"-1", wanted}


def test_formats_that_know_texts_need_nothing(freemetric, table, tmp_path):
    assert freemetric("predict", table / "a.fm", table / "a.csv", *WORDS, "-o", tmp_path / "o.jsonl").code == 0
    assert set(pd.read_json(tmp_path / "o.jsonl", lines=True, dtype=False)["prediction"]) == {"-1", "=1+1"}


def test_coordinates_keep_their_signs(freemetric, table):
    _, *cells = rows_of(freemetric("transform", table / "a.fm", table / "a.csv").out)
    assert all(float(cell) is not None for row in cells for cell in row)
