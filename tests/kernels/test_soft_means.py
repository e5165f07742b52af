"""Energies of numbers on GPUs' kernels, run by torch on the CPU too, against the definition in plain numpy."""

import numpy as np
import pytest

from freemetric.kernels import Loss, kernels_for, reference

pytest.importorskip("torch", reason="the GPU kernels need torch")
torch_ = kernels_for("cuda")

LOSSES = ["squared", "log_likelihood", "absolute", "pinball"]


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    torch = pytest.importorskip("torch", reason="the GPU kernels need torch")
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs a CUDA GPU")
    return request.param


def problem(rng, loss, device, one_data_set=False, N=80, m=2, R=2):
    """Data as reference and torch have them, and maps."""
    B = 1 if one_data_set else R
    X, y = rng.random((B, N, 4)), rng.standard_normal((B, m, N))
    y += 3 * X[:, None, :, 0]
    y = (y - y.mean(axis=2, keepdims=True)) / y.std(axis=2, keepdims=True)
    scale, w = rng.uniform(0.5, 1, (B, m)), rng.uniform(0.3, 3, (B, N))
    data = [
        kernels.prepare_targets(X, y, scale, Loss(loss, 0.8), where, w)
        for kernels, where in ((reference, "reference"), (torch_, device))
    ]
    return *data, 2 * rng.standard_normal((R, 3, 4))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("one_data_set", [True, False])
@pytest.mark.parametrize("n_blocks", [1, 7])
def test_energy_and_gradient_are_the_reference(rng, monkeypatch, device, loss, one_data_set, n_blocks):
    monkeypatch.setattr(torch_, "BLOCK_BYTES", 4 * 2 * 80 * 80 // n_blocks)
    truth, data, A = problem(rng, loss, device, one_data_set)
    value, gradient = reference.energy_and_gradient(truth, A)
    energy, slope = torch_.energy_and_gradient(data, A)
    np.testing.assert_allclose(energy, value, rtol=1e-5)
    np.testing.assert_allclose(torch_.energy(data, A), value, rtol=1e-5)
    np.testing.assert_allclose(slope, gradient, atol=1e-4 * np.abs(gradient).max())


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("diagonal", [True, False])
def test_lists_and_diagonal_maps_are_the_reference(rng, monkeypatch, device, loss, diagonal):
    monkeypatch.setattr(torch_, "BLOCK_BYTES", 4 * 2 * 7 * 4 * 30)
    truth, data, A = problem(rng, loss, device)
    A = 2 * rng.random((2, 1, 4)) if diagonal else A
    for size in (7, None):
        true_lists, lists = (
            None if size is None else kernels.neighbor_lists(known, A, size, diagonal)
            for kernels, known in ((reference, truth), (torch_, data))
        )
        value, gradient = reference.energy_and_gradient(truth, A, true_lists, diagonal)
        energy, slope = torch_.energy_and_gradient(data, A, lists, diagonal)
        np.testing.assert_allclose(energy, value, rtol=1e-5)
        np.testing.assert_allclose(slope, gradient, atol=1e-4 * np.abs(gradient).max())


@pytest.mark.parametrize("size", [7, 79])
@pytest.mark.parametrize("diagonal", [True, False])
def test_likeness_is_the_reference(rng, device, size, diagonal):
    X, y, w = rng.random((2, 80, 4)), rng.standard_normal((2, 80)), rng.uniform(0.3, 3, (2, 80))
    A = 2 * rng.random((2, 1, 4)) if diagonal else 2 * rng.standard_normal((2, 3, 4))
    (value, gradient), (energy, slope) = (
        kernels.energy_and_gradient(data, A, kernels.neighbor_lists(data, A, size, diagonal), diagonal)
        for kernels, data in (
            (reference, reference.prepare_alike(X, y, "reference", w, 1e-6)),
            (torch_, torch_.prepare_alike(X, y, device, w, 1e-6)),
        )
    )
    np.testing.assert_allclose(energy, value, rtol=1e-4)
    np.testing.assert_allclose(slope, gradient, atol=2e-4 * np.abs(gradient).max())
