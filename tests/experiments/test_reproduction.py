"""The paper done again: what is planned, what it ends with, and a killed run."""

import re
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import product

import matplotlib as mpl
import numpy as np
import pytest

from freemetric.experiments import reproduction as again
from freemetric.experiments.methods import PAPER_METHODS
from freemetric.experiments.records import Job, Record, append_record, read_records

mpl.use("Agg")
SETS = ("iris", "wine", "zoo")
SLOW = ("segment", "page-blocks", "satimage", "pendigits")
LARGEST = ("poker", "krkopt", "cod-rna")
FEW_WALKS = again.Effort(100, 1, 1, 0)


@pytest.fixture(scope="module")
def records():
    rng = np.random.default_rng(0)
    made = []
    for name in SETS:
        for method in PAPER_METHODS:
            errors = rng.uniform(1, 9, 1 if method == "rf" else 5).round(2).tolist()
            made.append(Record(Job(name, method), errors, 2, errors[0]))
    return made


def test_efforts():
    quick = again.jobs_of(again.EFFORTS["quick"])
    full = again.jobs_of(again.EFFORTS["full"])
    assert set(quick) < set(full)
    repeats = Counter((job.dataset, job.method) for job in full)
    few = {pair for pair, n_fits in repeats.items() if n_fits == 2}
    assert few == {*product(SLOW, ["dmlfe-paper"]), *product(LARGEST, PAPER_METHODS)}
    assert len(full) == 35 * 14 * 10 - 8 * len(few)
    assert sum(again.expected_seconds(quick)) < 2 * 480
    assert sum(again.expected_seconds(full)) < 2 * 86400  # a day on two cores
    own = again.jobs_of(again.EFFORTS["quick"], ["wine", "iris"], ["nca"], 2)
    assert [job.dataset for job in own] == ["iris"] * 4 + ["wine"] * 4


def test_what_is_missing_is_said():
    found, missing = again.available(["iris", "card"])
    assert list(found) == ["iris"]
    assert "card: the paper's encoding is PROBEN1's" in missing["card"]


def test_what_is_left(tmp_path):
    jobs = again.jobs_of(again.EFFORTS["quick"], ["iris"], ["rca", "rf"])
    assert again.jobs_left(jobs, tmp_path) == jobs
    append_record(tmp_path / "records.jsonl", Record(jobs[0]))
    left = again.jobs_left(jobs, tmp_path)
    assert left == jobs[1:]
    lines = again.lines_about(jobs, left, 2)
    assert lines[0] == "4 fits of 2 methods on 1 data sets"
    assert re.match("about 1 minutes for 3 of them, 2 at a time", lines[1])


@pytest.mark.slow
def test_all_tables_and_figures_are_written(records, tmp_path):
    tables = again.write_tables(records, tmp_path)
    found, _ = again.available(["iris", "wine"])
    drawn = again.write_figures(records, found, FEW_WALKS, tmp_path)
    page = again.write_page(tmp_path, tables, drawn, ["missing: <all>"]).read_text()
    names = {path.name for path in tmp_path.iterdir()}
    expected = {"index.html", *(f"figure-{i}.svg" for i in (1, 2, 3, 4, 5, 7))}
    for name in (
        "3",
        "3-honest",
        "3-published",
        "4-ranks",
        "4-ranks-our-defaults",
        "5",
    ):
        expected |= {f"table-{name}.md", f"table-{name}.csv"}
    assert names == expected
    assert page.count("<table>") == 6
    assert page.count("<img ") == 6
    assert "missing: &lt;all&gt;" in page
    for file in drawn:
        assert f'src="{file}"' in page
    headings = re.findall("<h2>(.*)</h2>", page)
    assert len(set(headings)) == 12


@pytest.mark.slow
def test_few_methods_have_what_they_suffice_for(records, tmp_path):
    few = [r for r in records if r.job.method == "rca"]
    assert set(again.tables_of(few)) == {
        "table-3",
        "table-3-honest",
        "table-3-published",
        "table-5",
    }
    names = [name for name, _ in again.figures_of(few, {}, FEW_WALKS)]
    assert names == ["figure-1", "figure-7"]
    files = [tmp_path / "a", tmp_path / "b"]
    for folder in files:
        folder.mkdir()
        again.write_figures(few, {}, FEW_WALKS, folder)
    first, second = ((folder / "figure-7.svg").read_bytes() for folder in files)
    assert first == second


def contents(path):
    return {(r.job, tuple(r.errors), r.honest_k) for r in read_records(path)}


WITHOUT_WALKS = """if True:
    from freemetric.cli import main
    from freemetric.experiments import reproduction
    reproduction.WALKED = ()
    main()"""


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_killed_run_goes_on(tmp_path):
    words = [sys.executable, "-c", WITHOUT_WALKS, "paper", "--repeats", "3", "--quick"]
    words += ["--sets", "iris,wine", "--methods", "euclidean,rca,nca,rf", "--jobs", "1"]
    killed, path = tmp_path / "killed", tmp_path / "killed/records.jsonl"
    process = subprocess.Popen([*words, killed], stderr=subprocess.DEVNULL)
    while not (path.exists() and path.read_bytes().count(b"\n") > 5):
        time.sleep(0.01)
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    n_before = len(read_records(path))
    assert 5 < n_before < 48
    assert not (killed / "index.html").exists()
    done = subprocess.run([*words, killed], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(killed / "index.html")
    assert f"for {48 - n_before} of them" in done.stderr
    subprocess.run([*words, tmp_path / "whole"], capture_output=True, check=True)
    assert contents(path) == contents(tmp_path / "whole/records.jsonl")
    files = [{p.name for p in (tmp_path / n).iterdir()} for n in ("killed", "whole")]
    assert files[0] == files[1]
