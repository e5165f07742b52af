"""Acceptance, schedules, stopping, and what is said about bad input."""

import numpy as np
import pytest
from sklearn.base import clone

from freemetric.mc import (
    Adaptive,
    Annealing,
    Constant,
    ElementMove,
    Geometric,
    HamiltonianMove,
    Linear,
    MatrixMove,
    ParallelTempering,
    accept,
)
from freemetric.mc.samplers import Sampler


def parabola(A):
    return (A**2).sum(axis=(1, 2))


def walk(sampler, energy=parabola, shape=(2, 1, 2), seed=0):
    """States and infos of all steps from maps of ones."""
    return list(sampler.iterate(np.random.default_rng(seed), energy, np.ones(shape)))


def test_acceptance_is_metropolis(rng):
    rise = np.repeat([-1.0, 0.0, 0.5, 1.0], 20_000)
    kept = accept(rng, np.full(len(rise), 0.5), rise).reshape(4, -1).mean(axis=1)
    np.testing.assert_allclose(kept, [1, 1, np.exp(-1), np.exp(-2)], atol=0.015)


def test_hastings_ratio_enters_acceptance(rng):
    rise = np.full(20_000, 0.5)
    kept = accept(rng, np.full(len(rise), 0.5), rise, log_ratio=0.4).mean()
    assert kept == pytest.approx(np.exp(-0.6), abs=0.015)


def test_at_zero_temperature_only_falls_and_ties_pass(rng):
    rise = np.array([-1.0, 0.0, 1e-300, 1.0])
    np.testing.assert_array_equal(
        accept(rng, np.zeros(4), rise, log_ratio=100.0), [True, True, False, False]
    )


def test_schedules():
    assert Geometric(0.1, 0.9)(3, [], []) == pytest.approx(0.1 * 0.9**3)
    assert [Linear(1.0, 0.0, 5)(k, [], []) for k in (0, 2, 4, 9)] == pytest.approx(
        [1, 0.5, 0, 0]
    )
    assert Constant(0.3)(7, [], []) == 0.3


def test_adaptive_cools_slowly_where_the_energy_fluctuates():
    schedule = Adaptive(0.1, window=4)
    calm = [np.array([0.5 + 0.01 * (k % 2)]) for k in range(4)]
    wild = [np.array([0.5 + 0.4 * (k % 2)]) for k in range(4)]
    assert schedule(0, [], []) == 0.1
    assert schedule(3, [0.1] * 3, wild[:3]) == 0.1  # inside a window
    assert schedule(4, [0.1] * 4, wild) == pytest.approx(0.1 * np.exp(-0.7 * 0.1 / 0.2))
    assert schedule(4, [0.1] * 4, calm) == pytest.approx(0.05)  # as fast as allowed
    assert schedule(4, [0.1] * 4, [np.array([0.5])] * 4) == pytest.approx(0.05)


def test_adaptive_annealing_reaches_the_bottom():
    sampler = Annealing(Adaptive(1.0), ElementMove(1.0), n_steps=400)
    state, info = walk(sampler, shape=(3, 2, 2))[-1]
    assert info.temperature[0] < 1e-3
    assert state.energy.max() < 1e-2


def test_every_replica_converges_on_its_own_over_a_window():
    """A flat energy accepts everything: a single trial would call it converged."""
    sampler = Annealing(Constant(0.0), MatrixMove(), n_steps=9, tol=1e-6, window=7)
    assert len(walk(sampler, lambda A: np.array([0.0, 5.0]))) == 7
    steps = iter(range(1000))
    falling = walk(sampler, lambda A: np.full(2, -float(next(steps))))
    assert len(falling) == 9  # both alike, and neither at rest


def test_one_state_a_step_and_the_same_seed_the_same_walk():
    sampler = Annealing(Constant(0.1), ElementMove(), n_steps=20, n_replicas=2)
    first, again, other = (
        [state.A for state, _ in walk(sampler, seed=seed)] for seed in (0, 0, 1)
    )
    assert len(first) == 20
    assert len({A.tobytes() for A in first}) > 10  # no step touches earlier states
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(
    "sampler",
    [Annealing(Geometric(0.1, 0.9), ElementMove()), ParallelTempering((0.1, 0.2))],
)
def test_samplers_are_parameter_objects(sampler):
    twin = clone(sampler)
    assert repr(twin) == repr(sampler)
    assert twin is not sampler


