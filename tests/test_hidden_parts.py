"""Parts behind extras can be deleted: the rest of the house does not need them."""

import subprocess
import sys

import pytest

PARTS = ("bench", "dask", "datasets", "metric_learn", "serve")
HIDE = """
import importlib, pkgutil, sys
from importlib.abc import MetaPathFinder

hidden = tuple("freemetric." + part for part in sys.argv[1:])

class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.startswith(hidden) and ".".join(name.split(".")[:2]) in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
import freemetric

"""
IMPORT = """
failed = []
for module in pkgutil.walk_packages(freemetric.__path__, "freemetric.", onerror=lambda name: None):
    if not module.name.startswith(hidden) and not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ImportError as problem:
            failed.append(f"{module.name}: {problem}")
assert not failed, failed
"""
USE = """
import tempfile
from pathlib import Path
import numpy as np
from freemetric import NCA, FreeEnergyClassifier, FreeEnergyRegressor, TableClassifier

rng = np.random.default_rng(0)
X = rng.random((60, 3))
y = (X[:, 0] > 0.5).astype(int)
with tempfile.TemporaryDirectory() as folder:
    for model in (FreeEnergyClassifier(4, random_state=0), FreeEnergyRegressor(4, random_state=0), NCA(max_iter=3)):
        model.fit(X, y).save(Path(folder) / "model.fm")
        again = freemetric.load(Path(folder) / "model.fm")
        assert type(again) is type(model)
        model._repr_html_()
assert TableClassifier(FreeEnergyClassifier(4, random_state=0)).fit(X, y).score(X, y) > 0.8
"""


@pytest.mark.parametrize(
    "parts", [PARTS, *(pytest.param((part,), marks=pytest.mark.slow) for part in PARTS)]
)
def test_all_others_can_be_imported_and_used(parts):
    words = [sys.executable, "-W", "ignore", "-c", HIDE + IMPORT + USE, *parts]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-1500:]
