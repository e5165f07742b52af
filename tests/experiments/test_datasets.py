"""The registry against the manifest of the files and the paper's table."""

import csv
import json

import pytest

from freemetric.experiments import DatasetError, dataset_info, dataset_names

PROBEN1 = ("horse", "card", "soybean")
NAMES = dataset_names()


def test_all_sets_of_the_paper_but_one():
    numbers = [dataset_info(name).number for name in NAMES]
    assert sorted([*numbers, dataset_info("heart-y").number]) == list(range(1, 37))
    assert numbers == sorted(numbers)


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_those_of_the_paper(name):
    info = dataset_info(name)
    assert info.rows == info.paper["rows"]
    assert len(info.class_counts) == info.paper["classes"]
    assert sum(info.class_counts.values()) == info.rows
    assert len(set(info.columns)) == info.features
    assert set(info.nominal) <= set(info.columns)
    features = 70 if name == "anneal" else info.paper["features"]
    assert info.encoded["paper"] == features


def test_the_papers_table(shared):
    with (shared.parent / "paper" / "table_datasets.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            info = dataset_info(row["name"])
            counts = [int(row[key]) for key in ("patterns", "features", "classes")]
            assert info.number == int(row["number"])
            assert info.paper_name == row["paper_name"]
            assert list(info.paper.values()) == counts


def test_the_manifest(shared):
    for row in json.loads((shared / "MANIFEST.json").read_text()):
        info = dataset_info(row["name"])
        if not row["file"]:
            continue
        assert (info.rows, info.features) == (row["rows"], row["raw_features"])
        assert info.class_counts == row["class_counts"]
        assert info.openml["data_id"] == row["openml"]["data_id"]
        if info.name not in PROBEN1:  # whose gaps are a value of their own
            assert info.encoded["plain"] == row["features_after_encoding"]
        if row["file"].endswith(".csv"):
            assert info.sha256 == row["sha256"]
        if info.coded:
            assert info.coded["sha256"] == row["paper_coded_file"]["sha256"]


def test_names_of_the_three_kinds_differ():
    kinds = [dataset_names(kind) for kind in ("paper", "regression", "synthetic")]
    names = [name for kind in kinds for name in kind]
    assert len(names) == len(set(names)) == 35 + 33 + 6
    for name in dataset_names("regression"):
        info = dataset_info(name)
        assert bool(info.origin) == bool(info.origin_license) == (name != "diabetes")


def test_an_unknown_name():
    with pytest.raises(DatasetError, match="No data set is called 'Iriss'"):
        dataset_info("Iriss")
