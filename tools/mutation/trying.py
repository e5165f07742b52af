"""The tests of a package, with one module of the library replaced by a mutant."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "freemetric"
TESTS = ROOT / "tests"
AT_START = Path(__file__).parent / "at_start"
LONGEST = 600  # seconds
NO_TESTS = 5  # pytest's exit code


def outcome_of(mutant, package):
    """Return "killed", "survived", or "killed" for one that comes to no end.

    The tests of the module run first: they mostly notice.
    """
    own = TESTS / package / f"test_{mutant.path.stem}.py"
    groups = [[own]] if own.exists() else []
    others = [path for path in (TESTS / package).rglob("test_*.py") if path != own]
    for files in [*groups, sorted(others)]:
        if noticed(mutant, files):
            return "killed"
    return "survived"


def tests_pass(package):
    """Whether the tests of a package pass without any mutant."""
    return not fails(sorted((TESTS / package).rglob("test_*.py")), {})


def noticed(mutant, files):
    """Whether tests fail with a mutant in the place of its module."""
    name = mutant.path.relative_to(SOURCES.parent).with_suffix("")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "mutant.py"
        source.write_text(mutant.source)
        variables = {
            "MUTANT_NAME": ".".join(name.parts).removesuffix(".__init__"),
            "MUTANT_SOURCE": str(source),
        }
        return fails(files, variables)


def fails(files, variables):
    """Whether tests of these files fail, or come to no end."""
    paths = os.pathsep.join([str(AT_START), str(SOURCES.parent)])
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | variables | {"PYTHONPATH": paths, "TMPDIR": folder}
        words = ["-q", "-x", "-m", "not slow", "-p", "no:cacheprovider"]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *words, *map(str, files)],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                timeout=LONGEST,
            )
        except subprocess.TimeoutExpired:
            return True
    return done.returncode not in (0, NO_TESTS)
