"""How fast freemetric is: times, and ratios to scikit-learn's in the same run.

    make bench-speed
    make bench-speed OPTIONS="-k fit --benchmark-json=out/speed.json"

Process time on one thread, the least of a few rounds. A test fails where a time is
beyond 1.5 times its bound: machines differ, and a ratio of two things that take turns
does so less. ``--benchmark-compare`` sets a run against an earlier one.
"""

import os
import subprocess
import sys
import time
from functools import partial
from timeit import repeat

import numpy as np
import pytest
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from freemetric import DMLFE, NCA, FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.energies import NCAEnergy
from freemetric.experiments.runner import one_thread

pytestmark = [pytest.mark.timeout(600), pytest.mark.filterwarnings("ignore")]
SLACK = 1.5
MODELS = (
    (FreeEnergyClassifier, RandomForestClassifier),
    (FreeEnergyRegressor, RandomForestRegressor),
)
FIRST_FIT = """
from freemetric import {0}; from sklearn.datasets import load_iris
import sklearn.ensemble, sklearn.linear_model; start = time.process_time()
{0}(random_state=0).fit(*load_iris(return_X_y=True))"""


@pytest.fixture(autouse=True)
def _one_thread():
    with one_thread():
        yield


def samples(n, d=30):
    """Return training samples of three classes, and as many others."""
    options = {"n_informative": 10, "n_redundant": 5, "n_classes": 3, "flip_y": 0.05}
    X, y = datasets.make_classification(2 * n, d, random_state=0, **options)
    return X[:n], y[:n], X[n:]


def seconds(function, rounds=2):
    """Return the least process time of a call."""
    return min(repeat(function, timer=time.process_time, repeat=rounds, number=1))


def measured(benchmark, function, rounds=2):
    """Return the least process time of a call, which the report shows."""
    benchmark._timer = time.process_time
    benchmark.pedantic(function, rounds=rounds, warmup_rounds=1)
    return benchmark.stats.stats.min


def check(benchmark, value, bound, unit):
    """Keep a value and its bound in the report, and fail far beyond the bound."""
    benchmark.extra_info |= {unit: value, "bound": bound}
    assert value <= SLACK * bound, f"{value:.3g} {unit}, bound {bound}"


FITS = [(FreeEnergyClassifier, n, 30, 1.0) for n in (150, 500, 1000, 4000)]
FITS += [(DMLFE, 150, 20, 2.0)]


@pytest.mark.parametrize(("model", "n", "d", "bound"), FITS)
def test_fit_against_a_forest(benchmark, model, n, d, bound):
    X, y, _ = samples(n, d)
    forest = seconds(lambda: RandomForestClassifier(500, random_state=0).fit(X, y))
    took = measured(benchmark, lambda: model(random_state=0).fit(X, y))
    check(benchmark, took / forest, bound, "times a forest of 500")


def test_fits_of_small_tables_against_forests(benchmark):
    ours, forests = [], []
    for name in ("iris", "wine", "breast_cancer", "diabetes"):
        table = getattr(datasets, f"load_{name}")(return_X_y=True)
        model, forest = MODELS[name == "diabetes"]
        ours.append(partial(model(random_state=0).fit, *table))
        forests.append(partial(forest(500, random_state=0).fit, *table))
    took = measured(benchmark, lambda: [fit() for fit in ours])
    theirs = sum(map(seconds, forests))
    check(benchmark, took / theirs, 0.75, "times forests of 500")


@pytest.mark.parametrize(
    ("n_rows", "bound"), [(1, 1e-3), (100, 1e-2), (5000, 5000 * 33e-6)]
)
def test_prediction(benchmark, n_rows, bound):
    X, y, new = samples(1000)
    model = FreeEnergyClassifier(random_state=0).fit(X, y)
    rows = np.tile(new, (5, 1))[:n_rows]
    took = measured(benchmark, lambda: model.predict(rows), rounds=50)
    check(benchmark, took, bound, "seconds")


def test_nca_against_scikit_learn(benchmark):
    X, y, _ = samples(1000)
    peer = NeighborhoodComponentsAnalysis(random_state=0)
    theirs = seconds(lambda: peer.fit(X, y), rounds=1)
    model = NCA()
    took = measured(benchmark, lambda: model.fit(X, y), rounds=1)
    energies = NCAEnergy().bind(X, y)(np.array([model.components_, peer.components_]))
    benchmark.extra_info["energies"] = energies.tolist()
    check(benchmark, took / theirs, 1.0, "times scikit-learn's NCA")


def test_energy_and_gradient(benchmark):
    """The kernel against the products of matrices that a plain one would need."""
    X, y, _ = samples(1000)
    bound = NCAEnergy().bind(X, y)
    square = np.random.default_rng(0).random((1000, 1000))
    plain = seconds(lambda: [np.exp(-square) @ X for _ in range(4)], rounds=5)
    A = np.eye(30)[None]
    took = measured(benchmark, lambda: bound.value_and_grad(A), rounds=10)
    check(benchmark, took / plain, 1.0, "times four exponentials and products")


def in_new_process(code, folder):
    """Return the process time of code in an interpreter of its own."""
    lines = ["import time, warnings; warnings.simplefilter('ignore')"]
    lines += ["start = time.process_time()", code, "print(time.process_time() - start)"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    words = [sys.executable, "-c", "\n".join(lines)]
    return float(subprocess.check_output(words, env=environment))


def test_import(benchmark, tmp_path):
    plain = min(in_new_process("import numpy", tmp_path) for _ in range(5))
    ours = min(in_new_process("import freemetric", tmp_path) for _ in range(5))
    benchmark.pedantic(lambda: None)
    check(benchmark, ours - plain, 0.1, "seconds above numpy's")


@pytest.mark.parametrize(
    ("model", "bound"), [("FreeEnergyClassifier", 5), ("DMLFE", 4)]
)
def test_first_fit_of_an_installation(benchmark, tmp_path, model, bound):
    benchmark.pedantic(lambda: None)
    took = in_new_process(FIRST_FIT.format(model), tmp_path)
    check(benchmark, took, bound, "seconds")
