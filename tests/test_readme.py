"""The blocks of the README run as written, top to bottom, and say what is true."""

import pytest

from .pages import ROOT, blocks, run
from .test_docs import run_command

README = ROOT / "README.md"
pytestmark = pytest.mark.skipif(not README.exists(), reason="the README is not part of an installed package")


def test_readme_blocks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(blocks(README, "python")) == 3
    found = run(README)
    assert found["classifier"].oob_score_ == pytest.approx(0.985, abs=0.02)
    assert found["regressor"].score(found["X_test"], found["y_test"]) == pytest.approx(0.355, abs=0.04)
    held = (found["low"] <= found["y_test"]) & (found["y_test"] <= found["high"])
    assert held.mean() == pytest.approx(0.89, abs=0.05)


@pytest.mark.parametrize("left_out", ["evaluate", pytest.param("nothing", marks=pytest.mark.slow)])
def test_commands_run(left_out, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ((_, commands),) = blocks(README, "console")
    for command in commands.splitlines():
        if command.split()[1] != left_out:  # tests/cli compares on smaller tables
            run_command(command)
    assert (tmp_path / "people.html").exists()


def test_two_minutes_are_enough():
    assert len(README.read_text().split()) <= 900
