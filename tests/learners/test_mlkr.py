"""MLKR and DMLFE on numbers, against the formula, known directions and linear
regression.
"""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LinearRegression

from freemetric import DMLFE, MLKR
from freemetric.energies import NeighborLikelihoodEnergy, RegressionEnergy
from freemetric.learners.descent import initial_map
from freemetric.mc import Annealing, Constant, ElementMove

QUICK = Annealing(Constant(1e-3), ElementMove(0.3), n_steps=5)


@pytest.fixture(scope="module")
def friedman():
    X, y = make_friedman1(200, 7, noise=1.0, random_state=0)
    return X, y


def error_left_out(X, y, A):
    """Kernel regression's, as a share of the variance, sample by sample."""
    Z = X @ A.T
    off = []
    for i in range(len(y)):
        near = np.exp(-((Z - Z[i]) ** 2).sum(axis=1))
        near[i] = 0
        off.append(y[i] - near @ y / near.sum())
    return np.mean(np.square(off)) / y.var()


def test_the_energy_is_the_error_that_is_left(friedman):
    X, y = friedman
    model = MLKR().fit(X, y)
    expected = error_left_out(X, y, model.components_)
    assert model.energy_ == pytest.approx(expected, rel=1e-4)
    assert model.energy_ < 0.5 * error_left_out(X, y, np.eye(7))


def test_one_direction_is_found(rng):
    X = rng.random((300, 5))
    truth = np.array([1.0, -2.0, 0.0, 0.5, 0.0])
    y = np.tanh(X @ truth) + 0.02 * rng.standard_normal(300)
    found = MLKR(1).fit(X, y).components_[0]
    assert np.abs(found @ truth) / np.linalg.norm(found) / np.linalg.norm(truth) > 0.999


def test_several_outputs(friedman):
    X, y = friedman
    both = np.column_stack([y, 1e6 * X[:, 6]])  # the last feature is noise to the first
    weights = (MLKR().fit(X, both).components_ ** 2).sum(axis=0)
    assert weights[6] > 10 * weights[5]
    column = MLKR().fit(X, y[:, None]).components_
    np.testing.assert_allclose(column, MLKR().fit(X, y).components_)


def test_partial_least_squares_begin_with_the_slope_of_y(rng):
    X = rng.standard_normal((2000, 6))
    y = X @ np.arange(6.0) + 0.1 * rng.standard_normal(2000)
    start = initial_map("auto", rng, X, y, 3, is_regression=True)
    np.testing.assert_allclose(start @ start.T, np.eye(3), atol=1e-9)
    slope = LinearRegression().fit(X, y).coef_
    assert abs(start[0] @ slope) / np.linalg.norm(slope) > 0.99
    few = np.outer(np.arange(5.0), np.ones(4))  # of rank one: no second direction
    start = initial_map("pls", rng, few, np.arange(5.0), 2, is_regression=True)
    assert np.linalg.norm(start[0]) == pytest.approx(1)


@pytest.mark.parametrize(
    "energy",
    [
        "regression",
        "neighbor-likelihood",
        RegressionEnergy("absolute"),
        2.0 * NeighborLikelihoodEnergy(),
    ],
)
def test_dmlfe_learns_from_numbers(friedman, energy):
    X, y = friedman
    model = DMLFE(energy=energy, random_state=0).fit(X, y)
    assert not hasattr(model, "classes_")
    before = error_left_out(X, y, np.eye(7))
    assert error_left_out(X, y, model.components_) < before - 0.2
