"""Moves under noise: statistics against closed forms and quadrature."""

import numpy as np
import pytest
from scipy.integrate import quad

from freemetric.energies import Diagonal, MiniBatch, NCAEnergy
from freemetric.mc import (
    Annealing,
    Constant,
    ElementMove,
    LangevinMove,
    MatrixMove,
    PenaltyMove,
    State,
    Streams,
)
from freemetric.mc.moves.metropolis import penalty


class Together(Streams):
    """One stream for all replicas: as good for statistics as one each, and faster."""

    def _rows(self, size, draw):
        return draw(self.generators[0], size)


def together(R, seed=1):
    return Together.of(Together(np.random.default_rng(seed).spawn(R)), R)


class Noisy:
    """An energy (value, gradient) of single numbers, whose batches have normal errors:
    of gradients, and of slopes.

    ``has_batches`` is whether moves can draw batches, and so find out how large the
    errors are.
    """

    def __init__(self, value, slope, noise, has_batches=True):
        self.value, self.slope, self.noise = value, slope, noise
        if has_batches:
            self.draw = lambda rng: Batch(self, rng)

    def __call__(self, A):
        return self.value(A).sum(axis=(1, 2))

    def value_and_grad(self, A):
        """Where there are no batches: the error is that of two batches' mean."""
        return self(A), self.slope(A) + self.noise * self.rng.standard_normal(A.shape)


class Batch:
    def __init__(self, energy, rng):
        self.energy, self.rng = energy, rng
        self.tilt = np.sqrt(2) * energy.noise * rng.standard_normal((len(rng), 1, 1))

    def __call__(self, A):  # the error of a difference grows with the distance
        return self.energy(A) + (self.tilt * A).sum(axis=(1, 2))

    def value_and_grad(self, A):
        tilt = np.sqrt(2) * self.energy.noise * self.rng.standard_normal(A.shape)
        return self.energy(A), self.energy.slope(A) + tilt


class Exact(Noisy):
    """The same without errors: its gradient is exact, and it has no batches."""

    def __init__(self, value, slope):
        super().__init__(value, slope, 0.0, has_batches=False)

    def value_and_grad(self, A):
        return self(A), self.slope(A)


WELL = (lambda A: A**2 / 2, lambda A: A)
TWO_WELLS = (lambda A: (A**2 - 1) ** 2, lambda A: 4 * A * (A**2 - 1))


def langevin(h, friction, **options):
    return LangevinMove(h, friction=friction, target_acceptance=None, **options)


def walk(energy, move, temperature, A, n_steps, streams=None):
    sampler = Annealing(Constant(temperature), move, n_steps=n_steps, burn_in=0)
    run = sampler.iterate(streams or together(len(A)), energy, A)
    return np.array([state.A for state, _ in run])


