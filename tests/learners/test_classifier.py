import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from freemetric import FreeEnergyClassifier
from freemetric.exceptions import DataWarning, InterruptedFitWarning
from freemetric.learners.bags import stratified_bags
from freemetric.learners.votes import NeighborVotes, shares
from freemetric.mc import Annealing, Constant, ElementMove


def test_votes_are_those_of_scikit_learn(rng, wine):
    X, y = wine
    votes = NeighborVotes(X[:100], y[:100], 3, n_neighbors=12).of(X[100:])
    for k in (1, 5, 12):
        knn = KNeighborsClassifier(k).fit(X[:100], y[:100])
        np.testing.assert_allclose(votes[:, k - 1][:, knn.classes_] / k, knn.predict_proba(X[100:]))


def test_left_out_votes_are_those_of_a_search_without_the_pattern(wine):
    X, y = wine
    rows = np.array([3, 70, 177])
    votes = NeighborVotes(X, y, 3, n_neighbors=5).left_out(rows)
    for row, vote in zip(rows, votes, strict=True):
        others = np.arange(len(y)) != row
        expected = KNeighborsClassifier(5).fit(X[others], y[others]).predict_proba(X[[row]])[0]
        np.testing.assert_allclose(vote[-1] / 5, expected)


def test_a_pattern_among_its_copies_does_not_vote_for_itself():
    Z, y = np.zeros((10, 1)), np.arange(10) % 2
    votes = NeighborVotes(Z, y, 2, n_neighbors=3).left_out(np.arange(10))
    np.testing.assert_array_equal(votes[:, -1].sum(axis=1), 3)


def test_ties_are_decided_by_the_nearest():
    votes = np.array([[[0.0, 1.0], [1.0, 1.0]]])  # nearest votes for class 1, both together are a tie
    assert shares(votes)[0].argmax(axis=1).tolist() == [1, 1]


def test_bags_are_stratified_and_leave_something_out(rng):
    y = np.repeat([0, 1, 2, 3], [40, 10, 3, 1])
    bags = stratified_bags(rng, y, 20, 0.5)
    assert all(np.bincount(y[bag]).tolist() == [20, 5, 2, 1] for bag in bags)
    assert all(len(np.unique(bag)) == len(bag) for bag in bags)
    assert len({tuple(bag) for bag in bags}) == 20


def test_out_of_bag_votes_by_brute_force(iris):
    X, y = iris
    model = FreeEnergyClassifier(6, random_state=0, n_neighbors=7)
    with pytest.warns(DataWarning, match="never out of bag"):
        model.fit(X, y)
    rng = np.random.default_rng(np.random.RandomState(0).randint(2**32, size=4, dtype=np.uint32))
    bags = stratified_bags(rng, y, 6, 0.5)  # the first thing that fit draws
    for i in (0, 60, 140):
        counts = np.zeros(3)
        for A, bag in zip(model.replicas_, bags, strict=True):
            if i in bag:
                continue
            D = np.linalg.norm((X - X[i]) @ A.T, axis=1)
            D[i] = np.inf
            nearest = y[np.argsort(D)[:7]]
            counts += np.bincount(nearest, minlength=3) + 1e-3 * np.eye(3)[nearest[0]]
        expected = counts / counts.sum() if counts.any() else np.full(3, np.nan)
        np.testing.assert_allclose(model.oob_decision_function_[i], expected, atol=1e-5)
    judged = ~np.isnan(model.oob_decision_function_[:, 0])
    right = model.oob_decision_function_[judged].argmax(axis=1) == y[judged]
    assert model.oob_score_ == pytest.approx(right.mean())


def test_the_chosen_k_has_the_lowest_out_of_bag_error(wine):
    model = FreeEnergyClassifier(16, random_state=0).fit(*wine)
    tried = model.selection_
    assert tried["n_neighbors"].tolist() == list(range(1, 41))
    assert model.n_neighbors_ == tried["n_neighbors"][tried["oob_error"].argmin()]
    assert 1 - model.oob_score_ == pytest.approx(tried["oob_error"].min())
    assert set(tried) == {"temperature", "confinement", "n_neighbors", "oob_error"}
    assert (model.temperature_, model.confinement_) == (3e-4, 3e-5)


def test_out_of_bag_error_predicts_the_test_error():
    X, y = load_wine(return_X_y=True)
    gaps = []
    for seed in range(4):
        X1, X2, y1, y2 = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
        model = FreeEnergyClassifier(16, random_state=seed).fit(X1, y1)
        gaps.append(model.oob_score_ - model.score(X2, y2))
    assert abs(np.mean(gaps)) < 0.04


def test_units_of_features_do_not_matter(wine):
    X, y = wine
    units = np.logspace(-3, 3, 13)
    plain = FreeEnergyClassifier(6, random_state=0, n_neighbors=5)
    with pytest.warns(DataWarning):
        plain.fit(X[::2], y[::2])
    with pytest.warns(DataWarning):
        scaled = FreeEnergyClassifier(6, random_state=0, n_neighbors=5).fit(X[::2] * units + 7, y[::2])
    agree = plain.predict(X[1::2]) == scaled.predict(X[1::2] * units + 7)
    assert agree.mean() > 0.97


def test_probabilities_and_predictions_agree(wine):
    X, y = wine
    names = np.array(["a", "b", "c"])[y]
    model = FreeEnergyClassifier(12, random_state=0).fit(X, names)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))


def test_low_rank_and_another_sampler(wine):
    sampler = Annealing(Constant(1e-3), ElementMove(0.3), n_steps=5)
    model = FreeEnergyClassifier(12, n_components=3, sampler=sampler, random_state=0).fit(*wine)
    assert model.replicas_.shape == (12, 3, 13)
    assert model.temperature_ == 1e-3
    assert model.oob_score_ > 0.9


def test_few_patterns_clip_the_number_of_neighbors(iris):
    X, y = iris[0][::15], iris[1][::15]
    model = FreeEnergyClassifier(24, n_neighbors=30, random_state=0).fit(X, y)
    assert model.n_neighbors_ == 9


def test_interrupted_fit_can_predict(wine):
    class Interrupted(Annealing):
        def iterate(self, rng, energy, A):
            for k, step in enumerate(super().iterate(rng, energy, A)):
                if k == 10:
                    raise KeyboardInterrupt
                yield step

    with pytest.warns(InterruptedFitWarning, match=r"FreeEnergyClassifier\.fit was interrupted"):
        model = FreeEnergyClassifier(12, sampler=Interrupted(Constant(3e-4)), random_state=0).fit(*wine)
    assert model.score(*wine) > 0.9


def test_in_a_grid_search(iris):
    search = GridSearchCV(FreeEnergyClassifier(12, random_state=0), {"temperature": [1e-4, 1e-3]}, cv=2)
    assert search.fit(*iris).best_score_ > 0.9
