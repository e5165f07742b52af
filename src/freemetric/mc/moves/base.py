"""What all moves share: Metropolis' rule, and step sizes that adapt to a wanted acceptance."""

from abc import abstractmethod
from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..state import Array, EnergyFunction, State
from ..streams import Streams

GAIN = 0.5  # of the stochastic approximation: log(step) += GAIN * (accepted - wanted)


def allowed_rise(rng: Streams, temperature: Array, shape: tuple[int, ...]) -> Array:
    """The largest rise in energy that each trial may make.

    A rise is accepted when u < exp(-rise / T), u uniform; that is when rise <= -T log(u), and -log(u) is
    exponentially distributed. At T = 0 nothing may rise: a quench is no special case.
    """
    T = np.asarray(temperature, dtype=np.float64)
    return T.reshape(T.shape + (1,) * (len(shape) - T.ndim)) * rng.standard_exponential(shape)


def accept(rng: Streams, temperature: Array, rise: Array, log_ratio: Array | float = 0.0) -> NDArray[np.bool_]:
    """Which proposals to keep.

    ``log_ratio`` is Hastings' log q(A | B) - log q(B | A), plus the log Jacobian of a deterministic proposal.
    """
    return rise <= allowed_rise(rng, temperature, rise.shape) + temperature * log_ratio


class Move(BaseEstimator):
    """One Monte Carlo step: propose and accept, for all replicas, each with random numbers of its own.

    Subclasses have ``step_size`` and ``target_acceptance`` (None: step sizes stay as they are).
    """

    step_size: float
    target_acceptance: float | None
    gain = GAIN

    def start(self, rng: Streams, energy: EnergyFunction, state: State, temperature: Array) -> Array:
        """First step sizes; their shape begins with R."""
        return np.full(len(state.A), float(self.step_size))

    @abstractmethod
    def step(
        self, rng: Streams, energy: EnergyFunction, state: State, temperature: Array, scale: Array
    ) -> tuple[State, Array]:
        """New state, and the share of accepted trials in the shape of ``scale`` (NaN: not tried)."""

    def adapt(self, scale: Array, accepted: Array) -> Array:
        """Step sizes nearer to the wanted acceptance. The sampler decides when to stop adapting."""
        if self.target_acceptance is None:
            return scale
        return scale * np.exp(self.gain * np.nan_to_num(accepted - self.target_acceptance))


def count_trials(n_moves: int | str, energy: EnergyFunction, A: Array) -> int:
    """Trials of a Monte Carlo step: a number, one per matrix element, or one per sample of the data."""
    if n_moves == "elements":
        return A[0].size
    if n_moves == "samples":
        n_samples = getattr(energy, "n_samples", None)
        if n_samples is None:
            raise ValueError("n_moves='samples' needs an energy with the attribute n_samples.")
        return n_samples
    if isinstance(n_moves, Integral) and n_moves > 0:
        return int(n_moves)
    raise ValueError(f"n_moves must be 'elements', 'samples' or a positive integer; got {n_moves!r}.")
