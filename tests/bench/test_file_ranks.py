"""People's own files, ranked as data sets are."""

import numpy as np
import pytest

from freemetric.bench.tables import has_ranks, rank_tables, ranks_as_json
from freemetric.tabular import Comparison, Settings
from freemetric.tabular.evaluation import Split

ERRORS = {"a": (10.0, 20.0, 20.0), "b": (5.0, 1.0, 7.0)}
METHODS = ("euclidean", "pca", "rf")


def comparison(errors):
    splits = [
        Split(file, method, number, error + number, 0.1)
        for file, row in errors.items()
        for number in (0, 1)
        for method, error in zip(METHODS, row, strict=True)
    ]
    return Comparison(splits, Settings(2, 1))


def test_ranks_of_several_files():
    compared = comparison(ERRORS)
    said = ranks_as_json(compared)
    assert (
        said["ranks"] == compared.errors().rank(axis=1).mean().to_dict() == {"euclidean": 1.5, "pca": 1.75, "rf": 2.75}
    )
    assert said["critical_difference"]["nemenyi"] == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 2)), rel=1e-3)
    assert 0 <= said["friedman_p"] <= 1
    assert [table.columns[0] for table in rank_tables(compared)] == ["Data set", "Method"]


def test_one_file_or_one_method_has_none():
    alone = comparison({"a": ERRORS["a"]})
    assert not has_ranks(alone)
    assert ranks_as_json(alone) == {}
    one_method = Comparison([Split(file, "rf", 0, 1.0, 0.1) for file in "ab"], Settings())
    assert not has_ranks(one_method)
