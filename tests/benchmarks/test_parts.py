"""The ablation takes out what it says, and puts everything back."""

import gzip
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_friedman1

from freemetric.ensemble import base, classifier, pool, search
from freemetric.experiments.records import Job, Record

parts = pytest.importorskip("parts", reason="benchmarks are not installed")
import parts_of_ensembles  # noqa: E402
import parts_table  # noqa: E402
import pool as tables  # noqa: E402

PARTS = {part.name: part for part in parts_of_ensembles.PARTS}
CLASSES, NUMBERS = parts_of_ensembles.CLASSES, parts_of_ensembles.NUMBERS


@cache
def fitted(name, task=CLASSES, n_replicas=12):
    part = PARTS[name]
    model = parts_of_ensembles.estimator_without(part, task, 0)
    if "n_replicas" not in part.parameters:
        model.set_params(n_replicas=n_replicas)
    X, y = load_iris(return_X_y=True)
    if task == NUMBERS:
        X, y = make_friedman1(80, 6, random_state=0)
        y = np.exp(y / 4)
    with parts_of_ensembles.changed(part):
        return model.fit(X[::2], y[::2])


@pytest.mark.parametrize(
    ("name", "column", "absent"),
    [
        ("view: logarithms", "view", "logs"),
        ("view: quantiles", "view", "quantiles"),
        ("view: scaled", "view", "scaled"),
        ("form: identity", "form", "identity"),
        ("form: diagonal", "form", "diagonal"),
        ("form: full", "form", "full"),
    ],
)
def test_views_and_forms(name, column, absent):
    assert absent in fitted(parts_of_ensembles.NOTHING).selection_[column]
    assert absent not in fitted(name).selection_[column]


def test_a_reference_alone_does_not_learn():
    assert set(fitted("all learned metrics").selection_["form"]) == {"identity"}


@pytest.mark.parametrize(
    ("name", "task", "left"),
    [
        ("estimator: trees", CLASSES, ["student_t", "naive_bayes", "linear"]),
        ("estimator: trees", NUMBERS, ["line", "surface"]),
        ("naive Bayes and Student t", CLASSES, ["trees", "linear"]),
        ("line and surface", NUMBERS, ["trees"]),
        ("all estimators", CLASSES, []),
        ("all estimators", NUMBERS, []),
    ],
)
def test_estimators(name, task, left):
    assert [name for name, _ in fitted(name, task).estimators_] == left


def test_calibration_selection_and_scale():
    model = fitted("calibration: both")
    assert model.pool_.slope == 1
    assert not model.pool_.bias.any()
    weights = fitted("mean of candidates (the best alone)").selection_["weight"]
    assert sorted(weights)[-2:] == [0, 1]
    assert set(fitted("several k (k = 5)").selection_["n_neighbors"]) == {5}
    assert fitted("scale of the target (linear)", NUMBERS).scale_.name == "linear"
    assert PARTS["(12 replicas)"].parameters == {"n_replicas": 12}


def test_bags_do_not_grow():
    rng = np.random.default_rng(0)
    X, y = rng.random((1200, 3)), np.arange(1200) % 2
    sizes = []
    for name in (parts_of_ensembles.NOTHING, "growth of bags"):
        model = parts_of_ensembles.estimator_without(PARTS[name], CLASSES, 0)
        with parts_of_ensembles.changed(PARTS[name]):
            model.set_params(candidates=["scaled/full"], n_replicas=8).fit(X, y)
        sizes.append(set(model.selection_["bag_size"].tolist()))
    assert sizes == [{250, 600}, {250}]


@pytest.mark.parametrize("name", PARTS)
def test_everything_is_put_back(name):
    watched = [(pool, "LOG_SLOPES"), (pool, "BIASES"), (search, "LARGE_BAG")]
    watched += [(base, "selection_weights"), (classifier, "default_classifiers")]
    before = [getattr(module, constant) for module, constant in watched]
    with pytest.raises(ZeroDivisionError), parts_of_ensembles.changed(PARTS[name]):
        raise ZeroDivisionError
    assert [getattr(module, constant) for module, constant in watched] == before


@pytest.fixture
def a_pool(tmp_path, monkeypatch, rng):
    """Two tables of 60 rows, one for each task."""
    monkeypatch.setenv("FREEMETRIC_POOL", str(tmp_path))
    frame = pd.DataFrame({"x": rng.random(60), "name": rng.choice(["a", "b"], 60)})
    targets = {"one": np.where(frame["x"] > 0.5, "yes", "no"), "two": 3 * frame["x"]}
    for name, target in targets.items():
        text = frame.assign(target=target).to_csv(index=False)
        (tmp_path / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode()))
    kinds = "name,kind\none,mixed-class\ntwo,regression\n"
    (tmp_path / "MANIFEST.csv").write_text(kinds)


@pytest.mark.parametrize(
    ("kind", "name", "measure"),
    [("mixed-class", "one", "honest_error"), ("regression", "two", "r2")],
)
def test_the_pool_is_read_split_and_fitted(a_pool, kind, name, measure):
    assert f"{kind}/{name}" in parts.tables_by_group()[parts_table.POOL[kind]]
    first, second = tables.table_halves(name, 0)
    rows = [*first.X.index, *second.X.index]
    assert sorted(rows) == list(range(60))
    job = Job(f"{kind}/{name}", "free-energy", 0, 0, "(12 replicas)")
    record = parts.record_of(job, None)
    assert not record.failure
    assert getattr(record, measure) is not None


def test_the_table(capsys):
    records = []
    for number in range(8):
        for name, error in ((parts_of_ensembles.NOTHING, 10.0), ("form: full", 11.0)):
            job = Job(f"mixed-class/{number}", "free-energy", 0, 0, name)
            found = {"honest_error": error + number / 10, "brier": error / 100}
            seconds = 2.0 if name == "form: full" else 1.0
            records.append(Record(job, seconds=seconds, **found))
    parts_table.print_parts(records)
    text = capsys.readouterr().out
    row = "| form: full | +1.00 | 0-0-8 | 0.0078 | +1.00 | 0-0-8 | 0.0078 | 2.00 |"
    assert row in text
