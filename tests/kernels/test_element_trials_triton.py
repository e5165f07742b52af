"""The GPU's sweep against the definition, on a CUDA GPU or, small problems only, in triton's interpreter."""

import numpy as np
import pytest

from freemetric import kernels
from freemetric.energies import NCAEnergy
from freemetric.kernels import kernels_for, reference
from freemetric.kernels.numba import backend as numba_
from freemetric.kernels.torch import element_trials as element_trials_triton

from .test_kernels_agree import problem, trials, uneven_weights

# the interpreter makes numbers of arrays of one
pytestmark = pytest.mark.filterwarnings("ignore:Conversion of an array:DeprecationWarning")


def assert_same_sweep(data, X, bounds, A, moves, ridge, weights=None):
    single = np.float32(X - X.mean(axis=1, keepdims=True)).astype(float)  # at scale 1e6 the rounding of X decides
    true = reference.element_sweep(reference.prepare(single, bounds, weights=weights), A, moves, ridge=ridge)
    fast = kernels_for("cuda").element_sweep(data, A, moves, ridge=ridge)
    np.testing.assert_array_equal(fast[2], true[2])
    np.testing.assert_allclose(fast[0], true[0], rtol=1e-12)
    np.testing.assert_allclose(fast[1], true[1], rtol=1e-5)


@pytest.mark.parametrize(("scale", "step"), [(1e-3, 1.0), (1.0, 0.3), (1.0, 3.0), (1e3, 1.0), (1e6, 30.0)])
@pytest.mark.parametrize("one_data_set", [True, False])
def test_sweep_makes_the_reference_decisions(device, rng, scale, step, one_data_set):
    X, bounds, A = problem(rng, N=37, scale=scale, one_data_set=one_data_set)
    data = kernels_for("cuda").prepare(X, bounds, device)
    assert_same_sweep(data, X, bounds, A, trials(rng, A, 7, step, temperature=0.01), ridge=1e-3)


@pytest.mark.parametrize("one_data_set", [True, False])
def test_weighted_sweep_makes_the_reference_decisions(device, rng, one_data_set):
    X, bounds, A = problem(rng, N=37, one_data_set=one_data_set)
    weights = uneven_weights(rng, X)
    data = kernels_for("cuda").prepare(X, bounds, device, weights=weights)
    assert_same_sweep(data, X, bounds, A, trials(rng, A, 7, 0.5, temperature=0.01), 1e-3, weights)


def test_one_sweep_after_the_other_hot_and_cold(device, rng):
    X, bounds, A = problem(rng, N=21, R=1)
    data = kernels_for("cuda").prepare(X, bounds, device)
    for temperature in (1.0, 1e-9, 1e-9):  # the width follows what was accepted before
        assert_same_sweep(data, X, bounds, A, trials(rng, A, 13, 1.0, temperature), ridge=0.0)
    assert len(data.sweeps) == 1


@pytest.mark.parametrize(("N", "d", "R"), [(255, 4, 3), (1000, 19, 1), (2049, 6, 2)])
def test_large_sweeps_are_those_of_the_cpu(device, rng, N, d, R):
    if device != "cuda":
        pytest.skip("needs a CUDA GPU")
    X, bounds, A = problem(rng, N=N, d=d, p=d, n_classes=5, R=R)
    moves = trials(rng, A, 300, 0.5, temperature=1e-3)
    slow = numba_.element_sweep(numba_.prepare(X, bounds), A, moves)
    fast = kernels_for("cuda").element_sweep(kernels_for("cuda").prepare(X, bounds, device), A, moves)
    np.testing.assert_array_equal(fast[2], slow[2])
    np.testing.assert_allclose(fast[1], slow[1], rtol=1e-5)


@pytest.mark.parametrize("length", [16, 32, 64])
def test_every_pattern_is_in_one_part_of_its_class(length):
    sizes = np.array([5, 1, 64, 2, 33])
    place, label, (begin, end, part_label) = element_trials_triton.layout(np.append(0, np.cumsum(sizes)), length)
    covered = np.concatenate([np.arange(b, e) for b, e in zip(begin, end, strict=True)])
    np.testing.assert_array_equal(covered, place)
    np.testing.assert_array_equal(label[place], np.repeat(np.arange(5), sizes))
    np.testing.assert_array_equal(label[begin], part_label)
    assert not (begin % element_trials_triton.CHUNK).any()
    assert (end - begin).max() <= length
    assert (label >= 0).sum() == sizes.sum()


def test_who_can_sweep(monkeypatch):
    assert kernels.can_sweep("cpu")
    assert kernels.can_sweep("reference")
    assert not kernels.can_sweep("mps")
    monkeypatch.setattr(kernels, "find_spec", lambda name: None)
    assert not kernels.can_sweep("cuda:1")


def test_the_energy_sweeps_on_a_gpu(device, iris):
    if device != "cuda":
        pytest.skip("needs a CUDA GPU")
    assert hasattr(NCAEnergy().bind(*iris, device="cuda"), "sweep")
