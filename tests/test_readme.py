"""Every Python block of the README runs, top to bottom, in one namespace."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.skipif(not README.exists(), reason="the README is not part of an installed package")
def test_readme_blocks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # what they write
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(blocks) >= 2
    namespace = {}
    for block in blocks:
        exec(compile(block, str(README), "exec"), namespace)
    assert namespace["model"].score(namespace["X_test"], namespace["y_test"]) > 0.9


def test_readme_tables_are_filled():
    assert not re.findall(r"\b[A-Z]+_TABLE\b", README.read_text())
