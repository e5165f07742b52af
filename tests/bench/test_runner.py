"""The runner: what is killed resumes, what is shared is done once, what hangs becomes a record."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import Bunch
from typer.testing import CliRunner

from freemetric.bench import protocol, records, results, runner
from freemetric.bench.records import BenchJob, Record
from freemetric.bench.runner import Limits, RunOptions, plan, run
from freemetric.cli import app
from freemetric.tabular.methods import METHODS

SETS, NAMES = ["iris", "wine"], ["rca", "rf"]


def contents(folder):
    """All records but for the seconds they took."""
    found, broken = records.read_all(folder)
    assert not broken
    return [(r.job, r.errors, r.honest_k, r.honest_error, r.failure) for r in found]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    report = run(plan(SETS, NAMES, 1), folder)
    assert (report.fitted, report.found, report.problems) == (8, 0, [])
    return folder


def test_a_record_holds_every_k_and_both_protocols(undisturbed):
    record = records.read(BenchJob("wine", "rca", 0, 1).path(undisturbed))
    assert len(record.errors) == 40
    assert record.honest_error == record.errors[record.honest_k - 1] >= record.paper_error == min(record.errors)
    assert record.shape == (89, 13, 3)
    assert {"freemetric", "scikit-learn"} <= set(record.versions)
    forest = records.read(BenchJob("wine", "rf", 0, 1).path(undisturbed))
    assert len(forest.errors) == 1
    assert forest.honest_k is None


def test_a_finished_run_is_found_not_repeated(undisturbed):
    before = contents(undisturbed)
    report = run(plan(SETS, NAMES, 1), undisturbed)
    assert (report.fitted, report.found) == (0, 8)
    assert contents(undisturbed) == before


COMMAND = [sys.executable, "-m", "freemetric", "bench", "run"]
OPTIONS = ["--datasets", ",".join(SETS), "--methods", ",".join(NAMES), "--repeats", "1"]


def test_what_is_missing_is_done(undisturbed, tmp_path):
    for file in records.record_files(undisturbed):
        if "wine" in str(file):
            kept = tmp_path / file.relative_to(undisturbed)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(file.read_bytes())
    report = run(plan(SETS, NAMES, 1), tmp_path)
    assert (report.fitted, report.found) == (4, 4)
    assert contents(tmp_path) == contents(undisturbed)


@pytest.mark.slow
def test_killed_in_the_middle_and_run_again(undisturbed, tmp_path):
    process = subprocess.Popen([*COMMAND, tmp_path, *OPTIONS], start_new_session=True, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(list(records.record_files(tmp_path))) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    survived = len(list(records.record_files(tmp_path)))
    assert 3 <= survived < 8
    report = run(plan(SETS, NAMES, 1), tmp_path)
    assert report.fitted + report.found == 8
    assert report.found >= survived
    assert contents(tmp_path) == contents(undisturbed)


@pytest.mark.slow
def test_two_runners_do_no_fit_twice(undisturbed, tmp_path):
    pair = [subprocess.Popen([*COMMAND, tmp_path, *OPTIONS], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    fitted = [int(process.communicate(timeout=120)[0].split()[0]) for process in pair]
    assert sum(fitted) == 8
    assert contents(tmp_path) == contents(undisturbed)


def test_a_truncated_record_is_reported_and_made_again(undisturbed, tmp_path):
    jobs = plan(["iris"], ["euclidean"], 1)
    run(jobs, tmp_path)
    before, path = contents(tmp_path), jobs[0].path(tmp_path)
    path.write_text(path.read_text()[:40])
    _, broken = records.read_all(tmp_path)
    assert len(broken) == 1
    assert "euclidean.default.0.0.json is not a whole record" in broken[0]
    report = run(jobs, tmp_path)
    assert (report.fitted, report.found) == (1, 1)
    assert "is not a whole record" in report.problems[0]
    assert contents(tmp_path) == before


def take_memory(*_):
    return np.ones(300 << 17)  # MB


def test_beyond_the_limits_a_fit_is_a_recorded_failure(tmp_path, monkeypatch):
    slow = plan(["wine"], ["dmlfe-paper"], 1)[:1]
    limits = Limits(seconds=0.2)
    report = run(slow, tmp_path, RunOptions(limits=limits))
    assert "wine, dmlfe-paper, repeat 0, fold 0: stopped after" in report.problems[0]
    record = records.read(slow[0].path(tmp_path))
    assert "the limit of one fit" in record.failure
    assert record.paper_error is None
    assert run(slow, tmp_path).found == 1  # a failure is a result ...
    assert run(slow, tmp_path, RunOptions(retry_failed=True, limits=limits)).fitted == 1  # ... unless repeated
    monkeypatch.setattr(runner, "_make", take_memory)
    report = run(plan(["wine"], ["rf"], 1)[:1], tmp_path, RunOptions(limits=Limits(megabytes=200)))
    assert "needs more than the limit of 200 MB" in report.problems[0]


def test_a_data_set_that_cannot_be_read_is_one_line_and_the_rest_goes_on(tmp_path):
    home = tmp_path / "data"
    home.mkdir()
    (home / "glass.csv").write_text("RI,Na\n1,2,3\n")
    report = run(plan(["glass", "iris"], ["euclidean"], 1), tmp_path / "records", RunOptions(data_home=home))
    assert report.fitted == 2
    assert len(report.problems) == 1
    assert report.problems[0].startswith("glass: ")
    assert "\n" not in report.problems[0]


def test_a_class_smaller_than_the_folds_is_named():
    with pytest.raises(ValueError, match="a class has 1 sample: two-fold cross-validation needs two of each"):
        protocol.halves(np.array([0, 0, 0, 1]), 0)


def test_halves_are_the_same_for_all_and_differ_between_repeats(iris):
    y = iris[1]
    (train, test), (other_train, other_test) = protocol.halves(y, 3)
    np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(150))
    np.testing.assert_array_equal(train, other_test)
    assert not np.array_equal(train, protocol.halves(y, 4)[0][0])
    assert np.bincount(y[other_train]).tolist() == [25, 25, 25]


def test_tuned_parameters_are_recorded(iris):
    job = BenchJob("iris", "rca", 0, 0, "tuned")
    record = protocol.evaluate(job, Bunch(X=iris[0], y=iris[1]))
    assert record.parameters["regularization"] in METHODS["rca"].grid["regularization"]
    assert protocol.evaluate(BenchJob("iris", "rca", 0, 0), Bunch(X=iris[0], y=iris[1])).parameters == {}


def test_unknown_methods_are_named():
    with pytest.raises(ValueError, match="Unknown method 'nnca'; known methods: rf, euclidean"):
        plan(["iris"], ["nnca"], 1)


def test_every_protocol_has_its_table(undisturbed, tmp_path):
    found, _ = records.read_all(undisturbed)
    honest, paper, one_k = (results.mean_errors(found, p) for p in results.PROTOCOLS)
    assert list(honest.index) == SETS
    assert set(honest.columns) == set(NAMES)
    assert (paper <= honest + 1e-9).all().all()
    mine = [r for r in found if (r.job.dataset, r.job.method) == ("wine", "rca")]
    assert paper.loc["wine", "rca"] == pytest.approx(np.mean([min(r.errors) for r in mine]))
    assert honest.loc["wine", "rca"] == pytest.approx(np.mean([r.honest_error for r in mine]))
    assert one_k.loc["wine", "rca"] == pytest.approx(np.mean([r.errors for r in mine], axis=0).min())
    assert (paper <= one_k + 1e-9).all().all()
    results.save_compact(found, tmp_path / "all.jsonl.gz")
    assert results.load_compact(tmp_path / "all.jsonl.gz") == found
    with pytest.raises(ValueError, match="Unknown protocol 'best'"):
        results.mean_errors(found, "best")


def test_a_broken_or_foreign_compact_file_is_one_line(undisturbed, tmp_path):
    whole, broken = tmp_path / "all.jsonl.gz", tmp_path / "broken.jsonl.gz"
    results.save_compact(records.read_all(undisturbed)[0], whole)
    for content in (b"# text", whole.read_bytes()[:-20], gzip.compress(b"{}"), gzip.compress(b"[1]")):
        broken.write_bytes(content)
        with pytest.raises(ValueError, match=r"broken\.jsonl\.gz is not a whole file of records"):
            results.load_compact(broken)
    done = CliRunner().invoke(app, ["bench", "status", __file__])
    assert done.exit_code == 2
    assert " ".join(done.stderr.split()) == "test_runner.py is not a whole file of records (BadGzipFile)."


def test_a_failed_split_empties_its_cell():
    good, bad = (
        Record(BenchJob("a", "m", 0, 0), errors=[5.0], honest_error=5.0),
        Record(BenchJob("a", "m", 0, 1), failure="no"),
    )
    assert np.isnan(results.mean_errors([good, bad], "honest").loc["a", "m"])


def test_an_interrupted_write_leaves_nothing_behind(tmp_path, monkeypatch):
    def break_off(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", break_off)
    with pytest.raises(OSError, match="disk full"):
        Record(BenchJob("a", "m", 0, 0)).write(tmp_path)
    assert not [path for path in Path(tmp_path).rglob("*") if path.is_file()]


@pytest.mark.slow
def test_the_command_line_reads_what_it_wrote(undisturbed, tmp_path):
    def call(*words):
        return subprocess.run([sys.executable, "-m", "freemetric", *words], capture_output=True, text=True)

    status = call("bench", "status", undisturbed, "--json")
    assert json.loads(status.stdout)["rca"]["fits"] == 4
    table = call("bench", "table", undisturbed, "errors", "--protocol", "paper", "--format", "csv")
    assert "wine" in table.stdout
    assert call("bench", "table", undisturbed, "errros").stderr.startswith("Unknown table 'errros'")
    picture = tmp_path / "k.png"
    assert call("bench", "figure", undisturbed, "neighbors", picture, "--dataset", "wine").returncode == 0
    assert picture.stat().st_size > 5000
    missing = call("bench", "status", tmp_path / "nowhere")
    assert (missing.returncode, missing.stdout) == (2, "")
