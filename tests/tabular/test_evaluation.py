"""The comparison is honest: nothing of a test part reaches what is scored on it."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.svm import SVC

from freemetric.exceptions import DataWarning
from freemetric.tabular import Comparison, InputError, Limits, Schema, Settings, compare, evaluate, read
from freemetric.tabular.methods import METHODS, Method, Tuned, pipeline
from freemetric.tabular.preprocessing import plan
from freemetric.tabular.tasks import TASKS, labels

QUICK = Settings(folds=3, repeats=1, seed=5, parameters={"euclidean": {"n_neighbors": 3}, "rf": {"n_estimators": 5}})


def test_errors_are_those_of_a_plain_loop(written):
    table = read(written)
    splits = compare({"a": table}, "class", ["euclidean"], QUICK)
    schema = Schema.infer(table, "class")
    frame, (y, _) = schema.frame(table), labels(table, "class")
    folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=1, random_state=5).split(y, y)
    for split, (train, test) in zip(splits, folds, strict=True):
        part = frame.iloc[train]
        last = TASKS["classify"].estimator("euclidean", 5 + split.number, parameters={"n_neighbors": 3})
        model = pipeline(plan(part, schema), last).fit(part, y[train])
        assert split.error == 100 * np.mean(model.predict(frame.iloc[test]) != y[test])


def test_test_rows_do_not_reach_the_preprocessing(written, tmp_path):
    """Absurd values in the test rows of one split change no other row's prediction there: compare errors by label."""
    table = read(written)
    schema = Schema.infer(table, "class")
    frame, (y, _) = schema.frame(table), labels(table, "class")
    train, test = next(iter(QUICK.splits(y)))
    absurd = frame.copy()
    absurd.loc[absurd.index[test[0]], ["size", "colour"]] = [1e12, "never seen"]
    fitted = [
        pipeline(
            plan(f.iloc[train], schema), TASKS["classify"].estimator("euclidean", parameters={"n_neighbors": 3})
        ).fit(f.iloc[train], y[train])
        for f in (frame, absurd)
    ]
    np.testing.assert_array_equal(
        *(m[:-1].transform(f.iloc[test[1:]]) for m, f in zip(fitted, (frame, absurd), strict=True))
    )


@pytest.mark.slow
def test_same_seed_same_errors_whatever_n_jobs(written):
    table = read(written)
    runs = [compare({"a": table}, "class", ["euclidean", "rf"], QUICK, n_jobs=n) for n in (None, 2)]
    alone, together = ([(split.method, split.number, split.error) for split in run] for run in runs)
    assert alone == together
    assert all(split.error < 50 for split in runs[0])


def test_a_failure_is_reported_and_empties_its_cell(written):
    settings = Settings(3, 1, parameters={"nca": {"n_components": 1000}})
    found = Comparison(compare({"a": read(written)}, "class", ["euclidean", "nca"], settings), settings)
    assert len(found.failures) == 3
    assert "n_components=1000 is larger" in found.failures[0].failure
    assert np.isnan(found.errors().loc["a", "nca"])
    assert found.table().rows[1][2] is None
    assert found.as_json()["results"][1]["error"] is None


@pytest.mark.slow
def test_a_method_over_the_limit_does_not_hang_the_others(written):
    endless = {"free-energy": {"n_replicas": 10**6}, "euclidean": {"n_neighbors": 3}}
    settings = Settings(3, 1, parameters=endless, limits=Limits(seconds=3))
    tables, methods = {"a": read(written)}, ["free-energy", "euclidean"]
    splits = compare(tables, "class", methods, settings)
    slow = [split for split in splits if split.method == "free-energy"]
    assert [split.number for split in slow] == [0, 1, 2]
    assert {split.failure for split in slow} == {"stopped after 3 s, the limit of one fit"}
    assert len({split.seconds for split in slow}) == 1  # only the first was tried
    quick = [split.error for split in splits if split.method == "euclidean"]
    alone = compare(tables, "class", ["euclidean"], replace(settings, limits=Limits()))
    assert quick == [split.error for split in alone]
    found = Comparison(splits, settings)
    assert [row[2] for row in found.table().rows] == [
        "over the limit",
        f"{np.mean(quick):.2f} ± {np.std(quick, ddof=1) * np.sqrt(1 / 3 + 1 / 2):.2f}",
    ]
    assert "limit of one fit 3 s" in found.table().caption
    assert found.as_json()["results"][0]["over_limit"]
    assert np.isnan(found.errors().loc["a", "free-energy"])


