"""The comparison is honest: nothing of a test part reaches what is judged on it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold

from freemetric.exceptions import DataWarning
from freemetric.tabular import Comparison, InputError, Limits, Schema, Settings, compare, read
from freemetric.tabular.labels import labels
from freemetric.tabular.pipelines import classifier, pipeline
from freemetric.tabular.preprocessing import plan

QUICK = Settings(folds=3, repeats=1, seed=5, parameters={"euclidean": {"n_neighbors": 3}, "rf": {"n_estimators": 5}})


def test_errors_are_those_of_a_plain_loop(written):
    table = read(written)
    splits = compare({"a": table}, "class", ["euclidean"], QUICK)
    schema = Schema.infer(table, "class")
    frame, (y, _) = schema.frame(table), labels(table, "class")
    folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=1, random_state=5).split(y, y)
    for split, (train, test) in zip(splits, folds, strict=True):
        part = frame.iloc[train]
        last = classifier("euclidean", 5 + split.number, parameters={"n_neighbors": 3})
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
        pipeline(plan(f.iloc[train], schema), classifier("euclidean", parameters={"n_neighbors": 3})).fit(
            f.iloc[train], y[train]
        )
        for f in (frame, absurd)
    ]
    np.testing.assert_array_equal(
        *(m[:-1].transform(f.iloc[test[1:]]) for m, f in zip(fitted, (frame, absurd), strict=True))
    )


def test_same_seed_same_errors_whatever_n_jobs(written):
    table = read(written)
    runs = [compare({"a": table}, "class", ["euclidean", "rf"], QUICK, n_jobs=n) for n in (None, 2)]
    alone, together = ([(split.method, split.number, split.error) for split in run] for run in runs)
    assert alone == together
    assert all(split.error < 50 for split in runs[0])


def test_a_failure_is_told_and_empties_its_cell(written):
    settings = Settings(3, 1, parameters={"nca": {"n_components": 1000}})
    found = Comparison(compare({"a": read(written)}, "class", ["euclidean", "nca"], settings), settings)
    assert len(found.failures) == 3
    assert "n_components=1000 is larger" in found.failures[0].failure
    assert np.isnan(found.errors().loc["a", "nca"])
    assert found.table().rows[1][2] is None
    assert found.as_json()["results"][1]["error"] is None


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
        f"{np.mean(quick):.2f} ± {np.std(quick, ddof=1):.2f}",
    ]
    assert "limit of one fit 3 s" in found.table().caption
    assert found.as_json()["results"][0]["over_limit"]
    assert np.isnan(found.errors().loc["a", "free-energy"])


def test_failures_within_the_limits_are_told_as_without(written):
    settings = Settings(2, 1, parameters={"nca": {"n_components": 1000}})
    runs = [
        compare({"a": read(written)}, "class", ["nca"], replace(settings, limits=limits), n_jobs=n)
        for limits, n in [(Limits(), None), (Limits(60, 4000), 2)]
    ]
    plain, limited = ([(split.number, split.failure, split.over_limit) for split in run] for run in runs)
    assert plain == limited
    assert "ValueError: n_components=1000 is larger" in plain[0][1]


def test_tables_of_several_files(written, mixed, tmp_path):
    mixed.iloc[::-1].assign(size=lambda f: -f["size"]).to_csv(tmp_path / "b.csv", index=False)
    tables = {"a": read(written), "b": read(tmp_path / "b.csv")}
    found = Comparison(compare(tables, "class", ["euclidean", "pca", "rf"], QUICK), QUICK)
    errors = found.errors()
    assert errors.shape == (2, 3)
    row = found.rows()[0]
    assert row["error"] == pytest.approx(np.mean(row["errors"]))
    assert row["spread"] == pytest.approx(np.std(row["errors"], ddof=1))
    assert "Protocol honest: 1 x 3-fold" in found.table().caption
    said = found.as_json()
    assert said["protocol"] == "honest"
    assert len(said["results"]) == 6


def test_classes_that_are_too_small(mixed, tmp_path):
    frame = pd.concat([mixed, mixed.iloc[:1].assign(**{"class": "rare"})])
    frame.to_csv(tmp_path / "a.csv", index=False)
    with pytest.warns(DataWarning, match="1 classes have fewer rows than there are folds"):
        compare({"a": read(tmp_path / "a.csv")}, "class", ["euclidean"], QUICK)
    mixed.groupby("class").head(2).to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(InputError, match="no class has the 3 rows"):
        compare({"b": read(tmp_path / "b.csv")}, "class", ["euclidean"], QUICK)


def test_wrong_methods_are_told_before_the_work(written):
    with pytest.raises(InputError, match="unknown method 'magic'"):
        compare({"a": read(written)}, "class", ["euclidean", "magic"], QUICK)
