"""Error against the number of rows: nested parts, the same test rows, and an honest word at the end."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from freemetric.exceptions import DataWarning
from freemetric.tabular import Settings, Table, evaluate
from freemetric.tabular.comparison import would_more_help
from freemetric.tabular.methods import METHODS, Method
from freemetric.tabular.protocol import shares, some_of

CURVE = Settings(4, 2, parameters={"euclidean": {"n_neighbors": 1}}, learning_curve=True)


def cloud(n, noise):
    rng = np.random.default_rng(0)
    X = rng.random((n, 2))
    y = (np.floor(4 * X[:, 0]) + np.floor(4 * X[:, 1])) % 2  # a chess board: every field is to be learned
    y = np.where(rng.random(n) < noise, 1 - y, y)
    return Table("board", {"x": X[:, 0], "y": X[:, 1], "field": y})


def test_parts_are_nested_and_have_every_class():
    y = np.repeat([0, 1, 2], [100, 50, 10])
    train = np.arange(0, 160, 2)
    parts = [set(some_of(train, y, None, share, 3, 1)) for share in (0.125, 0.25, 0.5)]
    assert [len(part) for part in parts] == [10, 20, 40]
    assert parts[0] < parts[1] < parts[2] < set(train)
    assert all({y[row] for row in part} == {0, 1, 2} for part in parts)


def test_parts_of_groups_are_whole():
    groups = np.repeat(np.arange(20), 5)
    y = np.arange(100) % 20 // 10
    train = np.flatnonzero(groups < 16)
    parts = [set(some_of(train, y, groups, share, 0, 0)) for share in (0.1, 0.25, 0.5)]
    assert parts[0] <= parts[1] <= parts[2] <= set(train)
    for part, share in zip(parts, (0.1, 0.25, 0.5), strict=True):
        chosen = {groups[row] for row in part}
        assert part == {row for row in train if groups[row] in chosen}
        assert share * 80 <= len(part) < share * 80 + 5 or len({y[row] for row in part}) == 2
    alone = np.repeat([0, 1], 10)  # a group has one class: both are there nevertheless
    assert len({alone[row] for row in some_of(np.arange(20), alone, np.arange(20), 0.05, 0, 0)}) == 2


def test_shares_leave_enough():
    assert shares(400, 2) == [1 / 16, 1 / 8, 1 / 4, 1 / 2]
    assert shares(100, 26) == []
    assert shares(104, 26) == [1 / 2]


@pytest.mark.slow
def test_a_curve_falls_where_there_is_more_to_learn():
    found = evaluate(cloud(480, 0), "field", ["euclidean"], CURVE)
    curve = found.learning_curve("board", "euclidean")
    assert [point["rows"] for point in curve] == [22, 45, 90, 180, 360]
    assert curve[0]["error"] > curve[2]["error"] > curve[-1]["error"]
    full = [split.error for split in found.cells["board", "euclidean"]]
    assert curve[-1]["errors"] == full[:4]  # of the first repeat, whose test rows all points share
    for split in found.curves["board", "euclidean"]:
        np.testing.assert_array_equal(
            split.predictions.rows, found.cells["board", "euclidean"][split.number].predictions.rows
        )
    assert found.would_more_help("board", "euclidean").endswith("more rows should help")
    assert found.curve_table().columns == ("File", "Method", "1/16", "1/8", "1/4", "1/2", "All rows")
    assert ("board", "constant") not in found.curves


@pytest.mark.slow
def test_no_help_is_said_where_there_is_nothing_to_learn():
    found = evaluate(cloud(240, 0.5), "field", ["euclidean"], CURVE)
    assert "more rows are not seen to help" in found.would_more_help("board", "euclidean")


def test_chance_is_called_so_as_often_as_it_should_be():
    """Errors that do not depend on the number of rows are taken for a fall in about one of twenty curves, or fewer."""
    rng = np.random.default_rng(0)
    said = [would_more_help(*rng.normal(20, 2, (2, 5)), 50, 100, 5) for _ in range(400)]
    assert np.mean([text.endswith("should help") for text in said]) < 0.05


def test_an_error_of_zero():
    text = would_more_help([0, 0, 0], [0, 0, 0], 50, 100, 3)
    assert text == "from 50 to 100 rows the error fell by 0.00 ± 0.00 points: no error is left"


def test_too_few_rows():
    with pytest.warns(DataWarning, match="40 rows of 2 classes are too few for a learning curve"):
        found = evaluate(cloud(40, 0), "field", ["euclidean"], CURVE)
    assert found.learning_curve("board", "euclidean") == []
    assert found.would_more_help("board", "euclidean") is None


class Demanding(DummyClassifier):
    """Fails on few rows."""

    def fit(self, X, y):
        if len(X) < 40:
            raise ValueError("too few rows")
        return super().fit(X, y)


def test_a_part_that_fails_is_a_gap(monkeypatch):
    monkeypatch.setitem(METHODS, "demanding", Method(Demanding))
    found = evaluate(cloud(160, 0), "field", ["demanding"], Settings(4, 1, learning_curve=True))
    assert found.failures == []
    assert found.notes()[-1] == "board, demanding: learning from 30 rows failed: ValueError: too few rows"
    assert found.curve_table().rows[0][2] is None
    assert found.would_more_help("board", "demanding").startswith("from 60 to 120 rows")
