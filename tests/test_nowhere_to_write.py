"""No folder can be written to, or the disk of the cache is full: import, load, predict and fit as ever."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from freemetric.tabular import TableModel, read

from freemetric import Euclidean, MetricKNeighborsClassifier

# every mount that can be written to no longer can, in a name space that ends with the command
READ_ONLY = """
mount --make-rprivate / || exit 99
for place in $(awk '$4 ~ /^rw/ && $2 !~ "^/(proc|sys|dev$)" {print $2}' /proc/mounts | sort -u); do
    mount -o remount,bind,ro "$place" || exit 99
done
exec "$@"
"""
FULL = """
mount --make-rprivate / && mount -t tmpfs -o size=64k tmpfs "$NUMBA_CACHE_DIR" || exit 99
head -c 64k /dev/zero > "$NUMBA_CACHE_DIR/large" 2>&-
exec "$@"
"""
CANNOT = 99
USE = """
import warnings
warnings.filterwarnings("ignore", message=".*joblib will operate in serial mode")
import numpy as np
import freemetric
X, y = np.random.default_rng(0).random((20, 2)), np.arange(20) % 2
loaded = freemetric.load({model!r})
fitted = freemetric.MetricKNeighborsClassifier({learner}(), 1).fit(X, y)
print(*loaded.predict(X), *fitted.predict(X), sep="")
"""
EXPECTED = "01" * 20


@pytest.fixture(scope="module")
def folder():
    """A model and a table that any user may read."""
    folder = Path(tempfile.mkdtemp())
    X, y = np.random.default_rng(0).random((20, 2)), np.arange(20) % 2
    MetricKNeighborsClassifier(Euclidean(), 1).fit(X, y).save(folder / "model.fm")
    table, rows = folder / "rows.csv", np.column_stack([X, y])
    np.savetxt(
        table, rows, fmt="%.9g", delimiter=",", header="x0,x1,class", comments=""
    )
    TableModel.fit(
        read(table), "class", "euclidean", parameters={"n_neighbors": 1}
    ).save(folder / "table.fm")
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def environment(**more):
    """Neither home nor a place for temporary files; what is imported here can be imported there."""
    found = {
        key: value
        for key, value in os.environ.items()
        if key not in ("HOME", "XDG_CACHE_HOME")
    }
    paths = os.pathsep.join(path for path in sys.path if path)
    return (
        found | {"HOME": "/nowhere", "TMPDIR": "/nowhere", "PYTHONPATH": paths} | more
    )


def use(folder, learner="freemetric.Euclidean"):
    return USE.format(model=str(folder / "model.fm"), learner=learner)


def run(words, **more):
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=300,
        env=environment(**more),
        cwd="/",
    )
    if done.returncode == CANNOT:
        pytest.skip(f"this machine lets nobody do that: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr[-1000:]
    return done


def read_only():
    return [*namespace(READ_ONLY), sys.executable]


def namespace(script):
    if not shutil.which("unshare"):
        pytest.skip("needs unshare of util-linux")
    words = ["unshare", "--mount", *["--map-root-user"] * (os.geteuid() != 0)]
    if subprocess.run([*words, "true"], capture_output=True).returncode:
        pytest.skip("this machine has no name spaces of mounts for us")
    return [*words, "sh", "-c", script, "sh"]


def another_user():
    """Somebody without a name here, by an interpreter of this release that everybody may start."""
    if not shutil.which("setpriv") or os.geteuid() != 0:
        pytest.skip("needs setpriv of util-linux, and root to use it")
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    for python in (
        sys.executable,
        f"/usr/bin/python{sys.version_info[0]}.{sys.version_info[1]}",
    ):
        tried = subprocess.run(
            [*words, python, "-c", "import numba, sklearn"],
            capture_output=True,
            env=environment(),
        )
        if tried.returncode == 0:
            return [*words, python]
    pytest.skip("no interpreter of this release that another user may start")


WAYS = [read_only, pytest.param(another_user, marks=pytest.mark.slow)]


@pytest.mark.parametrize("way", WAYS)
def test_import_load_predict_and_fit(folder, way):
    done = run([*way(), "-c", use(folder)])
    assert done.stdout.strip() == EXPECTED


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_commands(folder, way):
    python = way()
    assert run([*python, "-m", "freemetric", "--version"]).stdout[0].isdigit()
    done = run(
        [
            *python,
            "-m",
            "freemetric",
            "predict",
            str(folder / "table.fm"),
            str(folder / "rows.csv"),
        ]
    )
    assert "".join(done.stdout.split()) == "prediction" + "01" * 10


@pytest.mark.slow
def test_a_full_disk(folder, tmp_path):
    full = [*namespace(FULL), sys.executable, "-c", use(folder, "freemetric.ITML")]
    done = run(full, NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout.strip() == EXPECTED
    assert done.stderr.count("NUMBA_CACHE_DIR can name a folder") == 1
    assert "No space left on device" in done.stderr


@pytest.mark.slow
def test_files_that_may_not_grow(folder, tmp_path):
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    done = run(
        [sys.executable, "-c", limit + use(folder, "freemetric.ITML")],
        NUMBA_CACHE_DIR=str(tmp_path),
    )
    assert done.stdout.strip() == EXPECTED
    assert done.stderr.count("NUMBA_CACHE_DIR can name a folder") == 1
