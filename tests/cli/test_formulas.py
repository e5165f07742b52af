"""Names of classes and cells that were copied run in no spreadsheet; what is a number stays one."""

import csv
import gzip
import io
import re

import pandas as pd
import pytest

from freemetric.tabular.text_table import TextTable
from freemetric.tabular.writing import as_delimited, inert

EVIL = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "@SUM(A1)",
    "+1+cmd|' /C calc'!A0",
    "-2+3",
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
    "x;y",
    "1;-2,-3",
    "x; -5",
    'say "no"',
    "two\nlines",
]
BEHIND_SEPARATORS = {
    "\t=1": "'\t'=1",
    "\r=1": "'\r'=1",
    "x;=cmd": "x;'=cmd",
    "x\t=1": "x\t'=1",
    "x,+y": "x,'+y",
    "x\r@y": "x\r'@y",
    "x\n-y;=z;-1": "x\n'-y;'=z;-1",
    'x;"=1"': 'x;\'"=1"',
    "=a;=b": "'=a;'=b",
}
"""What would be a formula where a file is split at another separator, and what becomes of it."""


def test_texts():
    assert [inert(text) for text in EVIL] == [f"'{text}" for text in EVIL]
    assert [inert(text) for text in TAME] == TAME
    assert [inert(text) for text in BEHIND_SEPARATORS] == list(BEHIND_SEPARATORS.values())


ANY = [*EVIL, *TAME, *BEHIND_SEPARATORS, "a\rb", "a\r\nb", "\r", '"', '""', "a,b;c\td", " ", "\u2028", "caf\u00e9"]


@pytest.mark.parametrize("written", [",", ";", "\t"])
def test_cells_as_csv_reads_them(written):
    columns = {"a\rb": ANY, "n": [float(i) / 3 for i in range(len(ANY))], "b;c": ANY[::-1]}
    text = as_delimited(columns, written, escape=False)
    names, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=written)
    assert names == list(columns)
    assert rows == [[cell, repr(number), last] for cell, number, last in zip(*columns.values(), strict=True)]
    frame = pd.read_csv(io.StringIO(text, newline=""), sep=written, keep_default_na=False, dtype={"a\rb": str})
    assert frame["a\rb"].tolist() == ANY
    assert frame["n"].tolist() == columns["n"]
    one = as_delimited({"a": ["", "b", ""]}, written)
    assert [row for row in csv.reader(io.StringIO(one, newline=""), delimiter=written)] == [["a"], [""], ["b"], [""]]


@pytest.mark.parametrize("written", [",", "\t"])
@pytest.mark.parametrize("read", [",", ";", "\t"])
def test_no_cell_runs_whatever_a_file_is_split_at(written, read):
    text = as_delimited({"=a;=b": ["x", *ANY], "c": [*ANY, "x"]}, written)
    cells = [cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=read) for cell in row]
    running = [cell for cell in cells if len(cell) > 1 and cell[0] in "=+-@\uff1d"]
    for cell in running:
        first = re.split('[,;\t"]', cell)[0].replace(" ", "").rstrip("%")
        assert first == "-" or float(first) < 3  # a number, which may be followed by anything


def test_tables_of_text_quote_what_is_not_one_cell():
    table = TextTable(("name", "a;b"), (("two\rrows", None), ('say "c"', "1,5")))
    assert rows_of(table.csv()) == [["name", "a;b"], ["two\rrows", ""], ['say "c"', "1,5"]]


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
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


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
