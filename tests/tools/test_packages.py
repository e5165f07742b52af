"""A release that is not in order is found out."""

import re
import tarfile
import zipfile

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from ..pages import ROOT

packages = pytest.importorskip(
    "packages", reason="tools are not part of an installed package"
)

METADATA = """Metadata-Version: 2.4
Name: freemetric
License-Expression: BSD-3-Clause
Requires-Python: >=3.11
Classifier: Programming Language :: Python :: 3.11
Classifier: Programming Language :: Python :: 3.12
Classifier: Programming Language :: Python :: 3.13
Classifier: Programming Language :: Python :: 3.14

A description.
"""


@pytest.fixture
def root(tmp_path):
    """A project of two files that says 1.2.3 everywhere."""
    for name, text in {
        "src/freemetric/_version.py": '__version__ = "1.2.3"\n',
        "src/freemetric/py.typed": "",
        "CHANGELOG.md": "# Changes\n\n## 1.2.3 (2026-01-31)\n\n## 1.2.2 (2025-01-31)\n",
        "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.3\n",
        "conda/recipe.yaml": "context:\n  version: 1.2.3\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def wheel(root, **changes):
    """A wheel of the project; a change of None leaves a file out."""
    files = {
        "freemetric/_version.py": "",
        "freemetric/py.typed": "",
        "freemetric-1.2.3.dist-info/METADATA": METADATA,
        "freemetric-1.2.3.dist-info/entry_points.txt": "",
        "freemetric-1.2.3.dist-info/licenses/LICENSE": "",
        **changes,
    }
    path = root / "freemetric-1.2.3-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            if text is not None:
                archive.writestr(name, text)
    return path


def test_ours_is_in_order():
    assert packages.version_problems(ROOT) == []


def test_the_metadata_of_the_project_name_every_python_that_is_tested():
    text = (ROOT / "pyproject.toml").read_text()
    named = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', text)
    path = ROOT / ".github" / "workflows" / "test.yml"
    workflow = path.read_text() if path.exists() else pytest.skip("not in archives")
    tested = re.search(r"python: \[(.*)\]", workflow)[1]
    assert named == re.findall(r'"(3\.\d+)"', tested)
    assert f'requires-python = ">={named[0]}"' in text


def direct_requirements(project, extra):
    """Requirements of the library and of an extra; extras of its own are resolved."""
    found = [Requirement(line) for line in project["dependencies"]]
    extras = [extra]
    while extras:
        for line in project["optional-dependencies"][extras.pop()]:
            requirement = Requirement(line)
            if requirement.name == "freemetric":
                extras.extend(requirement.extras)
            else:
                found.append(requirement)
    return found


def test_the_recipe_asks_for_what_the_project_asks_for():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    recipe = (ROOT / "conda" / "recipe.yaml").read_text()
    run_section = recipe.split("  run:\n")[1].split("\ntests:")[0]
    pattern = r"^ +- ([\w-]+) (>=[\d.]+(?:,!=[\d.*]+)*)$"
    lines = re.findall(pattern, run_section, re.MULTILINE)
    asked = {name: SpecifierSet(bounds) for name, bounds in lines}
    needed = direct_requirements(project, "cli")
    assert asked == {found.name: found.specifier for found in needed}


def test_all_in_order(root):
    assert packages.version_problems(root, "v1.2.3") == []
    assert packages.wheel_problems(wheel(root), root) == []


@pytest.mark.parametrize("name", ["CHANGELOG.md", "CITATION.cff", "conda/recipe.yaml"])
def test_a_file_that_says_another_version(root, name):
    (root / name).write_text((root / name).read_text().replace("1.2.3", "1.2.4"))
    assert packages.version_problems(root) == [f"{name} says 1.2.4, not 1.2.3"]


def test_a_release_has_its_own_tag_and_a_date(root):
    found = packages.version_problems(root, "v1.2.4")
    assert found == ["the tag is v1.2.4, not v1.2.3"]
    (root / "CHANGELOG.md").write_text("## 1.2.3 (not released)\n")
    assert packages.version_problems(root) == []
    assert "not released" in packages.version_problems(root, "v1.2.3")[0]
    (root / "CHANGELOG.md").write_text("## 1.2.3 (soon)\n")
    assert "no heading" in packages.version_problems(root)[0]


INFO = "freemetric-1.2.3.dist-info"
OTHER_LICENSE = METADATA.replace("BSD-3-Clause", "MIT")
OTHER_PYTHONS = METADATA.replace(":: 3.14", ":: 3")


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("freemetric/py.typed", None, "lacks freemetric/py.typed"),
        ("tests/test_nca.py", "", "holds tests/test_nca.py"),
        ("freemetric/__pycache__/a.pyc", "", "holds freemetric/__pycache__/a.pyc"),
        (f"{INFO}/licenses/LICENSE", None, "lacks licenses/LICENSE"),
        (f"{INFO}/entry_points.txt", None, "lacks entry_points.txt"),
        (f"{INFO}/METADATA", OTHER_LICENSE, "no licence expression"),
        (f"{INFO}/METADATA", OTHER_PYTHONS, "no classifiers"),
    ],
)
def test_a_wheel_that_is_not_in_order(root, name, text, problem):
    (found,) = packages.wheel_problems(wheel(root, **{name: text}), root)
    assert problem in found


def test_a_source_archive_that_is_not_in_order(root):
    path = root / "freemetric-1.2.3.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in [*packages.IN_SOURCES[1:], ".github"]:
            archive.addfile(tarfile.TarInfo(f"freemetric-1.2.3/{name}"))
    assert packages.sdist_problems(path) == [
        f"{path.name} lacks CHANGELOG.md",
        f"{path.name} holds .github",
    ]
