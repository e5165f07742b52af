"""The API reference names what there is, and every package has a page."""

import re
from importlib import import_module

import pytest

import freemetric

from .pages import ROOT

PAGES = sorted((ROOT / "docs" / "api").glob("*.rst"))
MODULE = re.compile(r"\.\. currentmodule:: (\S+)")
NAME = re.compile(r"   ([A-Za-z]\w*(?:\.\w+)*)|\.\. data:: (\S+)")


def names_of(page):
    """Yield the modules and names that a page lists."""
    module = "freemetric"
    pages = {path.stem for path in PAGES}
    for line in page.read_text().splitlines():
        if found := MODULE.fullmatch(line):
            module = found[1]
        elif (found := NAME.fullmatch(line)) and line.strip() not in pages:
            yield module, found[1] or found[2]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_names_are_there(page):
    for module, name in names_of(page):
        *inner, last = name.split(".")
        try:
            owner = import_module(".".join([module, *inner]))
            if not hasattr(owner, last):
                import_module(f"{module}.{name}")  # a module
        except ImportError as missing:
            if "(extra" not in str(missing):
                raise
            pytest.skip(str(missing))


def test_the_first_page_names_everything():
    index = ROOT / "docs" / "api" / "index.rst"
    listed = {name for _, name in names_of(index)}
    assert listed == set(freemetric.__all__) | {"__version__"}
    text = index.read_text()
    for page in PAGES:
        assert page == index or f":doc:`{page.stem}`" in text
