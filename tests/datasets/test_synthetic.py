"""Synthetic problems: their means and their noise are what they say."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1, make_friedman2, make_friedman3

from freemetric.datasets import SYNTHETIC, list_regression, load_regression


@pytest.mark.parametrize("name", SYNTHETIC)
def test_targets_lie_around_the_mean_as_far_as_the_noise_says(name):
    problem, n = SYNTHETIC[name], 20_000
    X, y, mean, noise = problem.sample(n, 1)
    assert X.shape == (n, problem.n_features)
    e = (y - mean) / noise
    assert abs(e.mean()) < 4 / np.sqrt(n)
    assert abs(e.std() - 1) < 4 / np.sqrt(2 * n)
    quiet, loud = np.quantile(noise, [0.25, 0.75])
    for some in (noise <= quiet, noise >= loud):  # wherever it is quiet or loud
        assert abs(e[some].std() - 1) < 4 / np.sqrt(2 * some.sum())
    assert problem.noise_varies == (loud > quiet)


@pytest.mark.parametrize(
    ("name", "make"), [("friedman-1", make_friedman1), ("friedman-2", make_friedman2), ("friedman-3", make_friedman3)]
)
def test_friedmans_are_those_of_scikit_learn(name, make):
    X, y = make(200, noise=0.0, random_state=0)
    np.testing.assert_allclose(SYNTHETIC[name].mean(X), y)
    ours, theirs = SYNTHETIC[name].sample(5000, 0).X, make(5000, random_state=0)[0]
    np.testing.assert_allclose(
        np.quantile(ours, [0, 0.5, 1], axis=0), np.quantile(theirs, [0, 0.5, 1], axis=0), rtol=0.1, atol=0.05
    )


def test_irrelevant_features_change_nothing():
    for name, relevant in {
        "friedman-1": 5,
        "additive": 5,
        "piecewise": 5,
        "ring": 2,
        "products": 4,
        "growing": 2,
    }.items():
        X = SYNTHETIC[name].sample(50, 0).X
        changed = X.copy()
        changed[:, relevant:] = np.random.default_rng(1).random(changed[:, relevant:].shape)
        np.testing.assert_array_equal(SYNTHETIC[name].mean(changed), SYNTHETIC[name].mean(X))
        changed[:, :relevant] = X[::-1, :relevant]
        assert not np.allclose(SYNTHETIC[name].mean(changed), SYNTHETIC[name].mean(X))


def test_a_seed_is_a_sample():
    one, same, other = (SYNTHETIC["ring"].sample(10, seed).y for seed in ((0, 1), (0, 1), (0, 2)))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_the_registry_loads_them():
    assert list_regression("generated") == sorted(SYNTHETIC)
    data = load_regression("fan")
    np.testing.assert_array_equal(data.noise, SYNTHETIC["fan"].noise(data.X))
    np.testing.assert_array_equal(data.mean, SYNTHETIC["fan"].mean(data.X))
