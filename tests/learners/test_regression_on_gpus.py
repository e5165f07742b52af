"""Learners of regression on a GPU's kernels: the energy and the maps are those of the CPU's.

Torch's CPU takes the place of a GPU where there is none: its kernels then answer for the device "cpu".
"""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

import freemetric.kernels
from freemetric import DMLFE, MLKR, FreeEnergyRegressor
from freemetric.energies import NeighborLikelihoodEnergy, RegressionEnergy
from freemetric.mc import Annealing, Constant, ElementMove, HamiltonianMove


@pytest.fixture(params=["cpu", "cuda"])
def device(request, monkeypatch):
    torch = pytest.importorskip("torch", reason="the GPU kernels need torch")
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs a CUDA GPU")
    monkeypatch.setitem(freemetric.kernels.BACKENDS, "cpu", "torch.backend")
    return request.param


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(120, 5, noise=0.5, random_state=0)


@pytest.mark.parametrize("loss", ["squared", "log_likelihood", "absolute", "pinball"])
@pytest.mark.parametrize("n_neighbors", [None, 12])
def test_bound_energies_are_the_reference(device, friedman, rng, loss, n_neighbors):
    X, y = friedman
    Y, w, A = np.column_stack([y, y**2]), rng.uniform(0.3, 3, len(y)), 2 * rng.standard_normal((3, 2, 5))
    energy = RegressionEnergy(loss, quantile=0.2, n_neighbors=n_neighbors)
    truth, made = (energy.bind(X, Y, sample_weight=w, device=where) for where in ("reference", device))
    if n_neighbors is not None:
        truth, made = truth.near(A), made.near(A)
    (value, gradient), (found, slope) = truth.value_and_grad(A), made.value_and_grad(A)
    np.testing.assert_allclose(found, value, rtol=1e-4)
    np.testing.assert_allclose(made(A), value, rtol=1e-4)
    np.testing.assert_allclose(slope, gradient, atol=1e-3 * np.abs(gradient).max())


def test_neighbor_likelihood_is_the_reference(device, friedman, rng):
    X, y = friedman
    A = rng.standard_normal((2, 5, 5))
    truth, made = (NeighborLikelihoodEnergy().bind(X, y, device=where).near(A) for where in ("reference", device))
    np.testing.assert_allclose(made(A), truth(A), rtol=1e-4)


def test_mlkr_finds_what_the_reference_finds(device, friedman):
    X, y = friedman
    models = [MLKR(2, max_iter=60, tol=1e-4, device=where).fit(X, y) for where in (device, "reference")]
    energy = RegressionEnergy().bind(X, y, device="reference")
    found, truth = (energy(model.components_[None])[0] for model in models)
    assert found < 0.8 * energy(np.eye(5)[None])[0]
    assert found == pytest.approx(truth, rel=0.05)


@pytest.mark.parametrize("move", [HamiltonianMove(), ElementMove(0.3, n_moves=30)])
def test_dmlfe_samples_numbers(device, friedman, move):
    """Element moves, too: they call the energy trial by trial where it does no sweeps."""
    X, y = friedman
    sampler = Annealing(Constant(1e-4), move, n_steps=10)
    model = DMLFE(2, energy="regression", sampler=sampler, device=device, random_state=0).fit(X, y)
    energy = RegressionEnergy().bind(X, y, device="reference")
    assert energy(model.components_[None])[0] < energy(np.eye(5)[:2][None])[0]


def test_an_ensemble_predicts(device, friedman):
    X, y = friedman
    model = FreeEnergyRegressor(8, device=device, random_state=0).fit(X[:90], y[:90])
    assert model.score(X[90:], y[90:]) > 0.6
    low, high = model.predict_interval(X[90:], 0.2).T
    assert (low < high).all()
