"""Replica exchange from a reference with a known partition function to the energy at
low temperature.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.metaestimators import available_if

from ..mc import ElementMove, HamiltonianMove, Sampler, State, Streams, accept
from ..mc.state import Array


class Ladder(NamedTuple):
    r"""Rungs from the hot end to the cold one; rung k samples :math:`\exp\{-(s_k E +
    \lambda |A|^2) / T_k\}`.

    Parameters
    ----------
    coupling : ndarray of shape (n_rungs,)
        s: 0 is the confinement alone, 1 the whole energy.
    temperature : ndarray of shape (n_rungs,)
        T.

    Examples
    --------
    >>> from freemetric.thermodynamics import Ladder
    >>> ladder = Ladder.along([0, 0.5, 1, 2], hottest=1.0, coldest=0.01)
    >>> ladder.coupling.tolist(), ladder.temperature.tolist()
    ([0.0, 0.5, 1.0, 1.0], [1.0, 1.0, 1.0, 0.01])
    """

    coupling: Array
    temperature: Array

    @classmethod
    def along(cls, positions: Any, hottest: float, coldest: float) -> "Ladder":
        """Rungs at positions on the way: from 0 to 1 the energy is switched on, from 1
        to 2 the temperature falls.
        """
        t = np.asarray(positions, dtype=np.float64)
        return cls(
            np.minimum(t, 1.0),
            hottest * (coldest / hottest) ** np.maximum(t - 1.0, 0.0),
        )

    @property
    def has_reference(self) -> bool:
        """Whether the first rung is the confinement alone."""
        return bool(self.coupling[0] == 0)

    def reduced(self, energy: Array, confinement: Array) -> Array:
        """(s_k E + C) / T_k of every rung, a row for each, and then the shape of the
        energies.
        """
        shape = (-1, *(1,) * np.ndim(energy))
        s = self.coupling.reshape(shape)
        T = self.temperature.reshape(shape)
        return (s * energy + confinement) / T

    def log_ratios(self, energy: Array, confinement: Array) -> Array:
        """Log of the acceptance ratio of a swap, (..., n_rungs - 1), for replicas (...,
        n_rungs) on their rungs.
        """
        slope_E = np.diff(self.coupling / self.temperature)
        slope_C = np.diff(1 / self.temperature)
        return slope_E * np.diff(energy, axis=-1) + slope_C * np.diff(
            confinement, axis=-1
        )


class Coupled:
    """coupling_r E(A_r) + ridge |A_r|^2 of a stack of maps: an energy in its harmonic
    confinement.

    Parameters
    ----------
    energy : callable
        A bound energy, without the confinement.
    ridge : float
        Strength of the confinement, lambda.
    coupling : float or ndarray of shape (R,), default=1.0
        How far the energy is switched on for each map.
    """

    def __init__(
        self, energy: Any, ridge: float, coupling: float | Array = 1.0
    ) -> None:
        self.energy = energy
        self.ridge = float(ridge)
        self.coupling = coupling
        self.n_samples: int | None = getattr(energy, "n_samples", None)

    def __call__(self, A: Array) -> Array:
        return self.coupling * self.energy(A) + self.confinement(A)

    @available_if(lambda self: hasattr(self.energy, "value_and_grad"))
    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        value, gradient = self.energy.value_and_grad(A)
        slopes = np.reshape(self.coupling, (-1, 1, 1)) * gradient + 2 * self.ridge * A
        return self.coupling * value + self.confinement(A), slopes

    @available_if(lambda self: hasattr(self.energy, "near"))
    def near(self, A: Array) -> "Coupled":
        return Coupled(self.energy.near(A), self.ridge, self.coupling)

    def with_coupling(self, coupling: float | Array) -> "Coupled":
        """The same energy, switched on otherwise."""
        return Coupled(self.energy, self.ridge, coupling)

    def confinement(self, A: Array) -> Array:
        """ridge |A|^2, (R,)."""
        return self.ridge * (A**2).sum(axis=(1, 2))

    def parts(self, state: State) -> tuple[Array, Array]:
        """E and C (R,) of a state; E is only computed where the coupling is zero,
        elsewhere the total holds it.
        """
        C = self.confinement(state.A)
        s = np.broadcast_to(self.coupling, len(state.A))
        E = np.divide(state.energy - C, s, out=np.zeros(len(s)), where=s > 0)
        if np.any(s == 0):
            E[s == 0] = self.energy(state.A[s == 0])
        return E, C

    def log_reference(self, n_parameters: int, temperature: float) -> float:
        r"""log Z of the confinement alone, :math:`\frac n2 \log(\pi T / \lambda)`."""
        return 0.5 * n_parameters * np.log(np.pi * temperature / self.ridge)

    def draw_reference(
        self, rng: Any, shape: tuple[int, ...], temperature: float
    ) -> Array:
        """Independent maps from the confinement alone at this temperature."""
        return np.sqrt(temperature / (2 * self.ridge)) * rng.standard_normal(shape)


class LadderTempering(Sampler):
    """Several independent ladders of replicas; neighbours on a ladder exchange their
    maps.

    Maps are stacked ladder by ladder, (n_ladders * n_rungs, p, d), and the energy is a
    :class:`Coupled` one with the couplings of this stack. Even and odd pairs take
    turns, which moves replicas along the ladder faster than random pairs do [1]_. A
    rung without energy is drawn anew in every step, so that what reaches it is
    forgotten.

    Parameters
    ----------
    ladder : Ladder
        The rungs.
    move : Move or its name or None, default=None
        How to propose; None is ``HamiltonianMove()``.
    n_steps : int, default=500
        Monte Carlo steps.
    n_ladders : int, default=2
        Independent ladders.
    burn_in : float, default=0.3
        Share of the steps in which step sizes adapt.

    References
    ----------
    .. [1] S. Syed, A. Bouchard-Côté, G. Deligiannidis, A. Doucet, Non-reversible
       parallel tempering: a scalable highly parallel MCMC scheme, Journal of the Royal
       Statistical Society B 84, 2022.
    """

    def __init__(self, ladder, move=None, *, n_steps=500, n_ladders=2, burn_in=0.3):
        self.ladder = ladder
        self.move = move
        self.n_steps = n_steps
        self.n_ladders = n_ladders
        self.burn_in = burn_in

    def _first_temperatures(self, n_replicas):
        temperature = np.tile(self.ladder.temperature, self.n_ladders)
        if n_replicas != len(temperature):
            raise ValueError(
                "There must be a map for every rung of every ladder, "
                f"{len(temperature)}; got {n_replicas}."
            )
        return temperature

    def _advance(self, chain, energy):
        temperature = np.tile(self.ladder.temperature, self.n_ladders)
        state, scale, info = self._moved(chain, energy, temperature)
        state = self._renewed(chain.streams, energy, state)
        state, swaps = self._exchanged(chain.streams, energy, state, chain.step % 2)
        return chain.followed_by(state, scale), info._replace(swaps=swaps)

    def _renewed(self, streams: Streams, energy: Coupled, state: State) -> State:
        """The state with independent draws on the rungs that have no energy."""
        if not self.ladder.has_reference:
            return state
        A = state.A.copy()
        values = state.energy.copy()
        n = len(self.ladder.temperature)
        first = slice(None, None, n)
        of_first = Streams(streams.generators[first])
        A[first] = energy.draw_reference(
            of_first, A[first].shape, self.ladder.temperature[0]
        )
        values[first] = energy.confinement(A[first])
        return State(A, values)

    def _exchanged(
        self, streams: Streams, energy: Coupled, state: State, first: int
    ) -> tuple[State, Array]:
        """Swap neighbours, the pairs (first, first + 1), (first + 2, first + 3), ... of
        every ladder.
        """
        K, R = len(self.ladder.temperature), len(state.A)
        E, C = (part.reshape(-1, K) for part in energy.parts(state))
        rise = np.full((len(E), K), np.inf)
        pairs = np.arange(first, K - 1, 2)
        rise[:, pairs] = -self.ladder.log_ratios(E, C)[:, pairs]
        ok = accept(streams, np.ones(R), rise.ravel()).reshape(-1, K)
        ok &= np.isfinite(rise)
        order = np.arange(R).reshape(-1, K)
        ladders, rungs = np.nonzero(ok)
        higher = order[ladders, rungs]
        order[ladders, rungs] = order[ladders, rungs + 1]
        order[ladders, rungs + 1] = higher
        swaps = np.full((len(E), K), np.nan)
        swaps[:, pairs] = ok[:, pairs]
        swapped = order.ravel()
        A = state.A[swapped]
        E = E.ravel()[swapped]
        C = C.ravel()[swapped]
        # What a move keeps beside the map, gradient and velocity, belongs to the rung
        # that it has left.
        return State(A, energy.coupling * E + C), swaps.ravel()[:-1]


def default_move(energy: Any) -> Any:
    """Hamiltonian where there is a gradient, else one element at a time."""
    return HamiltonianMove() if hasattr(energy, "value_and_grad") else ElementMove()
