import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from freemetric.metrics.neighbor_votes import NeighborVotes, shares, votes_by_count
from freemetric.metrics.training_set import ClassEncoding, TrainingSet, equal_rows, places_of


@pytest.fixture(params=["cpu", "reference", "torch"])
def device(request):
    """Every search; torch's runs on the CPU here, by the same code as on a GPU."""
    if request.param != "torch":
        return request.param
    pytest.importorskip("torch", reason="the GPU search needs torch")
    return "mps"


def training_set(Z, y, n_classes, n_neighbors, device, monkeypatch):
    if device == "mps":
        from freemetric.kernels.torch import backend as torch_

        search = torch_.NearestNeighbors
        monkeypatch.setattr(torch_, "NearestNeighbors", lambda Z, device, n_jobs: search(Z, "cpu"))
    return NeighborVotes.of_rows(Z, y, n_classes, n_neighbors, device=device)


def one_vote_each(y, rows, n_classes):
    return np.eye(n_classes, dtype=np.float32)[y[rows]]


def left_out(search, rows, own):
    """Votes (n, K, C) of training rows without their own, from the shares among every number of neighbours."""
    out = np.zeros((len(rows), search.n_neighbors, own.shape[1]), dtype=np.float32)
    search.add_left_out_shares(rows, own, np.arange(len(rows)), out)
    return out * np.arange(1, search.n_neighbors + 1)[:, None]


def test_votes_are_those_of_scikit_learn(wine, device, monkeypatch):
    X, y = wine
    votes = training_set(X[:100], y[:100], 3, 12, device, monkeypatch).of(X[100:])
    for k in (1, 5, 12):
        knn = KNeighborsClassifier(k).fit(X[:100], y[:100])
        np.testing.assert_allclose(votes[:, k - 1][:, knn.classes_] / k, knn.predict_proba(X[100:]), atol=1e-7)


def test_left_out_votes_are_those_of_a_search_without_the_pattern(wine, device, monkeypatch):
    X, y = wine
    rows = np.array([3, 70, 177])
    votes = left_out(training_set(X, y, 3, 5, device, monkeypatch), rows, one_vote_each(y, rows, 3))
    for row, vote in zip(rows, votes, strict=True):
        others = np.arange(len(y)) != row
        expected = KNeighborsClassifier(5).fit(X[others], y[others]).predict_proba(X[[row]])[0]
        np.testing.assert_allclose(vote[-1] / 5, expected, atol=1e-7)


def expected_votes(distance, y, k, n_classes, rng, n_draws=4000):
    """Mean votes over random orders of the rows at equal distances."""
    total = np.zeros(n_classes)
    for _ in range(n_draws):
        order = rng.permutation(len(y))
        order = order[np.argsort(distance[order], kind="stable")]
        total += np.bincount(y[order[:k]], minlength=n_classes)
    return total / n_draws


@pytest.mark.parametrize("leave_out", [False, True])
def test_copies_share_the_votes_that_a_random_order_would_give_them(rng, leave_out):
    Z = np.repeat([[0.0], [1.0], [3.0]], [5, 4, 6], axis=0)
    y = rng.integers(0, 3, len(Z))
    search = NeighborVotes.of_rows(Z, y, 3, 10)
    if leave_out:
        votes, row = left_out(search, np.array([1]), one_vote_each(y, [1], 3))[0], 1
        Z, y = np.delete(Z, row, axis=0), np.delete(y, row)
    else:
        votes = search.of(np.array([[0.0]]))[0]
    for k in (1, 3, 6, 9, 10):
        np.testing.assert_allclose(votes[k - 1], expected_votes(Z[:, 0], y, k, 3, rng), atol=0.12)
        assert votes[k - 1].sum() == pytest.approx(k)


def test_a_row_is_left_out_and_its_copies_are_not():
    Z, y = np.zeros((10, 1)), np.arange(10) % 2
    votes = left_out(NeighborVotes.of_rows(Z, y, 2, 9), np.arange(10), one_vote_each(y, np.arange(10), 2))
    np.testing.assert_allclose(votes[:, -1], np.where(y[:, None] == [0, 1], 4, 5), rtol=1e-6)


