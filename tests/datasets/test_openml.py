"""The download, with a stand-in for OpenML."""

import os
import urllib.error

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from freemetric.datasets import DatasetError, check, fetch, info, load
from freemetric.datasets.table import read_table


def as_bunch(columns, labels, nominal, gap=""):
    """What fetch_openml returns without pandas: nominal columns as places in their categories."""

    def number(name, text):
        if text in ("", gap):
            return np.nan
        return nominal[name].index(text) if name in nominal else float(text)

    data = np.array([[number(name, text) for text in fields] for name, fields in columns.items()]).T
    return Bunch(
        data=data, target=np.array(labels, dtype=object), feature_names=list(columns), categories=dict(nominal)
    )


def thyroid(labels=("1", "2", "3")):
    """Numbers in the shape of newthyroid, whose classes OpenML calls otherwise."""
    X = np.random.default_rng(0).normal(size=(215, 5)).round(2)
    y = np.repeat(labels, [150, 35, 30]).astype(object)
    return Bunch(data=X, target=y, feature_names=list("abcde"), categories={})


@pytest.fixture
def openml(monkeypatch):
    """Set what fetch_openml answers; it counts the calls."""
    calls = []

    def answer(reply):
        def fetch_openml(**options):
            calls.append(options)
            if isinstance(reply, Exception):
                raise reply
            return reply

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
        return calls

    return answer


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) if folder.exists() else []


def test_downloads_once_into_the_cache(openml, cache):
    reply = thyroid()
    calls = openml(reply)
    data = load("newthyroid")
    np.testing.assert_array_equal(data.X, reply.data)
    assert data.feature_names == info("newthyroid").main.columns
    assert dict(zip(data.classes, np.bincount(data.y), strict=True)) == {"hyper": 35, "hypo": 30, "normal": 150}
    assert files(cache) == ["newthyroid.csv", "newthyroid.csv.sha256"]
    np.testing.assert_array_equal(load("newthyroid").X, data.X)
    assert [call["data_id"] for call in calls] == [40682]


def test_a_download_that_was_changed_is_reported(openml, cache):
    openml(thyroid())
    load("newthyroid")
    path = cache / "newthyroid.csv"
    path.write_text(path.read_text().replace("0.13", "0.14", 1))
    with pytest.raises(DatasetError, match="sha256"):
        load("newthyroid")


def test_numeric_class(openml):
    reply = thyroid()
    reply.target = reply.target.astype(float)
    openml(reply)
    assert load("newthyroid").classes == ("hyper", "hypo", "normal")


def test_no_network(openml, cache):
    openml(urllib.error.URLError("Name or service not known"))
    with pytest.raises(DatasetError) as caught:
        load("newthyroid")
    message = str(caught.value)
    assert "\n" not in message
    for part in "newthyroid", "'thyroid-new' (data_id 40682)", "Name or service", "newthyroid.csv", "FREEMETRIC_DATA":
        assert part in message
    assert files(cache) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: b.update(data=b.data[:-1], target=b.target[:-1]), "214 rows, expected 215"),
        (lambda b: b.update(data=b.data[:, :4], feature_names=list("abcd")), "4 features, expected 5"),
        (lambda b: b.target.put(range(215), "1"), "1 class, expected 3"),
        (lambda b: b.update(target=None), "no class column"),
        (lambda b: b.update(categories={"a": ["low"] * 9}, data=b.data * 0), "'low' .* is not a finite number"),
    ],
)
def test_a_wrong_reply_is_not_kept(openml, cache, change, message):
    reply = thyroid()
    change(reply)
    openml(reply)
    with pytest.raises(DatasetError, match=message):
        load("newthyroid")
    assert files(cache) == []


def test_nothing_half_written_remains(openml, cache, monkeypatch):
    openml(thyroid())

    def stop(*paths):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        load("newthyroid")
    assert files(cache) == []


def test_cache_that_cannot_be_written(openml, cache):
    openml(thyroid())
    cache.write_text("a file where the folder should be")
    with pytest.raises(DatasetError, match="cannot be written"):
        load("newthyroid")


def test_sets_whose_copy_on_openml_is_another(openml):
    calls = openml(thyroid())
    for name in "liver", "satimage", "poker", "cod-rna":
        with pytest.raises(DatasetError, match=f"{name}: cannot be downloaded, OpenML's copy"):
            load(name)
    assert calls == []


@pytest.mark.parametrize("name", ["hepatitis", "vote", "zoo", "promoters", "anneal", "heart-c", "vowel", "german"])
def test_download_equals_the_file(name, openml, shared):
    """Also with what OpenML does otherwise: more columns, a duplicate row, gaps for '?', other names."""
    table, _ = read_table(shared / f"{name}.csv")
    entry = info(name)
    columns = dict(zip(table.columns, map(list, table.fields), strict=False))
    labels, nominal = list(table.fields[-1]), dict(entry.nominal)
    if name == "heart-c":
        for fields in (*columns.values(), labels):
            fields.append(fields[7])
        labels = [{"absence": "<50", "presence": ">50_1"}[label] for label in labels]
    if name == "promoters":
        labels = [{"promoter": "+", "non_promoter": "-"}[label] for label in labels]
    for extra in entry.openml.get("drop", ()):
        columns = {extra.replace(" ", "_"): ["u"] * len(labels), **columns}
        nominal[extra.replace(" ", "_")] = ["u"]
    if name == "vote":
        columns = dict(reversed(columns.items()))  # found by name
    openml(as_bunch(columns, labels, nominal, "?" if name == "anneal" else ""))
    ours, theirs = load(name), load(name, shared)
    np.testing.assert_array_equal(ours.X, theirs.X)
    np.testing.assert_array_equal(ours.y, theirs.y)
    assert (ours.feature_names, ours.classes) == (theirs.feature_names, theirs.classes)


def test_fetch(openml, cache, tmp_path):
    calls = openml(thyroid())
    results = fetch(["newthyroid", "iris", "liver", "heart-y"])
    assert [result.status for result in results] == ["downloaded", "built in", "failed", "failed"]
    assert fetch(["newthyroid"])[0].status == "present"
    assert fetch(["newthyroid"], tmp_path / "new")[0].status == "copied"
    assert files(tmp_path / "new") == ["newthyroid.csv", "newthyroid.csv.sha256"]
    assert check(["newthyroid"], tmp_path / "new")[0].status == "ok"
    assert len(calls) == 1


def test_fetch_copies_both_codings(shared, monkeypatch, tmp_path):
    monkeypatch.setenv("FREEMETRIC_DATA", str(shared))
    assert fetch(["card", "iris"])[0].status == "present"
    assert [result.status for result in fetch(["card", "iris"], tmp_path)] == ["copied", "copied"]
    assert files(tmp_path) == ["card.csv", "iris.csv", "proben1", "proben1/card.csv"]
    (tmp_path / "card.csv").unlink()
    assert [result.status for result in check(["card", "iris"], tmp_path)] == ["missing", "ok"]


def test_check_without_files(tmp_path):
    results = check(["balance", "glass", "heart-y"], tmp_path)
    assert [result.status for result in results] == ["built in", "missing", "missing"]
    assert results[1].detail == f"there is no glass.csv in {tmp_path}"
