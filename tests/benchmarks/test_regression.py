"""The comparison of regressors: what is run, what tables say of records, exit codes."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from freemetric.bench.records import BenchJob, Record
from freemetric.bench.results import save_compact
from freemetric.datasets import export_regression

from ..pages import ROOT

regression = pytest.importorskip("regression", reason="benchmarks are not part of an installed package")
import regression_tables  # noqa: E402 - beside it

OURS = regression.OURS


def record(dataset, method, fold, rmse, **more):
    scores = {"r2": 1 - rmse**2, "mae": 8 * rmse, "rmse": 10 * rmse, "pinball": 2 * rmse, "spread": 10.0}
    width = [26 * rmse, 33 * rmse, 39 * rmse]
    job = BenchJob(dataset, method, 0, fold)
    return Record(job, **scores, **{"coverage": [0.8, 0.9, 0.95], "width": width, "shape": (50, 3, 0), **more})


def records():
    """On boston and wage ours explains most, on auto the forest; splits differ a little."""
    rmse = {"boston": (0.3, 0.4, 0.5), "wage": (0.5, 0.6, 0.7), "auto": (0.6, 0.4, 0.5)}
    return [
        record(dataset, method, fold, value + 0.01 * fold)
        for dataset, values in rmse.items()
        for method, value in zip((OURS, "forest-500", "knn"), values, strict=True)
        for fold in range(2)
    ]


def rows(printed, head):
    """Rows, as lists of cells, of the table whose head begins so."""
    lines = printed.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(f"| {head}"))
    block = "\n".join(lines[start + 2 :]).split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in block if line.startswith("|")]


def test_tables_say_what_the_records_hold(capsys):
    regression_tables.tables(records(), OURS)
    printed = capsys.readouterr().out
    ours, forest, _ = rows(printed, "all, 3 sets")
    assert ours[:5] == [OURS, "1.67", "1.67", "1.67", "2"]
    expected = np.mean([1 - (r + f) ** 2 for r in (0.3, 0.5, 0.6) for f in (0, 0.01)])
    assert ours[5] == f"{expected:.4f}"
    assert ours[8] == "80.0 / 90.0 / 95.0"
    assert ours[9].split(" / ")[1] == f"{100 * 3.3 * np.mean([0.305, 0.505, 0.605]):.0f}"
    assert forest[0] == "forest-500"
    first, second, _ = rows(printed, "choosing, 2 sets")  # boston and auto, by their places among all names
    assert (first[0], first[1], second[0], second[1]) == ("forest-500", "1.50", OURS, "2.00")
    assert rows(printed, "confirming, 1 sets")
    (loss,) = rows(printed, "where it loses")
    assert loss[:2] == ["auto", "choosing"]
    assert loss[3] == "forest-500"
    gaps = [100 * ((0.6 + f) ** 2 - (0.4 + f) ** 2) for f in (0, 0.01)]
    assert loss[5] == f"{np.mean(gaps):.2f} ± {np.std(gaps, ddof=1) / np.sqrt(2):.2f}"
    assert rows(printed, f"all: {OURS} minus")[0][1].split(", ")[1] == "2-0-1"


def test_only_splits_that_all_methods_have_count(capsys):
    some = records()
    lost = some.pop()  # k-NN on auto, fold 1
    regression_tables.tables([*some, replace(lost, failure="too slow", rmse=None)], OURS)
    printed = capsys.readouterr().out
    assert "5 splits of 3 sets" in printed
    assert "failed: knn on auto, repeat 0, fold 1: too slow" in printed


def test_tables_of_synthetic_problems(capsys):
    def fit(name, n, method, fold, excess, coverage):
        more = {"coverage": coverage, "coverage_quiet": [0.99] * 3, "coverage_loud": [0.7] * 3}
        return record(f"{name}-{n}", method, fold, 0.5, excess=excess, noise=4.0, **more)

    good, bad = [0.801, 0.899, 0.951], [0.7, 0.8, 0.9]
    some = [fit("fan", 2000, OURS, f, 1.0 + f, good) for f in range(2)]
    some += [fit("fan", 2000, "knn", f, 4.0, bad) for f in range(2)]
    some += [fit("ring", 2000, m, 0, 2.0, good) for m in (OURS, "knn")]
    regression_tables.noise_tables(some, OURS)
    printed = capsys.readouterr().out
    median, rank, lowest = rows(printed, "excess in % of the noise variance |")
    assert median == ["median, N = 2,000, 2 problems", f"{(37.5 + 50) / 2:.1f}", "75.0"]
    assert rank[1:] == ["1.25", "1.75"]
    assert lowest[1:] == ["1", "0"]
    means, within = rows(printed, "coverage of 80 % intervals")
    assert means[1:] == ["80.1", f"{100 * (0.7 + 0.801) / 2:.1f}"]
    assert within[1:] == ["2 of 2", "1 of 2"]
    varies = rows(printed, "coverage of 90 % intervals | N")
    assert varies == [
        ["fan", "2,000", "least noise", "99.0", "99.0"],
        ["fan", "2,000", "most noise", "70.0", "70.0"],
    ]


def test_the_first_repeat_of_everything_comes_first():
    jobs = regression.plan(["boston", "wage"], ["knn", "svr"], 2)
    assert len(set(jobs)) == 16
    assert [job.repeat for job in jobs] == [0] * 8 + [1] * 8
    noisy = regression.noise_plan(["fan"], [200, 20_000], ["knn"], 5)
    assert [job.dataset for job in noisy] == ["fan-200"] * 10 + ["fan-20000"] * 2


def call(*words):
    script = ROOT / "benchmarks" / "regression.py"
    return subprocess.run([sys.executable, script, *map(str, words)], capture_output=True, text=True)


@pytest.mark.slow
def test_exit_codes(tmp_path, capsys, monkeypatch):
    save_compact(records(), tmp_path / "all.jsonl.gz")
    shown = call("--show", tmp_path / "all.jsonl.gz", "--sets", "boston", "--save", tmp_path / "some.jsonl.gz")
    assert shown.returncode == 0, shown.stderr
    assert "2 splits of 1 sets" in shown.stdout
    for words, line in {
        ("--show", "nowhere"): "There are no records at nowhere: --run FOLDER makes some, --show FOLDER reads them.",
        ("--show", str(tmp_path / "all.jsonl.gz"), "--sets", "ames"): "all.jsonl.gz has no such records.",
    }.items():
        monkeypatch.setattr(sys, "argv", ["regression.py", *words])
        with pytest.raises(SystemExit, match=line):
            regression.main()
    with pytest.raises(SystemExit):
        regression.arguments_of(["--noise", "--sets", "boston"])
    assert "--noise is about generated sets, and boston is none" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_from_exported_files(tmp_path):
    assert export_regression(tmp_path / "sets", ["diabetes"]) == {}
    words = ("--run", tmp_path / "records", "--data-home", tmp_path / "sets", "--sets", "diabetes", "--repeats", "1")
    done = call(*words, "--methods", "knn")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("2 fitted, 0 found, 0 problems\n")
    assert call(*words, "--methods", "knn").stdout.endswith("0 fitted, 2 found, 0 problems\n")
    noisy = call("--run", tmp_path / "noisy", "--noise", "--sets", "fan", "--sizes", "60", "--methods", "knn")
    assert noisy.stdout.endswith("10 fitted, 0 found, 0 problems\n")
    shown = call("--show", tmp_path / "noisy", "--noise", "--sizes", "60")
    assert "| median, N = 60, 1 problems |" in shown.stdout
