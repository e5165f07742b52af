"""`make survive` keeps what it has, goes on with what it lacks, and prints the whole table."""

import json
import sys
from types import SimpleNamespace

import pytest

pytest.importorskip("survival.apart", reason="tools are not part of an installed package")
import survive
from survival.apart import HEAD, Row
from survival.record import Record

PARTS = ("kills", "mutants")
WHOLE, BROKEN = Row("kills", 2, "whole files"), Row("mutants", 3, "one line", ["died: SIGSEGV"], "2 refused")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out" / "survive.json"


def test_every_part_is_on_the_disk_when_it_ends(path):
    Record(path, PARTS).add("mutants", [BROKEN], 1.23)
    assert json.loads(path.read_text())["parts"]["mutants"]["seconds"] == 1.2
    again = Record(path, PARTS)
    assert again.table() == [BROKEN]
    again.add("kills", [WHOLE], 1)
    assert Record(path, PARTS).table() == [WHOLE, BROKEN]  # in the order of the page
    assert list(path.parent.iterdir()) == [path]


def test_what_is_lacking_or_broke_is_tried(path):
    record = Record(path, PARTS)
    assert record.to_try() == PARTS
    record.add("kills", [WHOLE], 1)
    assert record.to_try() == ("mutants",)
    record.add("mutants", [BROKEN], 1)
    assert record.to_try() == ("mutants",)
    assert Record(path, PARTS).table() == [WHOLE, BROKEN]


def test_a_whole_record_is_begun_anew(path):
    record = Record(path, PARTS)
    for part in PARTS:
        record.add(part, [WHOLE], 1)
    again = Record(path, PARTS)
    assert again.to_try() == PARTS
    again.add("kills", [WHOLE], 1)  # killed here
    assert Record(path, PARTS).to_try() == ("mutants",)


def run(monkeypatch, path, parts, *words):
    """What the command does where its parts are these functions."""
    monkeypatch.setattr(survive, "PARTS", tuple(parts))
    for name, rows in parts.items():
        monkeypatch.setitem(sys.modules, f"survival.{name}", SimpleNamespace(rows=rows))
    monkeypatch.setattr(sys, "argv", ["survive.py", "--out", str(path), *words])
    with pytest.raises(SystemExit) as ended:
        survive.main()
    return ended.value.code


def no_more(rng):
    raise AssertionError("tried again")


def test_the_command_goes_on_and_prints_all(monkeypatch, path, capsys):
    assert run(monkeypatch, path, {"first": lambda rng: [WHOLE], "second": lambda rng: [BROKEN]})
    said = capsys.readouterr()
    assert said.out.splitlines() == [*HEAD.splitlines(), WHOLE.markdown, BROKEN.markdown]
    assert "died: SIGSEGV" in said.err
    assert not run(monkeypatch, path, {"first": no_more, "second": lambda rng: [WHOLE]})
    assert capsys.readouterr().out.splitlines()[2:] == [WHOLE.markdown] * 2


def test_what_is_recorded_is_shown(monkeypatch, path, capsys):
    Record(path, ("first",)).add("first", [WHOLE], 1)
    assert not run(monkeypatch, path, {"first": no_more, "second": no_more}, "--show")
    assert capsys.readouterr().out.splitlines()[2:] == [WHOLE.markdown]


def test_some_parts_can_be_tried_again(monkeypatch, path, capsys):
    parts = {"first": lambda rng: [WHOLE], "second": lambda rng: [BROKEN]}
    run(monkeypatch, path, parts)
    assert run(monkeypatch, path, {**parts, "second": no_more}, "--only", "first")
