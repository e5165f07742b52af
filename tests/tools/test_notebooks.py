"""Tutorials become plain notebooks; a cell that fails ends the build."""

import re

import pytest

from ..pages import ROOT

notebooks = pytest.importorskip(
    "notebooks", reason="tools are not part of an installed package"
)
PAGES = sorted(
    page for page in (ROOT / "docs" / "tutorials").glob("*.md") if page.stem != "index"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_text_of_a_notebook(page):
    text = notebooks.plain(page)
    prose = re.sub(r"^```.*?^```|`[^`]+`", "", text, flags=re.DOTALL | re.MULTILINE)
    assert "](" not in prose.replace("](http", "")
    assert "{" not in re.sub(r"\$[^$]+\$", "", prose)
    assert text.count("\n```python") == page.read_text().count("\n```python")


def test_commands_of_a_notebook_stop_at_errors():
    page = ROOT / "docs" / "tutorials" / "classify.md"
    assert "```bash\nset -e\n" in notebooks.plain(page)


def test_a_failing_cell_is_an_error(tmp_path):
    pytest.importorskip("jupytext")
    errors = pytest.importorskip("nbclient.exceptions")
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n```python\n1 / 0\n```\n")
    with pytest.raises(errors.CellExecutionError, match="ZeroDivisionError"):
        notebooks.write(page, tmp_path / "page.ipynb")
