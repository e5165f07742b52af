"""Recipes run, each as a user would type it: after the page's first block, alone."""

import ast
import re
from importlib.util import find_spec

import pytest

from .pages import ROOT, blocks

PAGE = ROOT / "docs" / "howto" / "compose.md"
APP = ROOT / "examples" / "app.py"
MOST_LINES = 15
pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="the pages are not part of an installed package"
)


def sections():
    """Pairs (heading, code) of the recipes, lines numbered as in the page."""
    if not PAGE.exists():
        return []
    text = PAGE.read_text()
    starts = [
        (text.count("\n", 0, found.start()), found[1])
        for found in re.finditer("^## (.+)$", text, re.MULTILINE)
    ]
    ends = [line for line, _ in starts[1:]] + [text.count("\n") + 1]
    recipes = []
    for (start, heading), end in zip(starts, ends, strict=True):
        code = [block for block in blocks(PAGE, "python") if start < block[0] < end]
        if code:
            recipes.append(pytest.param(code, id=heading))
    return recipes


@pytest.fixture(scope="module")
def names_of_the_first_block():
    names = {}
    line, code = blocks(PAGE, "python")[0]
    exec(compile("\n" * line + code, str(PAGE), "exec"), names)
    return names


@pytest.mark.slow
@pytest.mark.parametrize("recipe", sections())
def test_recipe_runs(recipe, names_of_the_first_block):
    names = dict(names_of_the_first_block)
    for line, code in recipe:
        for module in imported(code):
            if find_spec(module) is None:
                pytest.skip(f"{module} is not installed")
        exec(compile("\n" * line + code, str(PAGE), "exec"), names)


def imported(code):
    """Top-level modules that the code imports."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module.split(".")[0])
    return found


def test_recipes_are_short():
    for line, code in blocks(PAGE, "python"):
        assert len([row for row in code.splitlines() if row]) <= MOST_LINES, line
        assert max(map(len, code.splitlines())) <= 88, line


def test_the_app_is_short_and_python():
    text = APP.read_text()
    compile(text, str(APP), "exec")
    assert len(text.splitlines()) <= 60
