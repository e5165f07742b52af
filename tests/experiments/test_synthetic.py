"""Synthetic problems: their means and their noise are true."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1, make_friedman2, make_friedman3

from freemetric.experiments import load_dataset
from freemetric.experiments.synthetic import SYNTHETIC


@pytest.mark.parametrize("name", SYNTHETIC)
def test_targets_lie_around_the_mean_as_far_as_the_noise(name):
    problem, n = SYNTHETIC[name], 20_000
    X, y, mean, noise = problem.sample(n, 1)
    assert X.shape == (n, problem.n_features)
    e = (y - mean) / noise
    assert abs(e.mean()) < 4 / np.sqrt(n)
    quiet, loud = np.quantile(noise, [0.25, 0.75])
    for part in (noise <= quiet, noise >= loud):
        assert abs(e[part].std() - 1) < 4 / np.sqrt(2 * part.sum())


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("friedman-1", make_friedman1),
        ("friedman-2", make_friedman2),
        ("friedman-3", make_friedman3),
    ],
)
def test_friedmans_are_those_of_scikit_learn(name, make):
    X, y = make(5000, noise=0.0, random_state=0)
    np.testing.assert_allclose(SYNTHETIC[name].mean(X), y)
    ours = np.quantile(SYNTHETIC[name].sample(5000, 0).X, [0, 0.5, 1], axis=0)
    theirs = np.quantile(X, [0, 0.5, 1], axis=0)
    np.testing.assert_allclose(ours, theirs, rtol=0.1, atol=0.05)


def test_a_seed_is_a_sample():
    draw = SYNTHETIC["fan"].sample
    np.testing.assert_array_equal(draw(10, (0, 1)).y, draw(10, (0, 1)).y)
    assert not np.array_equal(draw(10, (0, 1)).y, draw(10, (0, 2)).y)
    np.testing.assert_array_equal(load_dataset("fan").y, draw(2000, 0).y)
