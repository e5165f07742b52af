"""What tests try in processes of their own: forks, places where nothing can be written, exploits."""

import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

from .apart import Row

ROOT = Path(__file__).parents[2]
NOTES = {"pytest.skip": "more cannot be tried here", "pytest.xfail": "more are known to fail"}
FILES = {
    "forks after a fit, and before": (["tests/test_forking.py"], "children answer as their parent does"),
    "no folder to write to, a full disk": (
        ["tests/test_nowhere_to_write.py", "tests/kernels/test_compiling.py"],
        "import, load, predict, fit and commands as ever",
    ),
    "exploits of files and records that once worked": (["tests/files/test_exploits.py"], "one line, little memory"),
    "kill, hang-up and Ctrl-C of a runner or a fit with workers": (
        ["tests/test_process_watchdog.py", "tests/learners/test_killed_workers.py"],
        "no process lives on, nothing is half-written",
    ),
}


def rows(rng: random.Random) -> list[Row]:
    """A row for each group of tests."""
    return [tested(name, *wanted) for name, wanted in FILES.items()]


def tested(name: str, files: list[str], wanted: str) -> Row:
    """So many tests of these files, slow ones among them."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = ["-n", "0", "-q", "-m", "slow or not slow", f"--junitxml={report}", *files]
        subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
        return counted(report, f"{name} (tests)", wanted)


def counted(report: Path, name: str, wanted: str) -> Row:
    """The row of a report that pytest has written."""
    cases = list(ET.parse(report).iter("testcase"))
    reasons = Counter(part.get("type") for case in cases for part in case.iter("skipped"))
    broken = [case.get("name", "") for case in cases if {"failure", "error"} & {part.tag for part in case}]
    notes = [f"{number} {NOTES.get(kind, kind)}" for kind, number in reasons.most_common()]
    return Row(name, len(cases) - reasons.total(), wanted, broken, ", ".join(notes))
