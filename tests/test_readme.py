"""The Python blocks of the README run, top to bottom, in one namespace, and its tables are filled."""

import re

import pytest

from .pages import ROOT, blocks, run

README = ROOT / "README.md"
pytestmark = pytest.mark.skipif(not README.exists(), reason="the README is not part of an installed package")


def test_readme_blocks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(blocks(README, "python")) >= 2
    namespace = run(README)
    assert namespace["model"].score(namespace["X_test"], namespace["y_test"]) > 0.9


def test_readme_tables_are_filled():
    assert not re.findall(r"\b[A-Z]+_TABLE\b", README.read_text())
