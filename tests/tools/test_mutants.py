"""``make mutants`` tells what tests notice from what they do not."""

import json

import pytest

mutants = pytest.importorskip("mutants", reason="tools are part of a checkout alone")
from mutation import changes, trying  # noqa: E402

SOURCE = """\
LIMIT = 3


def checked(a, b):
    return a + b


def unchecked(a):
    return not a < 2
"""
TESTS = """\
from tiny.sums import checked, unchecked


def test_checked():
    assert checked(1, 2) == 3
    unchecked(1)
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A package of one module, of which half is tested."""
    for name, text in {
        "src/tiny/__init__.py": "",
        "src/tiny/sums.py": SOURCE,
        "tests/part/test_sums.py": TESTS,
        "pytest.ini": "[pytest]\nmarkers = slow: not here\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(trying, "ROOT", tmp_path)
    monkeypatch.setattr(trying, "SOURCES", tmp_path / "src" / "tiny")
    monkeypatch.setattr(trying, "TESTS", tmp_path / "tests")
    return tmp_path / "src" / "tiny" / "sums.py"


def test_changes_are_within_functions(module):
    found = [mutant.place[1:] for mutant in changes.mutants_of(module)]
    assert found == [
        ("return a + b", "return ((a) - (b))"),
        ("return not a < 2", "return (a < 2)"),
        ("return not a < 2", "return not ((a) <= (2))"),
        ("return not a < 2", "return not a < (2 + 1)"),
    ]


@pytest.mark.slow
def test_what_tests_notice_is_killed(module, tmp_path):
    plus, _, less, _ = changes.mutants_of(module)
    assert trying.seconds_of_tests("part") > 0
    assert trying.outcome_of(plus, "part") == "killed"
    path = tmp_path / "out" / "mutants.jsonl"
    assert mutants.try_package("part", [less], path) == [less]
    assert mutants.known(path)[less.key]["outcome"] == "survived"


def test_what_is_explained_is_not_tried(module, tmp_path, monkeypatch):
    less = changes.mutants_of(module)[2]
    name, was, now = less.place
    line = {"module": name, "was": was, "now": now, "why": "The same."}
    (tmp_path / "equivalent.jsonl").write_text(json.dumps(line))
    monkeypatch.setattr(mutants, "EQUIVALENT", tmp_path / "equivalent.jsonl")
    assert mutants.try_package("part", [less], tmp_path / "none.jsonl") == []


@pytest.mark.slow
def test_packages_have_modules_and_tests():
    for package in mutants.PACKAGES:
        found = mutants.sample(package, 5, seed=0)
        assert len(found) == 5
        assert found == mutants.sample(package, 5, seed=0)
        assert list((trying.TESTS / package).rglob("test_*.py"))
