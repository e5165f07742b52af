"""The page about what is stable names what the package has, and no more."""

import re
from pathlib import Path

import freemetric

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "stable.md"


def test_the_page_names_what_is_at_the_top():
    table = PAGE.read_text(encoding="utf-8").partition("## The promise")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    names = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(names) == sorted(freemetric.__all__)
    assert f"These {len(names)} names" in table
    assert len(names) <= 34
