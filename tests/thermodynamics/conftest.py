"""The problems with known answers stand in benchmarks/thermodynamics.py, which prints their table."""

import sys
from importlib.util import find_spec

import pytest

from ..pages import ROOT

collect_ignore_glob = [] if find_spec("pymbar") else ["test_*.py"]  # of the extra thermo
sys.path.append(str(ROOT / "benchmarks"))


@pytest.fixture(scope="session")
def bench():
    return pytest.importorskip("thermodynamics", reason="benchmarks are not part of an installed package")
