"""What NCA and MLKR share: starts, batches, and the end of a descent."""

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.preprocessing import minmax_scale

from freemetric import MLKR, NCA
from freemetric.energies import NCAEnergy, RegressionEnergy

ENERGIES = [(NCA, NCAEnergy()), (MLKR, RegressionEnergy())]


@pytest.fixture(scope="module")
def problems():
    X, y = make_friedman1(200, 7, noise=1.0, random_state=0)
    X = minmax_scale(X)
    return {NCA: (X, y > 15), MLKR: (X, y)}


@pytest.mark.parametrize(("cls", "energy"), ENERGIES)
def test_the_gradient_vanishes_at_the_minimum(problems, cls, energy):
    X, y = problems[cls]
    model = cls(tol=0, max_iter=500).fit(X, y)
    bound = energy.bind(X, y)
    at_start, at_end = (
        np.abs(bound.value_and_grad(A[None])[1]).max()
        for A in (np.eye(7), model.components_)
    )
    assert at_end < 1e-3 * at_start


STARTS = ["identity", "pca", "random", "uniform", np.eye(2, 7)]
CASES = [(NCA, "lda"), (MLKR, "pls"), *product([NCA, MLKR], STARTS)]


@pytest.mark.parametrize(("cls", "init"), CASES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_start_lowers_the_energy(problems, cls, init):
    model = cls(2, init=init, random_state=0).fit(*problems[cls])
    assert model.components_.shape == (2, 7)
    assert model.energy_ < 0.25


@pytest.mark.parametrize(("cls", "energy"), ENERGIES)
def test_batches_end_near_the_minimum(problems, cls, energy):
    X, y = problems[cls]
    bound = energy.bind(X, y)
    whole = cls().fit(X, y).energy_
    model = cls(batch_size=80, random_state=0).fit(X, y)
    start, end = bound(np.array([np.eye(7), model.components_]))
    assert end < whole + 0.2 * (start - whole)
