"""Recordings: from a running chain, a trace and a file; walks of replicas; what pymbar
and xarray make of them.
"""

import sys

import numpy as np
import pymbar
import pytest

from freemetric.mc import Chain, ElementMove, HamiltonianMove, ParallelTempering
from freemetric.thermodynamics import (
    Coupled,
    Ladder,
    LadderTempering,
    LogZ,
    Recorder,
    Recording,
    TemperingSettings,
    equilibrated,
    equilibration,
    rejections,
    round_trips,
    temper,
    thermodynamics,
)
from freemetric.thermodynamics.estimates import curves_of, highest_peak, solve
from freemetric.thermodynamics.ladder import even_positions

from ..mc.test_physics import Well
from . import problems


def exact_draws(rng, temperatures, n=500, n_parameters=4, n_ladders=2):
    """Independent energies of a harmonic well: T times half of a chi-square number."""
    T = np.asarray(temperatures, dtype=float)
    E = T * rng.chisquare(n_parameters, (n, n_ladders, len(T))) / 2
    return Recording(
        Ladder(np.ones(len(T)), T),
        E,
        np.zeros_like(E),
        np.full((n, n_ladders, len(T) - 1), np.nan),
    )


@pytest.mark.parametrize("is_absolute", [True, False])
def test_the_influence_of_a_step_is_what_leaving_it_out_changes(rng, is_absolute):
    recording, T = exact_draws(rng, [2.0, 1.0, 0.5], n=150), np.array([0.6, 1.5])
    recording = recording._replace(log_reference=1.0 if is_absolute else float("nan"))

    def estimated(used):
        E, C = (
            part[used][:, None] for part in (recording.energy, recording.confinement)
        )
        kept = recording._replace(energy=E, confinement=C)
        return curves_of(kept, solve(kept), T)[0]

    everything = np.ones(recording.energy.shape[:2], dtype=bool)
    curves = estimated(everything)
    influence = curves_of(recording, solve(recording), T)[1]
    for place in ((0, 0), (70, 1), recording.energy[..., 0].argmax()):
        step = (
            np.ravel_multi_index(place, everything.shape)
            if isinstance(place, tuple)
            else place
        )
        used = everything.copy()
        used.ravel()[step] = False
        without = estimated(used)
        size = np.abs(influence).max(axis=2)
        np.testing.assert_allclose(
            (curves - without) / size, influence[:, :, step] / size, atol=0.03
        )


def test_error_bars_are_those_of_pymbar_where_samples_are_independent(rng):
    recording = exact_draws(rng, [2.0, 1.0, 0.5])._replace(log_reference=0.0)
    curves = thermodynamics(recording, [0.5])
    u = recording.ladder.reduced(*(x.T.reshape(-1) for x in _flat_parts(recording)))
    solver = ({"method": "adaptive"},)
    mbar = pymbar.MBAR(u, np.full(3, 1000), solver_protocol=solver)
    expected = mbar.compute_free_energy_differences()["dDelta_f"][0, 2]
    birge = curves.mixing.log_z.ratio[2]
    error = curves.errors["free_energy"][0] / 0.5 / birge
    assert error == pytest.approx(expected, rel=0.15)


def _flat_parts(recording):
    return (
        part.reshape(-1, part.shape[2])
        for part in (recording.energy, recording.confinement)
    )


@pytest.mark.parametrize("temperatures", [[], [-1.0], [np.inf]])
def test_temperatures_are_positive(rng, temperatures):
    with pytest.raises(ValueError, match="temperatures must be positive"):
        thermodynamics(exact_draws(rng, [2.0, 1.0]), temperatures)


def test_a_chain_that_goes_on_from_its_state_is_the_same_run():
    problem, ladder = problems.quadratic(), Ladder.along(np.linspace(0, 2, 5), 2.0, 0.2)
    energy = Coupled(problem.energy, problem.ridge, np.tile(ladder.coupling, 2))
    sampler, recordings = (
        LadderTempering(ladder, HamiltonianMove(), n_steps=20, n_ladders=2),
        [],
    )
    for stops in (False, True):
        recorder = Recorder(ladder, energy, 14)
        chain = sampler.begin(np.random.default_rng(0), energy, np.zeros((10, 2, 2)))
        for step in range(20):
            chain, info = sampler.advance(chain, energy)
            recorder.note(chain.state, info)
            if stops and step == 9:
                chain = Chain.from_state(chain.to_state())
        recordings.append(recorder.recording)
    np.testing.assert_array_equal(recordings[0].energy, recordings[1].energy)


