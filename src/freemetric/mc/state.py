"""What a Monte Carlo step hands on: a stack of R replicas and what happened to them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
EnergyFunction = Callable[[Array], Array]  # (R, p, d) -> (R,)


class State(NamedTuple):
    """R replicas.

    Parameters
    ----------
    A : ndarray of shape (R, p, d)
        Their maps.
    energy : ndarray of shape (R,)
        Their energies.
    gradient : ndarray of shape (R, p, d) or None, default=None
        Kept by moves that have computed it, so that nothing is computed twice.
    velocity : ndarray of shape (R, p, d) or None, default=None
        Of moves that go on with it in the next step.
    """

    A: Array  # (R, p, d)
    energy: Array  # (R,)
    gradient: Array | None = None  # (R, p, d)
    velocity: Array | None = None  # (R, p, d)


class Info(NamedTuple):
    """One Monte Carlo step, for people and stopping rules; the walk itself does not need it.

    Parameters
    ----------
    step : int
        Its number, from 0.
    temperature : ndarray of shape (R,)
        At which it was made.
    acceptance : ndarray of shape (R,)
        Share of the trials that were accepted.
    adapting : bool
        Whether step sizes are still changing: not yet a sample.
    swaps : ndarray of shape (R - 1,) or None, default=None
        Which neighbouring temperatures exchanged replicas; NaN where that was not tried.
    """

    step: int
    temperature: Array  # (R,)
    acceptance: Array  # (R,), share of accepted trials
    adapting: bool  # step sizes are still changing: not yet a sample
    swaps: Array | None = None  # (R - 1,), which neighbouring temperatures exchanged replicas; NaN: not tried


def evaluate(energy: EnergyFunction, A: Array) -> Array:
    """Energies of the replicas, or an error that says what is wrong with them."""
    return checked(energy(A), A)


def evaluate_with_gradient(energy: EnergyFunction, A: Array) -> tuple[Array, Array]:
    values, gradient = energy.value_and_grad(A)  # type: ignore[attr-defined]
    return checked(values, A), gradient


def near(energy: EnergyFunction, A: Array) -> EnergyFunction:
    """The energy as it is around these maps; energies that only look at what is near have a ``near`` of their own."""
    return energy.near(A) if hasattr(energy, "near") else energy


def checked(values: Array, A: Array) -> Array:
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (len(A),):
        raise ValueError(
            f"The energy must map {A.shape} replicas to shape {(len(A),)}; it returned shape {values.shape}."
        )
    if np.isnan(values).any():
        raise ValueError(f"The energy is NaN for replica {int(np.isnan(values).argmax())}.")
    return values
