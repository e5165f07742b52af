"""Importing freemetric is cheap: a name is imported when it is asked for."""

import pickle
import subprocess
import sys

import pytest

import freemetric

SLOW = ("numba", "numpy", "pandas", "scipy", "sklearn")
WATCH = f"""
import atexit, sys
atexit.register(lambda: print(*(name for name in {SLOW} if name in sys.modules)))
"""


def imported(code, *words):
    """Return which of the slow packages a program has imported when it ends."""
    command = [sys.executable, "-c", WATCH + code, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_the_package_alone_imports_nothing_slow():
    code = "import freemetric; freemetric.__version__; dir(freemetric)"
    assert imported(code) == set()


@pytest.mark.parametrize("name", freemetric.__all__)
def test_every_name_is_there(name):
    namespace = {}
    exec(f"from freemetric import {name}", namespace)
    assert namespace[name] is getattr(freemetric, name)
    assert name in dir(freemetric)


def test_a_star_brings_all_names():
    namespace = {}
    exec("from freemetric import *", namespace)
    assert set(freemetric.__all__) <= set(namespace)


def test_packages_are_attributes():
    for name in ("energies", "inspection", "mc", "thermodynamics"):
        assert name in dir(freemetric)
        assert getattr(freemetric, name).__name__ == f"freemetric.{name}"


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'Oracle'"):
        freemetric.Oracle  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'Oracle'"):
        exec("from freemetric import Oracle")


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", ["from freemetric.files import load", "from freemetric import load"]
)
def test_a_model_is_loaded_whatever_was_imported_before(way, wine, tmp_path):
    path = tmp_path / "wine.fm"
    freemetric.save(freemetric.PCA(2).fit(*wine), path)
    words = [sys.executable, "-c", f"import sys; {way}; print(load(sys.argv[1]))", path]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "PCA(n_components=2)")


@pytest.mark.slow
def test_a_pickle_is_read_by_a_process_that_imported_nothing(wine, tmp_path):
    (tmp_path / "wine.pickle").write_bytes(pickle.dumps(freemetric.PCA(2).fit(*wine)))
    code = "import pickle; print(pickle.load(open('wine.pickle', 'rb')))"
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "PCA(n_components=2)")
