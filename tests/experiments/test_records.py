"""Records are read as they were written, also those of the repository."""

import gzip
import re
from pathlib import Path

import pytest

from freemetric.experiments.records import (
    Job,
    Record,
    append_record,
    parse,
    provenance,
    read_records,
    replace_file,
    write_records,
)

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RECORDS = [
    Record(Job("iris", "nca", 0, 1), [5.0, 4.0], 1, 5.0, seconds=0.25),
    Record(Job("iris", "rf"), failure="no"),
    Record(Job("boston", "knn"), r2=0.5, rmse=3.0, width=[1.0, 2.0, float("inf")]),
]


@pytest.mark.parametrize("name", ["records.jsonl", "records.jsonl.gz"])
def test_written_and_read(tmp_path, name):
    path = tmp_path / "folder" / name
    write_records(path, RECORDS)
    assert read_records(path) == RECORDS
    content = path.read_bytes()
    write_records(path, RECORDS)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_added_line_by_line_and_cut_off(tmp_path):
    path = tmp_path / "records.jsonl"
    for record in RECORDS:
        append_record(path, record)
    assert read_records(path) == RECORDS
    path.write_bytes(path.read_bytes()[:-5])  # a process was killed
    assert read_records(path) == RECORDS[:2]


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "page"
    replace_file(path, b"old")

    def full(path, content):
        raise OSError("the disk is full")

    monkeypatch.setattr(type(path), "write_bytes", full)
    with pytest.raises(OSError, match="full"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_later_of_two_records_of_a_job(tmp_path):
    better = Record(RECORDS[1].job, honest_error=1.0)
    write_records(tmp_path / "r.jsonl", [*RECORDS, better])
    assert read_records(tmp_path / "r.jsonl")[1] == better


@pytest.mark.parametrize("content", [b"# text\n", b"{}\n", b"[1]\n", b"\xff\n"])
def test_another_file_is_one_line(tmp_path, content):
    for path, written in (
        (tmp_path / "r.jsonl", content),
        (tmp_path / "r.jsonl.gz", gzip.compress(content)),
        (tmp_path / "r.jsonl.gz", gzip.compress(content)[:-5]),
        (tmp_path / "r.jsonl.gz", content),
    ):
        path.write_bytes(written)
        with pytest.raises(ValueError, match=r"r\.jsonl.* is no file of records"):
            read_records(path)


def test_an_unknown_field_is_an_error():
    with pytest.raises(ValueError, match=r"no record: .*'speed'"):
        parse('{"job": {"dataset": "iris", "method": "nca"}, "speed": 1}')


@pytest.mark.parametrize(
    ("name", "n_records"),
    [
        ("others/paper", 4000),
        ("others/readings", 664),
        ("others/regression", 1900),
        ("others/noise", 500),
        ("ours/paper", 302),
    ],
)
def test_committed_records_are_read(name, n_records):
    records = read_records(BENCHMARKS / "records" / f"{name}.jsonl.gz")
    assert len(records) >= n_records
    assert all(r.failure or r.paper_error is not None or r.rmse for r in records)


def test_what_made_a_record():
    found = provenance()
    assert {"freemetric", "python", "numpy", "scikit-learn", "machine"} <= set(found)
    assert re.fullmatch("[0-9a-f]{12}(-dirty)?", found.get("commit", "0" * 12))
