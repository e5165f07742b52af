"""The blocks of the README run as written, and its figures are true."""

import pytest

from .pages import ROOT, blocks, run
from .test_docs import run_command

README = ROOT / "README.md"
pytestmark = pytest.mark.skipif(
    not README.exists(), reason="the README is not part of an installed package"
)


def test_readme_blocks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = run(README)
    y_test, low, high = found["y_test"], found["low"], found["high"]
    assert found["classifier"].oob_score_ == pytest.approx(0.985, abs=0.02)
    r2 = found["regressor"].score(found["X_test"], y_test)
    assert r2 == pytest.approx(0.346, abs=0.03)
    is_covered = (low <= y_test) & (y_test <= high)
    assert is_covered.mean() == pytest.approx(0.87, abs=0.04)


SLOW_COMMAND = pytest.param("nothing", marks=pytest.mark.slow)


@pytest.mark.parametrize("left_out", ["evaluate", SLOW_COMMAND])
def test_commands_run(left_out, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _, commands in blocks(README, "console"):
        for command in commands.splitlines():
            if command.split()[1] != left_out:  # tests/cli compares smaller tables
                run_command(command)
    assert (tmp_path / "wine.html").exists()


def test_two_minutes_are_enough():
    assert len(README.read_text().split()) <= 900
