"""The entry for TabArena: against AutoGluon where it is installed, and against a stand-in everywhere."""

import importlib
import importlib.util
import json
import sys
import time
import types

import numpy as np
import pandas as pd
import pytest

from freemetric import FreeEnergyClassifier

from ..pages import ROOT
from . import autogluon_stand_in

FOLDER = ROOT / "benchmarks" / "tabarena"
pytestmark = [
    pytest.mark.skipif(not FOLDER.exists(), reason="benchmarks are not part of an installed package"),
    pytest.mark.filterwarnings("ignore"),
]


def has(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.fixture
def entry(monkeypatch):
    """Modules of the entry, by name."""
    monkeypatch.syspath_prepend(str(FOLDER))
    yield lambda name: importlib.import_module(f"freemetric_tabarena.{name}")
    for name in [name for name in sys.modules if name.startswith("freemetric_tabarena")]:
        del sys.modules[name]


@pytest.fixture(params=["stand-in", "AutoGluon"])
def model_class(request, monkeypatch, entry):
    if request.param == "stand-in":
        for name in ("autogluon", "autogluon.core"):
            monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
        monkeypatch.setitem(sys.modules, "autogluon.core.models", autogluon_stand_in)
    elif not has("autogluon.core"):
        pytest.skip("autogluon.core is not installed")
    return entry("model").FreeEnergyModel


@pytest.fixture
def table(rng):
    """Numbers with gaps, categories with gaps, whole numbers; the class depends on the first two."""
    n = 240
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "name": pd.Categorical(rng.choice(list("xyz"), n)),
            "count": rng.integers(0, 5, n),
        }
    )
    y = pd.Series(((X["number"] > 0) ^ (X["name"] == "x")).astype(int), name="class")
    X.loc[::9, "number"] = np.nan
    X.loc[::11, "name"] = np.nan
    return X, y


def made(model_class, tmp_path, problem_type="binary", **hyperparameters):
    hyperparameters = {"n_replicas": 12, **hyperparameters}
    return model_class(
        path=str(tmp_path),
        name="free-energy",
        problem_type=problem_type,
        eval_metric="log_loss",
        hyperparameters=hyperparameters,
    )


def fitted(model, X, y, **options):
    model.fit(X=X, y=y, num_cpus=1, num_gpus=0, **options)
    return model


def test_it_learns_from_categories_and_gaps(model_class, table, tmp_path):
    X, y = table
    model = fitted(made(model_class, tmp_path), X[:160], y[:160], X_val=X[160:200], y_val=y[160:200])
    p = model.predict_proba(X[160:])
    assert p.shape == (80,)
    assert ((p > 0.5) == y[160:]).mean() > 0.75
    assert model.model.n_jobs == 1
    assert model.model.random_state == 0
    assert len(model.model.ensemble_.training_set) == 160  # rows that validate do not vote


def test_three_classes_and_a_category_never_seen(model_class, table, tmp_path):
    X, _ = table
    y = X["count"].clip(upper=2)
    model = fitted(made(model_class, tmp_path, "multiclass"), X[:160], y[:160])
    new = X[160:].assign(name=pd.Categorical(["new"] * 80))
    P = model.predict_proba(new)
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-5)
    assert (P.argmax(axis=1) == y[160:]).mean() > 0.8


def test_the_same_seed_gives_the_same_and_a_file_too(model_class, table, tmp_path):
    X, y = table
    first, second = (fitted(made(model_class, tmp_path / name), X[:160], y[:160]) for name in ("a", "b"))
    P = first.predict_proba(X[160:])
    np.testing.assert_array_equal(second.predict_proba(X[160:]), P)
    (tmp_path / "a").mkdir(exist_ok=True)
    first.save()
    np.testing.assert_array_equal(model_class.load(first.path).predict_proba(X[160:]), P)


@pytest.mark.slow
def test_the_limit_of_time_is_kept(model_class, rng, tmp_path):
    X = pd.DataFrame(rng.normal(size=(1500, 30)), columns=[f"f{i}" for i in range(30)])
    y = pd.Series((X["f0"] * X["f1"] > 0).astype(int))
    model_class.warmup()
    start = time.monotonic()
    model = fitted(made(model_class, tmp_path, n_replicas=5000), X, y, time_limit=4)
    assert time.monotonic() - start < 8  # thousands of replicas would take minutes; machines may be busy
    assert 0 < model.model.max_seconds <= 0.8 * 4
    assert np.isfinite(model.predict_proba(X[:5])).all()


def test_it_says_what_it_is(model_class, table, tmp_path):
    assert (model_class.ag_key, model_class.ag_name) == ("FREEMETRIC", "FreeEnergy")
    assert model_class._supported_problem_types == ["binary", "multiclass"]
    few, many = (made(model_class, tmp_path)._estimate_memory_usage_static(X=table[0][:n]) for n in (20, 240))
    assert 1e8 < few < many < 1e10


def test_columns_become_numbers_by_the_training_rows(entry):
    encoder = entry("encoding").FrameEncoder()
    train = pd.DataFrame(
        {
            "number": [1.0, np.nan, 3.0, 5.0],
            "name": pd.Categorical(["a", "b", "c", "a"]),
            "same": [1, 1, 1, 1],
            "yes": [True, False, True, False],
        }
    )
    encoder.fit(train)
    new = pd.DataFrame(
        {"number": [np.nan, 2.0], "name": pd.Categorical(["c", "z"]), "same": [2, 3], "yes": [True, False]}
    )
    # yes; number, whether it is missing; a, others: b and c stand once, as rare as a name that is not known
    np.testing.assert_array_equal(encoder.transform(new), [[1, 3, 1, 0, 1], [0, 2, 0, 0, 1]])


def test_configurations_are_plain_valid_and_the_same_for_a_seed(entry):
    configurations = entry("configurations").draw_configurations(30)
    assert json.loads(json.dumps(configurations)) == configurations
    assert entry("configurations").draw_configurations(30) == configurations
    assert entry("configurations").draw_configurations(3) == configurations[:3]
    assert len({json.dumps(c) for c in configurations}) == 30
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    for configuration in configurations[:3]:
        FreeEnergyClassifier(random_state=0).set_params(**configuration | {"n_replicas": 8}).fit(X, y)


@pytest.mark.skipif(not has("tabarena.utils"), reason="tabarena is not installed")
def test_tabarena_builds_its_experiments(entry):
    names = [experiment.name for experiment in entry("hpo").gen_free_energy.generate_all_bag_experiments(2)]
    assert names == [f"FreeEnergy_{which}_BAG_L1" for which in ("c1", "r1", "r2")]
    assert entry("info").free_energy_info.method_metadata.config_default == names[0]
