"""States of R replicas and runs as values: a chain can be stopped after any step,
written, sent and resumed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .streams import Streams

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

    A: Array
    energy: Array
    gradient: Array | None = None
    velocity: Array | None = None


class Info(NamedTuple):
    """Diagnostics of one Monte Carlo step; the walk itself does not need them.

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
        Which neighbouring temperatures exchanged replicas; NaN where that was not
        tried.
    """

    step: int
    temperature: Array
    acceptance: Array
    adapting: bool
    swaps: Array | None = None

    @property
    def swaps_with_next(self) -> Array:
        """``swaps`` for every replica, (R,); the last one has no next one, and NaN."""
        return np.append(
            np.full(len(self.temperature) - 1, np.nan)
            if self.swaps is None
            else self.swaps,
            np.nan,
        )


class Chain(NamedTuple):
    """R replicas between two Monte Carlo steps, with all that the next step depends on.

    ``Sampler.begin`` makes one, ``Sampler.advance`` returns the next; a chain itself
    never changes. To go on from it takes the same sampler and the same energy, nothing
    else.

    Parameters
    ----------
    state : State
        Maps and energies of the replicas.
    scale : ndarray of shape (R, ...)
        Step sizes of the move.
    streams : Streams
        Where the random numbers of every replica go on.
    step : int, default=0
        Steps made.
    temperatures : sequence of float, default=()
        Of the steps made, for schedules that look back.
    energies : sequence of ndarray of shape (R,), default=()
        After each of these steps.
    """

    state: State
    scale: Array
    streams: Streams
    step: int = 0
    temperatures: Sequence[float] = ()
    energies: Sequence[Array] = ()

    @property
    def history(self) -> tuple[Sequence[float], Sequence[Array]]:
        """Temperatures and energies of the steps made."""
        return _first(self.temperatures, self.step), _first(self.energies, self.step)

    def followed_by(
        self, state: State, scale: Array, temperature: float | None = None
    ) -> "Chain":
        """The chain after another step; it remembers the step where a temperature is
        given.
        """
        temperatures, energies = self.temperatures, self.energies
        if temperature is not None:
            temperatures = _extended(temperatures, self.step, temperature)
            energies = _extended(energies, self.step, state.energy)
        return Chain(state, scale, self.streams, self.step + 1, temperatures, energies)

    def to_state(self) -> dict[str, Any]:
        """The chain as plain arrays, numbers, lists and dicts."""
        temperatures, energies = self.history
        return {
            "A": self.state.A,
            "energy": self.state.energy,
            "gradient": self.state.gradient,
            "velocity": self.state.velocity,
            "scale": self.scale,
            "streams": self.streams.to_state(),
            "step": self.step,
            "temperatures": np.array(temperatures, dtype=np.float64),
            "energies": np.array(energies, dtype=np.float64).reshape(
                len(energies), len(self.state.A)
            ),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Chain":
        """The chain that was written down; ValueError where its parts do not belong
        together.
        """
        A, energy, scale = (state[name] for name in ("A", "energy", "scale"))
        gradient = state["gradient"]
        velocity = state.get("velocity")
        R = len(A)
        step = state["step"]
        like_A = [array for array in (gradient, velocity) if array is not None]
        arrays = [A, energy, scale, state["temperatures"], state["energies"], *like_A]
        if not all(
            isinstance(array, np.ndarray) and array.dtype == np.float64
            for array in arrays
        ):
            raise ValueError("a chain whose parts are no arrays of numbers")
        fits = (
            A.ndim == 3
            and energy.shape == (R,)
            and scale.shape[:1] == (R,)
            and type(step) is int
            and step >= 0
        )
        fits = (
            fits
            and all(array.shape == A.shape for array in like_A)
            and len(state["streams"]) == R
        )
        n = len(state["temperatures"])
        if not fits or n not in (0, step) or state["energies"].shape != (n, R):
            raise ValueError("a chain whose parts do not belong together")
        past = [float(T) for T in state["temperatures"]], list(state["energies"])
        return cls(
            State(A, energy, gradient, velocity),
            scale,
            Streams.from_state(state["streams"]),
            step,
            *past,
        )


def _first(values: Sequence, n: int) -> Sequence:
    return values if len(values) == n else values[:n]


def _extended(values: Sequence, n: int, value: Any) -> Sequence:
    """The first n values and one more: appended in place where no other chain has gone
    on from here.
    """
    if isinstance(values, list) and len(values) == n:
        values.append(value)
        return values
    return [*values[:n], value]


def evaluate(energy: EnergyFunction, A: Array) -> Array:
    """Energies of the replicas; ValueError where they are not valid."""
    return checked(energy(A), A)


def evaluate_with_gradient(energy: EnergyFunction, A: Array) -> tuple[Array, Array]:
    values, gradient = energy.value_and_grad(A)  # type: ignore[attr-defined]
    return checked(values, A), gradient


def near(energy: EnergyFunction, A: Array) -> EnergyFunction:
    """The energy as it is around these maps; energies that only look at what is near
    have a ``near`` of their own.
    """
    return energy.near(A) if hasattr(energy, "near") else energy


def checked(values: Array, A: Array) -> Array:
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (len(A),):
        raise ValueError(
            f"The energy must map {A.shape} replicas to shape {(len(A),)}; "
            f"it returned shape {values.shape}."
        )
    if np.isnan(values).any():
        raise ValueError(
            f"The energy is NaN for replica {int(np.isnan(values).argmax())}."
        )
    return values