def squares(energy, move, temperature, n_steps=120, R=400):
    """Mean of A^2 after burn-in and its standard error, from independent replicas."""
    energy.rng = together(R, 9)
    A = np.random.default_rng(0).standard_normal((R, 1, 1))
    steps = walk(energy, move, temperature, A, n_steps)
    kept = (steps[n_steps // 4 + 1 :] ** 2).mean(axis=(0, 2, 3))
    return kept.mean(), kept.std(ddof=1) / np.sqrt(R)


@pytest.mark.parametrize(("h", "friction"), [(0.2, 0.3), (1.0, 0.2), (1.6, 1.0)])
def test_a_harmonic_well_has_no_error_of_the_time_step(h, friction):
    mean, error = squares(Noisy(*WELL, 0.0), langevin(h, friction), 0.5)
    assert error < 0.01
    assert mean == pytest.approx(0.5, abs=4 * error)


@pytest.mark.parametrize(
    ("h", "noise", "friction"), [(0.5, 0.3, 0.3), (0.2, 1.0, 0.3), (0.3, 0.6, 0.2)]
)
def test_noise_of_batches_is_no_heat_and_other_noise_is(h, noise, friction):
    move, T = langevin(h, friction), 1.0
    mean, error = squares(Noisy(*WELL, noise), move, T)
    assert mean == pytest.approx(T, abs=4 * error)
    mean, error = squares(Noisy(*WELL, noise, has_batches=False), move, T)
    c = np.exp(-friction)
    predicted = T + h**2 * noise**2 * (1 + c) / (4 * (1 - c))
    assert predicted > T + 4 * error
    assert mean == pytest.approx(predicted, abs=4 * error)


def test_correlated_noise_is_no_heat_either():
    class Tilted(Batch):  # all elements have one error
        def value_and_grad(self, A):
            return self.energy(A), self.energy.slope(A) + self.tilt

    energy = Noisy(*WELL, 0.5)
    energy.draw = lambda rng: Tilted(energy, rng)
    A = np.random.default_rng(0).standard_normal((2000, 1, 2))
    products = walk(energy, langevin(0.3, 0.3), 1.0, A, n_steps=40).prod(axis=3)
    kept = products[10:].mean(axis=(0, 2))  # E[a b] = 0; uncorrected it is 0.075
    error = kept.std() / np.sqrt(len(kept))
    assert kept.mean() == pytest.approx(0, abs=4 * error)
    assert error < 0.075 / 6


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_two_wells_by_quadrature(noise):
    T = 0.5

    def moment(k):
        return quad(lambda x: x**k * np.exp(-((x**2 - 1) ** 2) / T), -4, 4)[0]

    energy = Noisy(*TWO_WELLS, noise)
    mean, error = squares(energy, langevin(0.1, 0.2), T, n_steps=250)
    assert error < 0.012
    assert mean == pytest.approx(moment(2) / moment(0), abs=4 * error)


def test_without_friction_and_noise_it_is_newtons_equation():
    energy = Exact(*TWO_WELLS)
    A, v = np.array([[[1.0, -0.5]]]), np.array([[[0.3, 0.8]]])
    state = State(A, energy(A), velocity=v)
    h, n = 0.05, 20
    move = LangevinMove(h, friction=0, n_leapfrog=n)
    streams, T, scale = together(1), np.ones(1), np.array([h])
    there, _ = move.step(streams, energy, state, T, scale)
    x, u = A.copy(), v.copy()
    for _ in range(n):  # leapfrog, written down once more
        x = x + h / 2 * u
        u = u - h * energy.slope(x)
        x = x + h / 2 * u
    np.testing.assert_allclose(there.A, x, rtol=1e-12)
    turned = there._replace(velocity=-there.velocity)
    back, _ = move.step(streams, energy, turned, T, scale)
    np.testing.assert_allclose(back.A, A, rtol=1e-9)  # time can be turned round
    total = [energy(s.A)[0] + (s.velocity**2).sum() / 2 for s in (state, there)]
    assert total[1] == pytest.approx(total[0], abs=2e-3)


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_the_error_of_the_time_step_is_what_an_exact_energy_counts(friction):
    """Without friction it is that of E + v^2 / 2, by hand; with friction it goes away
    with the time step.
    """
    energy = Exact(*TWO_WELLS)
    rng, T = np.random.default_rng(0), np.full(200, 0.3)
    A, v = rng.uniform(-1, 1, (2, 200, 1, 2))
    state, shares = State(A, energy(A), velocity=v), []
    for h in (0.25, 0.0025):
        move = LangevinMove(h, friction=friction)
        streams = Streams.of(rng, 200)
        there, share = move.step(streams, energy, state, T, np.full(200, h))
        shares.append(share.mean())
        if friction == 0:
            kinetic = ((there.velocity**2 - v**2) / 2).sum(axis=(1, 2))
            rise = energy(there.A) - energy(A) + kinetic
            expected = np.minimum(1, np.exp(-rise / 0.3))
            np.testing.assert_allclose(share, expected, rtol=1e-6)
    assert shares[0] < 0.97
    assert shares[1] > 0.999


def test_a_quench_keeps_its_time_step():
    energy = Exact(*WELL)
    state = State(np.ones((2, 1, 2)), energy(np.ones((2, 1, 2))))
    scale = np.full(2, 0.1)
    _, share = LangevinMove(0.1).step(together(2), energy, state, np.zeros(2), scale)
    np.testing.assert_array_equal(share, 1.0)


@pytest.mark.slow
def test_the_time_step_shrinks_until_the_noise_fits():
    sampler = Annealing(Constant(1.0), LangevinMove(1.0), n_steps=150, burn_in=0.8)
    A = np.zeros((50, 1, 2))
    run = sampler.iterate(np.random.default_rng(0), Noisy(*WELL, 2.0), A)
    shares = np.array([info.acceptance.mean() for _, info in run])
    assert shares[0] < 0.3
    assert shares[-30:].mean() == pytest.approx(0.95, abs=0.04)


def test_a_trajectory_without_end_is_lost_and_counts_as_none():
    energy = Noisy(lambda A: A**2 / 2, lambda A: 1e300 * A, 0.0)
    state = State(np.ones((2, 1, 1)), np.full(2, 0.5), velocity=np.ones((2, 1, 1)))
    T, scale = np.ones(2), np.full(2, 1e10)
    there, share = LangevinMove(1e10).step(together(2), energy, state, T, scale)
    np.testing.assert_array_equal(share, 0.0)
    np.testing.assert_array_equal(there.A, state.A)


@pytest.mark.parametrize(
    "move",
    [MatrixMove(1.0, target_acceptance=None), ElementMove(1.5, target_acceptance=None)],
    ids=repr,
)
def test_the_penalty_keeps_the_balance_that_noise_breaks(move):
    move.set_params(n_moves=5)
    mean, error = squares(
        Noisy(*WELL, 0.7), PenaltyMove(move, n_batches=8), 1.0, n_steps=80
    )
    assert error < 0.05
    assert mean == pytest.approx(1.0, abs=4 * error)


def test_the_penalty_of_an_estimated_variance():
    # Ceperley and Dewing's series, by hand
    assert penalty(2.0, 3) == pytest.approx(2 / 2 + 4 / 16 + 8 / 72)
    assert penalty(1.0, 10**9) == pytest.approx(1 / 2)  # of a known one


def test_a_rise_is_accepted_by_its_mean_and_the_variance_of_that_mean(monkeypatch):
    tilts, T, rises_given = [1.0, 2.0, 4.0, 9.0], 0.7, []
    energy = Noisy(*WELL, 0.0)
    batches = iter([lambda A, tilt=tilt: tilt * A.sum(axis=(1, 2)) for tilt in tilts])
    energy.draw = lambda rng: next(batches)
    move = PenaltyMove(MatrixMove(0.5, n_moves=1), n_batches=4)

    def spied(rng, temperature, rise, log_ratio):
        rises_given.append(rise)
        return np.ones(1, dtype=bool)

    monkeypatch.setattr("freemetric.mc.moves.metropolis.accept", spied)
    state = State(np.zeros((1, 1, 1)), np.zeros(1))
    state, shares = move.step(together(1), energy, state, np.array([T]), np.ones(1))
    rises = state.A[0, 0, 0] * np.array(tilts)
    expected = rises.mean() + T * penalty(rises.var(ddof=1) / 4 / T**2, 4)
    assert rises_given[0][0] == pytest.approx(expected)
    assert shares[0] == 1


def test_without_noise_the_penalty_is_metropolis_rule():
    energy, A = Exact(*TWO_WELLS), np.ones((3, 1, 1))
    plain = walk(energy, MatrixMove(0.5), 0.3, A, 10)
    penalised = walk(energy, PenaltyMove(MatrixMove(0.5)), 0.3, A, 10)
    np.testing.assert_array_equal(plain, penalised)


@pytest.mark.slow
def test_real_batches_against_quadrature(iris):
    """One weight of iris' features: Boltzmann's distribution of the mean energy of
    batches, from many of them.
    """
    X, y = iris[0][:, 2:3], iris[1]
    bound = MiniBatch(Diagonal(NCAEnergy()), 60).bind(X, y)
    T, grid = 0.03, np.linspace(0.25, 13.75, 28)  # the energy is even
    trap = 1e-3

    class Trapped:  # symmetric in the sign of the weight, and confined
        def __init__(self, energy):
            self.energy = energy

        def __call__(self, A):
            return self.energy(A) + trap * (A**2).sum(axis=(1, 2))

        def value_and_grad(self, A):
            value, gradient = self.energy.value_and_grad(A)
            return value + trap * (A**2).sum(axis=(1, 2)), gradient + 2 * trap * A

        def draw(self, rng):
            return Trapped(self.energy.draw(rng))

    energy = Trapped(bound)
    streams = Streams.of(np.random.default_rng(5), 1)
    draws = [energy.draw(streams)(grid[:, None, None]) for _ in range(80)]
    mean_energy = np.mean(draws, axis=0)
    density = np.exp(-(mean_energy - mean_energy.min()) / T)
    expected = (density * grid**2).sum() / density.sum()
    A = np.random.default_rng(0).choice([-5.0, 5.0], (24, 1, 1))
    streams = Streams.of(np.random.default_rng(0), 24)
    steps = walk(energy, langevin(1.0, 0.3, n_leapfrog=5), T, A, 50, streams)
    means = (steps[11:] ** 2).mean(axis=(0, 2, 3))
    error = means.std() / np.sqrt(len(means))
    assert means.mean() == pytest.approx(expected, abs=4 * error + 0.02 * expected)


@pytest.mark.parametrize(
    ("move", "temperature", "problem"),
    [
        (LangevinMove(friction=-1), 1.0, "friction must be a number >= 0; got -1"),
        (PenaltyMove(n_batches=2), 1.0, "n_batches must be at least 3"),
        (PenaltyMove(LangevinMove()), 1.0, "PenaltyMove needs a move that proposes"),
        (PenaltyMove(), 0.0, "infinite at temperature 0"),
    ],
    ids=repr,
)
def test_bad_parameters_are_named(move, temperature, problem):
    with pytest.raises((ValueError, TypeError), match=problem):
        walk(Noisy(*WELL, 1.0), move, temperature, np.zeros((1, 1, 1)), n_steps=1)
