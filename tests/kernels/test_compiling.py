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
