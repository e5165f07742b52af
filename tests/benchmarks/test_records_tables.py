"""Tables of records against plain pandas and scipy, and runs that resume."""

import numpy as np
import pytest
from scipy.stats import wilcoxon
from statsmodels.stats.multitest import multipletests

from freemetric.experiments.records import Job, Record, read_records

command = pytest.importorskip("command", reason="benchmarks are not installed")
import records_tables  # noqa: E402


@pytest.fixture
def records(rng):
    """Errors of three methods on eight sets, two folds; "b" lacks a split."""
    found = []
    for name in "stuvwxyz":
        for fold in range(2):
            for k, method in enumerate("abc"):
                job = Job(name, method, 0, fold)
                error = round(float(10 + k + rng.normal()), 6)
                failure = "no" if (name, fold, method) == ("s", 1, "b") else None
                versions = {"commit": "abc"} if method == "a" else {}
                about = {"honest_error": error, "seconds": 1.0, "shape": [10, 2, 2]}
                found.append(Record(job, failure=failure, versions=versions, **about))
    return found


def test_tables_have_the_splits_that_all_methods_have(records):
    table = records_tables.by_split(records, lambda record: record.honest_error)
    assert table.shape == (15, 3)
    assert ("s", 0, 1) not in table.index
    means = records_tables.by_set(records, "error")
    expected = [r.honest_error for r in records if r.job == Job("s", "a")]
    assert means.loc["s", "a"] == expected[0]
    common = command.on_common_splits(records)
    assert len(common) == 45
    assert len(command.on_common_splits(records, ["a", "c"])) == 32


def test_differences_and_p_values(records):
    table = records_tables.by_set(records, "error")
    texts = records_tables.differences(table, "a", "error")
    p = [wilcoxon(table["a"], table[m]).pvalue for m in "bc"]
    corrected = multipletests(p, method="holm")[1]
    for method, alone, of_holm in zip("bc", p, corrected, strict=True):
        gap = table["a"] - table[method]
        counts = f"{(gap < 0).sum()}-0-{(gap > 0).sum()}"
        expected = f"{gap.mean():+.2f}, {counts}, p = {alone:.2g}, Holm {of_holm:.2g}"
        assert texts[method] == expected


@pytest.mark.parametrize("n", [1, 2, 7])
def test_holm(rng, n):
    p = rng.random(n) ** 3
    expected = multipletests(p, method="holm")[1]
    np.testing.assert_allclose(records_tables.holm(p), expected)


def test_printed_tables(records, capsys):
    records_tables.print_means(records, ["error"])
    records_tables.print_against(records, "a", ["error"])
    records_tables.print_losses(records, "c", "error", 0.5)
    records_tables.print_sets(records, "error")
    records_tables.print_versions(records, "a")
    text = capsys.readouterr().out
    parts = text.strip().split("\n\n")
    tables = [part.splitlines() for part in parts if part.startswith("|")]
    assert len(tables) == 4
    for table in tables:
        assert len({line.count("|") for line in table}) == 1
    assert "Records of a: commit abc." in text
    ranks = records_tables.by_set(records, "error").rank(axis=1).mean()
    assert f"| {ranks['a']:.2f} |" in text


def test_a_run_goes_on_where_it_was(tmp_path, capsys):
    path = tmp_path / "out/records.jsonl"
    jobs = [Job("iris", "x", repeat) for repeat in range(3)]
    made = []

    def record_of(job):
        made.append(job.repeat)
        return Record(job, failure="no luck" if job.repeat == 1 else None)

    command.run_jobs(jobs[:1], path, record_of)
    command.run_jobs(jobs, path, record_of)
    command.run_jobs(jobs, path, record_of)
    assert made == [0, 0, 1, 1, 2]  # the first fit of a run compiles
    assert [record.job for record in read_records(path)] == jobs
    assert capsys.readouterr().err.count("no luck") == 1


def test_records_of_ours_are_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "RECORDS", tmp_path)
    new = [Record(Job("iris", "ours", r)) for r in (1, 0)]
    command.save_ours("x", "ours", [*new, Record(Job("iris", "other"))])
    (tmp_path / "others").mkdir()
    command.write_records(tmp_path / "others/x.jsonl.gz", [Record(Job("iris", "rf"))])
    jobs = [record.job for record in command.committed("x", "ours")]
    assert jobs == [new[1].job, new[0].job, Job("iris", "rf")]
