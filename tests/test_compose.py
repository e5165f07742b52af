"""Recipes run, each as a user would type it: after the page's first block, alone."""

import ast
import re
from importlib.util import find_spec

import pytest
from sklearn.datasets import load_wine

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


@pytest.fixture
def wines():
    pytest.importorskip("pandas")
    data = load_wine(as_frame=True)
    names = data.target.map({0: "barolo", 1: "grignolino", 2: "barbera"})
    return data.data.iloc[::2, :4].assign(grower=names[::2])


@pytest.mark.filterwarnings("ignore")  # streamlit's own
def test_the_app_fits_and_predicts(wines):
    testing = pytest.importorskip("streamlit.testing.v1")
    app = testing.AppTest.from_file(str(APP), default_timeout=120).run()
    assert not app.exception
    if not hasattr(app, "file_uploader"):
        pytest.skip("this streamlit cannot test uploads")
    upload(app, "training", wines)
    assert not app.exception
    assert app.selectbox[0].value == "grower"
    app.checkbox[0].check().run()
    assert not app.exception
    assert float(app.metric[0].value) > 0.6
    upload(app, "new", wines.drop(columns="grower"))
    assert not app.exception
    predicted = app.dataframe[-1].value
    assert (predicted["grower"] == wines["grower"].to_numpy()).mean() > 0.8


def upload(app, key, table):
    content = table.to_csv(index=False).encode()
    app.file_uploader(key=key).set_value(("table.csv", content, "text/csv")).run()


def test_the_app_is_short():
    assert len(APP.read_text().splitlines()) <= 60
