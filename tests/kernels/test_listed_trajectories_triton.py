"""CUDA's energies and trajectories on lists against the definition, on a CUDA GPU or in triton's interpreter."""

import numpy as np
import pytest

from freemetric.energies import Confinement, LogNCAEnergy, NCAEnergy
from freemetric.kernels import can_follow, kernels_for, reference
from freemetric.mc import HamiltonianMove, State, Streams
from freemetric.mc.moves.hamiltonian import leapfrog

from .test_kernels_agree import problem, uneven_weights

pytestmark = pytest.mark.filterwarnings("ignore:Conversion of an array:DeprecationWarning")  # of the interpreter


class Pairs:
    """Listed pairs of one problem, and their energy by the definition as a bound energy."""

    def __init__(self, X, bounds, A, device, n_listed=9, log_floor=1e-6, weights=None):
        from freemetric.kernels.torch.listed_trajectories import ListedPairs

        self.diagonal, self.ridge, torch_ = A.shape[1] == 1, 0.0, kernels_for("cuda")
        self.truth = reference.prepare(
            np.float32(X - X.mean(axis=1, keepdims=True)), bounds, weights=weights, log_floor=log_floor
        )
        self.lists = reference.neighbor_lists(self.truth, A, n_listed, self.diagonal)
        data = torch_.prepare(X, bounds, device, weights)
        lists = torch_.neighbor_lists(data, A, n_listed, self.diagonal)
        self.pairs = ListedPairs(data.X, data.weights, log_floor, A.shape, n_listed).near(lists)

    def evaluate(self, A):
        return self.pairs.evaluate(A, self.diagonal)

    def follow(self, *start):
        return self.pairs.follow(start, self.ridge, self.diagonal)

    def value_and_grad(self, A):
        energy, gradient = reference.energy_and_gradient(self.truth, A, self.lists, self.diagonal)
        return energy + self.ridge * (A**2).sum(axis=(1, 2)), gradient + 2 * self.ridge * A


@pytest.mark.parametrize("log_floor", [0.0, 1e-6])
@pytest.mark.parametrize(("p", "d"), [(1, 5), (3, 5), (5, 5), (20, 40), (1, 40)])
@pytest.mark.parametrize("one_data_set", [True, False])
def test_energy_and_gradient_are_the_reference(device, rng, one_data_set, p, d, log_floor):
    X, bounds, A = problem(rng, d=d, p=p, one_data_set=one_data_set)
    X, weights = np.asfortranarray(X), uneven_weights(rng, X)
    some = Pairs(X, bounds, A / np.sqrt(p), device, log_floor=log_floor, weights=weights)
    some.evaluate(2 * A)  # later calls are recorded
    energy, gradient = some.evaluate(A)
    true_energy, true_gradient = some.value_and_grad(np.float32(A).astype(float))
    np.testing.assert_allclose(energy, true_energy, rtol=1e-5)
    np.testing.assert_allclose(gradient, true_gradient, rtol=0, atol=1e-5 * np.abs(true_gradient).max())


@pytest.mark.parametrize("p", [1, 4])
def test_trajectories_are_those_of_the_reference(device, rng, p):
    X, bounds, A = problem(rng, d=4, p=p)
    some = Pairs(X, bounds, A, device)
    some.ridge = 0.01
    velocity, time_step = 0.1 * rng.standard_normal(A.shape), np.array([0.1, 0.02])
    start = A, some.value_and_grad(A)[1], velocity, time_step, 5
    arrival = some.follow(*start)
    for found, true in zip(arrival, leapfrog(some, *start), strict=True):
        np.testing.assert_allclose(found, true, rtol=1e-4, atol=1e-4 * np.abs(true).max())
    for found, again in zip(arrival, some.follow(*start), strict=True):
        np.testing.assert_array_equal(found, again)


def test_a_lost_map_is_where_it_began(device, rng):
    X, bounds, A = problem(rng, d=4, p=4)
    some, velocity = Pairs(X, bounds, A, device), 0.1 * rng.standard_normal(A.shape)
    for time_step in (1e308, np.inf):
        start = A, some.value_and_grad(A)[1], velocity, np.array([time_step, 0.02]), 3
        with np.errstate(over="ignore", invalid="ignore"):
            arrival = some.follow(*start)
        np.testing.assert_array_equal(arrival[0][0], A[0])
        assert np.isnan(arrival[3][0]).all()
        assert np.isfinite(arrival[3][1]).all()


def test_what_can_be_followed():
    assert not can_follow("cpu", 4, 9, False)
    assert not can_follow("cuda", 4, None, False)


@pytest.mark.parametrize("energy", [NCAEnergy(9), LogNCAEnergy(9) + 0.01 * Confinement()])
def test_a_move_on_the_gpu_is_that_of_the_cpu(device, rng, energy):
    if device != "cuda":
        pytest.skip("needs a CUDA GPU")
    X, y, A = rng.standard_normal((200, 6)), np.arange(200) % 3, np.repeat(np.eye(6)[None], 3, axis=0)
    results = []
    for where in ("reference", "cuda"):
        bound, streams = energy.bind(X, y, device=where), Streams.from_seeds(np.random.SeedSequence(0).spawn(3))
        state = State(A, bound(A))
        results.append(HamiltonianMove().step(streams, bound, state, np.full(3, 1e-3), np.full(3, 0.1)))
    assert hasattr(bound.near(A), "trajectory")
    (true, accepted), (found, accepted_there) = results
    np.testing.assert_array_equal(accepted_there, accepted)
    for one, other in zip(found[:3], true[:3], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4 * np.abs(other).max())


@pytest.mark.parametrize("factor", [1.0, 3.0])
def test_a_multiple_of_a_sum_follows_its_first_term(rng, factor):
    """E + ridge |A|^2 by a term that follows trajectories, against leapfrog of the sum."""
    from freemetric.energies.base import BoundConfinement, BoundSum

    class Well:
        def __init__(self, ridge=0.0):
            self.strength = ridge

        def value_and_grad(self, A):
            return np.cos(A).sum(axis=(1, 2)) + self.strength * (A**2).sum(axis=(1, 2)), -np.sin(
                A
            ) + 2 * self.strength * A

        def trajectory(self, *start):
            return leapfrog(Well(start[-1]), *start[:-1])

    A, velocity = rng.standard_normal((2, 2, 3, 3))
    bound = BoundSum([Well(), BoundSum([BoundConfinement()], 0.2)], factor)
    start = A, bound.value_and_grad(A)[1], velocity, np.array([0.1, 0.2]), 4
    for found, true in zip(bound.trajectory(*start), leapfrog(bound, *start), strict=True):
        np.testing.assert_allclose(found, true, rtol=1e-12)
