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
    pinned = set(minima(TEXT))
    assert {"click", "matplotlib", "plotly", "openpyxl", "onnx", "dask"} <= pinned
    assert not ONLY_FOR_SOURCES & pinned


def test_a_dependency_without_a_minimum_is_refused():
    with pytest.raises(SystemExit, match=r"'scipy' in .* has no oldest release"):
        minima(BARE)


@pytest.mark.parametrize(
    ("name", "oldest"), [("joblib", "1.4"), ("scipy", "1.15"), ("click", "8.1")]
)
def test_minima_that_were_false_do_not_come_back(name, oldest):
    assert Version(minima(TEXT)[name]) >= Version(oldest)
