"""Where nothing can be written, kernels are compiled without a cache, and one warning says how to have one."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys, warnings
import numba.core.caching as caching
for place in caching.CompileResultCacheImpl._locator_classes:
    place.from_function = classmethod(lambda *_: None)  # no place for a cache
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import freemetric
    from freemetric.kernels import cpu_kernels
    cpu_kernels()  # what is compiled is imported when a fit needs it
said = [str(w.message) for w in caught if "NUMBA_CACHE_DIR can name" in str(w.message)]
assert len(said) == 1, said
import numpy as np
X, y = np.random.default_rng(0).random((20, 2)), np.arange(20) % 2
print(freemetric.ITML().fit(X, y).components_.shape)
"""


@pytest.mark.slow
def test_without_a_place_for_a_cache():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.strip() == "(2, 2)"


CALLED = """
import sys
from pathlib import Path
from freemetric.kernels.numba import cache as keeping
folder = Path(sys.argv[1])
keeping.KERNELS = keeping.stamp_of(folder)
sys.path.insert(0, str(folder))
from outer import outer
print(outer(1))
"""
INNER = "from freemetric.kernels.numba.compiling import njit\n@njit(cache=True)\ndef inner(x):\n    return x + {}\n"
OUTER = """from freemetric.kernels.numba.compiling import njit
from inner import inner
@njit(cache=True)
def outer(x):
    return 10 * inner(x)
"""


@pytest.mark.slow
def test_a_kernel_is_compiled_anew_when_one_that_it_calls_has_changed(tmp_path):
    (tmp_path / "outer.py").write_text(OUTER)
    for added in (1, 23):
        (tmp_path / "inner.py").write_text(INNER.format(added))
        done = subprocess.run([sys.executable, "-c", CALLED, tmp_path], capture_output=True, text=True, timeout=250)
        assert done.stdout.strip() == str(10 * (1 + added)), done.stderr[-500:]


COUNTED = CALLED + "print(sum(outer.stats.cache_hits.values()))\n"
LIMITED = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\n" + COUNTED


def called(program, folder, **more):
    words = [sys.executable, "-W", "ignore", "-c", program, folder]
    done = subprocess.run(words, capture_output=True, text=True, timeout=250, env=os.environ | more)
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout.split()


@pytest.fixture
def sources(tmp_path):
    (tmp_path / "inner.py").write_text(INNER.format(1))
    (tmp_path / "outer.py").write_text(OUTER)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("end", [5, *(pytest.param(end, marks=pytest.mark.slow) for end in (0, -5))])
def test_files_that_were_cut_off_are_written_anew(sources, end):
    called(COUNTED, sources)
    for path in (sources / "__pycache__").glob("outer.*.nb?"):
        path.write_bytes(path.read_bytes()[:end])
    assert [called(COUNTED, sources) for _ in range(2)] == [["20", "0"], ["20", "1"]]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of POSIX")
def test_a_folder_that_takes_nothing(sources):
    """Nothing can be kept in it, what is there is read."""
    assert [called(LIMITED, sources) for _ in range(2)] == [["20", "0"], ["20", "0"]]
    called(COUNTED, sources)
    assert called(LIMITED, sources) == ["20", "1"]


@pytest.mark.slow
def test_a_folder_that_may_only_be_read(sources):
    """As in an image: compiled when it was made, used by somebody who may not write."""
    called(COUNTED, sources)
    nowhere = "import tempfile\ndef no(*_, **__):\n    raise OSError\ntempfile.TemporaryFile = no\n"
    assert called(nowhere + COUNTED, sources) == ["20", "1"]


ENERGIES = """
import numpy as np
from freemetric.energies import LogNCAEnergy
rng = np.random.default_rng(0)
X, A = rng.random((120, 13)), 3 * rng.standard_normal((3, 13, 13))
energy = LogNCAEnergy(n_neighbors=32).bind(X, np.arange(120) % 3).near(A)
print([part.tobytes().hex() for part in (energy(A), *energy.value_and_grad(A))])
"""


@pytest.mark.slow
def test_a_process_that_compiles_computes_what_later_ones_do(tmp_path):
    first, later = (called(ENERGIES, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "compiled")) for _ in range(2))
    assert first == later


INTERRUPTED = """
import numpy as np
from numba.core.codegen import JITCodeLibrary
compiled, interrupts = JITCodeLibrary._object_compiled_hook.__func__, []
def hook(cls, *given):  # Python overlooks what is raised here, since LLVM calls it
    if interrupts:
        raise interrupts[0]
    compiled(cls, *given)
JITCodeLibrary._object_compiled_hook = classmethod(hook)
from freemetric.kernels.numba.nearest import least_of
h = np.random.default_rng(0).random((3, 20), dtype=np.float32)
interrupts.append(KeyboardInterrupt)
try:
    least_of(h, 4)
except KeyboardInterrupt:
    print("interrupted")
interrupts.clear()
print((least_of(h, 4) == h.argsort(axis=1)[:, :4]).all())
"""


def test_an_interrupt_while_a_kernel_is_compiled(tmp_path):
    """numba finds no code to keep then, and says so by an error of its own."""
    options = {
        "capture_output": True,
        "text": True,
        "timeout": 250,
        "env": os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
    }
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], **options)
    assert done.stdout.split() == ["interrupted", "True"], done.stderr[-500:]
