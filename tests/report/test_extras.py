"""Reports, cards and displays are imported, and cards drawn, where no extra is installed."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys

class Missing:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in {"plotly", "jinja2", "matplotlib", "pandas", "onnx", "skl2onnx"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing)
import numpy as np
import freemetric.display
import freemetric.report
from freemetric import Euclidean, FreeEnergyClassifier, MetricKNeighborsClassifier, Recipe

X, y = np.random.default_rng(0).random((40, 3)), np.arange(40) % 2
kinds = ["scaled/identity", "quantiles/identity"]  # nothing that has to be compiled
for model in (
    Euclidean(),
    MetricKNeighborsClassifier(Euclidean(), 3),
    FreeEnergyClassifier(2, recipe=Recipe(candidates=kinds), device="reference", random_state=0),
):
    assert "freemetric-card" in model.fit(X, y)._repr_html_()
try:
    model.report("page.html")
except ImportError as missing:
    print(missing)
"""


@pytest.mark.slow
def test_without_extras(tmp_path):
    made = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert made.stdout == "This needs jinja2: pip install 'freemetric[report]'.\n"
    assert not list(tmp_path.iterdir())
