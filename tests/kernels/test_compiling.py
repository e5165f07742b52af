"""Compiled functions: the same in every process, with a cache or without."""

import os
import subprocess
import sys

import numpy as np
import pytest

from freemetric.kernels.numba.compiling import njit
from freemetric.kernels.numba.rows import exp2

ENERGIES = """
import numpy as np
from freemetric.energies import LMNNEnergy, LogNCAEnergy, NCAEnergy, RegressionEnergy
rng = np.random.default_rng(0)
X, y = rng.random((120, 13)), np.arange(120) % 3
A = 3 * rng.standard_normal((3, 13, 13))
for energy in (LogNCAEnergy(), LogNCAEnergy(16), RegressionEnergy(), LMNNEnergy()):
    bound = energy.bind(X, y)
    print([part.tobytes().hex() for part in (bound(A), *bound.value_and_grad(A))])
columns = np.arange(27).reshape(3, 9) % 13
moves = np.zeros((3, 9), int), columns, rng.random((3, 9)), np.full((3, 9), 0.01)
print([part.tobytes().hex() for part in NCAEnergy().bind(X, y).sweep(A, *moves)])
"""

NO_SPACE = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
"""
NO_FOLDER = """
import numba.core.caching as caching
for place in caching.CompileResultCacheImpl._locator_classes:
    place.from_function = classmethod(lambda *_: None)  # no place for a cache
"""


def run(program, **environment):
    words = [sys.executable, "-W", "ignore", "-c", program]
    options = {"capture_output": True, "text": True, "timeout": 250}
    done = subprocess.run(words, env=os.environ | environment, **options)
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout


@pytest.mark.slow
def test_processes_that_compile_and_that_load_compute_the_same(tmp_path):
    first, later = (run(ENERGIES, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert list(tmp_path.rglob("*.nbc"))
    assert first == later
    assert run(NO_FOLDER + ENERGIES) == first
    if sys.platform != "win32":
        full = str(tmp_path / "full")
        assert run(NO_SPACE + ENERGIES, NUMBA_CACHE_DIR=full) == first


def test_one_warning_where_nothing_can_be_kept():
    """As in a container that is read only, without a home."""
    program = NO_FOLDER + "import freemetric.kernels.numba.backend"
    words = [sys.executable, "-W", "always", "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1


def test_powers_of_two():
    @njit(nogil=True)
    def raised(x, out):
        for i in range(x.shape[0]):
            out[i] = exp2(x[i])

    x = np.linspace(-59.4, 120, 100_001, dtype=np.float32)
    out = np.empty_like(x)
    raised(x, out)
    np.testing.assert_allclose(out, 2.0 ** x.astype(float), rtol=3e-7)
    raised(np.full(3, -61, np.float32), out)
    assert not out[:3].any()
