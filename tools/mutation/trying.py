"""The tests of a package, with one module of the library replaced by a mutant."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "freemetric"
TESTS = ROOT / "tests"
AT_START = Path(__file__).parent / "at_start"
LONGEST = 3600  # seconds
NO_TESTS = 5  # pytest's exit code


def outcome_of(mutant, package, longest=LONGEST):
    """Return "killed", "survived", or "killed" for one that comes to no end.

    The tests of the module run first: they mostly notice.
    """
    files = sorted((TESTS / package).rglob("test_*.py"))
    own = [path for path in files if path.stem == f"test_{mutant.path.stem}"]
    others = [path for path in files if path not in own]
    for group in filter(None, (own, others)):
        if noticed(mutant, group, longest):
            return "killed"
    return "survived"


def seconds_of_tests(package):
    """How long the tests of a package take without any mutant; None if they fail."""
    began = time.monotonic()
    if fails(sorted((TESTS / package).rglob("test_*.py")), {}, LONGEST):
        return None
    return time.monotonic() - began


def noticed(mutant, files, longest):
    """Whether tests fail with a mutant in the place of its module."""
    name = mutant.path.relative_to(SOURCES.parent).with_suffix("")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "mutant.py"
        source.write_text(mutant.source)
        variables = {
            "MUTANT_NAME": ".".join(name.parts).removesuffix(".__init__"),
            "MUTANT_SOURCE": str(source),
        }
        return fails(files, variables, longest)


def fails(files, variables, longest):
    """Whether tests of these files fail, or take longer than so many seconds."""
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
                timeout=longest,
            )
        except subprocess.TimeoutExpired:
            return True
    return done.returncode not in (0, NO_TESTS)
