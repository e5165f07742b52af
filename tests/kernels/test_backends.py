"""Every backend against the definition in plain numpy."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from freemetric.kernels import (
    Loss,
    Similarity,
    devices,
    kernels_for,
    one_blas_thread,
    reference,
)
from freemetric.kernels.numba import all_pairs

COSTS = [
    Similarity("class"),
    Similarity("class", 1e-6),
    Similarity("target", 1e-6),
    Similarity("labels"),
    *map(Loss, ("squared", "log_likelihood", "absolute")),
    Loss("pinball", 0.3),
]


@pytest.fixture(params=["numba", "torch"])
def kernels(request):
    if request.param == "torch":
        pytest.importorskip("torch", reason="the GPU kernels need torch")
        return kernels_for("cuda")  # they run on the CPU as well
    return kernels_for("cpu")


def targets(rng, cost, B, N):
    """What such a cost wants to know of B data sets of N samples."""
    if isinstance(cost, Loss):
        y = rng.standard_normal((B, 2, N))
        y -= y.mean(axis=2, keepdims=True)
        return y / y.std(axis=2, keepdims=True)
    if cost.kind == "class":
        return rng.integers(3, size=(1, N))
    if cost.kind == "target":
        return rng.standard_normal((B, N))
    return rng.integers(2, size=(1, N, 3))


def both(kernels, X, y, cost, A, weights=None, size=None, diagonal=False):
    """Energies and gradients of the definition and of a backend."""
    found = []
    for backend, device in ((reference, "reference"), (kernels, "cpu")):
        data = backend.prepare(X, y, cost, device, weights)
        lists = size and backend.neighbor_lists(data, A, size, diagonal)
        values, gradient = backend.energy_and_gradient(data, A, lists, diagonal)
        again = backend.energy(data, A, lists, diagonal)
        np.testing.assert_allclose(again, values, rtol=1e-6)
        found.append((values, gradient))
    return found


def assert_same(found, rtol=1e-5, gradient_tolerance=1e-4):
    (true_values, true_gradient), (values, gradient) = found
    np.testing.assert_allclose(values, true_values, rtol=rtol, atol=1e-7)
    atol = gradient_tolerance * np.abs(true_gradient).max() + 1e-9
    np.testing.assert_allclose(gradient, true_gradient, atol=atol)


@pytest.mark.parametrize("size", [None, 7], ids=["all pairs", "lists"])
@pytest.mark.parametrize("diagonal", [False, True], ids=["maps", "weights"])
@pytest.mark.parametrize("cost", COSTS, ids=str)
def test_energy_and_gradient_are_the_reference(kernels, rng, cost, diagonal, size):
    B, N, d, p = 3, 61, 5, 3
    X, y = rng.random((B, N, d)), targets(rng, cost, B, N)
    weights = 10 ** rng.uniform(-2, 1, (B, N))
    A = 3 * rng.standard_normal((B, 1 if diagonal else p, d))
    assert_same(both(kernels, X, y, cost, A, None, size, diagonal))
    assert_same(both(kernels, X, y, cost, A, weights, size, diagonal))
    assert_same(both(kernels, X[:1], y[:1], cost, A, weights[:1], size, diagonal))


@pytest.mark.parametrize("size", [None, 5], ids=["all pairs", "lists"])
@pytest.mark.parametrize("scale", [1e-3, 10.0, 1e3])
def test_maps_of_any_size(kernels, rng, scale, size):
    X, y = rng.random((2, 97, 4)), rng.integers(3, size=(1, 97))
    A = scale * rng.standard_normal((2, 4, 4))
    # float32 knows a squared distance to 1e-7 of the largest: at scale 1000 that is 0.1
    # in an exponent
    tolerance = 1e-4 if scale <= 10 else 0.3
    rtol = 1e-5 if scale <= 10 else 1e-3
    found = both(kernels, X, y, Similarity("class"), A, None, size)
    assert_same(found, rtol, tolerance)


@pytest.mark.parametrize("N", [2, 3, 255, 256, 257, 700])
@pytest.mark.parametrize("cost", [COSTS[0], COSTS[5]], ids=str)
def test_any_number_of_samples(kernels, rng, N, cost):
    X, A = rng.random((1, N, 4)), rng.standard_normal((2, 2, 4))
    assert_same(both(kernels, X, targets(rng, cost, 1, N), cost, A))


def test_far_from_the_origin_and_with_copies(kernels, rng):
    X = rng.random((2, 60, 4))
    X[:, 1::2] = X[:, ::2]
    y, A = rng.integers(3, size=(1, 60)), rng.standard_normal((2, 4, 4))
    assert_same(both(kernels, X + 1e4, y, Similarity("class"), A))


def test_samples_that_are_surely_right(kernels, rng):
    """Energies of 1e-6 keep their digits."""
    y = np.repeat([0, 1], 20)
    X = 0.1 * rng.random((1, 40, 2)) + np.array([[0, 0], [3.6, 0]])[y]
    found = both(kernels, X, y[None], Similarity("class"), np.eye(2)[None])
    assert found[0][0] < 1e-4
    assert_same(found, gradient_tolerance=1e-3)


@pytest.mark.parametrize("cost", COSTS, ids=str)
def test_blocks_of_rows_change_nothing(rng, monkeypatch, cost):
    kernels = kernels_for("cpu")
    X, A = rng.random((1, 90, 4)), rng.standard_normal((1, 4, 4))
    data = kernels.prepare(X, targets(rng, cost, 1, 90), cost, "cpu")
    energy, gradient = kernels.energy_and_gradient(data, A)
    monkeypatch.setattr(all_pairs, "BLOCK", 700)  # seven rows at a time
    in_blocks = kernels.energy_and_gradient(data, A)
    np.testing.assert_allclose(in_blocks[0], energy, rtol=1e-6)
    atol = 1e-5 * np.abs(gradient).max()
    np.testing.assert_allclose(in_blocks[1], gradient, atol=atol)


@pytest.mark.parametrize("cost", COSTS, ids=str)
def test_torch_in_blocks_is_the_reference(rng, monkeypatch, cost):
    pytest.importorskip("torch", reason="the GPU kernels need torch")
    kernels = kernels_for("cuda")
    monkeypatch.setattr(kernels, "BLOCK_BYTES", 10_000)
    X, A = rng.random((2, 50, 4)), rng.standard_normal((2, 4, 4))
    y = targets(rng, cost, 2, 50)
    for size in (None, 6):
        assert_same(both(kernels, X, y, cost, A, None, size))


@pytest.mark.parametrize("size", [None, 6], ids=["all pairs", "lists"])
def test_replicas_do_not_know_each_other(rng, size):
    kernels, cost = kernels_for("cpu"), Similarity("class", 1e-6)
    X, y = rng.random((5, 70, 4)), rng.integers(3, size=(1, 70))
    A = rng.standard_normal((5, 4, 4))

    def found(some):
        data = kernels.prepare(X[some], y, cost, "cpu")
        lists = size and kernels.neighbor_lists(data, A[some], size)
        return kernels.energy_and_gradient(data, A[some], lists)

    together = found(slice(None))
    for r in range(5):
        alone = found(slice(r, r + 1))
        np.testing.assert_array_equal(alone[0][0], together[0][r])
        np.testing.assert_array_equal(alone[1][0], together[1][r])


def test_the_gradient_is_the_slope_of_the_energy_of_thousands_of_samples(rng):
    kernels, N = kernels_for("cpu"), 4300
    y = rng.integers(3, size=(1, N))
    X = rng.random((1, N, 2)) + 0.3 * np.eye(3, 2)[y]
    data = kernels.prepare(X, y, Similarity("class"), "cpu")
    A = 3 * rng.standard_normal((1, 2, 2))
    _, gradient = kernels.energy_and_gradient(data, A)
    step = 1e-3 * gradient / np.linalg.norm(gradient)
    ahead, behind = (kernels.energy(data, A + s * step)[0] for s in (1, -1))
    slope = 2e-3 * np.linalg.norm(gradient)
    assert ahead - behind == pytest.approx(slope, rel=1e-2)


def test_log_partition_is_the_formula(rng):
    X, A = rng.standard_normal((70, 5)), 0.7 * rng.standard_normal((3, 5))
    counted = (np.arange(70) % 3 > 0).astype(np.float32)

    def value(A):
        Z = X @ A.T
        D = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
        np.fill_diagonal(D, np.inf)
        return counted @ np.log(np.exp(-D).sum(axis=1)) / 70

    gradient = np.empty((3, 5), np.float32)
    single = [part.astype(np.float32) for part in (X, A)]
    found = kernels_for("cpu").log_partition(*single, counted, 0, gradient)
    assert found == pytest.approx(value(A), rel=1e-5)
    for place in np.ndindex(3, 5):
        step = np.zeros((3, 5))
        step[place] = 1e-5
        slope = (value(A + step) - value(A - step)) / 2e-5
        assert gradient[place] == pytest.approx(slope, rel=1e-3, abs=1e-4)


def test_unknown_device_is_named():
    with pytest.raises(ValueError, match="Unknown device 'tpu'; known devices: 'cpu'"):
        kernels_for("tpu")


def test_missing_torch_is_named(monkeypatch):
    monkeypatch.setattr(devices, "find_spec", lambda name: None)
    devices._backend.cache_clear()
    with pytest.raises(ImportError, match=r"pip install torch \(extra 'gpu'\)"):
        kernels_for("cuda")


def test_missing_gpu_is_named():
    torch = pytest.importorskip("torch", reason="needs torch")
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    X, y = np.zeros((1, 2, 1)), np.array([[0, 1]])
    with pytest.raises(ValueError, match="torch finds no device 'cuda'"):
        kernels_for("cuda").prepare(X, y, Similarity("class"), "cuda")


def test_blas_has_one_thread_until_the_outermost_block_ends():
    def n_threads():
        found = threadpool_info()
        return {lib["num_threads"] for lib in found if lib["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        before = n_threads()
        with one_blas_thread():
            with one_blas_thread():
                assert n_threads() == {1}
            assert n_threads() == {1}
        assert n_threads() == before
