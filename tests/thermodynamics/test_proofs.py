"""Right samplers pass the proofs, and broken ones do not."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammaln

from freemetric import mc
from freemetric.mc import HamiltonianMove, LangevinMove, MatrixMove, ParallelTempering
from freemetric.thermodynamics import joint_test
from freemetric.thermodynamics.proofs import (
    RATE,
    SHAPES,
    TEMPERATURE,
    GammaPoisson,
    _exact_moments,
)

from . import samplers
from .calibration import calibration_test, draw_posterior

MOVES = [
    "ElementMove",
    "MatrixMove",
    "StretchRotateMove",
    "HamiltonianMove",
    "LangevinMove, step 0.1",
    "PenaltyMove",
    "PersistentMove",
]
RUNS = [
    "ElementMove",
    "MatrixMove",
    "StretchRotateMove",
    "LangevinMove",
    "PenaltyMove",
    "PersistentMove",
    "Annealing, Linear",
]
FAST_RUNS = ["HamiltonianMove"]


def test_every_move_and_sampler_is_put_to_proof():
    public = [
        getattr(mc, name) for name in mc.__all__ if isinstance(getattr(mc, name), type)
    ]
    kinds_of_samplers = {
        kind
        for kind in public
        if issubclass(kind, mc.Sampler) and kind is not mc.Sampler
    }
    for table in (samplers.MOVES, samplers.RUNS):
        kinds = {type(sampler) for sampler in table.values()}
        assert set(mc.moves.MOVES.values()) <= kinds
    assert kinds_of_samplers <= {type(sampler) for sampler in samplers.RUNS.values()}
    assert set(MOVES) == set(samplers.MOVES)
    assert {*RUNS, *FAST_RUNS, "ParallelTempering"} == set(samplers.RUNS)


@pytest.mark.parametrize("name", MOVES)
def test_moves_leave_the_joint_distribution_as_it_is(name, record_property):
    proof = joint_test(samplers.MOVES[name], 200, 30)
    record_property("z-scores", f"joint test   {name:24} {proof}")
    assert proof.holds()


def slow(name):
    return pytest.param(name, marks=[] if name in FAST_RUNS else pytest.mark.slow)


@pytest.mark.parametrize(
    "name", [slow(name) for name in [*FAST_RUNS, *RUNS, "ParallelTempering"]]
)
def test_runs_are_calibrated(name, record_property):
    n_chains = 200 if name != "ParallelTempering" else 60
    proof = calibration_test(samplers.RUNS[name], n_chains)
    record_property("z-scores", f"calibration  {name:24} {proof}")
    assert proof.holds()


@pytest.mark.parametrize(
    "name",
    ["wrong sign", slow("forgotten Hastings factor"), slow("frozen too late")],
)
def test_broken_samplers_fail(name, record_property):
    proof = joint_test(samplers.BROKEN[name], 1000, 50)
    record_property("z-scores", f"joint test   {name:24} {proof}")
    assert not proof.holds()


@pytest.mark.slow
def test_a_swap_of_the_wrong_sign_fails():
    class WrongSwaps(ParallelTempering):
        """Exchanges with the opposite sign: they take place where they are unlikely."""

        def _advance(self, chain, energy):
            chain, info = super()._advance(chain, energy)
            A, E = chain.state.A, chain.state.energy
            order = [1, 0, 2] if E[1] > E[0] else [0, 1, 2]
            return chain._replace(
                state=chain.state._replace(A=A[order], energy=E[order])
            ), info

    sampler = WrongSwaps((0.5, 1.0, 2.0), MatrixMove(), n_steps=60)
    assert not calibration_test(sampler, 60).holds()


@pytest.mark.slow
def test_langevin_with_long_time_steps_is_biased(record_property):
    """Nothing is rejected there: without adaptation the error of the first time step
    stays, and calibration sees it.
    """
    proof = calibration_test(LangevinMove(target_acceptance=None), 400)
    record_property("z-scores", f"calibration  LangevinMove, first step  {proof}")
    assert not proof.holds()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("LangevinMove, step 0.1", True),
        ("PenaltyMove", True),
        ("the same, uncorrected, 0.1", False),
    ],
)
def test_noise_of_gradients_is_corrected(name, right, record_property):
    proof = joint_test(samplers.NOISY[name], 400)
    record_property("z-scores", f"noisy        {name:24} {proof}")
    assert proof.holds() == right


def test_the_model_of_the_proofs_is_what_it_says(rng):
    """Moments in closed form against quadrature, and exact draws at another temperature
    against their density.
    """
    a, T = SHAPES[0], 1.3

    def prior(theta):
        return np.exp(a * theta - np.exp(theta) - gammaln(a))

    exact = _exact_moments()
    for power, value in ((1, exact[0]), (2, exact[2])):
        assert quad(lambda t, power=power: t**power * prior(t), -40, 5)[
            0
        ] == pytest.approx(value, rel=1e-6)
    weighted = quad(lambda t: RATE * np.exp(t) * t * prior(t), -40, 6)[0]
    assert weighted == pytest.approx(exact[-1], rel=1e-6)

    energy = GammaPoisson(np.full((4000, 1, 2), 3.0))
    draws = draw_posterior(rng, energy.y, T)[:, 0, 0]

    def density(theta):
        return np.exp(-((1 + RATE) * np.exp(theta) - (a + 3) * theta) * TEMPERATURE / T)

    mean = quad(lambda t: t * density(t), -40, 6)[0] / quad(density, -40, 6)[0]
    assert draws.mean() == pytest.approx(
        mean, abs=4 * draws.std() / np.sqrt(len(draws))
    )
    A = rng.standard_normal((1, 1, 2))
    slope = energy.__class__(np.ones((1, 1, 2))).value_and_grad(A)[1]
    one = GammaPoisson(np.ones((1, 1, 2)))
    step = 1e-6 * np.array([[[1.0, 0.0]]])
    assert slope[0, 0, 0] == pytest.approx(
        float((one(A + step) - one(A - step))[0]) / 2e-6, rel=1e-5
    )


def test_a_sampler_that_leaves_the_world_fails():
    class Exploding(HamiltonianMove):
        def step(self, rng, energy, state, temperature, scale):
            return state._replace(A=state.A + 400.0), np.ones(len(state.A))

    assert not joint_test(Exploding(0.5, target_acceptance=None), 20, 5).holds()
