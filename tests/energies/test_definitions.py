"""Energies without a gradient, and those of tuples and label sets, against loops,
closed forms and scikit-learn.
"""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    fbeta_score,
    ndcg_score,
    roc_auc_score,
)
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from freemetric import LMNN
from freemetric.energies import (
    BalancedErrorEnergy,
    FBetaEnergy,
    KNNErrorEnergy,
    LMNNEnergy,
    MultiLabelEnergy,
    NCAEnergy,
    PairEnergy,
    RankingEnergy,
    Sparsity,
    TripletEnergy,
)
from freemetric.energies.nearest import nearest_others

DEVICES = ["cpu", "reference"]


@pytest.fixture(scope="module")
def data():
    """Samples of three classes of 30, 9 and 6, and three maps into two dimensions."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [30, 9, 6])
    X = rng.standard_normal((45, 4)) + 0.7 * y[:, None]
    return X, y, rng.standard_normal((3, 2, 4))


def lists(Z, k):
    """The k nearest others of every sample, nearest first, by plain loops."""
    found = []
    for i in range(len(Z)):
        apart = {j: float(np.sum((Z[i] - Z[j]) ** 2)) for j in range(len(Z)) if j != i}
        found.append(sorted(apart, key=lambda j: (apart[j], j))[:k])
    return np.array(found)


@pytest.mark.parametrize("device", DEVICES)
def test_neighbours_are_those_of_loops(data, device):
    X, _, A = data
    Z = np.array([X @ a.T for a in A])
    assert_array_equal(nearest_others(Z, 7, device), [lists(z, 7) for z in Z])


@pytest.mark.parametrize("device", DEVICES)
def test_copies_come_in_the_order_of_rows(device):
    Z = np.array([[[0.0], [1.0], [0.0], [0.0], [5.0]]])
    assert_array_equal(
        nearest_others(Z, 3, device)[0],
        [[2, 3, 1], [0, 2, 3], [0, 3, 1], [0, 2, 1], [1, 0, 2]],
    )


def test_neighbours_far_from_the_origin_are_exact(data):
    X, y, A = data
    assert_array_equal(
        KNNErrorEnergy(3).bind(X + 1e6, y)(A), KNNErrorEnergy(3).bind(X, y)(A)
    )


@pytest.mark.parametrize("k", [1, 4])
def test_votes_are_scikit_learns_leave_one_out(data, k):
    X, y, A = data
    predicted = [
        cross_val_predict(KNeighborsClassifier(k), X @ a.T, y, cv=LeaveOneOut())
        for a in A[:2]
    ]
    f_score = partial(fbeta_score, average="macro", zero_division=0)
    scores = {
        KNNErrorEnergy(k): accuracy_score,
        BalancedErrorEnergy(k): balanced_accuracy_score,
        FBetaEnergy(2.0, k): partial(f_score, beta=2.0),
        FBetaEnergy(0.5, k, positive=1): partial(f_score, beta=0.5, labels=[1]),
    }
    for energy, score in scores.items():
        expected = [1 - score(y, p) for p in predicted]
        for device in DEVICES:
            found = energy.bind(X, y, device=device)(A[:2])
            assert_allclose(found, expected, atol=1e-12)


def test_more_neighbours_than_samples_are_all_others(data):
    X, y, A = data
    assert_array_equal(
        KNNErrorEnergy(99).bind(X, y)(A), KNNErrorEnergy(44).bind(X, y)(A)
    )


def test_weights_count_in_the_mean_and_in_votes(data):
    X, y, A = data
    w = np.random.default_rng(1).random(45) + 0.2
    expected = []
    for a in A:
        wrong = 0.0
        for i, near in enumerate(lists(X @ a.T, 4)):
            votes = np.bincount(y[near], w[near])
            wrong += w[i] * (votes.argmax() != y[i])
        expected.append(wrong / w.sum())
    assert_allclose(KNNErrorEnergy(4).bind(X, y, sample_weight=w)(A), expected)
    same = KNNErrorEnergy(4).bind(X, y, sample_weight=np.full(45, 0.1))
    assert_allclose(same(A), KNNErrorEnergy(4).bind(X, y)(A))


@pytest.mark.parametrize("device", DEVICES)
def test_rankings_are_those_of_loops_and_scikit_learn(data, device):
    X, y, A = data
    y = np.append(y[:-1], 3)  # the last sample is alone in its class
    precision, reciprocal, gain = [], [], []
    for a in A:
        Z = X @ a.T
        near = lists(Z, 5)
        relevant = [[y[j] == y[i] for j in row] for i, row in enumerate(near)][:-1]
        precision.append(np.mean([sum(row) / 5 for row in relevant]))
        first = [
            next((1 / k for k, hit in enumerate(row, 1) if hit), 0) for row in relevant
        ]
        reciprocal.append(np.mean(first))
        scores = []
        for i in range(44):
            others = np.arange(45) != i
            nearness = -((Z[others] - Z[i]) ** 2).sum(axis=1)
            scores.append(ndcg_score([y[others] == y[i]], [nearness], k=5))
        gain.append(np.mean(scores))
    expected = {"precision": precision, "reciprocal_rank": reciprocal, "ndcg": gain}
    for score, values in expected.items():
        energy = RankingEnergy(score, 5).bind(X, y, device=device)
        assert_allclose(energy(A), 1 - np.array(values))


def test_weights_of_rankings_are_those_of_queries(data):
    X, y, A = data
    w = np.random.default_rng(1).random(45) + 0.2
    hits = [(y[lists(X @ a.T, 5)] == y[:, None]).mean(axis=1) for a in A]
    precision = np.average(hits, axis=1, weights=w)
    energy = RankingEnergy("precision", 5).bind(X, y, sample_weight=w)
    assert_allclose(energy(A), 1 - precision)


def lmnn_by_loops(X, y, A, k, r):
    D = lambda A, i, j: np.sum((A @ (X[i] - X[j])) ** 2)  # noqa: E731
    total = 0.0
    for i in range(len(X)):
        own = [j for j in range(len(X)) if j != i and y[j] == y[i]]
        for j in sorted(own, key=lambda j: D(np.eye(X.shape[1]), i, j))[:k]:
            total += r * D(A, i, j)
            others = np.flatnonzero(y != y[i])
            total += (1 - r) * sum(max(0, 1 + D(A, i, j) - D(A, i, m)) for m in others)
    return total / len(X)


def test_eq_3_by_loops(data):
    X, y, A = data
    y = np.append(y[:-1], 3)  # a sample without a target
    for k, r in ((1, 0.5), (8, 0.2)):
        assert_allclose(
            LMNNEnergy(k, r).bind(X, y)(A), [lmnn_by_loops(X, y, a, k, r) for a in A]
        )


def test_lmnn_finds_the_ground_state_of_its_energy(data):
    X, y, _ = data
    model = LMNN(tol=1e-8, max_iter=2000).fit(X, y)
    energy = LMNNEnergy(3, 0.5).bind(X, y)
    lowest = energy(model.components_[None])[0]
    assert lowest == pytest.approx(model.objective_, rel=1e-9)
    steps = 0.02 * np.random.default_rng(0).standard_normal((200, 4, 4))
    assert energy(model.components_ + steps).min() > lowest


@pytest.fixture(scope="module")
def tuples(data):
    rng = np.random.default_rng(2)
    pairs = rng.integers(45, size=(40, 2))
    labels = np.where(data[1][pairs[:, 0]] == data[1][pairs[:, 1]], 1, -1)
    return pairs, labels, rng.integers(45, size=(40, 3))


def test_pairs_by_loops_and_scikit_learn(data, tuples):
    (X, _, A), (pairs, labels, _) = data, tuples
    contrast, area = [], []
    for a in A:
        apart = np.linalg.norm((X[pairs[:, 0]] - X[pairs[:, 1]]) @ a.T, axis=1)
        far = np.maximum(0, 2.5 - apart[labels == -1]) ** 2
        contrast.append(np.mean(apart[labels == 1] ** 2) + np.mean(far))
        area.append(1 - roc_auc_score(labels, -apart))
    assert_allclose(PairEnergy(pairs, labels, margin=2.5).bind(X, None)(A), contrast)
    assert_allclose(PairEnergy(pairs, labels, "auc").bind(X, None)(A), area)
    ties = PairEnergy([[0, 0], [1, 1], [2, 3]], [1, -1, -1], "auc").bind(X, None)
    assert ties(A).tolist() == [0.25] * 3


def test_triplets_by_loops(data, tuples):
    (X, _, A), (_, _, triplets) = data, tuples
    i, j, k = triplets.T
    near = (((X[i] - X[j]) @ np.swapaxes(A, 1, 2)) ** 2).sum(axis=2)
    rise = near - (((X[i] - X[k]) @ np.swapaxes(A, 1, 2)) ** 2).sum(axis=2)
    hinge = np.maximum(0, 0.7 + rise).mean(axis=1)
    error = ((rise > 0) + (rise == 0) / 2).mean(axis=1)
    assert_allclose(TripletEnergy(triplets, margin=0.7).bind(X, None)(A), hinge)
    assert_allclose(TripletEnergy(triplets, "error").bind(X, None)(A), error)
    assert TripletEnergy([[0, 1, 1]], "error").bind(X, None)(A).tolist() == [0.5] * 3


def test_a_pair_at_one_place_has_no_direction(data):
    X, _, A = data
    energy = PairEnergy([[0, 1], [3, 3]], [1, -1]).bind(X, None)
    value, gradient = energy.value_and_grad(A)
    assert np.isfinite(value).all()
    assert np.isfinite(gradient).all()


def test_label_sets_by_loops_and_scipy(data):
    X, _, A = data
    rng = np.random.default_rng(3)
    Y, w = (rng.random((45, 3)) < 0.4).astype(int), rng.random(45) + 0.2
    assert (Y.sum(axis=1) == 0).sum() > 1
    similarity, expected = 1 - cdist(Y.astype(bool), Y.astype(bool), "jaccard"), []
    for a in A:
        total = 0.0
        for i in range(45):
            others = [j for j in range(45) if j != i]
            p = w[others] * np.exp(-(((X[i] - X[others]) @ a.T) ** 2).sum(axis=1))
            total += w[i] * (p @ similarity[i, others]) / p.sum()
        expected.append(1 - total / w.sum())
    assert_allclose(
        MultiLabelEnergy().bind(X, Y, sample_weight=w)(A), expected, rtol=1e-5
    )


def test_sets_of_one_label_are_classes(data):
    X, y, A = data
    value, gradient = MultiLabelEnergy().bind(X, np.eye(3)[y]).value_and_grad(A)
    truth, slope = NCAEnergy().bind(X, y, device="reference").value_and_grad(A)
    assert_allclose(value, truth, rtol=1e-5)
    assert_allclose(gradient, slope, atol=1e-5 * np.abs(slope).max())


def test_sparsity_by_loops(data):
    A = data[2].copy()
    A[:, :, 1] = 0
    lengths = np.sqrt(A[:, 0] ** 2 + A[:, 1] ** 2)
    shares = lengths**2 / (lengths**2 + 0.3**2)
    for width, by_hand in ((None, lengths), (0.3, shares)):
        energy = Sparsity(width).bind(None, None)
        assert_allclose(energy(A), by_hand.sum(axis=1))
        assert not energy.value_and_grad(A)[1][:, :, 1].any()