def test_failures_within_the_limits_are_reported_as_without(written):
    settings = Settings(2, 1, parameters={"nca": {"n_components": 1000}})
    runs = [
        compare({"a": read(written)}, "class", ["nca"], replace(settings, limits=limits), n_jobs=n)
        for limits, n in [(Limits(), None), (Limits(60, 4000), 2)]
    ]
    plain, limited = ([(split.number, split.failure, split.over_limit) for split in run] for run in runs)
    assert plain == limited
    assert "ValueError: n_components=1000 is larger" in plain[0][1]


@pytest.mark.slow
def test_tables_of_several_files(written, mixed, tmp_path):
    mixed.iloc[::-1].assign(size=lambda f: -f["size"]).to_csv(tmp_path / "b.csv", index=False)
    tables = {"a": read(written), "b": read(tmp_path / "b.csv")}
    found = Comparison(compare(tables, "class", ["euclidean", "pca", "rf"], QUICK), QUICK)
    errors = found.errors()
    assert errors.shape == (2, 3)
    row = found.rows()[0]
    assert row["error"] == pytest.approx(np.mean(row["errors"]))
    assert row["spread"] == pytest.approx(np.std(row["errors"], ddof=1))
    assert row["uncertainty"] == pytest.approx(row["spread"] * np.sqrt(1 / 3 + 1 / 2))
    assert "Protocol honest: 1 x 3-fold" in found.table().caption
    said = found.as_json()
    assert said["protocol"] == "honest"
    assert len(said["results"]) == 6


def test_classes_that_are_too_small(mixed, tmp_path):
    frame = pd.concat([mixed, mixed.iloc[:1].assign(**{"class": "rare"})])
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.warns(DataWarning, match="1 class has fewer rows than there are folds"):
        compare({"a": read(tmp_path / "a.csv")}, "class", ["euclidean"], QUICK)
    mixed.groupby("class").head(2).to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(InputError, match="no class has the 3 rows"):
        compare({"b": read(tmp_path / "b.csv")}, "class", ["euclidean"], QUICK)


@pytest.mark.slow
def test_predictions_of_every_row_are_kept(written):
    settings = replace(QUICK, repeats=2)
    found = evaluate(read(written), "class", ["rf"], settings)
    for method in ("rf", "constant"):
        splits = found.cells[str(written), method]
        for repeat in (splits[:3], splits[3:]):
            rows = np.concatenate([split.predictions.rows for split in repeat])
            np.testing.assert_array_equal(np.sort(rows), np.arange(80))
        assert splits[0].predictions.probabilities.shape == (len(splits[0].predictions.rows), 2)
    assert (found.files, found.methods) == ([str(written)], ["rf"])
    first, second = (np.concatenate([s.predictions.rows for s in splits[i : i + 3]]) for i in (0, 3))
    assert (first != second).any()
    again = evaluate({str(written): read(written)}, "class", ["rf"], settings)
    kept, repeated = ({**row, "seconds": 0} for row in (found.rows()[0], again.rows()[0]))
    assert kept == repeated


def test_the_constant_answer_is_the_baseline(written):
    """As scikit-learn's on the same splits; it is no method, and the best is sought among methods."""
    table = read(written)
    found = evaluate(table, "class", ["euclidean"], QUICK)
    y, _ = labels(table, "class")
    for split, (train, test) in zip(found.cells[str(written), "constant"], QUICK.splits(y), strict=True):
        model = DummyClassifier(strategy="prior").fit(np.zeros((len(train), 1)), y[train])
        assert split.error == 100 * np.mean(model.predict(test[:, None]) != y[test])
        shares = model.predict_proba(test[:, None])
        assert split.scores["log_loss"] == pytest.approx(log_loss(y[test], shares))
    assert list(found.errors()) == ["euclidean"]
    assert found.best(str(written)) == "euclidean"
    assert found.notes() == []


