"""Packages at the end of the house can be deleted, and the rest still works."""

import subprocess
import sys

import pytest

PARTS = "cli dask experiments inspection metric_learn plotting tables thermodynamics"
PARTS = tuple(PARTS.split())
CODE = """
import importlib, pkgutil, sys, tempfile
from importlib.abc import MetaPathFinder
from pathlib import Path

HIDDEN = {"freemetric." + part for part in sys.argv[1:]}

class Hide(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if ".".join(name.split(".")[:2]) in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hide())
import freemetric as fm

failed = []
for module in pkgutil.walk_packages(fm.__path__, "freemetric.", lambda name: None):
    hidden = ".".join(module.name.split(".")[:2]) in HIDDEN
    if not hidden and not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ImportError as problem:
            if "extra 'onnx'" not in str(problem):  # what is not installed is no fault
                failed.append(f"{module.name}: {problem}")
assert not failed, failed

import numpy as np
X = np.random.default_rng(0).random((60, 3))
y = (X[:, 0] > 0.5).astype(int)
with tempfile.TemporaryDirectory() as folder:
    for model in (fm.FreeEnergyClassifier(4, random_state=0), fm.NCA(max_iter=3)):
        fm.save(model.fit(X, y), Path(folder) / "model.fm")
        again = fm.load(Path(folder) / "model.fm")
        assert type(again) is type(model)
        again._repr_html_()
"""


ALONE = [pytest.param((part,), marks=pytest.mark.slow) for part in PARTS]


@pytest.mark.slow
@pytest.mark.parametrize("parts", [PARTS, *ALONE], ids="-".join)
def test_the_rest_is_imported_and_used(parts):
    words = [sys.executable, "-W", "ignore", "-c", CODE, *parts]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-1500:]
