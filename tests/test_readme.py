"""The blocks of the README run, top to bottom, and its tables are filled."""

import re
import shlex
import subprocess
import sys

import pytest

from .pages import ROOT, blocks, run

README = ROOT / "README.md"
pytestmark = pytest.mark.skipif(not README.exists(), reason="the README is not part of an installed package")


def test_readme_blocks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(blocks(README, "python")) >= 2
    namespace = run(README)
    assert namespace["model"].score(namespace["X_test"], namespace["y_test"]) > 0.9


@pytest.mark.slow
def test_readme_commands_run(tmp_path):
    lines = [line for _, block in blocks(README, "console") for line in block.splitlines()]
    commands = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("freemetric ")]
    assert commands.pop() == ["serve"]
    for words in commands:
        call = [sys.executable, "-m", "freemetric", *words]
        done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    written = {"people.csv", "new.csv", "people.fm", "out.csv", "people.html"}
    assert {path.name for path in tmp_path.iterdir()} == written


def test_readme_tables_are_filled():
    assert not re.findall(r"\b[A-Z]+_TABLE\b", README.read_text())
