"""Data sets from files: their content, and what is wrong with a file in one line."""

import csv
import gzip

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris, load_wine

from freemetric.experiments import (
    Dataset,
    DatasetError,
    dataset_info,
    dataset_names,
    load_dataset,
    save_dataset,
)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["paper", "plain"])
@pytest.mark.parametrize("name", dataset_names())
def test_every_set_in_both_encodings(name, encoding, shared):
    data, info = load_dataset(name, shared, encoding=encoding), dataset_info(name)
    assert data.X.shape == (info.rows, info.encoded[encoding])
    assert data.X.dtype == np.float64
    assert np.isfinite(data.X).all()
    assert len(set(data.feature_names)) == data.X.shape[1]
    counts = dict(zip(data.classes, np.bincount(data.y).tolist(), strict=True))
    assert counts == info.class_counts
    assert data.task == "classification"


def test_numbers_stay_as_they_are(shared):
    with (shared / "glass.csv").open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    data = load_dataset("glass", shared)
    assert_array_equal(data.X, [[float(field) for field in row[:-1]] for row in rows])
    assert [data.classes[c] for c in data.y] == [row[-1] for row in rows]


def test_two_bits_make_a_nucleotide(shared):
    bits = load_dataset("promoters", shared).X.reshape(106, 57, 2)
    onehot = load_dataset("promoters", shared, encoding="plain").X
    bases = onehot.reshape(106, 57, 4).argmax(axis=2)
    assert_array_equal(bits @ [2, 1], bases)


def test_missing_values(shared):
    with (shared / "hepatitis.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    data = load_dataset("hepatitis", shared)
    gaps = [not row["PROTIME"] for row in rows]
    mean = np.mean([float(row["PROTIME"]) for row in rows if row["PROTIME"]])
    assert_allclose(data.X[gaps, data.feature_names.index("PROTIME")], mean)
    gaps = [not row["LIVER_BIG"] for row in rows]
    filled = data.X[gaps, data.feature_names.index("LIVER_BIG=yes")]
    assert set(filled) == {1}  # the most frequent value
    horse = load_dataset("horse", shared, encoding="plain")
    assert "pain=(missing)" in horse.feature_names


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_what_is_built_in_equals_the_file(name, shared):
    ours, theirs = load_dataset(name), load_dataset(name, shared)
    assert_array_equal(ours.X, theirs.X)
    assert_array_equal(ours.y, theirs.y)
    assert ours.feature_names == theirs.feature_names


def test_iris_is_ucis():
    differs = (load_iris().data != load_dataset("iris").X).any(axis=1)
    assert np.flatnonzero(differs).tolist() == [34, 37]
    assert_array_equal(load_dataset("wine").X, load_wine().data)


def test_gzipped_or_not_and_the_variable(shared, tmp_path, monkeypatch):
    content = (shared / "glass.csv").read_bytes()
    (tmp_path / "glass.csv.gz").write_bytes(gzip.compress(content))
    monkeypatch.setenv("FREEMETRIC_DATA", str(tmp_path))
    assert_array_equal(load_dataset("glass").X, load_dataset("glass", shared).X)


def cut(text):
    return text[: len(text) // 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cut, "no whole CSV file"),
        (lambda text: text.replace("\n", ",1\n", 1), "no whole CSV file"),
        (lambda text: text.replace("RI,Na", "Na,RI", 1), "content differs: sha256"),
        (lambda text: text + text.splitlines()[-1] + "\n", "content differs: sha256"),
        (lambda text: "", "no whole CSV file"),
    ],
)
def test_a_changed_file_is_one_line(shared, tmp_path, change, message):
    path = tmp_path / "glass.csv"
    path.write_text(change((shared / "glass.csv").read_text()))
    with pytest.raises(DatasetError, match=message) as caught:
        load_dataset("glass", tmp_path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("RI,Na", "Na,RI", "columns are"),
        ("headlamps", "tableware", "rows by class are"),
        ("1.51793", "wet", "column 'RI': could not convert string to float: 'wet'"),
    ],
)
def test_without_a_digest_columns_classes_and_numbers_are_checked(
    shared, tmp_path, old, new, message
):
    text = (shared / "glass.csv").read_text()
    assert old in text
    (tmp_path / "glass.csv").write_text(text.replace(old, new, 1))
    with pytest.raises(DatasetError, match=message):
        load_dataset("glass", tmp_path, check=False)


def test_a_strange_nominal_value(shared, tmp_path):
    text = (shared / "tic-tac-toe.csv").read_text()
    (tmp_path / "tic-tac-toe.csv").write_text(text.replace("\nx,", "\nX,", 1))
    with pytest.raises(DatasetError, match="'X' in column 'top-left-square'"):
        load_dataset("tic-tac-toe", tmp_path, check=False)


def test_damaged_and_missing(shared, tmp_path):
    (tmp_path / "glass.csv.gz").write_bytes(gzip.compress(b"x,class\n1,a\n")[:-4])
    with pytest.raises(DatasetError, match="no whole CSV file"):
        load_dataset("glass", tmp_path)
    with pytest.raises(DatasetError, match="which is not a folder"):
        load_dataset("glass", tmp_path / "nowhere")
    (tmp_path / "card.csv").write_bytes((shared / "card.csv").read_bytes())
    assert load_dataset("card", tmp_path, encoding="plain").X.shape == (690, 48)
    with pytest.raises(DatasetError, match="encoding='plain' does not need it"):
        load_dataset("card", tmp_path)
    with pytest.raises(DatasetError, match="encoding is 'onehot'"):
        load_dataset("iris", encoding="onehot")


def test_a_copy_of_the_set_that_has_no_public_one(shared, tmp_path):
    (tmp_path / "heart-y.csv").write_bytes((shared / "heart.csv").read_bytes())
    assert load_dataset("heart-y", tmp_path).X.shape == (270, 13)
    with pytest.raises(DatasetError, match="heart-y: no public copy found"):
        load_dataset("heart-y")


def test_diabetes_is_scikit_learns_in_its_own_units():
    data = load_dataset("diabetes")
    assert_array_equal(data.y, load_diabetes().target)
    assert data.X[:, 0].max() == 79  # years
    assert data.task == "regression"


def test_saved_arrays_are_checked(tmp_path):
    path = save_dataset(load_dataset("diabetes"), tmp_path)
    whole = dict(np.load(path))
    read = load_dataset("diabetes", tmp_path)
    assert_array_equal(read.X, load_dataset("diabetes").X)
    assert read.feature_names == load_dataset("diabetes").feature_names
    np.savez(path, **{**whole, "y": whole["y"] + 1})
    with pytest.raises(DatasetError, match=r"diabetes\.npz: the content differs"):
        load_dataset("diabetes", tmp_path)
    assert load_dataset("diabetes", tmp_path, check=False).y[0] == whole["y"][0] + 1
    np.savez(path, **{**whole, "X": whole["X"][:5]})
    with pytest.raises(DatasetError, match=r"X has shape \(5, 10\), expected"):
        load_dataset("diabetes", tmp_path)
    path.write_bytes(b"no archive")
    with pytest.raises(DatasetError, match="no file of save_dataset"):
        load_dataset("diabetes", tmp_path)


def test_a_dataset_is_a_value():
    assert Dataset("own", np.zeros((2, 1)), np.zeros(2)).task == "regression"