@pytest.mark.slow
def test_frames_and_labels_as_a_program_has_them(mixed, written):
    expected = evaluate(read(written), "class", ["euclidean"], QUICK).rows()[0]["errors"]
    for X, y in [(mixed, "class"), (mixed.drop(columns="class"), mixed["class"])]:
        assert evaluate(X, y, ["euclidean"], QUICK).rows()[0]["errors"] == expected
    several = evaluate({"one": mixed, "other": read(written)}, "class", ["euclidean"], QUICK)
    assert several.files == ["one", "other"]
    with pytest.raises(InputError, match="no column 'nobody'"):
        evaluate(mixed, "class", ["euclidean"], replace(QUICK, groups="nobody"))
    polars = pytest.importorskip("polars")
    assert evaluate(polars.from_pandas(mixed), "class", ["euclidean"], QUICK).rows()[0]["errors"] == expected


def test_no_gain_over_a_constant_is_said(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=100), "class": np.where(np.arange(100) % 10, "often", "rarely")})
    frame.to_csv(tmp_path / "a.csv", index=False)
    found = evaluate({"a": read(tmp_path / "a.csv")}, "class", ["euclidean"], QUICK)
    (note,) = found.notes()
    assert note.startswith("a: always predicting 'often' has an error of 9.98 %")
    assert "the best method, euclidean, is not clearly better" in note


@pytest.mark.slow
def test_methods_without_probabilities(written, monkeypatch):
    monkeypatch.setitem(METHODS, "svm", Method(lambda: Tuned(SVC(), {"C": [1, 10]})))
    monkeypatch.setitem(METHODS, "logistic", Method(lambda: Tuned(LogisticRegression(), {"C": [1, 10]})))
    found = evaluate({"a": read(written)}, "class", ["svm", "logistic"], replace(QUICK, scoring=("neg_log_loss",)))
    svm, logistic, _ = found.rows()
    assert np.isnan(svm["scores"]["log_loss"]["mean"])
    assert 0.5 < svm["scores"]["roc_auc"]["mean"] <= 1
    assert logistic["scores"]["neg_log_loss"]["values"] == pytest.approx(
        [-value for value in logistic["scores"]["log_loss"]["values"]], rel=1e-6
    )
    assert [note.split(",")[0] for note in found.notes()] == ["svm gives no probabilities"]
    assert found.table().rows[0][6:8] == (None, None)
    assert found.details("a", "svm")["calibration"] is found.details("a", "svm")["roc"] is None


def test_scores_that_are_not_defined_are_said(tmp_path, mixed):
    """One row of a class lies in one test part of three."""
    frame = pd.concat([mixed, mixed.iloc[:1].assign(**{"class": "rare"})])
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.warns(DataWarning, match="some test parts lack it"):
        found = evaluate({"a": read(tmp_path / "a.csv")}, "class", ["rf"], replace(QUICK, scoring=("roc_auc_ovr",)))
    (note,) = found.notes()
    assert note.startswith("a: roc_auc_ovr: not defined on ")
    assert not np.isnan(found.score("a", "rf", "roc_auc").mean)  # ours is the mean over classes that are there


def test_everything_is_json(written):
    found = evaluate({"a": read(written)}, "class", ["rf"], replace(QUICK, learning_curve=True))
    said = json.loads(json.dumps(found.as_json()))
    rf, constant = said["results"]
    assert (rf["method"], constant["method"]) == ("rf", said["baseline"])
    assert np.sum(rf["confusion"]) == 80
    assert [row["class"] for row in rf["classes"]] == ["no", "yes"]
    assert rf["error"] == pytest.approx(100 * (1 - np.trace(rf["confusion"]) / 80), abs=1)
    assert rf["calibration"]["of"] == "yes"
    assert rf["roc"]["true"][-1] == 1
    assert [round(point["rows"]) for point in rf["learning_curve"]] == [26, 53]
    assert "rows the error" in rf["more_rows"]
    columns = found.columns()
    assert {len(cells) for cells in columns.values()} == {3}
    assert columns["method"] == ["rf", "rf", "constant"]
    assert columns["rows"] == [26, 53, 53]


def test_wrong_methods_are_reported_before_the_work(written):
    with pytest.raises(InputError, match="unknown method 'magic'"):
        compare({"a": read(written)}, "class", ["euclidean", "magic"], QUICK)
