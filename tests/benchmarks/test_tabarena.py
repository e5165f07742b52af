"""The entry for TabArena: against AutoGluon where it is installed, and against a stand-in everywhere."""

import importlib
import importlib.util
import json
import os
import subprocess
import sys
import time
import types

import numpy as np
import pandas as pd
import pytest

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor

from ..pages import ROOT
from . import autogluon_stand_in
from .openml_folder import write_task

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


@pytest.fixture
def cache(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    yield importlib.import_module("openml_cache")
    del sys.modules["openml_cache"]


needs_tabarena = pytest.mark.skipif(not has("tabarena.utils"), reason="tabarena is not installed")


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
        eval_metric="root_mean_squared_error" if problem_type == "regression" else "log_loss",
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


def test_regression(model_class, table, tmp_path):
    X, _ = table
    y = 3 * X["number"].fillna(0) + X["count"]
    model = fitted(made(model_class, tmp_path, "regression"), X[:160], y[:160])
    assert isinstance(model.model, FreeEnergyRegressor)
    errors = model.predict_proba(X[160:]) - y[160:]
    assert errors.std() < 0.5 * y[160:].std()


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
    assert model_class._supported_problem_types == ["binary", "multiclass", "regression"]
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


@pytest.mark.slow
def test_configurations_are_plain_valid_and_the_same_for_a_seed(entry):
    configurations = entry("configurations").draw_configurations(30)
    assert json.loads(json.dumps(configurations)) == configurations
    assert entry("configurations").draw_configurations(30) == configurations
    assert entry("configurations").draw_configurations(3) == configurations[:3]
    assert len({json.dumps(c) for c in configurations}) == 30
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    for configuration in configurations[:3]:
        for model in (FreeEnergyClassifier(random_state=0), FreeEnergyRegressor(random_state=0)):
            model.set_params(**configuration | {"n_replicas": 8}).fit(X, y)


def test_files_that_a_task_needs(cache, tmp_path):
    folder = tmp_path / "org" / "openml" / "www"
    assert str(cache.missing_file(7, folder)) == os.path.join("tasks", "7", "task.xml")
    write_task(tmp_path, 7, 70, "class")
    assert cache.missing_file(7, folder) is None
    for path in sorted(folder.rglob("*.*")):
        content = path.read_bytes()
        path.unlink()
        assert cache.missing_file(7, folder) == path.relative_to(folder)
        path.write_bytes(content)


def test_parquet_counts_where_openml_would_read_it(cache, tmp_path):
    folder = tmp_path / "org" / "openml" / "www"
    data = write_task(tmp_path, 7, 70, "class")
    (data / "dataset.arff").rename(data / "dataset_70.pq")
    assert cache.missing_file(7, folder).name == "dataset.arff"
    description = data / "description.xml"
    address = "<oml:parquet_url>dataset_70.pq</oml:parquet_url></oml:data_set_description>"
    description.write_text(description.read_text().replace("</oml:data_set_description>", address))
    assert cache.missing_file(7, folder) is None


def test_a_task_that_cannot_be_had_is_one_line_and_no_file_is_lost(cache, tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "answers", lambda server: False)
    folder = tmp_path / "org" / "openml" / "www"
    data = write_task(tmp_path, 7, 70, "class")
    cache.check_tasks({7: "seven"}, folder, "OpenML")
    (data / "features.xml").unlink()
    before = sorted(folder.rglob("*"))
    with pytest.raises(
        SystemExit, match=r"task 7, seven: .*features\.xml is missing and OpenML does not answer"
    ) as error:
        cache.check_tasks({7: "seven", 8: "eight"}, folder, "OpenML")
    assert str(error.value).endswith("(2 of 2 tasks are not complete)")
    assert "\n" not in str(error.value)
    assert sorted(folder.rglob("*")) == before
    monkeypatch.setattr(cache, "answers", lambda server: True)
    cache.check_tasks({7: "seven"}, folder, "OpenML")  # openml fetches it


def test_a_server_that_is_not_there_does_not_answer(cache):
    assert not cache.answers("http://127.0.0.1:9/")


@pytest.mark.skipif(not has("autogluon.tabular"), reason="autogluon.tabular is not installed")
@pytest.mark.slow
def test_autogluons_own_check_of_a_model(entry, tmp_path, monkeypatch):
    """What TabArena's smoke test calls: fits, bags, refits, reloads and predicts on tables of every problem type."""
    from autogluon.tabular.testing import FitHelper

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(FOLDER))  # workers unpickle the model
    FitHelper.verify_model(entry("model").FreeEnergyModel, {"n_replicas": 12})


@needs_tabarena
def test_tabarena_finds_the_entry(entry):
    from tabarena.models import _registry

    info = entry("info").free_energy_info
    _registry.register_model_info(info)
    assert _registry.get_model_registry().pop("FreeEnergy") is info


@needs_tabarena
def test_tabarena_builds_its_experiments(entry):
    names = [experiment.name for experiment in entry("hpo").gen_free_energy.generate_all_bag_experiments(2)]
    assert names == [f"FreeEnergy_{which}_BAG_L1" for which in ("c1", "r1", "r2")]
    assert entry("info").free_energy_info.method_metadata.config_default == names[0]


def run(*arguments):
    """Output of run.py; a process of its own, because workers and caches are set by its environment."""
    folders = [ROOT / "src", ROOT / "benchmarks", FOLDER]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    command = [sys.executable, FOLDER / "run.py", *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def methods_of(folder):
    return sorted(path.name.partition("_")[0] for path in (folder / "results" / "data").iterdir())


@needs_tabarena
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_local_tables_run_end_to_end(tmp_path):
    output = run(tmp_path, "--local", "--datasets", "wine", "diabetes", "--beside", "KNN", "RandomForest")
    board = output[output.rindex("method") :]
    assert {line.split()[0] for line in board.splitlines()[1:]} == {"FREEMETRIC", "TA-KNN", "RF"}
    assert methods_of(tmp_path) == ["FreeEnergy", "KNeighbors", "RandomForest"]


@needs_tabarena
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_openml_is_read_from_its_cache_folder(tmp_path):
    """A task of TabArena with made-up rows, in files as openml writes them."""
    name = "blood-transfusion-service-center"
    write_task(tmp_path / "cache", 363621, 46913, "DonatedBloodInMarch2007", name, n_samples=120)
    output = run(tmp_path, "--data-home", tmp_path / "cache", "--datasets", name, "--beside", "KNN")
    assert "FREEMETRIC (default)" in output
    assert methods_of(tmp_path) == ["FreeEnergy", "KNeighbors"]
