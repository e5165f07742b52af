"""What `make test-metric-learn` counts as passed has passed."""

import io
import subprocess
import sys
import tarfile

import pytest

suite = pytest.importorskip(
    "metric_learn_suite", reason="tools are not part of an installed package"
)

TESTS = b"""
import pytest, unittest
from test.test_utils import NAME
from metric_learn import NCA
from metric_learn.exceptions import NonPSDError
from metric_learn.base_metric import MahalanobisMixin, _PairsClassifierMixin
from metric_learn._util import _pseudo_inverse_from_eig, make_context

def test_it_is_ours():
    assert NCA.__module__.startswith("freemetric.metric_learn.")
    assert make_context(NCA()) == " by " + NAME

@pytest.mark.integration
@pytest.mark.parametrize("n", [1, 2])
def test_sometimes(n):
    with pytest.warns(None) as seen:
        assert n == 1, "n is two"
    assert len(seen) == 0

def test_private():
    _pseudo_inverse_from_eig(None, None)

@pytest.mark.skip(reason="not today")
def test_later():
    pass
"""


@pytest.fixture
def folder(tmp_path):
    """An archive like that of the release, so that none is fetched."""
    path = tmp_path / f"metric-learn-{suite.RELEASE}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, content in {
            "test/test_constraints.py": TESTS,
            "test/test_utils.py": b"NAME = 'NCA'\n",
            "setup.py": b"raise SystemExit\n",
        }.items():
            member = tarfile.TarInfo(f"metric-learn-{suite.RELEASE}/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return tmp_path


@pytest.mark.slow
def test_what_passes_and_fails_is_reported(folder):
    command = [sys.executable, suite.__file__, "--folder", str(folder)]
    command += ["--only", "test_constraints", "--jobs", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    counts = "test_constraints 2 passed 2 failed 1 skipped"
    assert lines[0].split() == counts.split()
    assert "test_constraints::test_sometimes[2]: AssertionError: n is two" in lines[1]
    assert "_pseudo_inverse_from_eig is a private function of metric-learn" in lines[2]
    assert lines[-1] == "2 of 5 tests passed"
    assert not (folder / "suite" / "setup.py").exists()
