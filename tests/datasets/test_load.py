"""Every set in both encodings, from files."""

import csv
import gzip

import numpy as np
import pytest

from freemetric.datasets import DatasetError, check, info, load

from .conftest import NAMES


@pytest.mark.parametrize("encoding", ["paper", "plain"])
@pytest.mark.parametrize("name", NAMES)
def test_shapes(name, encoding, shared):
    data, entry = load(name, shared, encoding=encoding), info(name)
    assert data.X.shape == (entry.rows, entry.encoded[encoding]) == (len(data.y), len(data.feature_names))
    assert data.X.dtype == np.float64
    assert np.isfinite(data.X).all()
    assert len(set(data.feature_names)) == len(data.feature_names)
    assert (data.name, data.encoding) == (name, encoding)
    assert dict(zip(data.classes, np.bincount(data.y).tolist(), strict=True)) == entry.class_counts


def test_all_files_are_right(shared):
    assert {result.name: result.detail for result in check(data_home=shared) if result.status != "ok"} == {}


def test_numbers_stay_as_they_are(shared):
    with open(shared / "glass.csv", newline="") as file:
        rows = list(csv.reader(file))[1:]
    data = load("glass", shared)
    np.testing.assert_array_equal(data.X, [[float(field) for field in row[:-1]] for row in rows])
    assert [data.classes[number] for number in data.y] == [row[-1] for row in rows]


def test_two_bits_tell_four_nucleotides(shared):
    bits, onehot = load("promoters", shared).X, load("promoters", shared, encoding="plain").X
    # two rows differ in a base exactly where the bits differ
    bases = onehot.reshape(106, 57, 4).argmax(axis=2)
    np.testing.assert_array_equal(bits.reshape(106, 57, 2) @ [2, 1], bases)


def test_ordinal_columns_keep_their_order(shared):
    data = load("krkopt", shared)
    assert data.X.min() == 1
    assert data.X.max() == 8
    first = dict(zip(data.feature_names, data.X[0], strict=True))
    assert first["white_rook_file"] == 2  # b
    breast = load("breast", shared)
    assert set(breast.X[:, breast.feature_names.index("deg-malig")]) == {1, 2, 3}


def test_missing_values(shared):
    with open(shared / "hepatitis.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    data = load("hepatitis", shared)
    gaps = [not row["PROTIME"] for row in rows]
    mean = np.mean([float(row["PROTIME"]) for row in rows if row["PROTIME"]])
    np.testing.assert_allclose(data.X[gaps, data.feature_names.index("PROTIME")], mean)
    gaps = [not row["LIVER_BIG"] for row in rows]
    assert set(data.X[gaps, data.feature_names.index("LIVER_BIG=yes")]) == {1}  # the mode
    horse = load("horse", shared, encoding="plain")
    assert "pain=(missing)" in horse.feature_names


def test_gzipped_or_not_is_the_same(shared, tmp_path):
    (tmp_path / "cod-rna.csv").write_bytes(gzip.decompress((shared / "cod-rna.csv.gz").read_bytes()))
    (tmp_path / "glass.csv.gz").write_bytes(gzip.compress((shared / "glass.csv").read_bytes()))
    assert [result.status for result in check(["cod-rna", "glass"], tmp_path)] == ["ok", "ok"]


def test_encoding_must_be_known():
    with pytest.raises(DatasetError, match="'onehot', must be one of 'paper', 'plain'"):
        load("iris", encoding="onehot")


def test_proben1_needs_its_file(shared, tmp_path):
    (tmp_path / "card.csv").write_bytes((shared / "card.csv").read_bytes())
    assert load("card", tmp_path, encoding="plain").X.shape == (690, 48)
    with pytest.raises(DatasetError, match=r"no proben1/card.csv in .*; encoding='plain' needs card.csv only"):
        load("card", tmp_path)


def test_a_copy_of_an_unobtainable_set_is_taken(shared, tmp_path):
    (tmp_path / "heart-y.csv").write_bytes((shared / "heart.csv").read_bytes())
    assert load("heart-y", tmp_path).X.shape == (270, 13)
    with pytest.raises(DatasetError, match="heart-y: no public copy found"):
        load("heart-y")
