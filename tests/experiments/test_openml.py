"""The download, with a stand-in for OpenML."""

import urllib.error

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from freemetric.experiments import DatasetError, dataset_info, load_dataset
from freemetric.experiments.loading import read_csv


@pytest.fixture
def openml(monkeypatch):
    """Set the reply of fetch_openml; it lists the calls."""
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


def as_bunch(columns, labels, nominal, gap=""):
    """The reply without pandas: nominal columns are positions among categories."""

    def number(name, text):
        if text in ("", gap):
            return np.nan
        return nominal[name].index(text) if name in nominal else float(text)

    data = [[number(name, text) for text in texts] for name, texts in columns.items()]
    return Bunch(
        data=np.array(data).T,
        target=np.array(labels, dtype=object),
        feature_names=list(columns),
        categories=dict(nominal),
    )


def thyroid():
    """Numbers in the shape of newthyroid, whose classes OpenML names otherwise."""
    X = np.random.default_rng(0).normal(size=(215, 5)).round(2)
    y = np.repeat(["1", "2", "3"], [150, 35, 30]).astype(object)
    return Bunch(data=X, target=y, feature_names=list("abcde"), categories={})


@pytest.mark.parametrize("as_number", [False, True])
def test_columns_by_order_and_classes_by_their_numbers_of_rows(openml, as_number):
    reply = thyroid()
    if as_number:
        reply.target = reply.target.astype(float)
    calls = openml(reply)
    data = load_dataset("newthyroid")
    np.testing.assert_array_equal(data.X, reply.data)
    assert list(data.feature_names) == dataset_info("newthyroid").columns
    assert data.classes == ("hyper", "hypo", "normal")
    assert np.bincount(data.y).tolist() == [35, 30, 150]
    assert [call["data_id"] for call in calls] == [40682]


def test_no_network(openml):
    openml(urllib.error.URLError("Name or service not known"))
    with pytest.raises(DatasetError) as caught:
        load_dataset("newthyroid")
    message = str(caught.value)
    assert "\n" not in message
    for part in ("'thyroid-new' (data_id 40682)", "Name or service", "FREEMETRIC_DATA"):
        assert part in message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: {"data": b.data[:-1], "target": b.target[:-1]}, "rows by class are"),
        (
            lambda b: {"data": b.data[:, :4], "feature_names": list("abcd")},
            "4 features",
        ),
        (lambda b: {"target": np.repeat("1", 215)}, "rows by class are"),
        (lambda b: {"categories": {"a": ["low"] * 9}, "data": b.data * 0}, "'low'"),
    ],
)
def test_another_set_is_an_error(openml, change, message):
    reply = thyroid()
    reply.update(change(reply))
    openml(reply)
    with pytest.raises(DatasetError, match=message):
        load_dataset("newthyroid")


def test_sets_whose_copy_on_openml_is_another(openml):
    calls = openml(thyroid())
    for name in ("liver", "satimage", "poker", "cod-rna"):
        with pytest.raises(DatasetError, match="cannot be downloaded, OpenML's copy"):
            load_dataset(name)
    assert calls == []


@pytest.mark.parametrize(
    "name", ["hepatitis", "vote", "zoo", "promoters", "anneal", "heart-c", "vowel"]
)
def test_the_download_equals_the_file(name, openml, shared):
    """Also where OpenML has more columns, a copy of a row, gaps, other names."""
    info = dataset_info(name)
    table = read_csv(shared / f"{name}.csv")
    columns, labels = dict(table.columns), list(table.labels)
    nominal = dict(info.nominal)
    if name == "heart-c":
        columns = {key: [*texts, texts[7]] for key, texts in columns.items()}
        theirs = {"absence": "<50", "presence": ">50_1"}
        labels = [theirs[label] for label in [*labels, labels[7]]]
    if name == "promoters":
        labels = [{"promoter": "+", "non_promoter": "-"}[label] for label in labels]
    for extra in info.openml.get("drop", ()):
        columns = {extra.replace(" ", "_"): ["u"] * len(labels), **columns}
        nominal[extra.replace(" ", "_")] = ["u"]
    if name == "vote":
        columns = dict(reversed(columns.items()))  # found by name
    openml(as_bunch(columns, labels, nominal, "?" if name == "anneal" else ""))
    ours, theirs = load_dataset(name), load_dataset(name, shared)
    np.testing.assert_array_equal(ours.X, theirs.X)
    np.testing.assert_array_equal(ours.y, theirs.y)
    assert (ours.feature_names, ours.classes) == (theirs.feature_names, theirs.classes)
