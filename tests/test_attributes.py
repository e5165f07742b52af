"""Reading a public attribute gives a value, or says that there is none yet."""

import inspect
import pkgutil
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LinearRegression, LogisticRegression

import freemetric
from freemetric import learners
from freemetric.mc import Annealing, Constant, ElementMove

pytestmark = pytest.mark.filterwarnings("ignore")

ROOMS = [room.name for room in pkgutil.iter_modules(freemetric.__path__)]
SHORT = Annealing(Constant(1e-3), ElementMove(0.3), n_steps=5, n_replicas=2)
PARAMETERS = {
    "DMLFE": {"sampler": SHORT},
    "DMLeig": {"max_iter": 3},
    "FreeEnergyClassifier": {"n_replicas": 4, "estimators": None},
    "FreeEnergyRegressor": {"n_replicas": 4, "estimators": None},
    "MetricKNeighborsClassifier": {"learner": learners.RCA()},
    "MetricKNeighborsRegressor": {"learner": learners.PCA()},
    "PairClassifier": {"learner": learners.MMC()},
    "QuadrupletClassifier": {"learner": learners.LSML()},
    "RCA_Supervised": {"n_chunks": 10},
    "TableClassifier": {"estimator": LogisticRegression()},
    "TableRegressor": {"estimator": LinearRegression()},
    "TripletClassifier": {"learner": learners.SCML(n_basis=20, max_iter=100)},
}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
LABELS = np.arange(40) % 2
TUPLES = X[RNG.integers(40, size=(60, 4))]
SIZES = {"LSML": 4, "QuadrupletClassifier": 4, "TripletClassifier": 3, "SCML": 3}


def public_estimators():
    """Yield the estimators in __all__ of every room, as "room.Name"."""
    for room in ROOMS:
        if room.startswith("_") or room in ("dask", "files"):
            continue  # those of dask are tried on a cluster; files has functions alone
        module = import_module(f"freemetric.{room}")
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            is_class = inspect.isclass(value) and issubclass(value, BaseEstimator)
            if is_class and hasattr(value, "fit"):
                yield f"{room}.{name}"


ESTIMATORS = sorted(public_estimators())


def make(path):
    room, name = path.split(".")
    cls = getattr(import_module(f"freemetric.{room}"), name)
    estimator = cls(**PARAMETERS.get(name, {}))
    if "n_basis" in estimator.get_params():
        estimator.set_params(n_basis=20)
    return estimator


def data_for(path, estimator):
    """Return what an estimator is fitted to: points, pairs, triplets, quadruplets."""
    room, name = path.split(".")
    is_tuples = name in SIZES or name == "PairClassifier"
    if room == "metric_learn" and hasattr(estimator, "decision_function"):
        is_tuples = True
    if is_tuples and (room == "metric_learn" or name.endswith("Classifier")):
        size = SIZES.get(name, 2)
        y = (np.where(np.arange(60) % 2, 1, -1),) if size == 2 else ()
        return TUPLES[:, :size], *y
    if name.startswith("Table"):
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        return (frame, X[:, 0]) if name == "TableRegressor" else (frame, LABELS)
    is_number = "Regressor" in name or name == "MLKR"
    return X, X[:, 0] if is_number else LABELS


def read_everything(estimator):
    """Show an estimator as editors and notebooks do, and read its attributes."""
    assert repr(estimator)
    assert str(estimator)
    assert estimator._repr_html_()
    for name in dir(estimator):
        getattr(estimator, name)
    for name, _ in inspect.getmembers_static(type(estimator)):
        if not name.startswith("_"):
            getattr(estimator, name, None)  # NotFittedError is an AttributeError


def test_all_rooms_are_looked_at():
    assert len(ESTIMATORS) > 50
    assert "tables.TableEncoder" in ESTIMATORS
    assert "metric_learn.LMNN" in ESTIMATORS


@pytest.mark.parametrize("path", ESTIMATORS)
def test_before_and_after_a_fit(path):
    estimator = make(path)
    read_everything(estimator)
    data = data_for(path, estimator)
    fitted = clone(estimator).fit(*data)
    read_everything(fitted)
    again = clone(fitted)
    assert not [name for name in vars(again) if name.endswith("_")]


@pytest.mark.parametrize(
    "name", ["DaskFreeEnergyClassifier", "DaskFreeEnergyRegressor"]
)
def test_estimators_of_dask(name):
    pytest.importorskip("dask")
    read_everything(make(f"dask.{name}"))


@pytest.mark.parametrize("room", ["energies", "mc"])
def test_objects_that_are_parameters(room):
    module = import_module(f"freemetric.{room}")
    values = [getattr(module, name) for name in module.__all__]
    classes = [value for value in values if inspect.isclass(value)]
    for cls in classes:
        needed = inspect.signature(cls).parameters.values()
        if all(parameter.default is not parameter.empty for parameter in needed):
            found = cls()
            assert repr(found)
            for name in dir(found):
                getattr(found, name)
