"""What class densities add to the votes."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.special import log_softmax, softmax

from freemetric import FreeEnergyClassifier, Recipe
from freemetric.ensemble.tasks import classification
from freemetric.ensemble.tasks.classification import CrossFittedDensities, calibrated, cross_fitted_densities
from freemetric.metrics import BinnedNaiveBayes, BoostedTrees, ClassEncoding, SharedStudentT, TrainingSet

RECIPE = Recipe()
VOTES_ALONE = replace(RECIPE, densities=(), kernel_block=0)


def nested(rng, n):
    """A wide Gaussian around a narrow one, where k-NN errs towards the denser class."""
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 12)) * (1 + y)[:, None], y


@pytest.mark.slow
def test_they_see_what_neighbours_miss(rng):
    X, y = nested(rng, 300)
    new, truth = nested(rng, 1000)
    both = FreeEnergyClassifier(8, random_state=0).fit(X, y)
    votes = FreeEnergyClassifier(8, recipe=VOTES_ALONE, random_state=0).fit(X, y)
    assert both.score(new, truth) > votes.score(new, truth) + 0.05
    assert abs(both.oob_score_ - both.score(new, truth)) < 0.04  # the estimate knows them, too


@pytest.mark.parametrize("weighted", [False, True])
def test_densities_of_a_sample_are_those_of_the_other_tenths(weighted, rng):
    """Of sample 13 they are those of all samples but 3, 13 and 23."""
    X, y = rng.random((25, 3)), np.arange(25) % 2
    weights = rng.random(25) + 0.5 if weighted else None
    scored = np.array([0, 13, 24])
    _, energies = cross_fitted_densities(["naive-bayes"], TrainingSet(X, y, ClassEncoding(2), weights), scored)
    for row, found in zip(scored, energies[0], strict=True):
        others = np.arange(25) % 10 != row % 10
        density = BinnedNaiveBayes.of(X[others], y[others], 2, weights[others] if weighted else None)
        np.testing.assert_allclose(found, density(X[[row]])[0])


def test_none_where_none_are_wanted(rng):
    model = FreeEnergyClassifier(8, recipe=VOTES_ALONE, random_state=0).fit(*nested(rng, 80))
    assert not model.ensemble_.head.densities
    assert not len(model.ensemble_.head.strengths)


def test_labels_alone_decide_nothing(rng):
    """Where classes are names drawn by lot, densities must not promise anything."""
    X, y = rng.normal(size=(200, 6)), rng.integers(0, 2, 200)
    model = FreeEnergyClassifier(12, random_state=0).fit(X, y)
    assert abs(model.oob_score_ - 0.5) < 0.11
    assert model.predict_proba(rng.normal(size=(200, 6))).max() < 0.9


def test_a_sample_has_no_part_in_its_own_densities(rng):
    X, y = nested(rng, 60)
    other = y.copy()
    other[17] = 1 - y[17]
    everyone, encoding = np.arange(60), ClassEncoding(2)
    _, before = cross_fitted_densities(("student-t", "naive-bayes"), TrainingSet(X, y, encoding), everyone)
    _, after = cross_fitted_densities(("student-t", "naive-bayes"), TrainingSet(X, other, encoding), everyone)
    np.testing.assert_array_equal(before[:, 17], after[:, 17])
    assert (before != after).any(axis=(0, 2)).sum() == 54  # all but the tenth that is left out with it


def test_strengths_are_found(rng):
    """Where energies are the truth and votes are noise, probabilities follow the energies."""
    F = rng.normal(size=(1, 3000, 3))
    P = softmax(-1.5 * F[0], axis=1)
    y = (P.cumsum(axis=1) < rng.random((3000, 1))).sum(axis=1)
    shares = rng.dirichlet(np.ones(3), 3000)
    head = calibrated(shares, y, None, F, [], RECIPE)
    assert head.strengths[0] == pytest.approx(1.5, abs=0.15)
    assert head.slope < 0.15


def test_the_gradient_of_the_calibration(rng, monkeypatch):
    shares, y, F = rng.dirichlet(np.ones(3), 40), rng.integers(0, 3, 40), rng.normal(size=(2, 40, 3))
    weights = rng.random(40) + 0.5

    def by_definition(p):
        Z = np.exp(p[0]) * np.log(shares + 0.05) - p[1] * F[0] - p[2] * F[1] + p[3:]
        prior = (5 * p[0] ** 2 + 0.5 * (p[1:3] ** 2).sum() + 5 * (p[3:] ** 2).sum()) / 2
        return prior - (weights * log_softmax(Z, axis=1)[np.arange(40), y]).sum()

    def check(loss, start, **options):
        p = rng.normal(size=6)
        assert loss(p)[0] == pytest.approx(by_definition(p))
        assert check_grad(by_definition, lambda p: loss(p)[1], p) < 1e-4
        return minimize(loss, start, **options)

    minimize = classification.minimize
    monkeypatch.setattr(classification, "minimize", check)
    assert (calibrated(shares, y, weights, F, [], RECIPE).strengths >= 0).all()


def test_classes_around_one_point_are_distinguished_by_their_densities(rng):
    """The wider of two classes is met outside; neighbours alone do not know that."""
    y = np.arange(160) % 2
    X = rng.standard_normal((160, 5)) * np.where(y, 3.0, 1.0)[:, None]
    with_them = FreeEnergyClassifier(4, recipe=Recipe(candidates=["scaled/diagonal"]), random_state=0).fit(X, y)
    assert len(with_them.ensemble_.head.densities) > 0
    none = Recipe(calibration="none")
    without = FreeEnergyClassifier(4, recipe=replace(none, candidates=["scaled/diagonal"]), random_state=0).fit(X, y)
    assert without.ensemble_.head.densities == []


@pytest.mark.parametrize("names", [("well",), "student-t", ["well"], (["student-t"],), (None,)])
def test_densities_that_there_are_not(names):
    with pytest.raises(ValueError, match="densities of Recipe are not a tuple of some of") as caught:
        Recipe(densities=names)
    assert "\n" not in str(caught.value)


def test_an_optional_density_joins_where_it_is_clearly_better(rng):
    """One covariance for all classes is, where these differ along a direction in which hardly anything varies."""
    y = np.arange(240) % 3
    X = rng.standard_normal((240, 12)) * np.append(0.05, np.ones(11))
    X[:, 0] += 0.1 * y
    X = X @ np.linalg.qr(rng.standard_normal((12, 12)))[0]
    recipe = Recipe(candidates=["scaled/diagonal"], n_steps=2, kernel_block=0)

    def joins(y):
        model = FreeEnergyClassifier(4, recipe=recipe, random_state=0).fit(X, y)
        return any(type(density) is SharedStudentT for density in model.ensemble_.head.densities)

    assert joins(y)
    assert not joins(rng.permutation(y))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kinds", [(BoostedTrees, BinnedNaiveBayes), (BinnedNaiveBayes, BoostedTrees, SharedStudentT)])
def test_every_kind_has_its_folds(kinds, weighted, rng):
    """Trees are without a fifth of the samples, others without a tenth; energies are in the order of the kinds."""
    X, y = rng.random((70, 3)), np.arange(70) % 3
    weights = rng.random(70) + 0.5 if weighted else None
    crossed = CrossFittedDensities(kinds, TrainingSet(X, y, ClassEncoding(3), weights))
    numbers = np.array([0, 13, 69, 24, 64])
    asked = X[numbers] + 0.01  # samples need not be the training samples themselves
    energies = crossed(asked, numbers)
    assert energies.shape == (len(kinds), 5, 3)
    for kind, of_kind in zip(kinds, energies, strict=True):
        n_folds = 5 if kind is BoostedTrees else 10
        for x, number, found in zip(asked, numbers, of_kind, strict=True):
            others = np.arange(70) % n_folds != number % n_folds
            density = kind.of(X[others], y[others], 3, weights[others] if weighted else None)
            np.testing.assert_allclose(found, density(x[None])[0], atol=1e-12)
    assert crossed(X[:0], numbers[:0]).shape == (len(kinds), 0, 3)


def test_trees_need_200_samples_that_are_scored(rng):
    X, y = rng.random((250, 3)), np.arange(250) % 2
    training_set = TrainingSet(X, y, ClassEncoding(2))
    for n, kinds in ((199, [BinnedNaiveBayes]), (200, [BinnedNaiveBayes, BoostedTrees])):
        scored = np.arange(250)[-n:]
        found, energies = cross_fitted_densities(["naive-bayes", "boosted-trees"], training_set, scored)
        assert [type(density) for density in found] == kinds
        assert energies.shape == (len(kinds), n, 2)
        np.testing.assert_array_equal(found[-1](X), kinds[-1].of(X, y, 2)(X))


def boxes(rng, n):
    """A box in three of five features, and beside it a half of the rest; a tenth of the labels are wrong."""
    X = rng.random((n, 5))
    inside = (np.abs(X[:, :3] - 0.5) < 0.4).all(axis=1)
    return X, np.where(inside, X[:, 3] > 0.5, X[:, 4] > 0.7) ^ (rng.random(n) < 0.05)


TREES = Recipe(candidates=["scaled/diagonal", "scaled/full"], n_steps=2)


def test_trees_join_where_thresholds_decide(rng):
    (X, y), (new, truth) = boxes(rng, 400), boxes(rng, 2000)
    with_them = FreeEnergyClassifier(6, recipe=TREES, random_state=0).fit(X, y)
    assert any(type(density) is BoostedTrees for density in with_them.ensemble_.head.densities)
    recipe = replace(TREES, optional_densities=("shared-student-t",))
    without = FreeEnergyClassifier(6, recipe=recipe, random_state=0).fit(X, y)
    assert not any(type(density) is BoostedTrees for density in without.ensemble_.head.densities)
    logs = [
        -np.log(model.predict_proba(new)[np.arange(2000), truth.astype(int)]).mean() for model in (with_them, without)
    ]
    assert logs[0] < 0.9 * logs[1]
    assert with_them.score(new, truth) > without.score(new, truth) + 0.03
    assert abs(with_them.oob_score_ - with_them.score(new, truth)) < 0.06


def test_few_samples_have_no_trees(rng):
    model = FreeEnergyClassifier(6, recipe=TREES, random_state=0).fit(*boxes(rng, 190))
    assert not any(type(density) is BoostedTrees for density in model.ensemble_.head.densities)


def test_trees_do_not_join_where_they_see_noise(rng):
    X, y = rng.standard_normal((300, 5)), rng.integers(0, 2, 300)
    model = FreeEnergyClassifier(6, recipe=TREES, random_state=0).fit(X, y)
    assert not any(type(density) is BoostedTrees for density in model.ensemble_.head.densities)
