"""Metropolis' rule, in a form that holds at every temperature, zero included."""

import numpy as np
from numpy.typing import NDArray

from .state import Array
from .streams import Streams

Flags = NDArray[np.bool_]


def allowed_rise(rng: Streams, temperature: Array, shape: tuple[int, ...]) -> Array:
    """The largest rise in energy that each trial may make.

    A rise is accepted when u < exp(-rise / T), u uniform; that is when rise <= -T log(u), and -log(u) is
    exponentially distributed. At T = 0 nothing may rise: a quench is no special case.
    """
    T = np.asarray(temperature, dtype=np.float64)
    return T.reshape(T.shape + (1,) * (len(shape) - T.ndim)) * rng.standard_exponential(shape)


def accept(rng: Streams, temperature: Array, rise: Array, log_ratio: Array | float = 0.0) -> Flags:
    """Which proposals to keep.

    ``log_ratio`` is Hastings' log q(A | B) - log q(B | A), plus the log Jacobian of a deterministic proposal.
    """
    return rise <= allowed_rise(rng, temperature, rise.shape) + temperature * log_ratio


def check_temperature(temperature: Array) -> Array:
    temperature = np.asarray(temperature, dtype=np.float64)
    if not np.all(np.isfinite(temperature)) or np.any(temperature < 0):
        raise ValueError(f"A temperature must be a finite number >= 0; got {temperature.tolist()}.")
    return temperature
