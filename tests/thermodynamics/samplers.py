"""Samplers for the proofs: right ones, broken ones, and such by noisy gradients."""

import numpy as np

from freemetric.mc import (
    Annealing,
    Constant,
    ElementMove,
    HamiltonianMove,
    LangevinMove,
    Linear,
    MatrixMove,
    ParallelTempering,
    PenaltyMove,
    PersistentMove,
    StretchRotateMove,
)

FIXED = {"target_acceptance": None}
MOVES = {
    "ElementMove": ElementMove(1.0, **FIXED),
    "MatrixMove": MatrixMove(1.0, **FIXED),
    "StretchRotateMove": StretchRotateMove(0.5, **FIXED),
    "HamiltonianMove": HamiltonianMove(0.6, **FIXED),
    "LangevinMove, step 0.1": LangevinMove(0.1, **FIXED),
    "PenaltyMove": PenaltyMove(MatrixMove(1.0, **FIXED)),
    "PersistentMove": PersistentMove(0.4, **FIXED),
}
"""Moves with fixed step sizes, for the joint test."""

RUNS = {
    "ElementMove": ElementMove(),
    "MatrixMove": MatrixMove(n_moves=3),
    "StretchRotateMove": StretchRotateMove(),
    "HamiltonianMove": HamiltonianMove(),
    "LangevinMove": LangevinMove(),
    "PenaltyMove": PenaltyMove(MatrixMove(n_moves=3)),
    "PersistentMove": PersistentMove(),
    "Annealing, Linear": Annealing(
        Linear(5.0, 0.5, 100), MatrixMove(n_moves=3), n_steps=400, burn_in=0.4
    ),
    "ParallelTempering": ParallelTempering(
        (0.5, 1.0, 2.0), MatrixMove(n_moves=3), n_steps=150
    ),
}
"""The same with their adaptation, for calibration."""


class WrongSign(MatrixMove):
    """Metropolis' rule with the sign of Algorithm 1: it accepts every rise."""

    def step(self, rng, energy, state, temperature, scale):
        upside_down = state._replace(energy=-state.energy)
        new, accepted = super().step(
            rng, lambda A: -energy(A), upside_down, temperature, scale
        )
        return new._replace(energy=-new.energy), accepted


class ForgottenFactor(StretchRotateMove):
    """Stretches without Hastings' factor, their Jacobian."""

    def propose(self, rng, A, scale):
        return super().propose(rng, A, scale)[0], 0.0


class FrozenTooLate(Annealing):
    """A step size that is found anew where the walk stands, in steps that are called
    samples.
    """

    def _advance(self, chain, energy):
        temperature = np.full(len(chain.state.A), self.schedule.temperature)
        scale = self.move.start(chain.streams, energy, chain.state, temperature)
        return super()._advance(chain._replace(scale=scale), energy)


BROKEN = {
    "wrong sign": WrongSign(1.0, **FIXED),
    "forgotten Hastings factor": ForgottenFactor(0.5, **FIXED),
    "frozen too late": FrozenTooLate(
        Constant(0.5), HamiltonianMove(**FIXED), n_steps=300, burn_in=0.3
    ),
}


class TiltedBatch:
    """The energy of one batch: all of it, and a random force."""

    def __init__(self, energy, rng):
        self.energy = energy
        self.tilt = energy.noise * rng.standard_normal((len(rng), 1, 1))

    def __call__(self, A):
        return self.energy(A) + (self.tilt * A).sum(axis=(1, 2))

    def value_and_grad(self, A):
        return self(A), self.energy.slope(A) + self.tilt


class Noisy:
    """An energy by batches: a gradient, the mean of two, has normal errors of standard
    deviation two.
    """

    noise = 2 * np.sqrt(2)  # of one batch

    def __init__(self, energy):
        self.energy = energy

    def __call__(self, A):
        return self.energy(A)

    def slope(self, A):
        return self.energy.value_and_grad(A)[1]

    def draw(self, rng):
        return TiltedBatch(self, rng)


class OfBatches:
    """A move that sees the energy by batches."""

    def start(self, rng, energy, state, temperature):
        return super().start(rng, Noisy(energy), state, temperature)

    def step(self, rng, energy, state, temperature, scale):
        return super().step(rng, Noisy(energy), state, temperature, scale)


class NoisyLangevin(OfBatches, LangevinMove): ...


class NoisyPenalty(OfBatches, PenaltyMove): ...


class OneBatch:
    """An energy with the noise of ``Noisy`` in its gradient, but without batches that a
    move could see it by.
    """

    def __init__(self, energy, rng):
        self.energy, self.rng = energy, rng

    def __call__(self, A):
        return self.energy(A)

    def value_and_grad(self, A):
        values, gradient = self.energy.value_and_grad(A)
        return values, gradient + Noisy.noise / np.sqrt(2) * self.rng.standard_normal(
            (len(A), 1, 1)
        )


class UncorrectedLangevin(LangevinMove):
    """Langevin dynamics that takes a noisy gradient for the exact one."""

    def step(self, rng, energy, state, temperature, scale):
        return super().step(rng, OneBatch(energy, rng), state, temperature, scale)


NOISY = {
    "LangevinMove, step 0.1": NoisyLangevin(0.1, **FIXED),
    "LangevinMove, step 0.2": NoisyLangevin(0.2, **FIXED),
    "the same, uncorrected, 0.1": UncorrectedLangevin(0.1, **FIXED),
    "PenaltyMove": NoisyPenalty(MatrixMove(1.0, **FIXED)),
}
"""Samplers by stochastic gradients and energies."""
