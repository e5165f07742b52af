"""Where nothing can be written, kernels are compiled without a cache, and one warning says how to have one."""

import subprocess
import sys

PROGRAM = """
import sys, warnings
import numba.core.caching as caching
caching.CacheImpl._locator_classes = []  # no place for a cache
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import freemetric
    freemetric.ITML  # names are imported when they are asked for
said = [str(w.message) for w in caught if "NUMBA_CACHE_DIR" in str(w.message)]
assert len(said) == 1, said
import numpy as np
X, y = np.random.default_rng(0).random((20, 2)), np.arange(20) % 2
print(freemetric.ITML().fit(X, y).components_.shape)
"""


def test_without_a_place_for_a_cache():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.strip() == "(2, 2)"


CALLED = """
import sys
from pathlib import Path
from freemetric.kernels import compiling
folder = Path(sys.argv[1])
compiling.KERNELS = compiling.stamp_of(folder)
sys.path.insert(0, str(folder))
from outer import outer
print(outer(1))
"""
INNER = "from freemetric.kernels.compiling import njit\n@njit(cache=True)\ndef inner(x):\n    return x + {}\n"
OUTER = """from freemetric.kernels.compiling import njit
from inner import inner
@njit(cache=True)
def outer(x):
    return 10 * inner(x)
"""


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_has_changed(tmp_path):
    (tmp_path / "outer.py").write_text(OUTER)
    for added in (1, 23):
        (tmp_path / "inner.py").write_text(INNER.format(added))
        done = subprocess.run([sys.executable, "-c", CALLED, tmp_path], capture_output=True, text=True, timeout=250)
        assert done.stdout.strip() == str(10 * (1 + added)), done.stderr[-500:]
