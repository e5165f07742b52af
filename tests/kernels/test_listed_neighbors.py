"""Energies on lists of neighbours: all backends against the reference, and that against finite differences."""

import numpy as np
import pytest

from freemetric.energies import Diagonal, LogNCAEnergy, NCAEnergy
from freemetric.kernels import kernels_for, reference
from freemetric.kernels.numba import backend as numba_
from freemetric.mc import HamiltonianMove, State


@pytest.fixture(params=["numba", "torch"])
def kernels(request):
    if request.param == "torch":
        pytest.importorskip("torch", reason="the GPU kernels need torch")
        return kernels_for("cuda")
    return numba_


@pytest.fixture
def problem(rng):
    """Stacks of two data sets of three classes, weights, and two maps."""
    X, bounds = rng.standard_normal((2, 60, 5)), np.array([0, 10, 35, 60])
    return X, bounds, rng.uniform(0.5, 2, (2, 60)), 0.7 * rng.standard_normal((2, 3, 5))


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("log_floor", [0.0, 1e-6])
def test_backends_agree(kernels, log_floor, diagonal, problem):
    X, bounds, weights, A = problem
    A = A[:, :1] if diagonal else A
    results = []
    for module, where in ((reference, "reference"), (kernels, "cpu")):
        data = module.prepare(X, bounds, where, weights, log_floor)
        lists = module.neighbor_lists(data, A, 7, diagonal)
        energy, gradient = module.energy_and_gradient(data, 1.1 * A, lists, diagonal)
        np.testing.assert_allclose(module.energy(data, 1.1 * A, lists, diagonal), energy, rtol=1e-6)
        results.append((energy, gradient))
    (E0, g0), (E1, g1) = results
    assert g0.shape == A.shape
    np.testing.assert_allclose(E1, E0, rtol=1e-5)
    np.testing.assert_allclose(g1, g0, atol=1e-5 * np.abs(g0).max())


@pytest.mark.parametrize("log_floor", [0.0, 1e-6])
def test_a_map_of_one_element(kernels, log_floor, rng):
    """A gradient of one number is a gradient, which an empty one is not."""
    X, bounds, A = rng.random((1, 20, 1)), np.array([0, 8, 20]), np.array([[[3.0]]])
    (E0, g0), (E1, g1) = (
        module.energy_and_gradient(data, A, module.neighbor_lists(data, A, 5))
        for module, data in (
            (reference, reference.prepare(X, bounds, log_floor=log_floor)),
            (kernels, kernels.prepare(X, bounds, "cpu", log_floor=log_floor)),
        )
    )
    np.testing.assert_allclose(E1, E0, rtol=1e-5)
    np.testing.assert_allclose(g1, g0, rtol=1e-4)


@pytest.mark.parametrize("log_floor", [0.0, 1e-6])
def test_the_reference_by_finite_differences(log_floor, problem, rng):
    X, bounds, weights, A = problem
    data = reference.prepare(X, bounds, "reference", weights, log_floor)
    lists = reference.neighbor_lists(data, A, 7)
    D, h = rng.standard_normal(A.shape), 1e-6
    up, down = (reference.energy(data, A + s * h * D, lists) for s in (1, -1))
    _, gradient = reference.energy_and_gradient(data, A, lists)
    np.testing.assert_allclose((gradient * D).sum(axis=(1, 2)), (up - down) / (2 * h), rtol=1e-6)


def test_lists_hold_the_nearest_others(problem):
    X, bounds, _, A = problem
    lists = numba_.neighbor_lists(numba_.prepare(X, bounds), A, 7)
    for r in range(2):
        Z = X[r] @ A[r].T
        D = ((Z[:, None] - Z) ** 2).sum(axis=2)
        np.fill_diagonal(D, np.inf)
        listed = np.take_along_axis(D, lists.rows[r], axis=1)
        np.testing.assert_allclose(np.sort(listed, axis=1), np.sort(D, axis=1)[:, :7], rtol=1e-4)