def test_rows_that_a_map_has_thrown_together_do_not_vote_for_themselves():
    # different rows at one point of the space: of the samples known there any may be the sample's own
    places = places_of(np.arange(10.0)[:, None], np.arange(10) % 2, ClassEncoding(2))
    y = np.arange(10) % 2
    votes = left_out(NeighborVotes(np.zeros((10, 1)), places, 3), np.arange(10), one_vote_each(y, np.arange(10), 2))
    np.testing.assert_allclose(votes[:, -1].sum(axis=1), 3, rtol=1e-6)


@pytest.mark.parametrize("copies", [False, True])
def test_shares_of_all_numbers_of_neighbours_in_one_pass(copies, rng):
    Z = rng.integers(0, 3, (60, 2)).astype(float) if copies else rng.random((60, 2))
    y, weights = rng.integers(0, 3, 60), rng.uniform(0.5, 2, 60)
    places = places_of(Z, y, ClassEncoding(3), weights)
    search, rows = NeighborVotes(Z[places.rows], places, 59), np.array([4, 9, 30])
    own = weights[rows, None] * one_vote_each(y, rows, 3)
    out = np.zeros((5, 59, 3), dtype=np.float32)
    search.add_left_out_shares(rows, own.astype(np.float32), np.array([0, 3, 4]), out)
    for row, found in zip(rows, out[[0, 3, 4]], strict=True):
        others = np.delete(np.arange(60), row)
        there = places_of(Z[others], y[others], ClassEncoding(3), weights[others])
        votes = NeighborVotes(Z[others][there.rows], there, 59).of(Z[[row]])[0]
        np.testing.assert_allclose(found, votes / votes.sum(axis=-1, keepdims=True), atol=1e-5)
    assert not out[[1, 2]].any()


def test_votes_by_count_by_hand():
    counts, votes = np.array([[2, 1, 3]]), np.array([[[1.0, 1.0], [0.0, 1.0], [3.0, 0.0]]], dtype=np.float32)
    votes = votes_by_count(counts, votes, 5)[0]
    np.testing.assert_allclose(votes, [[0.5, 0.5], [1, 1], [1, 2], [2, 2], [3, 2]])


def test_where_rows_are_fewer_than_neighbours_all_of_them_vote():
    """Also where the last place has lost its only row, the one that asks."""
    votes = np.array([[[0.0, 2.0], [0.0, 0.0]]], dtype=np.float32)
    np.testing.assert_allclose(votes_by_count(np.array([[2, 0]]), votes, 3)[0], [[0, 1], [0, 2], [0, 2]])


def test_training_samples_keep_the_numbers_of_their_rows():
    X, y, encoding = np.arange(3.0)[:, None], np.array([0, 1, 0]), ClassEncoding(2)
    assert TrainingSet(X, y, encoding).rows.tolist() == [0, 1, 2]
    numbered = TrainingSet(X, y, encoding, rows=np.array([7, 3, 9]))
    assert numbered.only(np.array([2, 0])).rows.tolist() == [9, 7]


def test_equal_rows(rng):
    X = rng.integers(0, 3, (200, 2)).astype(float)
    first, of_row = equal_rows(X)
    np.testing.assert_array_equal(X[first][of_row], X)
    assert len(first) == len(np.unique(X, axis=0))
    assert (np.diff(first) > 0).all()
    Z = rng.random((50, 3))
    np.testing.assert_array_equal(equal_rows(Z)[1], np.arange(50))
    np.testing.assert_array_equal(equal_rows(np.array([[0.0], [-0.0], [1.0]]))[1], [0, 0, 1])


def test_weights_of_a_place_add_up():
    places = places_of(
        np.array([[1.0], [2.0], [1.0]]), np.array([0, 1, 1]), ClassEncoding(2), np.array([0.5, 1.0, 2.0])
    )
    np.testing.assert_array_equal(places.counts, [2, 1])
    np.testing.assert_allclose(places.votes, [[0.5, 2.0], [0.0, 1.0]])


def test_ties_are_decided_by_the_nearest():
    votes = np.array([[[0.0, 1.0], [1.0, 1.0]]])  # nearest votes for class 1, both together are a tie
    assert shares(votes)[0].argmax(axis=1).tolist() == [1, 1]
