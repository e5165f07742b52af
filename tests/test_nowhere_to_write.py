"""Where nothing can be written, models can still be imported, loaded and fitted."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import freemetric as fm

CANNOT = 99
# Every mount becomes read-only, in a name space that ends with the command.
READ_ONLY = """
mount --make-rprivate / || exit 99
for folder in $(awk '$4 ~ /^rw/ && $2 !~ "^/(proc|sys|dev$)" {print $2}' /proc/mounts)
do
    mount -o remount,bind,ro "$folder" || exit 99
done
exec "$@"
"""
FULL = """
mount --make-rprivate / || exit 99
mount -t tmpfs -o size=64k tmpfs "$NUMBA_CACHE_DIR" || exit 99
head -c 64k /dev/zero > "$NUMBA_CACHE_DIR/large" 2>&-
exec "$@"
"""
USE = """
import sys
import warnings
warnings.filterwarnings("ignore", message=".*joblib will operate in serial mode")
import numpy as np
import freemetric as fm
X, y = np.random.default_rng(0).random((20, 2)), np.arange(20) % 2
loaded = fm.load(sys.argv[1])
learner = getattr(fm, sys.argv[2])()
fitted = fm.MetricKNeighborsClassifier(learner, 1).fit(X, y)
print(*loaded.predict(X), *fitted.predict(X), sep="")
"""
ENSEMBLES = """
import numpy as np
import pandas as pd
import freemetric as fm
X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
X += 5 * y[:, None]
table = pd.DataFrame(X, columns=["x", "z"]).assign(town=np.where(X[:, 0] > 2, "A", "B"))
for model, rows in ((fm.FreeEnergyClassifier(4), X), (fm.TableClassifier(), table)):
    print(model.fit(rows, y).score(rows, y) > 0.9, end=" ")
"""
READS = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
"""Another user may read what root alone may enter, but not write there."""
EXPECTED = "01" * 20


@pytest.fixture(scope="module")
def folder():
    """A model and a table that any user may read."""
    folder = Path(tempfile.mkdtemp())
    X, y = np.random.default_rng(0).random((20, 2)), np.arange(20) % 2
    model = fm.MetricKNeighborsClassifier(fm.Euclidean(), 1).fit(X, y)
    fm.save(model, folder / "model.fm")
    np.savetxt(folder / "rows.csv", X, delimiter=",", header="x,z", comments="")
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def environment(**more):
    """Return variables without a home and a folder for temporary files."""
    found = {key: os.environ[key] for key in os.environ if key != "XDG_CACHE_HOME"}
    paths = os.pathsep.join(path for path in sys.path if path)
    nowhere = {"HOME": "/nowhere", "TMPDIR": "/nowhere", "PYTHONPATH": paths}
    return found | nowhere | more


def run(words, **more):
    options = {"capture_output": True, "text": True, "timeout": 300, "cwd": "/"}
    done = subprocess.run(words, env=environment(**more), **options)
    if done.returncode == CANNOT:
        pytest.skip(f"this machine forbids that: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr[-1000:]
    return done


def in_name_space(script):
    if not shutil.which("unshare"):
        pytest.skip("needs unshare of util-linux")
    words = ["unshare", "--mount", *["--map-root-user"] * (os.geteuid() != 0)]
    if subprocess.run([*words, "true"], capture_output=True).returncode:
        pytest.skip("this machine gives us no name space of mounts")
    return [*words, "sh", "-c", script, "sh", sys.executable]


def read_only():
    return in_name_space(READ_ONLY)


def another_user():
    """Return the start of a command as a user who owns nothing here."""
    if not shutil.which("setpriv") or os.geteuid() != 0:
        pytest.skip("needs setpriv of util-linux, and root to use it")
    start = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    for options in ([], READS):
        words = [*start, *options, sys.executable]
        use = [*words, "-c", "import numba, sklearn, freemetric"]
        if not subprocess.run(use, capture_output=True, env=environment()).returncode:
            return words
    return pytest.skip("another user may not start this interpreter")


@pytest.mark.parametrize(
    "way", [read_only, pytest.param(another_user, marks=pytest.mark.slow)]
)
def test_import_load_predict_and_fit(folder, way):
    done = run([*way(), "-c", USE, folder / "model.fm", "Euclidean"])
    assert done.stdout.strip() == EXPECTED


@pytest.mark.slow
@pytest.mark.parametrize("way", [read_only, another_user])
def test_ensembles_without_a_home(way):
    """Models and the command line work, with one warning of ours at most.

    joblib has its own where even the shared memory cannot be written.
    """
    pytest.importorskip("pandas")
    pytest.importorskip("click")
    words = ["env", "-u", "HOME", "-u", "NUMBA_CACHE_DIR", *way()]
    done = run([*words, "-c", ENSEMBLES])
    assert done.stdout.split() == ["True", "True"]
    given = [line for line in done.stderr.splitlines() if "Warning: " in line]
    assert sum("joblib" not in line for line in given) <= 1
    assert "Usage:" in run([*words, "-m", "freemetric", "--help"]).stdout


@pytest.mark.slow
def test_commands_on_a_read_only_machine(folder):
    command = [*read_only(), "-m", "freemetric"]
    assert run([*command, "--version"]).stdout.strip().endswith(fm.__version__)
    done = run([*command, "predict", folder / "model.fm", folder / "rows.csv"])
    assert [line.split(",")[0] for line in done.stdout.split()[1:]] == ["0", "1"] * 10


@pytest.mark.slow
def test_a_full_disk(folder, tmp_path):
    words = [*in_name_space(FULL), "-c", USE, folder / "model.fm", "ITML"]
    done = run(words, NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout.strip() == EXPECTED
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1


@pytest.mark.slow
def test_files_that_may_not_grow(folder, tmp_path):
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    words = [sys.executable, "-c", limit + USE, folder / "model.fm", "ITML"]
    done = run(words, NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout.strip() == EXPECTED
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1
