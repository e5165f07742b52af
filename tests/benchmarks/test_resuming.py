"""Benchmarks that were stopped go on where they were."""

import pytest

resuming = pytest.importorskip(
    "resuming", reason="benchmarks are not part of an installed package"
)


def test_a_run_goes_on_where_it_was_stopped(tmp_path):
    path = tmp_path / "records.jsonl"
    measured = []

    def both_signs(a):
        measured.append(a)
        return [{"value": a}, {"value": -a}]

    resuming.run_missing(path, [{"a": 1}], lambda a: {"value": a})
    resuming.run_missing(path, [{"a": 1}, {"a": 2}], both_signs)
    assert measured == [2]
    assert [record["value"] for record in resuming.read(path)] == [1, 2, -2]
