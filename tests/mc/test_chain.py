"""Chains are values: stopped, written, read and resumed they give the same states as if
nothing had happened.
"""

import multiprocessing
import pickle
from itertools import pairwise

import numpy as np
import pytest

from freemetric.energies import Confinement, LogNCAEnergy, NCAEnergy
from freemetric.mc import (
    Adaptive,
    Annealing,
    Chain,
    Constant,
    ElementMove,
    Geometric,
    HamiltonianMove,
    LangevinMove,
    MatrixMove,
    ParallelTempering,
    Streams,
    StretchRotateMove,
)
from freemetric.mc.state import Info

MOVES = [
    ElementMove(0.5),
    MatrixMove(0.2),
    StretchRotateMove(0.3),
    HamiltonianMove(),
    LangevinMove(n_leapfrog=3),
]
SAMPLERS = [
    *(Annealing(Constant(1e-3), move, n_steps=6, burn_in=0.5) for move in MOVES),
    *(ParallelTempering((1e-4, 1e-3, 1e-2), move, n_steps=6) for move in MOVES),
    Annealing(Adaptive(1e-2, window=2), ElementMove(), n_steps=6),
    Annealing(Geometric(0.1, 0.5), HamiltonianMove(), n_steps=20, tol=0.5, window=3),
]


@pytest.fixture(scope="module")
def energy(iris):
    return (NCAEnergy() + 1e-3 * Confinement()).bind(*iris)


START = np.repeat(np.eye(2, 4)[None], 3, axis=0)


def begun(sampler, energy):
    """A chain after its first step."""
    chain = sampler.begin(np.random.default_rng(0), energy, START)
    return sampler.advance(chain, energy)[0]


def run_to_the_end(sampler, energy, chain):
    """States of all further steps."""
    states = []
    while not sampler.ended(chain):
        chain, _ = sampler.advance(chain, energy)
        states.append(chain.state)
    return states


def assert_same(states, others):
    assert len(states) == len(others) > 0
    for one, two in zip(states, others, strict=True):
        np.testing.assert_array_equal(one.A, two.A)
        np.testing.assert_array_equal(one.energy, two.energy)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
def test_stopped_after_any_step_written_read_and_resumed(sampler, energy):
    chain = sampler.begin(np.random.default_rng(0), energy, START)
    undisturbed = run_to_the_end(sampler, energy, chain)
    for step in range(len(undisturbed)):
        resumed = Chain.from_state(pickle.loads(pickle.dumps(chain.to_state())))
        assert type(resumed) is Chain
        assert resumed.step == step
        assert_same(run_to_the_end(sampler, energy, resumed), undisturbed[step:])
        chain, info = sampler.advance(chain, energy)
        assert info.step == step


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
def test_a_chain_does_not_change(sampler, energy):
    chain = begun(sampler, energy)
    first = run_to_the_end(sampler, energy, chain)
    assert_same(run_to_the_end(sampler, energy, chain), first)


def test_step_sizes_adapt_in_the_burn_in_and_never_after(energy):
    """They change after each of the first three steps of six, and stay as they are
    afterwards.
    """
    sampler = Annealing(Constant(1e-3), MatrixMove(0.2), n_steps=6, burn_in=0.5)
    chain = sampler.begin(np.random.default_rng(0), energy, START)
    scales = [chain.scale]
    while not sampler.ended(chain):
        chain, _ = sampler.advance(chain, energy)
        scales.append(chain.scale)
    changed = [not np.array_equal(before, after) for before, after in pairwise(scales)]
    assert changed == [True, True, True, False, False, False]


@pytest.mark.parametrize("move", MOVES, ids=repr)
def test_a_replica_is_the_same_alone_and_beside_others(move, energy, iris):
    sampler = Annealing(Constant(1e-3), move, n_steps=8)
    seeds = np.random.SeedSequence(7).spawn(4)

    def last(numbers):
        A = np.repeat(np.eye(4)[None], len(numbers), axis=0)
        streams = Streams.from_seeds([seeds[n] for n in numbers])
        return list(sampler.iterate(streams, energy, A))[-1][0].A

    together = last([0, 1, 2, 3])
    np.testing.assert_array_equal(last([2])[0], together[2])
    np.testing.assert_array_equal(last([3, 1]), together[[3, 1]])


def resumed_elsewhere(state, X, y):
    energy = LogNCAEnergy().bind(X, y)
    return run_to_the_end(SAMPLERS[3], energy, Chain.from_state(state))


@pytest.mark.slow
def test_a_chain_goes_on_in_another_process(iris):
    sampler, energy = SAMPLERS[3], LogNCAEnergy().bind(*iris)
    chain = begun(sampler, energy)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(resumed_elsewhere, (chain.to_state(), *iris))
    assert_same(there, run_to_the_end(sampler, energy, chain))


@pytest.mark.parametrize(
    "change",
    [
        {"energy": np.zeros(2)},
        {"scale": np.ones(2)},
        {"step": -1},
        {"step": 1.5},
        {"gradient": np.zeros((3, 1, 4))},
        {"velocity": np.zeros((3, 1, 4))},
        {"A": np.zeros((3, 8))},
        {"energies": np.zeros((5, 3))},
        {"streams": []},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_is_no_chain_is_refused(change, energy):
    chain = begun(SAMPLERS[0], energy)
    with pytest.raises(ValueError, match="a chain whose parts"):
        Chain.from_state({**chain.to_state(), **change})


def test_streams_need_a_row_for_every_replica():
    streams = Streams.of(np.random.default_rng(0), 2)
    with pytest.raises(ValueError, match=r"that of the 2 replicas; got size \(3, 2\)"):
        streams.random((3, 2))
    with pytest.raises(
        ValueError, match="as many random streams as replicas, 3; got 2"
    ):
        Streams.of(streams, 3)


def test_streams_go_on_where_they_were():
    streams = Streams.of(np.random.default_rng(0), 3)
    streams.standard_normal((3, 5))
    twin = Streams.from_state(streams.to_state())
    expected = streams.integers(10, size=(3, 4))
    np.testing.assert_array_equal(twin.integers(10, size=(3, 4)), expected)
    with pytest.raises(ValueError, match="unknown kind"):
        Streams.from_state([{"bit_generator": "os", "state": {}}])


def test_the_last_replica_has_nothing_to_swap_with():
    T = np.array([1.0, 2.0, 4.0])
    for swaps, expected in ((None, [np.nan] * 3), (np.arange(2.0), [0, 1, np.nan])):
        found = Info(0, T, T, False, swaps).swaps_with_next
        np.testing.assert_array_equal(found, expected)
