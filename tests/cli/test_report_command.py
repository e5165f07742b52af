import json
import re

import pytest

from freemetric.tabular import TableModel

pytest.importorskip("plotly", reason="the report needs plotly")


def test_report_of_kept_and_of_given_rows(freemetric, home, tmp_path):
    assert freemetric("report", home / "people.fm", "-o", tmp_path / "kept.html").code == 0
    words = [home / "people.csv", "-o", tmp_path / "given.html", "--json"]
    answer = freemetric("report", home / "people.fm", *words)
    assert answer.code == 0
    assert json.loads(answer.out)["bytes"] == (tmp_path / "given.html").stat().st_size
    for name in ("kept.html", "given.html"):
        assert (tmp_path / name).read_text(encoding="utf-8").lower().startswith("<!doctype html>")


def test_features_are_named_by_columns_and_values(freemetric, home, tmp_path):
    assert freemetric("report", home / "people.fm", "-o", tmp_path / "page.html").code == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    shown = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    assert shown["explanations"]["features"] == TableModel.load(home / "people.fm").feature_names()
    assert not any("__" in name for name in shown["explanations"]["features"])
    assert any(" = " in name for name in shown["explanations"]["features"])


def test_report_of_nothing(freemetric, tmp_path):
    answer = freemetric("report", tmp_path / "missing.fm")
    assert answer.code == 2
    assert "cannot be read (No such file or directory)" in answer.lines[-1]


def test_report_where_there_is_no_folder(freemetric, home, tmp_path):
    answer = freemetric("report", home / "people.fm", "-o", tmp_path / "no" / "page.html")
    assert answer.code == 2
    assert "there is no folder" in answer.lines[-1]
