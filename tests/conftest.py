import gc
import os
import signal
import subprocess
import sys

# scikit-learn's contract then checks input of the array API, too.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# Without bytecode every process that a test starts compiles every module.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

import pytest

try:
    from hypothesis import HealthCheck, settings
except ModuleNotFoundError:
    settings = None  # tests of properties are skipped
from _pytest.doctest import DoctestItem, DoctestModule
from threadpoolctl import threadpool_limits

COMPILE = """
import warnings
warnings.simplefilter("ignore")
import freemetric as fm
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
for model in (fm.FreeEnergyClassifier(4), fm.DMLFE(), fm.NCA(), fm.LMNN(), fm.SCML()):
    fitted = model.fit(X, y)
fm.FreeEnergyClassifier(4).fit(X, y).predict(X)
fm.FreeEnergyRegressor(4).fit(X, X[:, 0]).predict(X)
fm.DMLFE(energy="regression").fit(X, X[:, 0])
"""


def pytest_configure(config):
    """Compile kernels once for all workers: two at a time would compile them twice."""
    if hasattr(signal, "SIGHUP"):  # ``nohup`` ignores it, and so would what tests start
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in a shell's background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(config, "workerinput"):
        # There is a worker for every core; threads of BLAS would wait for each other.
        threadpool_limits(1)
    elif getattr(config.option, "numprocesses", None):
        subprocess.run([sys.executable, "-c", COMPILE], check=True)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Look for doctests in the library alone: the tests have none."""
    found = yield
    return [
        collector for collector in found if not isinstance(collector, DoctestModule)
    ]


if settings is not None:
    options = {
        "deadline": None,
        "database": None,
        "derandomize": True,
        "suppress_health_check": [HealthCheck.too_slow],
    }
    settings.register_profile("few", max_examples=15, **options)
    settings.register_profile("many", max_examples=1000, **options)
    settings.load_profile("few")


SLOW_EXAMPLES = {
    "dask.estimators.DaskFreeEnergyClassifier",
    "dask.estimators.DaskFreeEnergyRegressor",
    "thermodynamics.ladder.temper",
    "thermodynamics.population.population_annealing",
}
"""Examples of docstrings that take seconds; what they show has tests of its own."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the slow examples, before tests are chosen by their marks."""
    for item in items:
        name = item.name.removeprefix("freemetric.")
        if isinstance(item, DoctestItem) and name in SLOW_EXAMPLES:
            item.add_marker(pytest.mark.slow)


def pytest_collection():
    """Collect no garbage while tests are collected: nearly all that is made stays."""
    gc.disable()


def pytest_collection_finish():
    """Let later collections of garbage pass over the tests and modules."""
    gc.freeze()
    gc.enable()


@pytest.fixture
def rng():
    import numpy as np

    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def iris():
    from sklearn.datasets import load_iris
    from sklearn.preprocessing import MinMaxScaler

    X, y = load_iris(return_X_y=True)
    X[142, 0] += 0.01  # else it is a copy of row 101, and neighbours are not unique
    return MinMaxScaler().fit_transform(X), y


@pytest.fixture(scope="session")
def wine():
    from sklearn.datasets import load_wine
    from sklearn.preprocessing import MinMaxScaler

    X, y = load_wine(return_X_y=True)
    return MinMaxScaler().fit_transform(X), y


def pytest_make_parametrize_id(val, argname):
    """Contents of files are no names: every worker must call a test the same."""
    return argname if isinstance(val, bytes) else None
