"""Every script says what it does, prints its tables, and makes records that resume."""

import subprocess
import sys

import pytest

from freemetric.experiments.records import read_records

from ..pages import ROOT

FOLDER = ROOT / "benchmarks"
pytestmark = pytest.mark.skipif(
    not FOLDER.exists(), reason="benchmarks are not part of an installed package"
)
SCRIPTS = ["accuracy", "gpu", "learners", "learners_size", "mixed", "moves"]
SCRIPTS += ["outside", "paper", "parts", "quick", "regression", "scale", "synthetic"]
COMMANDS = ["accuracy", "learners_size", "mixed", "mixed --list", "outside", "paper"]
COMMANDS += ["regression", "regression --noise", "scale", "synthetic"]


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
        (["outside", "--sets", "iris", "--methods", "forest-500"], 2),
        (["regression", "--sets", "diabetes", "--methods", "knn"], 2),
        (["regression", "--noise", "--sets", "fan", "--methods", "knn"], 6),
        (["synthetic", "--sets", "parity", "--methods", "logistic"], 5),
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
def test_the_scale_is_measured():
    import scale

    record = scale.measure("boosting, histograms", 1000, 1)
    assert 2 < record["bayes"] < 7 < record["error"] < 30


@pytest.mark.slow
def test_a_learner_is_measured_in_a_process_of_its_own():
    words = [sys.executable, FOLDER / "speed/learners.py", "--learners", "rca"]
    done = subprocess.run(
        [*words, "--sets", "wine"], capture_output=True, text=True, check=True
    )
    assert "| rca | freemetric |" in done.stdout
    assert "failed" not in done.stdout
