"""Bars with the time left: on terminals, for people, by every command that may take long."""

import os
import pty
import re
import subprocess
import sys

import pytest

from freemetric.cli import console

LEFT = r"\d:\d\d:\d\d left"
REPLICAS = ["--target", "class", "--set", "n_replicas=6"]


def on_a_terminal(*words):
    """What a command writes to stdout, and to the terminal that is its stderr."""
    terminal, stderr = pty.openpty()
    command = [sys.executable, "-m", "freemetric", *map(str, words)]
    surroundings = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, env=surroundings) as process:
        os.close(stderr)
        shown = b"".join(iter(lambda: _read(terminal), b""))
        os.close(terminal)
        out = process.stdout.read()
    assert process.returncode == 0, shown
    return out.decode(), without_codes(shown.decode())


def without_codes(text):
    """Without what moves the cursor and colours letters."""
    return re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", text)


def _read(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end is closed
        return b""


@pytest.mark.slow
def test_fit_on_a_terminal(home, tmp_path):
    out, shown = on_a_terminal("fit", home / "people.csv", *REPLICAS, "-o", tmp_path / "a.fm")
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    assert re.search(r"free-energy on 60 rows ━* *\d+/\d+ " + LEFT, shown)
    assert out.startswith(f"{tmp_path / 'a.fm'}: free-energy on 60 rows")
    assert "━" not in out


@pytest.mark.slow
def test_nothing_but_json_on_a_terminal(home, tmp_path):
    out, shown = on_a_terminal("fit", home / "people.csv", *REPLICAS, "-o", tmp_path / "a.fm", "--json")
    assert out.startswith("{")
    assert [line for line in shown.splitlines() if not line.startswith("note: ")] == []


COMMANDS = {
    "predict": ["predict", "people.fm", "people.csv", "-o", "out.csv"],
    "transform": ["transform", "people.fm", "people.csv", "-o", "out.csv"],
    "evaluate": [
        *("evaluate", "people.csv", "--target", "class", "--methods", "euclidean"),
        *("--folds", "2", "--repeats", "1", "--set", "euclidean.n_neighbors=1"),
    ],
    "datasets": ["datasets", "check", "iris,wine"],
    "bench run": ["bench", "run", "records", "--datasets", "iris", "--methods", "euclidean", "--repeats", "1"],
    "bench draw": ["bench", "draw", "race", "iris", "race.png", "--seconds", "0.01"],
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_long_command_has_a_bar(command, freemetric, home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("people.csv", "people.fm"):
        (tmp_path / name).symlink_to(home / name)

    def shown(*more):
        return without_codes(" ".join(freemetric(*COMMANDS[command], *more).lines))

    assert "left" not in shown()
    monkeypatch.setattr(console.errors, "_force_terminal", True)
    monkeypatch.setattr(console.errors, "is_interactive", True)
    monkeypatch.setenv("TERM", "xterm")
    assert re.search(r"\d+/\d+ " + LEFT, shown())
    assert "left" not in shown("--json")
