"""Samplers are right when they sample the right distribution: statistics against closed
forms.
"""

import numpy as np
import pytest

from freemetric.energies import Confinement, NCAEnergy
from freemetric.mc import (
    Annealing,
    Constant,
    ElementMove,
    HamiltonianMove,
    MatrixMove,
    ParallelTempering,
    PenaltyMove,
    PersistentMove,
    State,
    Streams,
    StretchRotateMove,
)
from freemetric.mc.moves.hamiltonian import leapfrog

MOVES = [
    ElementMove(1.0),
    MatrixMove(1.0, n_moves=3),
    StretchRotateMove(0.5),
    HamiltonianMove(),
    HamiltonianMove(0.7, n_leapfrog=3, jitter=0.5),
    HamiltonianMove("single", caution=0.5, n_trajectories=2, gain=1.0),
    PersistentMove(),
    PersistentMove(0.7, n_leapfrog=3, friction=0.5),
]


class Well:
    """E = sum k A^2 / 2: a harmonic well, in which every element has variance T / k and
    <E> = n T / 2.
    """

    def __init__(self, stiffness=1.0):
        self.stiffness = stiffness

    def __call__(self, A):
        return (self.stiffness * A**2).sum(axis=(1, 2)) / 2

    def value_and_grad(self, A):
        return self(A), self.stiffness * A


def streams(n):
    return Streams.from_seeds(np.random.SeedSequence(0).spawn(n))


def energies_after_burn_in(sampler, energy, A, seed=0):
    run = sampler.iterate(np.random.default_rng(seed), energy, A)
    return np.array([state.energy for state, info in run if not info.adapting])


def mean_and_error(energies):
    """Mean over everything and its standard error, from the spread of independent
    replicas.
    """
    replicas = energies.mean(axis=0)
    return replicas.mean(), replicas.std(ddof=1) / np.sqrt(len(replicas))


@pytest.mark.parametrize(
    "temperature", [pytest.param(0.1, marks=pytest.mark.slow), 2.0]
)
@pytest.mark.parametrize(
    "move", [*MOVES, PenaltyMove(MatrixMove(1.0, n_moves=3))], ids=repr
)
def test_every_move_samples_a_normal_distribution(move, temperature, rng):
    n_steps, most = (300, 0.03) if temperature == 0.1 else (120, 0.04)
    A = rng.standard_normal((200, 1, 2))
    sampler = Annealing(Constant(temperature), move, n_steps=n_steps, burn_in=0.3)
    energies = energies_after_burn_in(sampler, Well(), A)
    mean, error = mean_and_error(energies)
    assert error < most * temperature
    assert mean == pytest.approx(temperature, abs=4 * error)  # n T / 2 with n = 2
    # E is exponentially distributed: its standard deviation is T too
    assert energies.std() == pytest.approx(temperature, rel=0.05)


def test_a_map_of_one_number_is_stretched_alone(rng):
    move = StretchRotateMove(0.5)
    sampler = Annealing(Constant(2.0), move, n_steps=200, burn_in=0.3)
    A = rng.standard_normal((200, 1, 1))
    mean, error = mean_and_error(energies_after_burn_in(sampler, Well(1.0), A))
    assert error < 0.1
    assert mean == pytest.approx(1.0, abs=4 * error)  # T / 2


@pytest.mark.parametrize(
    "move",
    [ElementMove(1.0), pytest.param(HamiltonianMove(), marks=pytest.mark.slow)],
    ids=repr,
)
def test_tempering_keeps_every_temperature_in_balance(move):
    temperatures = np.array([0.1, 0.3, 1.0])
    sampler = ParallelTempering(temperatures, move, n_steps=200, burn_in=0.3)
    A = np.zeros((3, 1, 2))
    runs = [energies_after_burn_in(sampler, Well(), A, seed) for seed in range(30)]
    means = np.mean(runs, axis=1)
    error = means.std(axis=0, ddof=1) / np.sqrt(len(means))
    np.testing.assert_array_less(error, 0.06 * temperatures)
    np.testing.assert_array_less(np.abs(means.mean(axis=0) - temperatures), 4 * error)


@pytest.mark.slow
def test_tempering_leaves_a_valley_that_annealing_cannot():
    def two_valleys(A):  # minima at -1 and +1, a barrier of height 1 between them
        return (A[:, 0, 0] ** 2 - 1) ** 2

    def walk(sampler, seed):
        rng, start = np.random.default_rng(seed), np.ones((4, 1, 1))
        return np.array(
            [s.A[:, 0, 0] for s, _ in sampler.iterate(rng, two_valleys, start)]
        )

    move = ElementMove(0.3, target_acceptance=None)
    assert walk(Annealing(Constant(0.02), move, n_steps=2000), 0).min() > 0
    tempered = ParallelTempering((0.02, 0.07, 0.25, 0.9), move, n_steps=2000)
    visited = [np.mean(walk(tempered, seed)[:, 0] > 0) for seed in range(6)]
    error = np.std(visited, ddof=1) / np.sqrt(6)
    assert np.mean(visited) == pytest.approx(0.5, abs=4 * error)
    assert error < 0.12