def test_neighbours_swap_in_turns_and_only_now_and_then():
    temperatures = (0.1, 0.2, 0.3, 0.4)
    sampler = ParallelTempering(temperatures, MatrixMove(), n_steps=8, swap_every=3)
    swaps = [info.swaps for _, info in walk(sampler, shape=(4, 1, 1))]
    assert [step for step, some in enumerate(swaps) if some is not None] == [0, 3, 6]
    tried = [np.flatnonzero(~np.isnan(swaps[step])).tolist() for step in (0, 3, 6)]
    assert tried == [[0, 2], [1], [0, 2]]
    assert swaps[0].shape == (3,)


def test_replicas_of_any_sampler_may_depend_on_each_other():
    assert Sampler().couples_replicas
    assert not Annealing(Constant(0.1)).couples_replicas
    assert Annealing(Constant(0.1), tol=0.1).couples_replicas
    assert Annealing(Adaptive()).couples_replicas


BAD_SETTINGS = {
    "temperature must be a finite number >= 0; got -1": Annealing(Constant(-1.0)),
    "temperature must be a finite number": Annealing(Constant(np.nan)),
    "temperature must be a finite": ParallelTempering((-0.1, 0.2)),
    r"temperatures must ascend; got \[0\.2, 0\.1\]": ParallelTempering((0.2, 0.1)),
    "as many replicas as temperatures, 3; got 2": ParallelTempering((0.1, 0.2, 0.3)),
    r"factor must be in \(0, 1\]; got 1\.5": Annealing(Geometric(0.1, 1.5)),
    "Unknown move 'jump'; known moves: 'element'": Annealing(move="jump"),
    "n_moves must be .* got 0": Annealing(move=ElementMove(n_moves=0)),
    "an energy with the attribute n_samples": Annealing(
        move=ElementMove(n_moves="samples")
    ),
    "needs an energy with value_and_grad": Annealing(move=HamiltonianMove()),
    r"burn_in is a share .*\[0, 1\]; got 70": Annealing(move="element", burn_in=70),
    r"burn_in is a share of .* got 1\.1": Annealing(move="element", burn_in=1.1),
    r"burn_in is a share of .* got -0\.1": Annealing(move="element", burn_in=-0.1),
}


@pytest.mark.parametrize("message", BAD_SETTINGS)
def test_bad_settings_are_named(message):
    with pytest.raises(ValueError, match=message):
        walk(BAD_SETTINGS[message])


def test_what_is_no_move_is_named():
    message = "move must be a Move or one of 'element'.*; got 3"
    with pytest.raises(TypeError, match=message):
        walk(Annealing(move=3))


@pytest.mark.parametrize("move", ["element", "matrix", "stretch-rotate"])
def test_an_energy_that_turns_nan_is_reported(move):
    calls = []

    def breaks(A):
        calls.append(1)
        return np.where(np.arange(len(A)) == 1, np.nan if len(calls) > 5 else 0.0, 0.0)

    with pytest.raises(ValueError, match="The energy is NaN for replica 1"):
        walk(Annealing(Constant(0.1), move), breaks)


def test_an_energy_of_the_wrong_shape_is_reported():
    message = r"must map \(2, 1, 2\) replicas to shape \(2,\); it returned shape \(\)"
    with pytest.raises(ValueError, match=message):
        walk(Annealing(move="element"), lambda A: A.sum())


def test_a_diverging_trajectory_is_rejected_not_fatal():
    class Cliff:
        def __call__(self, A):
            return parabola(A)

        def value_and_grad(self, A):
            return self(A), 1e300 * A

    sampler = Annealing(Constant(1.0), HamiltonianMove(1e10), n_steps=5)
    np.testing.assert_array_equal(walk(sampler, Cliff())[-1][0].A, 1.0)
