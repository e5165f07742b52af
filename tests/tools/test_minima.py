"""The oldest releases that are tested are those that pyproject.toml promises."""

import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

tool = pytest.importorskip(
    "minima", reason="tools are not part of an installed package"
)
ONLY_FOR_SOURCES, PYPROJECT, minima = tool.ONLY_FOR_SOURCES, tool.PYPROJECT, tool.minima
TEXT = PYPROJECT.read_text()
BARE = """
[project]
dependencies = ["scipy"]
[project.optional-dependencies]
dev-all = []
"""


def test_every_dependency_of_the_library_is_pinned_to_its_minimum():
    pinned = minima(TEXT)
    for line in tomllib.loads(TEXT)["project"]["dependencies"]:
        requirement = Requirement(line)
        assert str(requirement.specifier) == f">={pinned[requirement.name]}"


def test_extras_of_extras_are_followed():
    assert {
        "click",
        "matplotlib",
        "plotly",
        "openpyxl",
        "onnx",
        "dask",
    } <= set(minima(TEXT))
    assert not ONLY_FOR_SOURCES & set(minima(TEXT))


def test_the_recipe_of_conda_promises_the_same():
    pinned = minima(TEXT)
    recipe = (PYPROJECT.parent / "conda" / "recipe.yaml").read_text()
    run = recipe.partition("  run:\n")[2].partition("\ntests:")[0]
    lines = [line.strip(" -").partition(",")[0] for line in run.splitlines()]
    bounds = dict(
        line.split(" >=") for line in lines if " >=" in line and "python " not in line
    )
    assert bounds
    assert {name: Version(version) for name, version in bounds.items()} == {
        n: Version(pinned[n]) for n in bounds
    }


def test_a_dependency_without_a_minimum_is_refused():
    with pytest.raises(
        SystemExit, match=r"'scipy' in pyproject\.toml has no oldest release"
    ):
        minima(BARE)


@pytest.mark.parametrize(
    ("name", "oldest"), [("joblib", "1.4"), ("scipy", "1.15"), ("click", "8.1")]
)
def test_minima_that_were_false_do_not_come_back(name, oldest):
    assert Version(minima(TEXT)[name]) >= Version(oldest)
