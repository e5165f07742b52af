"""Every script says what it does, prints its tables, and makes records that resume."""

import json
import sys

import pytest

from freemetric.experiments.records import read_records

from ..pages import ROOT

FOLDER = ROOT / "benchmarks"
pytestmark = pytest.mark.skipif(
    not FOLDER.exists(), reason="benchmarks are not part of an installed package"
)
SCRIPTS = ["accuracy", "again", "basins", "cooling", "effort", "gpu", "learners"]
SCRIPTS += ["learners_size", "mixed", "outside", "paper", "parts", "quick"]
SCRIPTS += ["regression", "scale", "synthetic"]
LINES = sorted(FOLDER.rglob("records/**/*.jsonl"))
COMMANDS = ["accuracy", "learners_size", "mixed", "mixed --list", "outside", "paper"]
COMMANDS += ["regression", "regression --noise", "scale", "synthetic"]
COMMANDS += ["synthetic --list", "explain_shares", "effort"]
COMMANDS += ["basins", "bound", "cooling"]


def main(monkeypatch, capsys, words):
    name, *arguments = words
    module = pytest.importorskip(name)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *map(str, arguments)])
    module.main()
    return capsys.readouterr().out


@pytest.mark.parametrize("name", SCRIPTS)
def test_help(name, monkeypatch, capsys):
    with pytest.raises(SystemExit, match="0"):
        main(monkeypatch, capsys, [name, "--help"])
    assert "usage" in capsys.readouterr().out


@pytest.mark.parametrize("words", COMMANDS)
def test_tables_of_the_committed_records(words, monkeypatch, capsys):
    text = main(monkeypatch, capsys, words.split())
    assert "\n| --- |" in text or "|---|" in text
    assert "nan" not in text.replace("nan-", "")


@pytest.mark.parametrize(
    ("words", "n_records"),
    [
        (["accuracy", "--sets", "iris", "--methods", "euclidean", "rf"], 4),
        (["regression", "--sets", "diabetes", "--methods", "knn"], 2),
        (["regression", "--noise", "--sets", "fan", "--methods", "knn"], 6),
    ],
)
@pytest.mark.slow
def test_runs(words, n_records, tmp_path, monkeypatch, capsys):
    if words[:2] == ["regression", "--noise"]:
        import regression

        monkeypatch.setattr(regression, "REPEATS", {50: 1, 60: 1, 70: 1})
    path = tmp_path / "records.jsonl"
    words = [*words, "--run", path, "--repeats", "1"]
    for _ in range(2):  # the second run has nothing to do
        main(monkeypatch, capsys, words)
    records = read_records(path)
    assert len(records) == n_records
    assert not [record.failure for record in records if record.failure]
    assert all(record.versions["freemetric"] for record in records)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["scale", "--sizes", "1000", "--methods", "boosting, histograms"],
        ["learners_size", "--sets", "10000", "--methods", "rca"],
    ],
    ids=lambda words: words[0],
)
def test_lines_of_processes_of_their_own(words, tmp_path, monkeypatch, capsys):
    path = tmp_path / "records.jsonl"
    for _ in range(2):
        main(monkeypatch, capsys, [*words, "--run", path])
    (line,) = path.read_text().splitlines()
    record = json.loads(line)
    assert record["machine"]
    assert record.get("seconds", record.get("fit_seconds")) > 0
    if "bayes" in record:
        assert 2 < record["bayes"] < 7 < record["error"] < 30


@pytest.mark.slow
def test_a_learner_is_measured_in_a_process_of_its_own(monkeypatch, capsys):
    words = ["learners", "--learners", "lda", "--sets", "wine"]
    text = main(monkeypatch, capsys, words)
    assert "| lda | freemetric |" in text
    assert "failed" not in text


@pytest.mark.parametrize("path", LINES, ids=lambda path: path.stem)
def test_lines_say_what_made_them(path):
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert records
    assert all({"commit", "machine"} <= set(record) for record in records)
