"""`make mutants` tells what tests notice from what they do not: in a package of a few lines, some of them tested."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

if not hasattr(os, "fork"):
    pytest.skip("needs os.fork", allow_module_level=True)
pytest.importorskip("mutation.record", reason="tools are not part of an installed package")
from mutation import core, mutant, mutated
from mutation.mutant import Mutant
from mutation.record import Record

SOURCE = """\
from functools import cache


def checked(function):
    function.limit = 3 + 4
    return function


class Sums:
    @staticmethod
    @cache
    def tested(a, b):
        return [x + b for x in (a,)][0]

    @checked
    def untested(self, a, b):
        return a - b


def down(n):
    while n > 0:
        n -= 1
    return n
"""
TESTS = """\
from tiny.sums import Sums, down


def test_tested():
    assert Sums.tested(1, 2) == 3


def test_untested():
    Sums().untested(1, 2)


def test_down():
    assert down(3) == 0


def test_limit():
    assert Sums.untested.limit == 7
"""
DRIVER = """\
import json, sys
from pathlib import Path
from mutation import core, trying
from mutation.covering import Covering
from mutation.mutant import Mutant

root, source, lines, changes = Path(sys.argv[1]), *json.loads(sys.argv[2])
core.ROOT, core.SOURCES, core.TESTS = root, root / "src" / "tiny", root / "tests"
trying.SECONDS_MORE = 1
package = core.Package("tiny", ("*.py",), (".",), 5)
names = sorted({name for some in lines.values() for name in some} - {""} | {"tests/test_sums.py::test_limit"})
known = Covering([{"seconds": dict.fromkeys(names, 0.01), "lines": {"sums.py": lines}}])
mutants = [Mutant("sums.py", n, "by hand", was, now, source.replace(was, now)) for n, was, now in changes]
def add(mutant, outcome):
    with (root / "outcomes").open("a") as file:
        said = mutant.now, outcome["outcome"], outcome["by"].removeprefix("tests/test_sums.py::")
        print(json.dumps(said), file=file)
trying.try_package(package, mutants, known, 2, root / "logs", add)
"""
CHANGES = [
    (13, "x + b", "x - b", "killed", "test_tested"),
    (13, "x + b", "b + x", "survived", ""),
    (17, "a - b", "a + b", "survived", ""),
    (22, "n -= 1", "n += 1", "killed", "no end"),
    (5, "3 + 4", "3 - 4", "killed", "test_limit"),
]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    root = tmp_path_factory.mktemp("tiny")
    for path, text in (("src/tiny/__init__.py", ""), ("src/tiny/sums.py", SOURCE), ("tests/test_sums.py", TESTS)):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "pytest.ini").write_text("[pytest]\nmarkers = slow: not run here\n")
    lines = {"13": "tested", "17": "untested", "22": "down"}
    lines = {line: [f"tests/test_sums.py::test_{name}"] for line, name in lines.items()} | {"5": [""]}
    given = json.dumps([SOURCE, lines, [change[:3] for change in CHANGES]])
    path = os.pathsep.join([str(Path(mutated.__file__).parents[1]), str(root / "src")])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", DRIVER, str(root), given], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return {now: said for now, *said in map(json.loads, (root / "outcomes").read_text().splitlines())}


@pytest.mark.slow
@pytest.mark.parametrize(("line", "was", "now", "outcome", "by"), CHANGES, ids=[change[2] for change in CHANGES])
def test_what_tests_notice_is_killed(outcomes, line, was, now, outcome, by):
    assert outcomes[now] == [outcome, by]


def test_statements_are_found_by_any_of_their_lines():
    source = "def f(a):\n  if a:\n    return (\n      1\n    )\n  try:\n    a()\n  except OSError:\n    a()\n"
    assert [mutant.lines_of(source, line) for line in (2, 4, 8)] == [range(2, 3), range(3, 6), range(8, 9)]
    assert mutated.function_at(SOURCE, 13) == (10, "tested")


def test_survivors_are_tried_again_unless_explained(tmp_path):
    one, two, three = (Mutant("sums.py", n, "by hand", "a", f"b{n}", f"source {n}") for n in range(3))
    explained = tmp_path / "explained.jsonl"
    explained.write_text(json.dumps({"module": "sums.py", "was": "a", "now": "b1", "why": "The same."}) + "\n")
    record = Record(tmp_path / "record.jsonl", explained)
    assert record.is_open(one)
    for some, outcome in ((one, "killed"), (two, "survived"), (three, "survived")):
        record.add("tiny", some, {"outcome": outcome})
    again = Record(tmp_path / "record.jsonl", explained)
    assert [again.is_open(some) for some in (one, two, three)] == [False, False, True]
    sampled = {"tiny": [one, two, three]}
    assert again.unexplained(sampled) == [three]
    table = again.table(sampled)
    assert "| tiny | 3 | 1 | 1 | 1 | 33.3 % |" in table
    assert "`a` became `b1`: The same." in table


def test_places_are_in_functions_and_the_sample_stays():
    sites = pytest.importorskip("mutation.sites", reason="needs cosmic-ray")
    found = sites.places("N = 3\n\ndef f(a: int | None = 2, *, b=1) -> int | None:\n    return a * b + N\n")
    assert {line for line, _ in found} == {4}
    assert {name for ways in found.values() for name, _ in ways} == {
        "ReplaceBinaryOperator_Mul_Div",
        "ReplaceBinaryOperator_Add_Sub",
    }


def test_packages_name_modules_and_tests_that_exist():
    for package in core.PACKAGES:
        for pattern in (*package.modules, *package.without):
            assert list(core.SOURCES.glob(pattern)), pattern
        assert all((core.TESTS / place).exists() for place in package.tests), package.name
        assert package.files()
        assert package.test_files()
