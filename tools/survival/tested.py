"""What tests try in processes of their own: forks, nothing to write to, exploits."""

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

from .apart import Row

ROOT = Path(__file__).parents[2]
NOTES = {"pytest.skip": "more cannot be tried here", "pytest.xfail": "known to fail"}
FILES = {
    "forks, pools, threads, clusters": (
        ["tests/usual"],
        "a fit gives the same as in this process",
    ),
    "no folder to write to, a full disk": (
        ["tests/test_nowhere_to_write.py", "tests/kernels/test_compiling.py"],
        "import, load, predict, fit and commands as ever",
    ),
    "damaged and hostile model files": (
        ["tests/files/test_damaged.py", "tests/files/test_hostile.py"],
        "one line, little memory",
    ),
}


def rows(rng):
    """Return a row for each group of tests."""
    return [tested(name, *wanted) for name, wanted in FILES.items()]


def tested(name, files, wanted):
    """Return the row of the tests of these files, slow ones among them."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = ["-n", "0", "-q", "-m", "slow or not slow", f"--junitxml={report}"]
        command = [sys.executable, "-m", "pytest", *words, *files]
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
        return counted(report, f"{name} (tests)", wanted)


def counted(report, name, wanted):
    """Return the row of a report that pytest has written."""
    cases = list(ET.parse(report).iter("testcase"))
    skipped = Counter(
        part.get("type") for case in cases for part in case.iter("skipped")
    )
    failures = {"failure", "error"}
    broken = [c.get("name") for c in cases if failures & {part.tag for part in c}]
    notes = [f"{n} {NOTES.get(kind, kind)}" for kind, n in skipped.most_common()]
    return Row(name, len(cases) - skipped.total(), wanted, broken, ", ".join(notes))
