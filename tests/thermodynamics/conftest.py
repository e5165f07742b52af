"""The problems with known answers stand in benchmarks/thermodynamics.py, which prints their table."""

import sys

import pytest

from ..pages import ROOT

pytest.importorskip("pymbar", reason="thermodynamics needs the extra thermo")
sys.path.append(str(ROOT / "benchmarks"))


@pytest.fixture(scope="session")
def bench():
    return pytest.importorskip("thermodynamics", reason="benchmarks are not part of an installed package")