def test_a_chain_is_read_while_it_runs():
    problem, ladder = problems.quadratic(), Ladder.along(np.linspace(0, 2, 6), 2.0, 0.2)
    energy = Coupled(problem.energy, problem.ridge, np.tile(ladder.coupling, 2))
    sampler = LadderTempering(ladder, HamiltonianMove(), n_steps=300, n_ladders=2)
    recorder, errors = Recorder(ladder, energy, 210), []
    for state, info in sampler.iterate(
        np.random.default_rng(0), energy, np.zeros((12, 2, 2))
    ):
        recorder.note(state, info)
        if info.step in (150, 299):
            curves = thermodynamics(recorder.recording, [0.5])
            errors.append(curves.errors["free_energy"][0])
            exact = problem.exact(np.array([0.5]))[0, 0]
            assert curves.free_energy[0] == pytest.approx(exact, abs=5 * errors[-1])
    assert errors[1] < errors[0]
    E, C = energy.parts(state)
    np.testing.assert_allclose(E, problem.energy(state.A), atol=1e-9)
    np.testing.assert_allclose(energy.coupling * E + C, state.energy)


def test_a_trace_of_parallel_tempering_is_a_recording():
    temperatures = (0.1, 0.3, 1.0)
    sampler = ParallelTempering(temperatures, ElementMove(1.0), n_steps=600)
    rows = {"temperature": [], "energy": [], "swaps": []}
    for state, info in sampler.iterate(
        np.random.default_rng(0), Well(), np.zeros((3, 1, 2))
    ):
        for name, row in zip(
            rows, (info.temperature, state.energy, [*info.swaps, np.nan]), strict=True
        ):
            rows[name].append(row)
    recording = Recording.from_trace(
        {name: np.array(values) for name, values in rows.items()}
    )
    assert recording.ladder.temperature.tolist() == [1.0, 0.3, 0.1]
    curves = thermodynamics(recording, [0.2, 0.6])
    np.testing.assert_array_less(
        np.abs(curves.energy - [0.2, 0.6]), 4 * curves.errors["energy"]
    )
    np.testing.assert_array_less(
        np.abs(curves.heat_capacity - 1), 4 * curves.errors["heat_capacity"]
    )
    accepted = np.nanmean(recording.swaps, axis=(0, 1))
    np.testing.assert_allclose(accepted, 1 - rejections(recording), atol=0.12)
    with pytest.raises(ValueError, match="annealing has none"):
        Recording.from_trace(
            {"temperature": np.array([[2.0], [1.0]]), "energy": np.ones((2, 1))},
            burn_in=0,
        )


def test_replicas_are_followed_through_exchanges():
    """The walk from swaps is the walk of labels that are exchanged with the maps."""

    class Labels:
        def __call__(self, A):
            return np.zeros(len(A))

    ladder = Ladder(np.ones(4), np.array([4.0, 3.0, 2.0, 1.0]))
    energy = Coupled(Labels(), 0.0, np.ones(4))
    sampler = LadderTempering(
        ladder,
        ElementMove(1e-12, target_acceptance=None),
        n_steps=9,
        n_ladders=1,
        burn_in=0,
    )
    recorder, labels = Recorder(ladder, energy, 9), []
    for state, info in sampler.iterate(
        np.random.default_rng(0), energy, np.arange(4.0).reshape(4, 1, 1)
    ):
        recorder.note(state, info)
        labels.append(np.argsort(state.A[:, 0, 0].round()))
    np.testing.assert_array_equal(recorder.recording.places()[:, 0], labels)
    # All swaps are accepted: replicas march, one rung a step, so 9 steps hold one round
    # trip of the first one.
    assert round_trips(recorder.recording) == 1


def test_diagnostics_of_series_with_known_correlation(rng):
    phi, x = 0.8, np.zeros(20_000)
    noise = rng.standard_normal(len(x))
    for t in range(1, len(x)):
        x[t] = phi * x[t - 1] + noise[t]
    late = np.concatenate([np.linspace(60, 0, 1000), x[:4000]])
    assert 800 < equilibration(late) < 1600
    assert equilibration(np.ones(10)) == 0


