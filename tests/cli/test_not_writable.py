"""A place that cannot be written to is said before the work, not after it."""

import errno
import os
from pathlib import Path

import pytest

from freemetric.tabular import TableModel


@pytest.fixture
def nothing_is_learned(monkeypatch):
    def work(*_, **__):
        raise AssertionError("work was done first")

    for name in ("fit", "load"):
        monkeypatch.setattr(TableModel, name, work)
    monkeypatch.setattr("freemetric.tabular.evaluate", work)


COMMANDS = {
    "fit": ["fit", "people.csv", "--target", "class", "-o"],
    "predict": ["predict", "people.fm", "people.csv", "-o"],
    "transform": ["transform", "people.fm", "people.csv", "-o"],
    "evaluate": ["evaluate", "people.csv", "--target", "class", "-o"],
    "report": ["evaluate", "people.csv", "--target", "class", "--report"],
}


def asked(freemetric, home, command, output):
    words = [home / word if word.startswith("people.") else word for word in COMMANDS[command]]
    return freemetric(*words, output)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="where there is a folder that nobody can write to")
@pytest.mark.usefixtures("nothing_is_learned")
@pytest.mark.parametrize("command", COMMANDS)
def test_folders_for_reading_only(freemetric, home, command):
    name = "/proc/out.html" if command == "report" else "/proc/out.csv"
    answer = asked(freemetric, home, command, name)
    assert (answer.code, answer.out) == (2, "")
    assert [line.startswith(f"{name}: cannot be written (") for line in answer.lines] == [True]


@pytest.mark.usefixtures("nothing_is_learned")
@pytest.mark.parametrize("reason", [errno.EROFS, errno.ENOSPC, errno.EACCES])
def test_file_systems_that_take_nothing(freemetric, home, tmp_path, monkeypatch, reason):
    def refuse(file, mode="r", *_, **__):
        assert "x" in mode
        raise OSError(reason, os.strerror(reason), file)

    monkeypatch.setattr("freemetric.files.atomic.open", refuse, raising=False)
    answer = asked(freemetric, home, "fit", tmp_path / "a.fm")
    assert answer.code == 2
    assert answer.lines == [f"{tmp_path / 'a.fm'}: cannot be written ({os.strerror(reason)})"]
