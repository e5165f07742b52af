"""Sweeps of element trials make the decisions of the definition."""

import numpy as np
import pytest

from freemetric.kernels import Loss, Similarity, Trials, cpu_kernels, reference


@pytest.fixture(params=["numba", "torch"])
def kernels(request):
    if request.param == "numba":
        return cpu_kernels()
    pytest.importorskip("torch", reason="the GPU kernels need torch")
    from freemetric.kernels.torch import backend

    return backend


def problem(rng, N, scale=1.0, R=2, d=5, p=3):
    """Samples in float32, as kernels see them: what rounding does to X is not the
    question.
    """
    y = rng.integers(3, size=N)
    X = rng.random((R, N, d)) + 0.3 * np.eye(3, d)[y]
    X = scale * (X - X.mean(axis=1, keepdims=True))
    return np.float32(X).astype(float), y[None], rng.standard_normal((R, p, d))


def trials(rng, A, n, step, temperature):
    R, p, d = A.shape
    return Trials(
        rng.integers(p, size=(R, n)),
        rng.integers(d, size=(R, n)),
        rng.uniform(-step, step, (R, n)),
        temperature * rng.standard_exponential((R, n)),
    )


@pytest.mark.parametrize("log_floor", [0.0, 1e-6])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("N", "scale", "step"),
    [
        (5, 1, 3),
        (22, 30, 3),
        (97, 1e-3, 30),
        (97, 1, 0.01),
        (97, 1, 30),
        (97, 1e3, 0.01),
    ],
)
def test_decisions_are_those_of_the_reference(
    kernels, rng, N, scale, step, weighted, log_floor
):
    X, y, A = problem(rng, N, scale)
    w = 10 ** rng.uniform(-2, 1, X.shape[:2]) if weighted else None
    cost, moves = Similarity("class", log_floor), trials(rng, A, 100, step, 0.03)
    data = kernels.prepare(X, y, cost, device="cpu", weights=w)
    fast = kernels.element_sweep(data, A, moves, ridge=1e-4)
    data = reference.prepare(X, y, cost, weights=w)
    true = reference.element_sweep(data, A, moves, ridge=1e-4)
    np.testing.assert_array_equal(fast[2], true[2])
    np.testing.assert_allclose(fast[0], true[0], rtol=1e-12)
    np.testing.assert_allclose(fast[1], true[1], rtol=1e-4)


def test_ten_thousand_trials_do_not_drift(rng):
    X, y, A = problem(rng, N=60, R=1)
    cost, moves = Similarity("class"), trials(rng, A, 10_000, 0.3, 0.1)
    data = cpu_kernels().prepare(X, y, cost)
    A, energy, accepted = cpu_kernels().element_sweep(data, A, moves)
    assert accepted.sum() > 5_000
    truth = reference.energy(reference.prepare(X, y, cost), A)
    np.testing.assert_allclose(energy, truth, rtol=1e-5)


def test_only_classes_of_few_samples_are_swept(rng):
    kernels = cpu_kernels()
    X, y, _ = problem(rng, N=20)
    assert kernels.can_sweep(kernels.prepare(X, y, Similarity("class")))
    targets = rng.standard_normal((2, 1, 20))
    assert not kernels.can_sweep(kernels.prepare(X, targets, Loss("squared")))
    many = np.zeros((1, kernels.MOST_SWEPT + 1, 1))
    data = kernels.prepare(many, np.zeros(many.shape[:2], int), Similarity("class"))
    assert not kernels.can_sweep(data)