@pytest.mark.slow
def test_what_mixes_is_distinguished_from_what_does_not(rng):
    good = exact_draws(rng, [1.0, 0.8, 0.6])
    n, L, K = good.energy.shape
    swaps = np.full((n, L, K - 1), np.nan)
    swaps[::2, :, 0], swaps[1::2, :, 1] = 1, 1
    good = good._replace(swaps=swaps)
    found = thermodynamics(good).mixing
    assert not found.problems
    assert found.flow[0] == 1
    assert found.flow[-1] == 0
    assert set(found.log_z.methods) == {"MBAR", "stepping stones"}
    exact = -2 * np.log([1.0, 0.8, 0.6])  # of four elements: log Z = 2 log T
    difference = np.abs(found.log_z.values + exact)[:, 1:]
    assert (difference < 4 * found.log_z.errors[:, 1:]).all()
    assert "flow" in str(found)
    # A swap of two exponential energies (chi-square of two) at T and T' is accepted
    # with a probability in closed form.
    pair = exact_draws(rng, [1.0, 0.25], n=20_000, n_parameters=2)
    assert rejections(pair)[0] == pytest.approx(1 - 2 * 0.25 / 1.25, abs=0.01)

    apart = exact_draws(rng, [1.0, 1e-4], n=100)
    stuck = apart._replace(
        energy=apart.energy + np.array([0.0, 3.0])[None, :, None],
        swaps=0 * swaps[:100, :, :1],
    )
    found = thermodynamics(stuck)
    assert not found.mixing.mixes
    assert np.isnan(found.crossover.value)
    assert found.mixing.r_hat["energy of rungs"] > 1.5
    assert len(found.mixing.problems) >= 3
    drifting = good._replace(
        energy=good.energy + np.linspace(50, 0, n).clip(30)[:, None, None] - 30
    )
    assert 150 < n - len(equilibrated(drifting).energy) <= 250


@pytest.mark.slow
def test_rungs_share_the_barrier_evenly():
    """For a harmonic well the barrier is even in log T, whatever the ladder that it was
    measured on.
    """
    run = temper(
        Well(),
        np.zeros((2, 2)),
        0.0,
        (0.01, 1.0),
        TemperingSettings(n_steps=400, n_rungs=8),
        0,
    )
    gaps = np.diff(np.log(run.ladder.temperature))
    assert gaps.std() / abs(gaps.mean()) < 0.2
    assert np.ptp(rejections(run)) < 0.2
    assert even_positions(np.array([0.0, 1.0, 2.0]), np.array([0.9, 0.1]), 3)[1] < 0.7


def test_a_peak_rises_above_both_ends():
    T = np.geomspace(0.1, 10, 401)
    heat = 1 - (np.log(T) - 0.3) ** 2
    found = highest_peak(T, heat, np.full(401, 0.01))
    assert found.value == pytest.approx(np.exp(0.3), rel=0.01)
    # As high within errors: |log T - 0.3| < sqrt(0.014).
    assert found.error == pytest.approx(found.value * np.sqrt(0.0141), rel=0.05)
    assert np.isnan(highest_peak(T, heat, np.full(401, 10.0)).value)
    assert np.isnan(highest_peak(T, T, np.zeros(401)).value)


def test_estimates_of_log_z_that_disagree_are_named():
    methods = ("MBAR", "stepping stones", "population annealing")
    values = np.array([[0.0, 1.0], [0.0, 1.1], [0.0, 3.0]])
    errors = np.array([[0.0, 0.1], [0.0, 0.1], [0.0, 0.1]])
    found = LogZ(methods, values, errors)
    spread = values[:, 1].std(ddof=1) / 0.1  # of equal errors
    np.testing.assert_allclose(found.ratio, [1, spread])
    assert "population annealing 3.00 ± 0.10" in found.problem
    assert not LogZ(methods, values * 0.01, errors).problem


def test_a_missing_extra_is_one_line(monkeypatch, rng):
    monkeypatch.setitem(sys.modules, "pymbar", None)
    with pytest.raises(
        ImportError, match=r"This needs pymbar: pip install pymbar \(extra 'thermo'\)"
    ):
        thermodynamics(exact_draws(rng, [2.0, 1.0]))


@pytest.mark.parametrize("temperatures", [(0.0, 1.0), (2.0, 1.0), (1.0, np.inf)])
def test_impossible_temperatures_are_refused(temperatures):
    with pytest.raises(ValueError, match="temperatures must be positive"):
        temper(Well(), np.zeros((1, 1)), 1.0, temperatures)
