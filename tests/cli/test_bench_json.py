"""The older commands speak JSON too; tests/bench has the rest of them."""

import gzip
import json
from dataclasses import asdict

import pytest
import typer.testing

from freemetric.bench.records import BenchJob, Record
from freemetric.cli.bench import app
from freemetric.datasets import info, load
from freemetric.learners import LEARNERS, PAPER
from freemetric.tabular.methods import METHODS


@pytest.fixture
def folder(tmp_path):
    errors = {"euclidean": (5.0, 9.0), "nca": (4.0, 8.0), "dmlfe": (3.0, 9.5)}
    for method, pair in errors.items():
        for dataset, error in zip(("iris", "wine"), pair, strict=True):
            for fold in (0, 1):
                Record(BenchJob(dataset, method, 0, fold), errors=[error] * 3, honest_k=1, honest_error=error).write(
                    tmp_path
                )
    return tmp_path


def test_tables_and_statistics(freemetric, folder, tmp_path):
    assert freemetric("bench", "status", folder, "--json").json["nca"]["fits"] == 4
    table = freemetric("bench", "table", folder, "--json").json
    assert table["rows"][0] == ["iris", "3.00", "5.00", "4.00"]
    said = freemetric("bench", "stats", folder, "--json").json
    assert said["friedman"]["n_sets"] == 2
    assert [(row["method"], row["nemenyi"]) for row in said["posthoc"]] == [("euclidean", False), ("nca", False)]
    packed = tmp_path / "all.jsonl.gz"
    assert freemetric("bench", "pack", folder, packed, "--json").json == {"records": 12, "file": str(packed)}
    assert freemetric("bench", "unpack", packed, tmp_path / "new", "--json").json == {"unpacked": 12, "found": 0}


def test_the_comparison_is_the_papers_unless_others_are_named(tmp_path, monkeypatch):
    planned = []
    monkeypatch.setattr("freemetric.bench.runner.plan", lambda names, methods, *rest: planned.append(methods) or [])
    for words in ([], ["--methods", "all"]):
        typer.testing.CliRunner().invoke(app, ["run", str(tmp_path), "--json", *words], catch_exceptions=False)
    usual, every = map(list, planned)
    metrics = [name for name in usual if name in LEARNERS]
    assert metrics == list(PAPER)
    assert len(metrics) == 12
    assert every == list(METHODS)
    assert set(every) - set(usual) == set(LEARNERS) - set(PAPER)


def test_numbers_by_any_measure(freemetric, tmp_path):
    errors = {"knn": (4.0, 9.0), "free-energy-regressor": (3.0, 8.0), "svr": (3.5, 8.5)}
    for method, pair in errors.items():
        for name, rmse in zip(("boston", "engel"), pair, strict=True):
            Record(BenchJob(name, method, 0, 0), rmse=rmse, mae=rmse / 2, r2=1 - rmse / 10, spread=10.0).write(tmp_path)
    table = freemetric("bench", "table", tmp_path, "--json").json
    assert table["columns"] == ["Data set", "free-energy-regressor", "knn", "svr"]
    assert table["rows"][:2] == [["boston", "30.00", "40.00", "35.00"], ["engel", "80.00", "90.00", "85.00"]]
    table = freemetric("bench", "table", tmp_path, "--measure", "mae", "--without", "engel", "--json").json
    assert table["rows"][0] == ["boston", "15.00", "20.00", "17.50"]
    said = freemetric("bench", "stats", tmp_path, "--json").json
    assert (said["control"], said["posthoc"][0]["method"]) == ("free-energy-regressor", "knn")
    answer = freemetric("bench", "table", tmp_path, "--measure", "brier")
    assert (answer.code, len(answer.lines)) == (2, 1)
    assert "'brier'" in answer.lines[0]


@pytest.mark.slow
def test_a_synthetic_problem_is_run(freemetric, tmp_path):
    words = ("bench", "run", tmp_path, "--task", "synthetic", "--datasets", "two-noises")
    assert freemetric(*words, "--methods", "knn", "--rows", "60", "--repeats", "1", "--json").json == {
        "fitted": 2,
        "found": 0,
        "problems": [],
    }
    assert freemetric("bench", "table", tmp_path, "--json").json["rows"][0][0] == "two-noises-60"
    answer = freemetric(*words, "--tuned")
    assert (answer.code, len(answer.lines)) == (2, 1)
    answer = freemetric("bench", "run", tmp_path, "--task", "words")
    assert "known: 'classification', 'regression', 'synthetic'" in answer.lines[0]


def test_records_that_lead_elsewhere_are_not_unpacked(freemetric, tmp_path):
    record = asdict(Record(BenchJob("../elsewhere", "nca", 0, 0), errors=[1.0], honest_error=1.0))
    for content, message in {
        json.dumps(record): "the data set '../elsewhere' is no plain name",
        json.dumps({**record, "job": {**record["job"], "dataset": "iris"}, "seconds": "long"}): "seconds is 'long'",
    }.items():
        packed = tmp_path / "all.jsonl.gz"
        packed.write_bytes(gzip.compress(content.encode()))
        answer = freemetric("bench", "unpack", packed, tmp_path / "records")
        assert (answer.code, answer.out) == (2, "")
        assert answer.lines == [f"all.jsonl.gz is not a whole file of records ({message})."]
        assert list(tmp_path.iterdir()) == [packed]


def test_data_sets(freemetric, tmp_path):
    sets = freemetric("datasets", "list", "--json").json
    assert sets[0].keys() == {"number", "name", "samples", "features", "classes"}
    tic_tac_toe = next(row for row in sets if row["name"] == "tic-tac-toe")
    assert (tic_tac_toe["samples"], tic_tac_toe["features"]) == load("tic-tac-toe").X.shape
    assert next(row["features"] for row in sets if row["name"] == "anneal") == info("anneal").encoded["paper"] == 70
    answer = freemetric("datasets", "check", "iris,glass", "--data-home", tmp_path, "--json")
    assert answer.code == 1
    assert [entry["status"] for entry in answer.json] == ["built in", "missing"]


def test_what_is_unknown(freemetric, folder):
    for words, message in {
        ("table", folder, "errros"): "Unknown table 'errros'; known: errors, posthoc, neighbors, published.",
        ("table", folder, "--protocol", "best"): "Unknown protocol 'best'",
        ("figure", folder, "bars", folder / "a.png"): "Unknown figure 'bars'",
        ("status", folder / "nowhere"): "There is no folder",
    }.items():
        answer = freemetric("bench", *words)
        assert (answer.code, answer.out, len(answer.lines)) == (2, "", 1)
        assert message in answer.lines[0]
