import gc
import hashlib
import os
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn's contract then checks array API input too
# Without bytecode every worker rewrites every test, and every process that a test starts compiles every module.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

import pytest
from _pytest.doctest import DoctestItem, DoctestModule
from llvmlite.binding import get_host_cpu_name
from threadpoolctl import threadpool_limits

import freemetric

COMPILE = "from freemetric.demo import fits_of_every_kind as fits; [fit() for fit in list(fits().values())[{}::2]]"


def pytest_configure(config):
    """Compile the kernels once for all workers: code that was just compiled rounds otherwise than its copy on disk."""
    if hasattr(signal, "SIGHUP"):  # tests send it to processes that they start, which inherit what ``nohup`` ignores
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # so does a shell that runs the tests in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput") and getattr(config.option, "numprocesses", None):
        cache = getattr(config, "cache", None)
        if cache is None or cache.get("freemetric/compiled", None) != compiled():
            commands = ([sys.executable, "-W", "ignore", "-c", COMPILE.format(part)] for part in range(2))
            compilers = [subprocess.Popen(command) for command in commands]
            assert [compiler.wait() for compiler in compilers] == [0, 0]
    else:  # what runs tests, and not what only starts those that do: the import takes seconds
        from freemetric import saved  # noqa: F401
    if hasattr(config, "workerinput"):  # there is one for every core, and threads of BLAS would wait for each other
        threadpool_limits(1)


def pytest_sessionfinish(session):
    """Remember what is compiled now: the next session need not ask for it."""
    config = session.config
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput") and hasattr(config, "cache"):
        config.cache.set("freemetric/compiled", compiled())


def compiled():
    """A digest of the kernels' sources and of what was compiled of them for this machine."""
    folder = Path(freemetric.__file__).parent / "kernels" / "numba"
    kept = Path(os.environ.get("NUMBA_CACHE_DIR", folder / "__pycache__")).rglob("*.nb[ic]")
    parts = [sys.version, version("numba"), get_host_cpu_name()]
    parts += [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))]
    parts += sorted(f"{path} {path.stat().st_size}" for path in kept)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Look for doctests in the library alone: the tests have none, and a search for them takes seconds."""
    found = yield
    return [collector for collector in found if not isinstance(collector, DoctestModule)]


SLOW_EXAMPLES = {
    *("bench.figures.interval_figure", "bench.stats.posthoc", "bench.tables.posthoc_table"),
    *("dask.estimators.DaskFreeEnergyRegressor", "display.features.ImportancesDisplay"),
    *("display.features.SelectionDisplay", "ensemble.certificate.CertificateMixin.risk_certificate"),
    *("ensemble.deciding.DecidingMixin.tune_threshold", "ensemble.selector.FreeEnergySelector"),
    *("ensemble.shrinking.ShrinkingMixin.forget", "ensemble.base.FreeEnergyModel.thermodynamics"),
    *("learners.dmlfe.DMLFE.thermodynamics", "learners.knn.MetricKNeighborsRegressor"),
    *("mc.moves.metropolis.PenaltyMove", "tabular.estimators.TableClassifier"),
    *("tabular.estimators.TableClassifier.counterfactual", "thermodynamics.ladder.temper"),
    "thermodynamics.population.population_annealing",
}
"""Examples of docstrings that fit whole models by default; what they show has tests of its own."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the slow examples, before tests are chosen by their marks; begin with what takes longest.

    Else one worker would fit the matrix of usual uses at the end, when the other has nothing left to do.
    """
    for item in items:
        if isinstance(item, DoctestItem) and item.name.removeprefix("freemetric.") in SLOW_EXAMPLES:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.path.parent.name != "usual")


def pytest_collection():
    """Collect no garbage while tests are collected: nearly all that is made then stays."""
    gc.disable()


def pytest_collection_finish():
    """Let later collections of garbage pass over the tests and modules, some million objects."""
    gc.freeze()
    gc.enable()


def pytest_terminal_summary(terminalreporter):
    """Print the z-scores of samplers and estimates: a table that every run of the tests shows."""
    reports = [report for outcome in ("passed", "failed") for report in terminalreporter.getreports(outcome)]
    lines = [line for report in reports for name, line in report.user_properties if name == "z-scores"]
    if lines:
        terminalreporter.section("z-scores")
        for line in sorted(set(lines)):
            terminalreporter.write_line(line)


@pytest.fixture
def rng():
    import numpy as np

    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def iris():
    from sklearn.datasets import load_iris
    from sklearn.preprocessing import MinMaxScaler

    X, y = load_iris(return_X_y=True)
    X[142, 0] += 0.01  # or it is a copy of row 101, and brute-force votes among equals are not unique
    return MinMaxScaler().fit_transform(X), y


@pytest.fixture(scope="session")
def wine():
    from sklearn.datasets import load_wine
    from sklearn.preprocessing import MinMaxScaler

    X, y = load_wine(return_X_y=True)
    return MinMaxScaler().fit_transform(X), y


def pytest_make_parametrize_id(val, argname):
    """Contents of files are no names: packed ones hold the time, and every worker must call a test the same."""
    return argname if isinstance(val, bytes) else None
