"""CUDA's energy and gradient against the definition, on a CUDA GPU or, small problems only, in triton's interpreter."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from freemetric.kernels import kernels_for, reference

from .test_kernels_agree import problem, uneven_weights

pytest.importorskip("torch", reason="the GPU kernels need torch")
torch_ = kernels_for("cuda")
pytestmark = [  # of the interpreter: it makes numbers of arrays of one, and warns where a GPU says inf
    pytest.mark.filterwarnings("ignore:Conversion of an array:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:divide by zero encountered in log2:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:overflow encountered in exp2:RuntimeWarning"),
]


def prepared(X, bounds, device, weights=None, log_floor=0.0):
    from freemetric.kernels.torch.soft_neighbors import Pairs

    data = torch_.prepare(X, bounds, device, weights, log_floor)
    return data._replace(pairs=Pairs(data.X, data.weights, data.bounds))


def assert_is_the_reference(X, bounds, A, device, weights=None, log_floor=0.0, tolerance=1e-5):
    energy, gradient = torch_.energy_and_gradient(prepared(X, bounds, device, weights, log_floor), A)
    single = np.float32(X - X.mean(axis=1, keepdims=True)).astype(float)  # not the rounding of X is tested
    truth = reference.prepare(single, bounds, weights=weights, log_floor=log_floor)
    true_energy, true_gradient = reference.energy_and_gradient(truth, np.float32(A).astype(float))
    np.testing.assert_allclose(energy, true_energy, rtol=tolerance, atol=1e-12)
    scale = np.linalg.norm(true_gradient, axis=(1, 2)).max()
    np.testing.assert_allclose(gradient, true_gradient, rtol=0, atol=tolerance * scale + 1e-12)


@pytest.mark.parametrize("log_floor", [0.0, 1e-6])
@pytest.mark.parametrize("one_data_set", [True, False])
@pytest.mark.parametrize("N", [2, 97, 128, 129, 300])
def test_energy_and_gradient_are_the_reference(device, rng, N, one_data_set, log_floor):
    X, bounds, A = problem(rng, N=N, n_classes=1 if N < 4 else 3, one_data_set=one_data_set)
    assert_is_the_reference(X, bounds, A, device, log_floor=log_floor)


@pytest.mark.parametrize("p", [1, 2, 16, 17, 40, 70, 130, 256, 300])
def test_maps_of_any_number_of_rows(device, rng, p):
    X, bounds, A = problem(rng, N=150, d=6, p=p, R=1)
    assert_is_the_reference(X, bounds, A / np.sqrt(p), device)


@pytest.mark.parametrize("log_floor", [0.0, 1e-6])
@pytest.mark.parametrize("one_data_set", [True, False])
def test_weights(device, rng, one_data_set, log_floor):
    X, bounds, A = problem(rng, N=200, R=3, one_data_set=one_data_set)
    assert_is_the_reference(X, bounds, A, device, uneven_weights(rng, X), log_floor)


@pytest.mark.parametrize("log_floor", [0.0, 1e-3])
def test_finite_differences(device, rng, log_floor):
    X, bounds, A = problem(rng, N=60, R=1)
    data = prepared(X, bounds, device, log_floor=log_floor)
    truth = reference.prepare(X, bounds, log_floor=log_floor)
    slopes = approx_fprime(A.ravel(), lambda a: reference.energy(truth, a.reshape(A.shape))[0], 1e-7)
    gradient = torch_.energy_and_gradient(data, A)[1]
    np.testing.assert_allclose(gradient.ravel(), slopes, atol=1e-5 * np.abs(slopes).max())


def test_one_class_has_no_energy(device, rng):
    X, _, A = problem(rng, N=140)
    energy, gradient = torch_.energy_and_gradient(prepared(X, np.array([0, 140]), device), A)
    np.testing.assert_array_equal(energy, 0)
    np.testing.assert_array_equal(gradient, 0)


def test_every_pattern_a_class(device, rng):
    X, _, A = problem(rng, N=70)
    energy, gradient = torch_.energy_and_gradient(prepared(X, np.arange(71), device), A)
    np.testing.assert_allclose(energy, 1, rtol=1e-6)
    np.testing.assert_array_equal(gradient, 0)


def test_many_small_classes(device, rng):
    X, bounds, A = problem(rng, N=270, n_classes=40)
    assert_is_the_reference(X, bounds, A, device)


def test_coincident_rows(device, rng):
    X, bounds, A = problem(rng, N=100)
    X[:, 10:40] = X[:, 10:11]
    X[:, 95:] = X[:, 20:21]  # in another class
    assert_is_the_reference(X, bounds, A, device)


def test_a_map_to_one_point(device, rng):
    X, bounds, A = problem(rng, N=100)
    assert_is_the_reference(X, bounds, 0 * A, device)


def test_far_groups_neither_overflow_nor_vanish(device, rng):
    X, bounds, _ = problem(rng, N=130, d=3)
    X += rng.choice([0, 100], X.shape)  # squared distances of 1e4 and more beside those of 1
    assert_is_the_reference(X, bounds, np.array([np.eye(3), 0.5 * np.eye(3)]), device, tolerance=3e-3)


def test_one_outlier_leaves_the_others_their_digits(device, rng):
    X, bounds, A = problem(rng, N=130)
    X -= X.mean(axis=1, keepdims=True)
    X[:, 0] = 1e4
    energy = torch_.energy(prepared(X, bounds, device), A)
    centred = np.float32(X - X.mean(axis=1, keepdims=True)).astype(float)
    np.testing.assert_allclose(energy, reference.energy(reference.prepare(centred, bounds), A), rtol=3e-2)


def test_every_call_gives_the_same(device, rng):
    X, bounds, A = problem(rng, N=200, R=3)
    data = prepared(X, bounds, device)
    first = torch_.energy_and_gradient(data, A)
    for _ in range(3):  # at once, then recorded as a graph, then from it
        torch_.energy_and_gradient(data, 2 * A)
        again = torch_.energy_and_gradient(data, A)
        np.testing.assert_array_equal(again[0], first[0])
        np.testing.assert_array_equal(again[1], first[1])
        np.testing.assert_array_equal(torch_.energy(data, A), first[0])


def test_graphs_are_not_kept_for_ever(device, rng):
    from freemetric.kernels.torch.soft_neighbors import MOST_GRAPHS

    X, bounds, A = problem(rng, N=40, R=1)
    data = prepared(X, bounds, device)
    for log_floor in np.linspace(0, 1e-3, MOST_GRAPHS + 2):
        data = data._replace(log_floor=log_floor)
        assert torch_.energy(data, A) == torch_.energy(data, A)
    assert len(data.pairs.graphs) <= MOST_GRAPHS


@pytest.mark.parametrize(("N", "p", "R"), [(3001, 30, 1), (1000, 30, 3), (2000, 100, 1)])
def test_larger_problems(device, rng, N, p, R):
    if device != "cuda":
        pytest.skip("needs a CUDA GPU")
    X, bounds, A = problem(rng, N=N, d=p, p=p, R=R)
    assert_is_the_reference(X, bounds, 3 * A / np.sqrt(p), device)


def test_memory_is_flat_in_the_pairs(device, rng):
    import torch

    if device != "cuda":
        pytest.skip("needs a CUDA GPU")
    N, p = 20_000, 30
    X, bounds, A = problem(rng, N=N, d=p, p=p, R=1)
    data = torch_.prepare(X, bounds, device)
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    torch_.energy_and_gradient(data, A)
    assert torch.cuda.max_memory_allocated() - before < 2048 * N  # bytes; all pairs would take 80,000 N
