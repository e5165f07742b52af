import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from freemetric.learners.free_energy.bags import Bags
from freemetric.learners.votes import NeighborVotes, shares


@pytest.fixture(params=["cpu", "torch"])
def device(request):
    """Both searches; torch's runs on the CPU here, by the same code as on a GPU."""
    if request.param == "cpu":
        return "cpu"
    pytest.importorskip("torch", reason="the GPU search needs torch")
    return "mps"


def voters(Z, y, n_classes, n_neighbors, device, monkeypatch):
    if device != "cpu":
        from freemetric.kernels import torch_

        search = torch_.NearestNeighbors
        monkeypatch.setattr(torch_, "NearestNeighbors", lambda Z, k, device: search(Z, k, "cpu"))
    return NeighborVotes(Z, y, n_classes, n_neighbors, device=device)


def test_votes_are_those_of_scikit_learn(wine, device, monkeypatch):
    X, y = wine
    votes = voters(X[:100], y[:100], 3, 12, device, monkeypatch).of(X[100:])
    for k in (1, 5, 12):
        knn = KNeighborsClassifier(k).fit(X[:100], y[:100])
        np.testing.assert_allclose(votes[:, k - 1][:, knn.classes_] / k, knn.predict_proba(X[100:]), atol=1e-7)


def test_left_out_votes_are_those_of_a_search_without_the_pattern(wine, device, monkeypatch):
    X, y = wine
    rows = np.array([3, 70, 177])
    votes = voters(X, y, 3, 5, device, monkeypatch).left_out(rows)
    for row, vote in zip(rows, votes, strict=True):
        others = np.arange(len(y)) != row
        expected = KNeighborsClassifier(5).fit(X[others], y[others]).predict_proba(X[[row]])[0]
        np.testing.assert_allclose(vote[-1] / 5, expected, atol=1e-7)


def test_a_pattern_among_its_copies_does_not_vote_for_itself():
    Z, y = np.zeros((10, 1)), np.arange(10) % 2
    votes = NeighborVotes(Z, y, 2, n_neighbors=3).left_out(np.arange(10))
    np.testing.assert_array_equal(votes[:, -1].sum(axis=1), 3)


def test_ties_are_decided_by_the_nearest():
    votes = np.array([[[0.0, 1.0], [1.0, 1.0]]])  # nearest votes for class 1, both together are a tie
    assert shares(votes)[0].argmax(axis=1).tolist() == [1, 1]


def test_bags_are_stratified(rng):
    y = np.repeat([0, 1, 2, 3], [40, 10, 3, 1])
    bags = Bags(rng, y, 0.5).first(20)
    assert all(np.bincount(y[bag]).tolist() == [20, 5, 2, 1] for bag in bags)
    assert all(len(np.unique(bag)) == len(bag) for bag in bags)
    assert len({tuple(np.sort(bag)) for bag in bags}) == 20


def test_of_two_bags_with_half_of_the_patterns_one_is_the_others_complement(rng):
    y = np.repeat([0, 1, 2], [20, 10, 6])
    bags = Bags(rng, y, 0.5).first(6)
    for first, second in bags.reshape(3, 2, -1):
        np.testing.assert_array_equal(np.sort(np.append(first, second)), np.arange(36))


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_patterns_are_left_out_more_evenly_than_by_chance(rng, share):
    y = np.repeat([0, 1], [23, 40])
    counts = np.bincount(Bags(rng, y, share).first(12).ravel(), minlength=63)
    assert counts.std() < 0.75 * np.sqrt(12 * share * (1 - share))


def test_bags_are_the_same_whenever_they_are_asked_for(rng):
    bags = Bags(rng, np.repeat([0, 1], 15), 0.5)
    late = bags.between(3, 5)
    np.testing.assert_array_equal(bags.first(5)[3:], late)


def test_bags_have_a_largest_size(rng):
    bags = Bags(rng, np.repeat([0, 1], [900, 100]), 0.5, most=200)
    assert bags.size == bags.first(1).shape[1] == 200
