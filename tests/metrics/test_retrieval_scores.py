"""Scores of retrieval against loops that follow their definitions, scikit-learn, and worked examples."""

import numpy as np
import pytest
from sklearn.metrics import ndcg_score
from sklearn.neighbors import NearestNeighbors

from freemetric.metrics import map_at_r, ndcg, precision_at_1, r_precision


@pytest.fixture
def items(rng):
    X, y = rng.random((60, 3)), rng.integers(5, size=60)
    Q, wanted = rng.random((20, 3)), rng.integers(5, size=20)
    return X, y, Q, wanted


def by_definition(neighbors, labels, label, own=None):
    """Precision at 1, R-precision and MAP@R of one query, after Musgrave et al. 2020, in plain Python."""
    others = [row for row in neighbors if row != own]
    R = sum(1 for row, known in enumerate(labels) if known == label and row != own)
    hits = [labels[row] == label for row in others[:R]]
    precision = [sum(hits[: i + 1]) / (i + 1) if hit else 0.0 for i, hit in enumerate(hits)]
    return float(hits[0]), sum(hits) / R, sum(precision) / R


def test_queries_beside_the_items(items):
    X, y, Q, wanted = items
    found = NearestNeighbors(n_neighbors=60).fit(X).kneighbors(Q, return_distance=False)
    expected = [by_definition(row, y, label) for row, label in zip(found, wanted, strict=True)]
    for score, values in zip((precision_at_1, r_precision, map_at_r), np.transpose(expected), strict=True):
        np.testing.assert_allclose(score(found, y, wanted), values)


@pytest.mark.parametrize("first", [True, False])
def test_items_that_are_queries_leave_themselves_out(items, rng, first):
    X, y, _, _ = items
    X = X if first else np.repeat(X[::2], 2, axis=0)  # a copy may come before the query itself
    found = NearestNeighbors(n_neighbors=60).fit(X).kneighbors(X, return_distance=False)
    expected = [by_definition(row, y, y[i], own=i) for i, row in enumerate(found)]
    for score, values in zip((precision_at_1, r_precision, map_at_r), np.transpose(expected), strict=True):
        np.testing.assert_allclose(score(found, y), values)
        some = np.array([3, 50, 7])
        np.testing.assert_allclose(score(found[some], y, y[some], some), values[some])


def test_neighbours_without_the_query_score_the_same(items):
    X, y, _, _ = items
    search = NearestNeighbors(n_neighbors=59).fit(X)
    without, with_it = search.kneighbors(return_distance=False), search.kneighbors(X, 60, return_distance=False)
    np.testing.assert_array_equal(map_at_r(without, y), map_at_r(with_it, y))


def test_the_example_of_the_paper():
    # Musgrave et al. 2020, table 1: ten relevant items; the first result alone is relevant, or the first and the tenth.
    labels = np.array(["a"] * 10 + ["b"] * 20)
    one, two = [0, *range(10, 19)], [0, *range(10, 18), 1]
    np.testing.assert_allclose(r_precision([one, two], labels, ["a", "a"]), [0.1, 0.2])
    np.testing.assert_allclose(map_at_r([one, two], labels, ["a", "a"]), [0.1, 0.12])


def test_a_query_without_relevant_items_has_no_score():
    for score in (precision_at_1, r_precision, map_at_r):
        values = score([[0, 1], [0, 1]], ["a", "b"], ["c", "a"])
        assert np.isnan(values[0])
        assert values[1] == 1
    assert np.isnan(map_at_r([[0, 1, 2]] * 3, ["a", "b", "b"])[0])  # alone in its class


@pytest.mark.parametrize("k", [1, 5, 30])
def test_ndcg_is_that_of_scikit_learn(rng, k):
    relevance, scores = rng.integers(4, size=(12, 30)), rng.random((12, 30))
    relevance[:, 0] = 1
    found = np.argsort(-scores, axis=1)[:, :k]
    for i, value in enumerate(ndcg(found, relevance)):
        assert value == pytest.approx(ndcg_score(relevance[i : i + 1], scores[i : i + 1], k=k))
    assert np.isnan(ndcg([[0]], [[0, 0]])[0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: map_at_r([[0]], ["a", "a"], ["a"]), "needs the 2 nearest items of query 0.*neighbors has 1"),
        (lambda: map_at_r([[0, 1]] * 3, ["a"] * 3), "needs the 2 nearest items of query 0, itself left out"),
        (lambda: map_at_r([[0, 2]], ["a", "b"], ["a"]), "rows outside 0 to 1"),
        (lambda: map_at_r([[0, 0]], ["a", "b"], ["a"]), "an item twice"),
        (lambda: r_precision([[0.5]], ["a"], ["a"]), "neighbors must be rows of items"),
        (lambda: r_precision([[0]], ["a"], ["a", "b"]), "neighbors has 1 row, but there are 2 queries"),
        (lambda: precision_at_1([[0]], [["a"]], ["a"]), "labels must be an array of one label each"),
        (lambda: precision_at_1([[0]], ["a"], ["a"], [3]), "own must be the row"),
        (lambda: ndcg([[0]], [[-1.0]]), "none below 0"),
    ],
)
def test_bad_input_is_named_in_one_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
