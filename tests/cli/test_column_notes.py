"""Dates, keys and free text, from the shell's side."""

import pandas as pd
import pytest

FIT = ["--target", "class", "--method", "euclidean", "--set", "n_neighbors=3", "-o"]


@pytest.fixture
def data(people, tmp_path):
    days = pd.date_range("2020-01-01", periods=60, freq="9D").strftime("%d.%m.%Y")
    frame = people.assign(id=range(1, 61), joined=days, name=[f"n{i % 40}" for i in range(60)])
    frame.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def test_they_are_said_and_inspected(freemetric, data, tmp_path):
    answer = freemetric("fit", data, *FIT, tmp_path / "a.fm")
    assert answer.code == 0
    assert answer.out.strip().endswith("euclidean on 60 rows, 5 columns")
    assert "column 'joined' read as dates ('01.01.2020' is 2020-01-01)" in answer.lines[0]
    assert answer.lines[1:] == [
        f"note: {data}: left out: column 'id', it numbers the rows; column 'name', it has 40 different values in 60 "
        "rows; --keep COLUMN keeps one"
    ]
    said = {column["name"]: column for column in freemetric("inspect", tmp_path / "a.fm", "--json").json["columns"]}
    assert {name: column["treatment"] for name, column in said.items() if name in ("joined", "id", "name")} == {
        "joined": "date",
        "id": "left out",
        "name": "left out",
    }
    assert said["joined"]["weight"] > 0
    assert "none: it numbers" in freemetric("inspect", tmp_path / "a.fm").out
    answer = freemetric("predict", tmp_path / "a.fm", data, "-o", tmp_path / "o.csv")
    assert not [line for line in answer.lines if "ignored" in line]


def test_they_are_kept(freemetric, data, tmp_path):
    answer = freemetric("fit", data, "--keep", "id", "--keep", "name", "--nominal", "joined", *FIT, tmp_path / "a.fm")
    assert answer.code == 0
    assert answer.lines == [f"note: {data}: left out: column 'joined', it names every row differently"]
    kinds = {c["name"]: c["kind"] for c in freemetric("inspect", tmp_path / "a.fm", "--json").json["columns"]}
    assert (kinds["id"], kinds["name"], kinds["joined"]) == ("numeric", "nominal", "nominal")


def test_evaluate_leaves_them_out_too(freemetric, data):
    words = ["--target", "class", "--methods", "euclidean", "--folds", 2, "--repeats", 1]
    answer = freemetric("evaluate", data, *words)
    assert (answer.code, len(answer.lines)) == (0, 2)
    assert len(freemetric("evaluate", data, *words, "--keep", "id").lines) == 2
    assert "column 'id'" not in freemetric("evaluate", data, *words, "--keep", "id").lines[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--keep", "nobody"], "no column 'nobody'"),
        (["--date-order", "ydm"], "the order of dates is one of ymd, dmy, mdy and not 'ydm'"),
    ],
)
def test_wrong_words(freemetric, data, words, message, tmp_path):
    answer = freemetric("fit", data, *words, *FIT, tmp_path / "a.fm")
    assert (answer.code, answer.out, len(answer.lines)) == (2, "", 1)
    assert message in answer.lines[0]


def test_a_graph_takes_the_parts_of_dates(freemetric, data, tmp_path):
    pytest.importorskip("skl2onnx", reason="the export needs skl2onnx")
    freemetric("fit", data, *FIT, tmp_path / "a.fm")
    answer = freemetric("export", tmp_path / "a.fm")
    assert answer.code == 0
    assert answer.lines == ["note: the graph takes the parts of dates as numbers; days are counted from 1970: 'joined'"]