def test_lists_of_maps_that_have_not_changed_are_used_again(problem):
    X, bounds, _, A = problem
    data, B = numba_.prepare(X, bounds), A.copy()
    last = A, numba_.neighbor_lists(data, A, 7)
    B[1] *= [[1.0], [2.0], [0.5]]
    again, anew = numba_.neighbor_lists(data, B, 7, last=last), numba_.neighbor_lists(data, B, 7)
    for one, other in zip(again, anew, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(last[1].rows, numba_.neighbor_lists(data, A, 7).rows)


def test_of_equal_patterns_none_is_its_own_neighbour():
    lists = numba_.neighbor_lists(numba_.prepare(np.zeros((1, 50, 2)), np.array([0, 25, 50])), np.eye(2)[None], 4)
    assert not (lists.rows[0] == np.arange(50)[:, None]).any()


@pytest.mark.parametrize("energy", [NCAEnergy, LogNCAEnergy])
def test_with_all_others_on_the_list_it_is_the_energy_itself(energy, rng):
    X, y, A = rng.standard_normal((40, 4)), np.arange(40) % 3, rng.standard_normal((2, 4, 4))
    whole, listed = energy().bind(X, y), energy(n_neighbors=39).bind(X, y)
    np.testing.assert_array_equal(whole(A), listed(A))
    almost = energy(n_neighbors=38).bind(X, y)
    np.testing.assert_allclose(almost(0.1 * A), whole(0.1 * A), atol=0.05)
    w = rng.random((2, 1, 4))
    matrices = w * np.eye(4)
    few = energy(n_neighbors=10)
    np.testing.assert_allclose(Diagonal(few).bind(X, y)(w), few.bind(X, y)(matrices), rtol=1e-5)
    for value in (0, -3, 2.5, "many"):
        with pytest.raises(ValueError, match="n_neighbors of an energy is None or a positive integer"):
            energy(n_neighbors=value).bind(X, y)


def test_a_trajectory_keeps_the_lists_of_its_start(rng):
    X, y, A = rng.standard_normal((80, 3)), np.arange(80) % 2, np.eye(3)[None]
    bound = LogNCAEnergy(n_neighbors=5).bind(X, y)
    around, far = bound.near(A), 3 * rng.standard_normal((1, 3, 3))
    np.testing.assert_array_equal(around(A), bound(A))
    assert around(far) != bound(far)  # other neighbours are near under the other map
    moved, accepted = HamiltonianMove().step(rng, bound, State(A, bound(A)), np.array([1e-2]), np.array([1e-4]))
    assert accepted[0] == 1.0
    np.testing.assert_allclose(moved.energy, around(moved.A), rtol=1e-6)


def test_trajectories_of_a_step_share_its_lists(rng, monkeypatch):
    X, y, A = rng.standard_normal((80, 3)), np.arange(80) % 2, np.repeat(np.eye(3)[None], 2, axis=0)
    bound, made = LogNCAEnergy(n_neighbors=5).bind(X, y), []
    lists_of = numba_.neighbor_lists

    def counted(*args):
        made.append(args)
        return lists_of(*args)

    monkeypatch.setattr(numba_, "neighbor_lists", counted)
    T, step, start = np.full(2, 1e-2), np.full(2, 1e-4), State(A, bound(A))
    made.clear()
    moved, accepted = HamiltonianMove(n_trajectories=3).step(rng, bound, start, T, step)
    np.testing.assert_array_equal(accepted, 1.0)
    assert not made  # those of the start are known
    np.testing.assert_allclose(moved.energy, bound.near(A)(moved.A), rtol=1e-6)
    HamiltonianMove(n_trajectories=3).step(rng, bound, moved, T, step)
    assert len(made) == 1
    walks = [
        HamiltonianMove(1e-4, n_trajectories=n).step(np.random.default_rng(0), bound, start, T, step)[0] for n in (1, 2)
    ]
    assert (walks[0].A != walks[1].A).all()
    refused = HamiltonianMove(n_trajectories=4).step(rng, bound, start, T, np.full(2, 1e4))
    np.testing.assert_array_equal(refused[1], 0.0)
    np.testing.assert_array_equal(refused[0].A, A)
