"""Generated problems: their means and their noise are what they say."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1, make_friedman2, make_friedman3

from freemetric.datasets import LAWS, list_regression, load_regression


@pytest.mark.parametrize("name", LAWS)
def test_numbers_lie_around_the_mean_as_far_as_the_noise_says(name):
    law, n = LAWS[name], 20_000
    X, y, mean, noise = law.sample(n, 1)
    assert X.shape == (n, law.n_features)
    e = (y - mean) / noise
    assert abs(e.mean()) < 4 / np.sqrt(n)
    assert abs(e.std() - 1) < 4 / np.sqrt(2 * n)
    quiet, loud = np.quantile(noise, [0.25, 0.75])
    for some in (noise <= quiet, noise >= loud):  # wherever it is quiet or loud
        assert abs(e[some].std() - 1) < 4 / np.sqrt(2 * some.sum())
    assert law.noise_varies == (loud > quiet)


@pytest.mark.parametrize(
    ("name", "make"), [("friedman-1", make_friedman1), ("friedman-2", make_friedman2), ("friedman-3", make_friedman3)]
)
def test_friedmans_are_those_of_scikit_learn(name, make):
    X, y = make(200, noise=0.0, random_state=0)
    np.testing.assert_allclose(LAWS[name].mean(X), y)
    ours, theirs = LAWS[name].sample(5000, 0).X, make(5000, random_state=0)[0]
    np.testing.assert_allclose(
        np.quantile(ours, [0, 0.5, 1], axis=0), np.quantile(theirs, [0, 0.5, 1], axis=0), rtol=0.1, atol=0.05
    )


def test_features_that_tell_nothing_tell_nothing():
    for name, told in {"friedman-1": 5, "additive": 5, "piecewise": 5, "ring": 2, "products": 4, "growing": 2}.items():
        X = LAWS[name].sample(50, 0).X
        changed = X.copy()
        changed[:, told:] = np.random.default_rng(1).random(changed[:, told:].shape)
        np.testing.assert_array_equal(LAWS[name].mean(changed), LAWS[name].mean(X))
        changed[:, :told] = X[::-1, :told]
        assert not np.allclose(LAWS[name].mean(changed), LAWS[name].mean(X))


def test_a_seed_is_a_sample():
    one, same, other = (LAWS["ring"].sample(10, seed).y for seed in ((0, 1), (0, 1), (0, 2)))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_the_registry_loads_them():
    assert list_regression("generated") == sorted(LAWS)
    data = load_regression("fan")
    np.testing.assert_array_equal(data.noise, LAWS["fan"].noise(data.X))
    np.testing.assert_array_equal(data.mean, LAWS["fan"].mean(data.X))
