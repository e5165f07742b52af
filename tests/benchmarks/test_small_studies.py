"""Rare classes, held-out classes and active learning: the problems are what they say, and pages hold the figures."""

import json

import numpy as np
import pytest

from ..pages import ROOT

condense = pytest.importorskip("condense", reason="benchmarks are not part of an installed package")
imbalance = pytest.importorskip("imbalance", reason="benchmarks are not part of an installed package")
novelty = pytest.importorskip("novelty")
active = pytest.importorskip("active")
multi_label = pytest.importorskip("multi_label")
resuming = pytest.importorskip("resuming")


def test_the_rarest_class_that_is_large_enough_is_distinguished_from_all_others(rng):
    y = rng.permutation(np.repeat([0, 1, 2, 3], [900, 200, 90, 10]))  # of 600 rows the last class would have 5
    X, rare = imbalance.rare_against_rest(np.arange(1200)[:, None], y)
    assert len(X) == 600
    np.testing.assert_array_equal(rare, y[X[:, 0]] == 2)
    assert rare.sum() == 45


def test_a_held_out_class_is_in_no_other_part(rng):
    y = rng.permutation(np.repeat([0, 1, 2, 3], [400, 300, 200, 5]))
    classes = set()
    for number in range(2):
        train, labels, ordinary, novel = novelty.held_out_class(np.arange(905)[:, None], y, number)
        (held_out,) = set(y[novel[:, 0]])
        np.testing.assert_array_equal(labels, y[train[:, 0]])
        assert held_out not in labels
        assert held_out not in y[ordinary[:, 0]]
        assert not set(train[:, 0]) & set(ordinary[:, 0])
        classes.add(held_out)
    assert len(classes) == 2
    assert 3 not in classes


class Noted:
    """Predicts zero and notes the rows that it was fitted on."""

    def __init__(self):
        self.fits = []

    def fit(self, X, y):
        self.fits.append(set(X[:, 0]))

    def predict(self, X):
        return np.zeros(len(X))


def test_ten_labels_of_the_largest_scores_come_after_every_fit(monkeypatch):
    X, model = np.arange(900.0)[:, None], Noted()
    monkeypatch.setitem(active.STRATEGIES, "largest", lambda model, X, rng: X[:, 0])
    errors = active.learning_curve(X, np.arange(900) % 4, "largest", 0, model)
    assert list(errors) == [20, 30, 40, 50, 60, 70, 80]
    pool = np.random.default_rng(0).permutation(900)[:400]
    for before, after in zip(model.fits, model.fits[1:], strict=False):
        assert after - before == set(sorted(set(pool) - before)[-10:])
    rest = np.random.default_rng(0).permutation(900)[400:1000]
    assert errors[20] == pytest.approx(100 * (rest % 4 != 0).mean(), abs=0.01)


def test_a_run_goes_on_where_it_was_stopped(tmp_path):
    path, jobs, measured = tmp_path / "records.jsonl", [{"a": 1}, {"a": 2}], []
    resuming.run_missing(path, jobs[:1], lambda a: {"value": a})
    resuming.run_missing(path, jobs, lambda a: measured.append(a) or [{"value": a}, {"value": -a}])
    assert measured == [2]
    assert [record["value"] for record in resuming.read(path)] == [1, 2, -2]


def committed(name):
    return [json.loads(line) for line in (ROOT / "benchmarks" / f"{name}.jsonl").read_text().splitlines()]


def page(name):
    return (ROOT / "docs" / "howto" / f"{name}.md").read_text()


def test_the_page_has_the_means_of_rare_classes():
    names = {
        "free-energy, class weights": "free-energy, class weights",
        "free-energy, tuned": "free-energy, tuned threshold",
        "free-energy, sample weights": "free-energy, balanced sample weights",
        "balanced forest": "balanced random forest",
        "free-energy": "free-energy",
        "weighted boosting": "weighted gradient boosting",
    }
    for method, shown in names.items():
        rows = [record for record in committed("imbalance") if record["method"] == method]
        assert len({record["job"]["set"] for record in rows}) == len(rows) == 32
        means = (np.mean([record[score] for record in rows]) for score in imbalance.SCORES)
        assert f"| {shown} | {' | '.join(f'{mean:.3f}' for mean in means)} |" in page("probabilities")


def test_the_page_has_what_condensing_loses():
    records = [record for record in committed("condense") if record["job"]["set"] in condense.CONFIRMED_ON]
    for rows, shown in {"1 / 2": "a half", "1 / 4": "a quarter", "1 / 8": "an eighth"}.items():
        some = [record for record in records if record["rows"] == rows]
        assert len({record["job"]["set"] for record in some}) == len(some) == 7
        means = (np.mean([record[rule] for record in some]) for rule in ("condense", "at random", "highest values"))
        assert f"| {shown} | {' | '.join(f'{mean:.2f}' for mean in means)} |" in page("deploy")
    for rule in ("Hart", "Wilson"):
        some = [record for record in records if record["rows"] == rule]
        means = [np.mean([record[name] for record in some]) for name in ("condense", "its own")]
        assert all(f"{mean:.2f}" in page("deploy") for mean in means)


def test_the_page_has_the_means_of_held_out_classes():
    records = committed("novelty")
    assert len(records) == 28
    for method, shown in {"free-energy": "`score_samples`", "local outlier factor": "local outlier factor"}.items():
        mean = np.mean([record["auc"][method] for record in records])
        assert f"| {shown} | {mean:.3f} |" in page("probabilities")
    rejected = [np.mean([record["rejected"][alpha] for record in records]) for alpha in ("0.05", "0.1", "0.2")]
    assert "rejected {:.3f}, {:.3f} and {:.3f} of".format(*rejected) in " ".join(page("probabilities").split())


@pytest.mark.parametrize("problem", multi_label.GENERATED)
def test_labels_are_there_and_not_there(problem):
    X, Y = multi_label.GENERATED[problem](np.random.default_rng(0))
    assert len(X) == len(Y) == 1300
    assert set(np.unique(Y)) == {0, 1}
    assert 0.05 < Y.mean(axis=0).min() < Y.mean(axis=0).max() < 0.95


def test_the_page_has_the_means_of_several_labels():
    records = committed("multi_label")
    sets = ["topics", "interactions", "hidden plane", "dermatology"]
    assert len(records) == 3 * len(sets) * len(multi_label.METHODS)
    for method in multi_label.METHODS:
        cells = []
        for name in sets:
            some = [r for r in records if (r["job"]["set"], r["job"]["method"]) == (name, method)]
            brier, right = (np.mean([r[score] for r in some]) for score in ("Brier score", "subset accuracy"))
            cells.append(f"{brier:.3f} ({right:.3f})")
        shown = "`FreeEnergyClassifier`" if method == "free-energy" else method
        assert f"| {shown} | {' | '.join(cells)} |" in page("probabilities")


def test_the_page_has_the_means_of_active_learning():
    curves = {}
    for record in committed("active"):
        job = record["job"]
        errors = [error for n, error in record["errors"].items() if n != "20"]
        curves.setdefault(job["strategy"], {})[job["set"], job["repeat"]] = np.mean(errors)
    text = " ".join(page("weak_labels").split())
    for rival, sign, word in (("random", 1, "higher"), ("disagreement", 1, "higher"), ("spread margin", -1, "lower")):
        more = [sign * (curves[rival][key] - curves["margin"][key]) for key in curves["margin"]]
        assert len(more) == 12
        assert f"{np.mean(more):.1f} ± {np.std(more, ddof=1) / np.sqrt(12):.1f} points {word}" in text
