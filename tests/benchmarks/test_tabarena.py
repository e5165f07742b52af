"""The entry for TabArena: against AutoGluon where it is, and a stand-in everywhere."""

import importlib
import importlib.util
import json
import sys
import types

import numpy as np
import pandas as pd
import pytest

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor, TableRegressor

from ..pages import ROOT
from . import autogluon_stand_in

FOLDER = ROOT / "benchmarks/tabarena"
pytestmark = [
    pytest.mark.skipif(not FOLDER.exists(), reason="benchmarks are not installed"),
    pytest.mark.filterwarnings("ignore"),
]


def has(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.fixture(params=["stand-in", "AutoGluon"])
def entry(request, monkeypatch):
    """The module of the entry."""
    monkeypatch.syspath_prepend(str(FOLDER))
    if request.param == "stand-in":
        for name in ("autogluon", "autogluon.core"):
            monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
        name = "autogluon.core.models"
        monkeypatch.setitem(sys.modules, name, autogluon_stand_in)
    elif not has("autogluon.core"):
        pytest.skip("autogluon.core is not installed")
    yield importlib.import_module("freemetric_tabarena")
    del sys.modules["freemetric_tabarena"]


@pytest.fixture
def model_class(entry):
    return entry.FreeEnergyModel


@pytest.fixture
def table(rng):
    """Numbers and categories with gaps; the class depends on the first two."""
    n = 240
    name = pd.Categorical(rng.choice(list("xyz"), n))
    X = pd.DataFrame({"number": rng.normal(size=n), "name": name})
    X["count"] = rng.integers(0, 5, n)
    y = pd.Series(((X["number"] > 0) ^ (X["name"] == "x")).astype(int), name="class")
    X.loc[::9, "number"] = np.nan
    X.loc[::11, "name"] = np.nan
    return X, y


def fitted(model_class, folder, X, y, problem_type="binary"):
    metric = "root_mean_squared_error" if problem_type == "regression" else "log_loss"
    about = {"path": str(folder), "name": "free-energy", "problem_type": problem_type}
    options = {"n_replicas": 12}
    model = model_class(eval_metric=metric, hyperparameters=options, **about)
    model.fit(X=X, y=y, num_cpus=1, num_gpus=0)
    return model


def test_it_learns_from_categories_and_gaps(model_class, table, tmp_path):
    X, y = table
    model = fitted(model_class, tmp_path, X[:160], y[:160])
    p = model.predict_proba(X[160:])
    assert ((p > 0.5) == y[160:]).mean() > 0.75
    ensemble = model.model.pipeline_[-1]
    assert (ensemble.n_jobs, ensemble.random_state) == (1, 0)


def test_three_classes_and_a_category_never_met(model_class, table, tmp_path):
    X, _ = table
    y = X["count"].clip(upper=2)
    model = fitted(model_class, tmp_path, X[:160], y[:160], "multiclass")
    P = model.predict_proba(X[160:].assign(name=pd.Categorical(["new"] * 80)))
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-5)
    assert (P.argmax(axis=1) == y[160:]).mean() > 0.8


def test_regression_and_files(model_class, table, tmp_path):
    X, _ = table
    y = 3 * X["number"].fillna(0) + X["count"]
    model = fitted(model_class, tmp_path, X[:160], y[:160], "regression")
    assert isinstance(model.model, TableRegressor)
    predicted = model.predict_proba(X[160:])
    assert (predicted - y[160:]).std() < 0.5 * y[160:].std()
    model.save()
    again = model_class.load(model.path).predict_proba(X[160:])
    np.testing.assert_array_equal(again, predicted)


def test_memory_grows_with_the_table(model_class, table):
    X, _ = table
    few, many = (model_class._estimate_memory_usage_static(X=X[:n]) for n in (20, 240))
    assert 1e8 < few < many < 1e10


def test_configurations_are_plain_valid_and_the_same_for_a_seed(entry):
    drawn = entry.draw_configurations(30)
    assert json.loads(json.dumps(drawn)) == drawn
    assert entry.draw_configurations(3) == drawn[:3]
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    for model in (FreeEnergyClassifier(), FreeEnergyRegressor()):
        model.set_params(**{**drawn[0], "n_replicas": 6}).fit(X, y)


@pytest.mark.skipif(not has("tabarena.utils"), reason="tabarena is not installed")
def test_tabarena_finds_the_entry(entry):
    from tabarena.models import _registry

    info = entry.registry_entry()
    _registry.register_model_info(info)
    assert _registry.get_model_registry().pop("FreeEnergy") is info