QUENCHES = [*MOVES, HamiltonianMove(n_leapfrog=2), PersistentMove(n_leapfrog=2)]


@pytest.mark.parametrize("move", QUENCHES, ids=repr)
def test_a_quench_never_rises_and_finds_the_bottom(move, rng):
    A, well = 1 + rng.random((5, 1, 2)), Well(np.array([1.0, 9.0]))
    sampler = Annealing(Constant(0.0), move, n_steps=300)
    energies = np.array([state.energy for state, _ in sampler.iterate(rng, well, A)])
    assert (np.diff(np.vstack([well(A), energies]), axis=0) <= 0).all()
    assert energies[-1].max() < 0.02


@pytest.mark.slow
def test_step_sizes_reach_the_wanted_acceptance_and_freeze(iris):
    energy = (NCAEnergy() + 1e-4 * Confinement()).bind(*iris)
    for move, wanted in ((ElementMove(5.0), 0.3), (HamiltonianMove(1.0), 0.65)):
        run = Annealing(Constant(1e-3), move, n_steps=150, burn_in=0.6).iterate(
            np.random.default_rng(0), energy, np.eye(4)[None].repeat(4, axis=0)
        )
        acceptance = np.mean([info.acceptance for _, info in run if not info.adapting])
        assert acceptance == pytest.approx(wanted, abs=0.12)


def test_caution_bounds_the_first_time_step():
    A = np.full((3, 2, 2), 4.0)
    state, T = State(A, Well()(A)), np.full(3, 0.01)

    def first_step(**parameters):
        return HamiltonianMove(**parameters).start(streams(3), Well(), state, T)

    single, bold = first_step(n_leapfrog=1), first_step()
    careful = first_step(caution=0.01)
    # so short that a whole trajectory is accepted at once; of the longest step that
    # was, or the shortest that was not
    assert np.isin((100 * careful / single).round(6), (1.0, 2.0)).all()
    halvings = np.log2(single / bold)
    np.testing.assert_allclose(halvings, halvings.round())
    assert (halvings >= 0).all()
    # "single" tries no trajectory, whatever its length: twice the longest leap whose
    # error is small enough
    leap = first_step(step_size="single")
    far = first_step(step_size="single", n_leapfrog=50)
    np.testing.assert_array_equal(far, leap)
    half = first_step(step_size="single", caution=0.5)
    np.testing.assert_array_equal(half, leap / 2)
    velocity = 0.1 * streams(3).standard_normal(A.shape)  # of variance T
    for step, is_small in ((leap, False), (half, True)):
        _, E, _, v = leapfrog(Well(), A, A, velocity, step, 1)
        rise = E - state.energy + (v**2 - velocity**2).sum(axis=(1, 2)) / 2
        np.testing.assert_array_equal(rise <= T * np.log(2), is_small)


COUNT = "of HamiltonianMove is a positive integer; got"
SIZE = "step_size of HamiltonianMove is a number, 'auto' or 'single'; got"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_trajectories": 0}, f"n_trajectories {COUNT} 0"),
        ({"n_trajectories": 1.5}, f"n_trajectories {COUNT} 1.5"),
        ({"n_leapfrog": -1}, f"n_leapfrog {COUNT} -1"),
        ({"n_leapfrog": "5"}, f"n_leapfrog {COUNT} '5'"),
        ({"step_size": "fast"}, f"{SIZE} 'fast'"),
        ({"step_size": "AUTO"}, f"{SIZE} 'AUTO'"),
    ],
)
def test_what_a_trajectory_cannot_be(options, said, rng):
    sampler = Annealing(Constant(1.0), HamiltonianMove(**options), n_steps=2)
    with pytest.raises(ValueError, match=said) as caught:
        list(sampler.iterate(rng, Well(), np.ones((1, 1, 2))))
    assert "\n" not in str(caught.value)


def test_a_larger_gain_adapts_faster():
    scale, refused = np.ones(2), np.array([0.0, 1.0])
    for move, gain in ((HamiltonianMove(gain=1.0), 1.0), (HamiltonianMove(), 0.15)):
        adapted = move.adapt(scale, refused)
        np.testing.assert_allclose(adapted, np.exp([-0.65 * gain, 0.35 * gain]))
