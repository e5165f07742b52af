"""Closed forms, quadrature, a grid and a sum over states: estimates lie within their
error bars.
"""

import numpy as np
import pytest
from scipy.integrate import quad

from freemetric.thermodynamics import (
    Ladder,
    PopulationSettings,
    TemperingSettings,
    population_annealing,
    temper,
)
from freemetric.thermodynamics.population import _combined

from . import problems

SLOWLY = pytest.param("two features of iris", marks=pytest.mark.slow)


@pytest.mark.parametrize(
    "name",
    [
        "double well",
        SLOWLY,
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("quadratic wells", "random energies")
        ),
    ],
)
def test_estimates_lie_within_their_errors(name, record_property):
    problem = problems.PROBLEMS[name]()
    assert np.isfinite(problem.exact(np.array(problem.range))).all()
    found = [problems.scores_of(problem, 0, n_steps=60 if "iris" in name else 120)]
    for quantity in found[0]:
        z = np.array([scores[quantity] for scores in found])
        record_property(
            "z-scores",
            f"{name:22} {quantity:22} {np.array2string(z.ravel(), precision=1)}",
        )
        assert np.abs(z).max() < 5  # errors of short runs are estimates themselves
        assert np.abs(z.mean()) < 3.5


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "name",
    ["quadratic wells", "double well", "two features of iris", "random energies"],
)
def test_twenty_seeds_are_within_two_standard_errors(name, record_property):
    problem = problems.PROBLEMS[name]()
    found = [problems.scores_of(problem, seed) for seed in range(20)]
    for quantity in found[0]:
        z = np.array([scores[quantity] for scores in found])
        record_property(
            "z-scores",
            f"{name:22} {quantity:22} mean {z.mean():+.2f}, spread {z.std():.2f}",
        )
        assert (np.abs(z) <= 2).mean() >= 0.8
        assert np.abs(z.mean(axis=0)).max() < 4 / np.sqrt(20)


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
    for problem in (well, problems.spin_glass(), problems.quadratic()):
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
    corrected, error, _, _ = _combined(log_z, np.zeros_like(log_z))
    plain = np.log(np.exp(log_z).mean(axis=1))
    noise = plain.std() / np.sqrt(2000)
    assert plain.mean() < -4 * noise
    assert abs(corrected.mean()) < 0.3 * abs(plain.mean())
    assert (corrected / error).std() == pytest.approx(
        1.1, abs=0.15
    )  # Student's, of 19 degrees


def test_a_population_keeps_families_where_rungs_are_close():
    problem = problems.quadratic()
    ladder = Ladder.along(np.linspace(0, 2, 30), 2.0, 0.5)
    settings = PopulationSettings(n_replicas=100, n_islands=4, n_steps=1)
    found = population_annealing(
        problem.energy, problem.shape, problem.ridge, ladder, settings, random_state=0
    )
    assert found.maps.shape == (4, 100, 2, 2)
    assert (found.n_families > 5).all()
    np.testing.assert_allclose(
        found.energy[-1], 4 * 0.5 / 2, atol=5 * found.energy_error[-1]
    )


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
    assert np.isnan(curves.freezing.value)


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
