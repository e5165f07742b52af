"""Energies without a gradient, and those of tuples and label sets, against loops,
closed forms and scikit-learn.
"""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import (
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
    return (
        rng.standard_normal((45, 4)) + 0.7 * y[:, None],
        y,
        rng.standard_normal((3, 2, 4)),
    )


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
    np.testing.assert_array_equal(
        nearest_others(Z, 7, device), [lists(z, 7) for z in Z]
    )


@pytest.mark.parametrize("device", DEVICES)
def test_copies_come_in_the_order_of_rows(device):
    Z = np.array([[[0.0], [1.0], [0.0], [0.0], [5.0]]])
    np.testing.assert_array_equal(
        nearest_others(Z, 3, device)[0],
        [[2, 3, 1], [0, 2, 3], [0, 3, 1], [0, 2, 1], [1, 0, 2]],
    )


def test_neighbours_far_from_the_origin_are_exact(data):
    X, y, A = data
    np.testing.assert_array_equal(
        KNNErrorEnergy(3).bind(X + 1e6, y)(A), KNNErrorEnergy(3).bind(X, y)(A)
    )


@pytest.mark.parametrize("k", [1, 4])
def test_votes_are_scikit_learns_leave_one_out(data, k):
    X, y, A = data
    predicted = [
        cross_val_predict(KNeighborsClassifier(k), X @ a.T, y, cv=LeaveOneOut())
        for a in A[:2]
    ]
    expected = {
        KNNErrorEnergy(k): [np.mean(p != y) for p in predicted],
        BalancedErrorEnergy(k): [1 - balanced_accuracy_score(y, p) for p in predicted],
        FBetaEnergy(2.0, k): [
            1 - fbeta_score(y, p, beta=2.0, average="macro", zero_division=0)
            for p in predicted
        ],
        FBetaEnergy(0.5, k, positive=1): [
            1
            - fbeta_score(y, p, beta=0.5, labels=[1], average="macro", zero_division=0)
            for p in predicted
        ],
    }
    for energy, values in expected.items():
        for device in DEVICES:
            np.testing.assert_allclose(
                energy.bind(X, y, device=device)(A[:2]), values, atol=1e-12
            )


def test_more_neighbours_than_samples_are_all_others(data):
    X, y, A = data
    np.testing.assert_array_equal(
        KNNErrorEnergy(99).bind(X, y)(A), KNNErrorEnergy(44).bind(X, y)(A)
    )


def test_weights_count_in_the_mean_and_in_votes(data):
    X, y, A = data
    w = np.random.default_rng(1).random(45) + 0.2
    expected = []
    for a in A:
        wrong = 0.0
        for i, near in enumerate(lists(X @ a.T, 4)):
            wrong += w[i] * (
                np.argmax([w[near][y[near] == c].sum() for c in range(3)]) != y[i]
            )
        expected.append(wrong / w.sum())
    np.testing.assert_allclose(
        KNNErrorEnergy(4).bind(X, y, sample_weight=w)(A), expected
    )
    same = np.full(45, 0.1)
    np.testing.assert_allclose(
        KNNErrorEnergy(4).bind(X, y, sample_weight=same)(A),
        KNNErrorEnergy(4).bind(X, y)(A),
    )


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
        reciprocal.append(
            np.mean(
                [
                    next((1 / (k + 1) for k, hit in enumerate(row) if hit), 0.0)
                    for row in relevant
                ]
            )
        )
        scores = []
        for i in range(44):
            others = np.arange(45) != i
            nearness = -((Z[others] - Z[i]) ** 2).sum(axis=1)
            scores.append(ndcg_score([y[others] == y[i]], [nearness], k=5))
        gain.append(np.mean(scores))
    for score, expected in (
        ("precision", precision),
        ("reciprocal_rank", reciprocal),
        ("ndcg", gain),
    ):
        np.testing.assert_allclose(
            RankingEnergy(score, 5).bind(X, y, device=device)(A), 1 - np.array(expected)
        )


def test_weights_of_rankings_are_those_of_queries(data):
    X, y, A = data
    w = np.random.default_rng(1).random(45) + 0.2
    precision = [
        np.average(
            [np.mean(y[near] == y[i]) for i, near in enumerate(lists(X @ a.T, 5))],
            weights=w,
        )
        for a in A
    ]
    energy = RankingEnergy("precision", 5).bind(X, y, sample_weight=w)
    np.testing.assert_allclose(energy(A), 1 - np.array(precision))


def lmnn_by_loops(X, y, A, k, r):
    D = lambda A, i, j: np.sum((A @ (X[i] - X[j])) ** 2)  # noqa: E731
    total = 0.0
    for i in range(len(X)):
        own = [j for j in range(len(X)) if j != i and y[j] == y[i]]
        for j in sorted(own, key=lambda j: D(np.eye(X.shape[1]), i, j))[:k]:
            total += r * D(A, i, j)
            total += (1 - r) * sum(
                max(0, 1 + D(A, i, j) - D(A, i, m))
                for m in range(len(X))
                if y[m] != y[i]
            )
    return total / len(X)


def test_eq_3_by_loops(data):
    X, y, A = data
    y = np.append(y[:-1], 3)  # a sample without a target
    for k, r in ((1, 0.5), (8, 0.2)):
        np.testing.assert_allclose(
            LMNNEnergy(k, r).bind(X, y)(A), [lmnn_by_loops(X, y, a, k, r) for a in A]
        )


def test_lmnn_finds_the_ground_state_of_its_energy(data):
    X, y, _ = data
    model = LMNN(tol=1e-8, max_iter=2000).fit(X, y)
    energy = LMNNEnergy(3, 0.5).bind(X, y)
    lowest = energy(model.components_[None])[0]
    assert lowest == pytest.approx(model.objective_, rel=1e-9)
    around = model.components_ + 0.02 * np.random.default_rng(0).standard_normal(
        (200, 4, 4)
    )
    assert energy(around).min() > lowest


@pytest.fixture(scope="module")
def tuples(data):
    rng = np.random.default_rng(2)
    pairs = rng.integers(45, size=(40, 2))
    return (
        pairs,
        np.where(data[1][pairs[:, 0]] == data[1][pairs[:, 1]], 1, -1),
        rng.integers(45, size=(40, 3)),
    )


def test_pairs_by_loops_and_scikit_learn(data, tuples):
    (X, _, A), (pairs, labels, _) = data, tuples
    contrast, area = [], []
    for a in A:
        apart = [np.linalg.norm(a @ (X[i] - X[j])) for i, j in pairs]
        near = [D**2 for D, label in zip(apart, labels, strict=True) if label == 1]
        far = [
            max(0, 2.5 - D) ** 2
            for D, label in zip(apart, labels, strict=True)
            if label == -1
        ]
        contrast.append(np.mean(near) + np.mean(far))
        area.append(1 - roc_auc_score(labels, -np.array(apart)))
    np.testing.assert_allclose(
        PairEnergy(pairs, labels, margin=2.5).bind(X, None)(A), contrast
    )
    np.testing.assert_allclose(PairEnergy(pairs, labels, "auc").bind(X, None)(A), area)
    ties = PairEnergy([[0, 0], [1, 1], [2, 3]], [1, -1, -1], "auc").bind(X, None)
    assert ties(A).tolist() == [0.25] * 3


def test_triplets_by_loops(data, tuples):
    (X, _, A), (_, _, triplets) = data, tuples
    rise = [
        [
            np.sum((a @ (X[i] - X[j])) ** 2) - np.sum((a @ (X[i] - X[k])) ** 2)
            for i, j, k in triplets
        ]
        for a in A
    ]
    hinge = [np.mean([max(0, 0.7 + r) for r in of_map]) for of_map in rise]
    error = [np.mean([(r > 0) + (r == 0) / 2 for r in of_map]) for of_map in rise]
    np.testing.assert_allclose(
        TripletEnergy(triplets, margin=0.7).bind(X, None)(A), hinge
    )
    np.testing.assert_allclose(TripletEnergy(triplets, "error").bind(X, None)(A), error)
    assert TripletEnergy([[0, 1, 1]], "error").bind(X, None)(A).tolist() == [0.5] * 3


def test_a_pair_at_one_place_has_no_direction(data):
    X, _, A = data
    value, gradient = (
        PairEnergy([[0, 1], [3, 3]], [1, -1]).bind(X, None).value_and_grad(A)
    )
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
            p = np.array(
                [w[j] * np.exp(-np.sum((a @ (X[i] - X[j])) ** 2)) for j in others]
            )
            total += w[i] * (p @ similarity[i, others]) / p.sum()
        expected.append(1 - total / w.sum())
    np.testing.assert_allclose(
        MultiLabelEnergy().bind(X, Y, sample_weight=w)(A), expected, rtol=1e-5
    )


def test_sets_of_one_label_are_classes(data):
    X, y, A = data
    value, gradient = MultiLabelEnergy().bind(X, np.eye(3)[y]).value_and_grad(A)
    truth, slope = NCAEnergy().bind(X, y, device="reference").value_and_grad(A)
    np.testing.assert_allclose(value, truth, rtol=1e-5)
    np.testing.assert_allclose(gradient, slope, atol=1e-5 * np.abs(slope).max())


def test_sparsity_by_loops(data):
    A = data[2].copy()
    A[:, :, 1] = 0
    for width in (None, 0.3):
        lengths = [[np.sqrt(a[0, j] ** 2 + a[1, j] ** 2) for j in range(4)] for a in A]
        by_hand = [
            sum(x if width is None else x**2 / (x**2 + width**2) for x in row)
            for row in lengths
        ]
        np.testing.assert_allclose(Sparsity(width).bind(None, None)(A), by_hand)
        assert not Sparsity(width).bind(None, None).value_and_grad(A)[1][:, :, 1].any()
