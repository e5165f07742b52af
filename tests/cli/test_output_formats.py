"""Predictions are files of the format that their name says, or there is no file and one line that says why."""

import gzip
import json
import sys

import pandas as pd
import pytest

READERS = {
    "o.csv": pd.read_csv,
    "o.csv.gz": pd.read_csv,
    "O.CSV": pd.read_csv,
    "o": pd.read_csv,
    "o.tsv": lambda path: pd.read_csv(path, sep="\t"),
    "o.tab": lambda path: pd.read_csv(path, sep="\t"),
    "o.txt": lambda path: pd.read_csv(path, sep="\t"),
    "o.csv.bz2": pd.read_csv,
    "o.csv.xz": pd.read_csv,
    "o.csv.zip": pd.read_csv,
    "o.zip": pd.read_csv,
    "o.json": pd.read_json,
    "o.feather": pd.read_feather,
    "o.arrow": pd.read_feather,
    "o.parquet": pd.read_parquet,
    "o.pq": pd.read_parquet,
    "o.jsonl": lambda path: pd.DataFrame(map(json.loads, path.read_text().splitlines())),
    "o.ndjson": lambda path: pd.DataFrame(map(json.loads, path.read_text().splitlines())),
    "o.jsonl.gz": lambda path: pd.DataFrame(map(json.loads, gzip.decompress(path.read_bytes()).splitlines())),
}


@pytest.fixture(scope="module")
def expected(freemetric, home):
    said = freemetric("predict", home / "people.fm", home / "people.csv", "--proba", "--keep", "town", "--json").json
    return pd.DataFrame(said["columns"])


@pytest.mark.parametrize("name", READERS)
def test_every_ending(freemetric, home, expected, name, tmp_path):
    words = ["--proba", "--keep", "town", "-o", tmp_path / name]
    assert freemetric("predict", home / "people.fm", home / "people.csv", *words).code == 0
    found = READERS[name](tmp_path / name)
    pd.testing.assert_frame_equal(found.fillna(""), expected.fillna(""), check_dtype=False)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_parquet_keeps_the_types_of_numbers(freemetric, home, tmp_path):
    freemetric("transform", home / "people.fm", home / "people.csv", "-o", tmp_path / "z.parquet")
    assert set(pd.read_parquet(tmp_path / "z.parquet").dtypes.astype(str)) == {"float64"}


@pytest.mark.parametrize("name", ["o.xls", "o.ods", "o.parquet2", "o.html.gz", "o.csv.zst", "o.csv.gz.gz"])
@pytest.mark.parametrize("command", ["predict", "transform"])
def test_other_endings_are_refused(freemetric, home, name, command, tmp_path):
    answer = freemetric(command, home / "people.fm", home / "people.csv", "-o", tmp_path / name)
    assert (answer.code, answer.out, len(answer.lines)) == (2, "", 1)
    assert "tables are written as .csv, .tsv, .tab, .txt, .jsonl, .ndjson, .json, .parquet, " in answer.lines[0]
    assert ".pq, .feather, .arrow, .xlsx, perhaps with .gz, .bz2, .xz, .zip, not as ." in answer.lines[0]
    assert list(tmp_path.iterdir()) == []


def test_excel_without_its_library(freemetric, home, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    answer = freemetric("predict", home / "people.fm", home / "people.csv", "-o", tmp_path / "o.xlsx")
    assert (answer.code, answer.out, len(answer.lines)) == (2, "", 1)
    assert answer.lines[0].endswith(
        "o.xlsx: .xlsx needs openpyxl: pip install 'freemetric[excel]', or choose .csv, .tsv, .jsonl or .parquet"
    )
    assert list(tmp_path.iterdir()) == []


def test_excel(freemetric, home, expected, people, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    people.assign(town="=1+1").to_csv(tmp_path / "a.csv", index=False)
    words = ["--proba", "--keep", "town", "-o", tmp_path / "o.xlsx"]
    assert freemetric("predict", home / "people.fm", tmp_path / "a.csv", *words).code == 0
    rows = list(openpyxl.load_workbook(tmp_path / "o.xlsx").active.iter_rows())
    assert [cell.value for cell in rows[0]] == list(expected)
    assert (rows[1][0].value, rows[1][0].data_type) == ("=1+1", "s")
    assert type(rows[1][2].value) is float or rows[1][2].value in (0, 1)
    assert len(rows) == 61


@pytest.mark.parametrize("name", ["o.parquet", "o.jsonl"])
def test_nothing_half_written(freemetric, home, name, tmp_path, monkeypatch):
    def break_off(*_):
        raise OSError(28, "No space left on device")

    (tmp_path / name).write_text("old")
    monkeypatch.setattr("os.replace", break_off)
    answer = freemetric("predict", home / "people.fm", home / "people.csv", "-o", tmp_path / name)
    assert (answer.code, answer.out) == (1, "")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "old")]
