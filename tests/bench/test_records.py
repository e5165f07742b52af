"""Records that were read: names that lead nowhere else, fields of the right kind, one line for all others."""

import gzip
import json
from dataclasses import asdict

import pytest

from freemetric.bench.records import BenchJob, Record, parse, read_all
from freemetric.bench.results import load_compact, save_compact

WHOLE = asdict(Record(BenchJob("iris", "nca", 0, 1), errors=[5.0, 4], honest_k=2, honest_error=4, shape=(75, 4, 3)))


def with_job(**changes):
    return {**WHOLE, "job": {**WHOLE["job"], **changes}}


WRONG = {
    "a folder above": (with_job(dataset="../../iris"), "the data set '../../iris' is no plain name"),
    "an absolute path": (with_job(dataset="/tmp"), "the data set '/tmp' is no plain name"),
    "a drive": (with_job(dataset="C:iris"), "the data set 'C:iris' is no plain name"),
    "a path as a method": (with_job(method="a\\b"), r"the method 'a\\\\b' is no plain name"),
    "a hidden setting": (with_job(setting=".default"), "the setting '.default' is no plain name"),
    "a name of two lines": (with_job(dataset="iris\nwine"), r"the data set 'iris\\nwine' is no plain name"),
    "no name": (with_job(method=None), "the method None is no plain name"),
    "a repeat that is a path": (with_job(repeat="/../0"), "the repeat '/../0' is no number from 0 on"),
    "a fold that is true": (with_job(fold=True), "the fold True is no number from 0 on"),
    "a field too many": ({**WHOLE, "more\nlines": 1}, "TypeError: .*unexpected keyword argument 'more lines'"),
    "a field too few": ({k: v for k, v in WHOLE.items() if k != "shape"}, "KeyError: 'shape'"),
    "a job that is a list": ({**WHOLE, "job": [1]}, "TypeError"),
    "errors that are a text": ({**WHOLE, "errors": "5.0"}, "errors is '5.0'"),
    "an error that is a text": ({**WHOLE, "errors": ["5.0"]}, "errors is"),
    "an error that is no number": ({**WHOLE, "errors": [float("nan")]}, "errors is"),
    "an error beyond all": ({**WHOLE, "honest_error": 101}, "honest_error is '101'"),
    "an error that no float can hold": ({**WHOLE, "errors": [10**400]}, "errors is"),
    "an infinite error": ({**WHOLE, "honest_error": float("inf")}, "honest_error is 'inf'"),
    "seconds that no float can hold": ({**WHOLE, "seconds": 10**400}, "seconds is"),
    "seconds that are none": ({**WHOLE, "seconds": None}, "seconds is 'None'"),
    "parameters that are a list": ({**WHOLE, "parameters": []}, "parameters is"),
    "a shape of texts": ({**WHOLE, "shape": "abc"}, "shape is"),
    "nothing at all": ({**WHOLE, "errors": []}, "neither errors nor a failure"),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_line_for_what_is_no_record(name, tmp_path):
    content, message = WRONG[name]
    with pytest.raises(ValueError, match=message) as caught:
        parse(json.dumps(content))
    assert str(caught.value).isprintable()
    packed = tmp_path / "all.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(content).encode()))
    with pytest.raises(ValueError, match=rf"^all\.jsonl\.gz is not a whole file of records \(.*{message}.*\)\.$"):
        load_compact(packed)


def test_deeply_nested_json_is_one_line():
    with pytest.raises(ValueError, match="RecursionError"):
        parse("[" * 100_000)


def test_what_is_whole_is_read(tmp_path):
    records = [parse(json.dumps(WHOLE)), Record(BenchJob("wine", "rf", 0, 0), failure="too slow")]
    for record in records:
        record.write(tmp_path)
    assert read_all(tmp_path) == (records, [])
    save_compact(records, tmp_path / "all.jsonl.gz")
    assert load_compact(tmp_path / "all.jsonl.gz") == records
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["all.jsonl.gz"]


def test_a_small_file_that_unpacks_to_much(tmp_path):
    (tmp_path / "all.jsonl.gz").write_bytes(gzip.compress(b" " * (40 << 20)))
    with pytest.raises(ValueError, match=r"is not a whole file of records \(unpacks to more than 32 MB"):
        load_compact(tmp_path / "all.jsonl.gz")
