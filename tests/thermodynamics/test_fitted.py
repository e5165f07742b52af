"""Thermodynamics of a fitted DMLFE: closed forms where the energy is a spring."""

import numpy as np
import pytest

from freemetric import DMLFE
from freemetric.energies import PairEnergy
from freemetric.mc import Annealing, Constant, ParallelTempering
from freemetric.thermodynamics import (
    TemperingSettings,
    temper,
    thermodynamics,
    thermodynamics_of,
)

from . import problems

SHORT = TemperingSettings(n_steps=40, n_rungs=4, n_rounds=1, n_ladders=2)


class Spring:
    """|A - centre|^2: elements are normal, of variance T / 2."""

    def __init__(self, centre):
        self.centre = np.asarray(centre)

    def __call__(self, A):
        return ((A - self.centre) ** 2).sum(axis=(1, 2))

    def value_and_grad(self, A):
        return self(A), 2 * (A - self.centre)


@pytest.mark.slow
def test_a_spring_has_its_closed_form(rng):
    X, y = rng.random((30, 2)), np.tile([0, 1], 15)
    T, a, ridge = 0.02, 2.0, 0.5
    model = DMLFE(
        1,
        energy=Spring([[a, 0.0]]),
        confinement=ridge,
        sampler=Annealing(Constant(T)),
        random_state=0,
    ).fit(X, y)
    settings = TemperingSettings(n_steps=250, n_rungs=8)
    found = thermodynamics_of(
        model, X, y, temperatures=(0.01, 1.0), settings=settings, random_state=0
    )
    # (1 + ridge) |A - m|^2 + ridge / (1 + ridge) a^2 with m = centre / (1 + ridge)
    m, rest = a / (1 + ridge), ridge / (1 + ridge) * a**2
    F = found.curves.at(T)["free_energy"]
    exact = rest - T * np.log(np.pi * T / (1 + ridge))
    assert F.value == pytest.approx(exact, abs=4 * F.error + 1e-3)
    U = found.curves.at(T)["energy"]
    assert U.value == pytest.approx(rest + T, abs=5 * U.error)
    s2 = T / (2 * (1 + ridge))
    spread = np.sqrt(4 * m**2 * s2 + 2 * s2**2)
    assert found.metric.temperature == pytest.approx(T)
    assert found.metric.mean[0, 0] == pytest.approx(m**2 + s2, rel=0.05)
    assert found.metric.std[0, 0] == pytest.approx(spread, rel=0.3)
    assert "no peak" in str(found)
    assert max(found.mixing.r_hat.values()) < 1.1


@pytest.mark.slow
def test_the_peak_is_where_it_should_be():
    problem = problems.spin_glass()
    settings = TemperingSettings(n_steps=300, n_rungs=10, n_ladders=4)
    start = np.zeros(problem.shape)
    run = temper(problem.energy, start, problem.ridge, problem.range, settings, 0)
    frozen = thermodynamics(run).crossover
    T = np.geomspace(*problem.range, 400)
    assert frozen.value == pytest.approx(T[problem.exact(T)[3].argmax()], rel=0.25)
    assert 0 < frozen.error < 0.5 * frozen.value


def test_the_trace_of_tempering_is_enough(iris):
    sampler = ParallelTempering((1e-3, 1.5e-3, 2e-3), n_steps=60)
    model = DMLFE(2, sampler=sampler, random_state=0).fit(*iris)
    found = thermodynamics_of(model)
    assert not found.curves.is_absolute
    assert found.metric is None
    assert found.temperature == 1e-3
    annealed = DMLFE.paper(random_state=0).fit(iris[0][::5], iris[1][::5])
    with pytest.raises(ValueError, match="annealing has none"):
        thermodynamics_of(annealed)


def test_chains_at_one_temperature_are_described(iris):
    sampler = Annealing(Constant(1e-3), n_steps=60, n_replicas=3)
    found = thermodynamics_of(DMLFE(2, sampler=sampler, random_state=0).fit(*iris))
    H = found.recording.total
    np.testing.assert_allclose(found.curves.energy, H.mean(), rtol=1e-6)
    np.testing.assert_allclose(found.curves.heat_capacity, H.var() / 1e-6, rtol=1e-5)


@pytest.mark.parametrize("confinement", [1e-4, 0.0])
def test_maps_that_nothing_confines_have_no_equilibrium(iris, confinement):
    sampler = Annealing(Constant(1e-2), n_steps=30)
    model = DMLFE(1, sampler=sampler, confinement=confinement, random_state=0)
    said = str(thermodynamics_of(model.fit(*iris)))
    assert ("Nothing confines the maps" in said) == (confinement == 0)


@pytest.mark.slow
def test_units_of_the_data_are_those_of_the_metric(rng):
    """Features a thousand times larger have a metric a million times smaller."""
    X = np.vstack([rng.normal(0, 0.1, (10, 2)), rng.normal(1, 0.1, (10, 2))])
    y = np.repeat([0, 1], 10)
    found = []
    for unit in (1.0, 1000.0):
        sampler = Annealing(Constant(1e-2), n_steps=5)
        model = DMLFE(1, sampler=sampler, random_state=0).fit(unit * X, y)
        run = thermodynamics_of(model, unit * X, y, settings=SHORT, random_state=0)
        found.append(run.metric)
    np.testing.assert_allclose(found[1].mean, found[0].mean / 1e6, rtol=1e-3)
    np.testing.assert_allclose(found[1].weights, found[0].weights, rtol=1e-3)


def test_says_what_is_wrong(iris):
    X, y = iris
    quench = DMLFE(sampler=Annealing(Constant(0.0), n_steps=3)).fit(X, y)
    with pytest.raises(ValueError, match="ended at temperature 0"):
        thermodynamics_of(quench, X, y)
    short = Annealing(Constant(1e-2), n_steps=3)
    pairs = PairEnergy([[0, 1], [2, 3], [4, 5]], [1, -1, 1])
    named = DMLFE(energy=pairs, sampler=short, random_state=0).fit(X[:20])
    with pytest.raises(ValueError, match="names rows of X"):
        thermodynamics_of(named, X[:20])
    model = DMLFE(1, sampler=short, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="X has shape"):
        thermodynamics_of(model, X[:, :2], y)
