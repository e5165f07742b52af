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

    The tests of the module run first, then the examples in docstrings of its folder.
    """
    files = tests_of(package)
    own = [path for path in files if path.stem == f"test_{mutant.path.stem}"]
    others = [path for path in files if path not in own]
    # A module that pytest is given by its name would be read without its mutant.
    examples = [mutant.path.parent]
    for group in filter(None, (own, examples, others)):
        if noticed(mutant, group, longest):
            return "killed"
    return "survived"


def tests_of(package):
    """Return the files that test a package; kernels are those of energies."""
    folders = ["kernels", "energies"] if package == "kernels" else [package]
    return [path for f in folders for path in sorted((TESTS / f).rglob("test_*.py"))]


def seconds_of_tests(package):
    """How long the tests of a package take without any mutant; None if they fail."""
    began = time.monotonic()
    if fails(tests_of(package), {}, LONGEST):
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
