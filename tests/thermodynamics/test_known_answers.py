"""Closed forms, quadrature, a grid and a sum over states: estimates lie within their
error bars.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad

from freemetric.energies import NCAEnergy
from freemetric.thermodynamics import (
    Coupled,
    Ladder,
    PopulationSettings,
    TemperingSettings,
    population_annealing,
    temper,
)
from freemetric.thermodynamics.ladder import dispersed
from freemetric.thermodynamics.population import _combined

from . import problems

RECORDS = Path(__file__).parents[2] / "benchmarks/records"
FAST = ["quadratic wells", "double well"]
NAMES = [
    pytest.param(name, marks=() if name in FAST else pytest.mark.slow)
    for name in problems.PROBLEMS
]


@pytest.mark.parametrize("name", NAMES)
def test_estimates_lie_within_their_errors(name, record_property):
    problem = problems.PROBLEMS[name]()
    assert np.isfinite(problem.exact(np.array(problem.range))).all()
    z, mixing = problems.scores_of(problem, problems.run_of(problem, 0))
    record_property("z-scores", f"{name:22} {z} {mixing.problems}")
    assert mixing.problems or max(np.abs(z[name]).max() for name in z) < 5


def test_records_hold_what_the_page_says():
    """Errors are neither too small nor too large, and warnings catch what is wrong."""
    text = (RECORDS / "physics/thermodynamics.jsonl").read_text()
    records = [json.loads(line) for line in text.splitlines()]
    assert len(records) > 200
    assert len({record["problem"] for record in records}) >= 5
    names = ("free_energy", "entropy", "heat_capacity")
    far = [r for r in records if np.abs([r[name] for name in names]).max() > 4]
    assert np.mean([bool(record["warnings"]) for record in far]) >= 0.9
    for name in names:
        z = np.array([record[name] for record in records if not record["warnings"]])
        assert 0.8 <= np.sqrt((z**2).mean()) <= 1.3


def test_ladders_begin_apart():
    """A narrow well that hot walks miss is seen, since one ladder begins in it."""
    calm = problems.double_well()
    starts = dispersed(
        np.random.default_rng(0),
        Coupled(calm.energy, calm.ridge),
        np.ones((1, 1)),
        1.0,
        TemperingSettings(n_ladders=400),
    )
    assert (starts[::2] == 1).all()
    assert starts[1::2].std() == pytest.approx(np.sqrt(1 / 0.2), rel=0.15)
    free = dispersed(
        np.random.default_rng(0),
        Coupled(calm.energy, 0.0),
        np.ones((1, 1)),
        1.0,
        TemperingSettings(),
    )
    assert free[0] == 1
    assert free[1] != 1


EXACT = (
    problems.double_well,
    problems.spin_glass,
    problems.quadratic,
    problems.potts,
    problems.narrow_and_wide,
)


def test_the_truth_is_true():
    """Exact values by another way: adaptive quadrature, a coarser grid, derivatives of
    F.
    """
    well, T = problems.double_well(), np.array([0.1, 0.5])
    for t, log_z in zip(T, well.moments(T)[0], strict=True):
        z, _ = quad(
            lambda a, t=t: np.exp(-((a**2 - 1) ** 2 + a / 4 + 0.1 * a**2) / t),
            -6,
            6,
            epsabs=0,
            limit=200,
        )
        assert log_z == pytest.approx(np.log(z), rel=1e-8)
    fine, coarse = problems.two_features(n=81), problems.two_features(n=41)
    T = np.array([4e-3, 0.03])
    np.testing.assert_allclose(fine.exact(T), coarse.exact(T), rtol=2e-3)
    maps = np.random.default_rng(0).standard_normal((3, 1, 2))
    small = problems.map_of_two_classes(n=11).energy
    library = NCAEnergy().bind(small.X, np.tile([0, 0, 1, 1], 6))
    np.testing.assert_allclose(small(maps), library(maps), atol=1e-6)
    for make in EXACT:
        problem = make()
        T, h = np.geomspace(*problem.range, 5)[1:-1], 1e-4
        F, U, S, C = problem.exact(T)
        slopes = (problem.exact(T + h * T) - problem.exact(T - h * T)) / (2 * h * T)
        np.testing.assert_allclose(S, -slopes[0], rtol=1e-4)
        np.testing.assert_allclose(C, slopes[1], rtol=1e-4)
        np.testing.assert_allclose(F, U - T * S)


def test_population_annealing_needs_a_reference():
    with pytest.raises(ValueError, match="confinement alone"):
        population_annealing(
            lambda A: A[:, 0, 0] ** 2, (1, 1), 0.0, Ladder.along([1, 2], 1.0, 0.5)
        )


def test_the_logarithm_of_a_mean_of_islands_has_no_bias_of_first_order(rng):
    """Islands whose Z is 1 on average: log Z of few of them is too low by half of the
    variance of their mean.
    """
    log_z = rng.normal(-0.5 * 0.8**2, 0.8, (2000, 20))
    corrected, error = _combined(log_z)
    plain = np.log(np.exp(log_z).mean(axis=1))
    noise = plain.std() / np.sqrt(2000)
    assert plain.mean() < -4 * noise
    assert abs(corrected.mean()) < 0.3 * abs(plain.mean())
    assert (corrected / error).std() == pytest.approx(
        1.1, abs=0.15
    )  # Student's, of 19 degrees


def test_a_population_adds_up_its_free_energy():
    problem = problems.quadratic()
    ladder = Ladder.along(np.linspace(0, 2, 30), 2.0, 0.5)
    settings = PopulationSettings(n_replicas=100, n_islands=4, n_steps=1)
    found = population_annealing(
        problem.energy, problem.shape, problem.ridge, ladder, settings, random_state=0
    )
    exact = problem.moments(np.array([0.5]))[0][0]
    assert found.log_z[-1] == pytest.approx(exact, abs=5 * found.log_z_error[-1])


def test_without_confinement_free_energies_are_relative():
    from freemetric.thermodynamics import thermodynamics

    problem = problems.quadratic(ridge=0.0)
    run = temper(
        problem.energy,
        np.zeros((2, 2)),
        0.0,
        (0.2, 1.0),
        TemperingSettings(n_steps=200),
        random_state=0,
    )
    curves = thermodynamics(run, [0.2, 1.0])
    assert not curves.is_absolute
    assert curves.entropy[-1] == pytest.approx(0, abs=1e-9)
    assert curves.entropy[0] == pytest.approx(
        -2 * np.log(5), abs=5 * curves.errors["entropy"][0]
    )  # n/2 log T


@pytest.mark.parametrize("ridge", [0.0, 1.0])
def test_one_temperature_is_enough(ridge):
    from freemetric.thermodynamics import thermodynamics

    def well(A):
        return (A**2).sum(axis=(1, 2))

    run = temper(
        well,
        np.zeros((1, 2)),
        ridge,
        (1.0, 1.0),
        TemperingSettings(n_steps=100),
        random_state=0,
    )
    curves = thermodynamics(run)
    assert curves.energy[0] == pytest.approx(1, abs=4 * curves.errors["energy"][0])
    exact = (
        -np.log(np.pi / (1 + ridge)) if ridge else curves.energy[0]
    )  # relative: S = 0
    assert curves.free_energy[0] == pytest.approx(
        exact, abs=4 * curves.errors["free_energy"][0] + 1e-9
    )
    assert np.isnan(curves.crossover.value)


def flat(A):
    return np.zeros(len(A))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: temper(flat, np.zeros(2), 1.0, (0.1, 1.0)), "start must be a map"),
        (lambda: temper(flat, np.zeros((1, 2)), -1.0, (0.1, 1.0)), "ridge at least 0"),
        (lambda: temper(flat, np.zeros((1, 2)), 1.0, (1.0, 0.1)), "the lowest first"),
        (lambda: TemperingSettings(n_steps=0), "n_steps must be at least 1; got 0"),
        (lambda: TemperingSettings(n_rungs=1), "n_rungs must be at least 2; got 1"),
        (
            lambda: PopulationSettings(n_islands=1),
            "n_islands must be at least 2; got 1",
        ),
    ],
)
def test_bad_input_is_named(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong()


def test_the_kept_temperature_is_on_the_ladder():
    """A flat energy is switched on easily at any temperature, also below the one that
    is asked for.
    """
    settings = TemperingSettings(n_steps=5, n_rungs=4, n_rounds=1, kept_temperature=1.0)
    run = temper(flat, np.zeros((1, 2)), 1.0, (0.1, None), settings, random_state=0)
    assert run.ladder.temperature[run.kept] == pytest.approx(1.0)


def test_the_same_seed_gives_the_same_run():
    problem, settings = problems.double_well(), TemperingSettings(n_steps=30, n_rungs=5)
    one, two = (
        temper(problem.energy, np.zeros((1, 1)), 0.1, (0.1, 1.0), settings, 3)
        for _ in range(2)
    )
    np.testing.assert_array_equal(one.energy, two.energy)
