"""Samplers: how replicas walk at the temperatures of a schedule."""

from collections.abc import Iterator, Sequence

import numpy as np
from sklearn.base import BaseEstimator

from .moves import MOVES, HamiltonianMove, Move, accept
from .state import Array, Chain, EnergyFunction, Info, State, checked
from .streams import Streams


class Schedule(BaseEstimator):
    """``schedule(step, temperatures, energies)``: the temperature of a step, given
    those before it.

    ``temperatures`` (one number a step) and ``energies`` (R numbers a step) hold all
    earlier steps. With ``reads_energies = False`` replicas do not depend on each other,
    and can run apart.
    """

    reads_energies = True

    def __call__(
        self, step: int, temperatures: Sequence[float], energies: Sequence[Array]
    ) -> float:
        raise NotImplementedError


class Constant(Schedule):
    """Always ``temperature``, one of all replicas or (R,). At 0 only what lowers the
    energy is kept: a quench.
    """

    reads_energies = False

    def __init__(self, temperature=0.0):
        self.temperature = temperature

    def __call__(self, step, temperatures, energies):
        return self.temperature


class Geometric(Schedule):
    """start * factor**step: the paper's annealing is Geometric(0.1, 0.9)."""

    reads_energies = False

    def __init__(self, start=0.1, factor=0.9):
        self.start = start
        self.factor = factor

    def __call__(self, step, temperatures, energies):
        if not 0 < self.factor <= 1:
            raise ValueError(f"factor must be in (0, 1]; got {self.factor}.")
        return self.start * self.factor**step


class Linear(Schedule):
    """From ``start`` down to ``stop`` in ``n_steps`` equal steps, then ``stop``."""

    reads_energies = False

    def __init__(self, start=0.1, stop=0.0, n_steps=100):
        self.start = start
        self.stop = stop
        self.n_steps = n_steps

    def __call__(self, step, temperatures, energies):
        done = min(step / max(self.n_steps - 1, 1), 1.0)
        return self.start + (self.stop - self.start) * done


class Adaptive(Schedule):
    """Cool by the measured fluctuation of the energy: T <- T exp(-speed T / sigma_E)
    every ``window`` steps.

    Keeps successive Boltzmann distributions overlapping: slow where the specific heat
    is large, that is where the energy changes much with temperature, and fast elsewhere
    (Huang, Romeo and Sangiovanni-Vincentelli 1986).

    Parameters
    ----------
    start : float, default=0.01
        First temperature.
    speed : float, default=0.7
        Distance of successive distributions in standard deviations of the energy.
    window : int, default=5
        Steps at one temperature; sigma_E is measured over them, averaged over replicas.
    fastest : float, default=0.5
        Smallest factor by which one window may cool.
    """

    def __init__(self, start=0.01, *, speed=0.7, window=5, fastest=0.5):
        self.start = start
        self.speed = speed
        self.window = window
        self.fastest = fastest

    def __call__(self, step, temperatures, energies):
        if step == 0:
            return self.start
        T = temperatures[-1]
        if step % self.window:
            return T
        sigma = np.std(energies[-self.window :], axis=0).mean()
        return (
            T * max(np.exp(-self.speed * T / sigma), self.fastest)
            if sigma > 0
            else T * self.fastest
        )


def as_move(move: Move | str | None) -> Move:
    """The move itself, the one of that name, or the default."""
    if move is None:
        return HamiltonianMove()
    if isinstance(move, str):
        if move not in MOVES:
            raise ValueError(
                f"Unknown move {move!r}; known moves: {', '.join(map(repr, MOVES))}."
            )
        return MOVES[move]()
    if not hasattr(move, "step"):
        raise TypeError(
            f"move must be a Move or one of {', '.join(map(repr, MOVES))}; "
            f"got {move!r}."
        )
    return move


class Sampler(BaseEstimator):
    """Advances chains of R replicas.

    ``begin(rng, energy, A)`` makes a :class:`Chain`, ``advance(chain, energy)`` makes
    one Monte Carlo step of it, until ``ended(chain)``. ``iterate(rng, energy, A)`` is
    the short way: it yields (State, Info) once per step. ``rng`` is a generator, out of
    which every replica gets a stream of its own, or the :class:`Streams` themselves.

    Step sizes adapt during the first ``burn_in`` share of the steps and are then
    frozen: a step size that keeps following the walk breaks detailed balance.
    """

    burn_in: float
    n_steps: int

    @property
    def couples_replicas(self) -> bool:
        """Whether what a replica does depends on the others."""
        return True

    def begin(
        self, rng: np.random.Generator | Streams, energy: EnergyFunction, A: Array
    ) -> Chain:
        """A chain before its first step."""
        temperature = self._first_temperatures(len(A))
        if not 0 <= self.burn_in <= 1:
            raise ValueError(
                f"burn_in is a share of the steps, in [0, 1]; got {self.burn_in}."
            )
        state = State(A, checked(energy(A), A))
        streams = Streams.of(rng, len(A)).copy()
        return Chain(
            state,
            as_move(self.move).start(streams, energy, state, temperature),
            streams,
        )

    def _first_temperatures(self, n_replicas: int) -> Array:
        """Temperatures (R,) of the first step; ValueError where so many replicas cannot
        be.
        """
        raise NotImplementedError

    def advance(self, chain: Chain, energy: EnergyFunction) -> tuple[Chain, Info]:
        """The chain after one more step, and what happened in it."""
        return self._advance(chain._replace(streams=chain.streams.copy()), energy)

    def _advance(self, chain: Chain, energy: EnergyFunction) -> tuple[Chain, Info]:
        """The same, drawing from the streams of the chain itself."""
        raise NotImplementedError

    def ended(self, chain: Chain) -> bool:
        """Whether there is no further step to make."""
        return chain.step >= self.n_steps

    def iterate(
        self, rng: np.random.Generator | Streams, energy: EnergyFunction, A: Array
    ) -> Iterator[tuple[State, Info]]:
        """Yield (State, Info) after every Monte Carlo step."""
        chain = self.begin(rng, energy, A)
        while not self.ended(chain):
            chain, info = self._advance(chain, energy)
            yield chain.state, info

    def _moved(self, chain, energy, temperature) -> tuple[State, Array, Info]:
        """State and step sizes after a step of the move, and the mean acceptance of
        each replica of what was tried.
        """
        move = as_move(self.move)
        adapts = chain.step < self.burn_in * self.n_steps
        state, accepted = move.step(
            chain.streams, energy, chain.state, temperature, chain.scale
        )
        share = np.nanmean(accepted.reshape(len(accepted), -1), axis=1)
        scale = move.adapt(chain.scale, accepted) if adapts else chain.scale
        return state, scale, Info(chain.step, temperature, share, adapts)


class Annealing(Sampler):
    """R independent replicas at the temperatures of a schedule.

    Parameters
    ----------
    schedule : Schedule, default=Constant(1e-4)
        Temperature of every step. Constant(0) makes R quenches.
    move : Move or its name, default=HamiltonianMove()
        How to propose.
    n_steps : int, default=40
        Most Monte Carlo steps.
    n_replicas : int, default=1
        Replicas that a learner starts.
    burn_in : float, default=0.7
        Share of the steps in which step sizes adapt.
    tol : float or None, default=None
        Stop when no replica's energy varied by more than this over ``window`` steps.
        None: never.
    window : int, default=10
        Steps that decide about convergence.
    """

    def __init__(
        self,
        schedule=None,
        move=None,
        *,
        n_steps=40,
        n_replicas=1,
        burn_in=0.7,
        tol=None,
        window=10,
    ):
        self.schedule = schedule
        self.move = move
        self.n_steps = n_steps
        self.n_replicas = n_replicas
        self.burn_in = burn_in
        self.tol = tol
        self.window = window

    @property
    def couples_replicas(self):
        return self.tol is not None or getattr(self._schedule, "reads_energies", True)

    @property
    def _schedule(self):
        return Constant(1e-4) if self.schedule is None else self.schedule

    def _first_temperatures(self, n_replicas):
        return np.full(n_replicas, self._temperature(0, [], []))

    def _advance(self, chain, energy):
        T = self._temperature(chain.step, *chain.history)
        state, scale, info = self._moved(chain, energy, np.full(len(chain.state.A), T))
        return chain.followed_by(state, scale, T), info

    def ended(self, chain):
        energies = chain.history[1]
        if self.tol is None or len(energies) < self.window:
            return super().ended(chain)
        return super().ended(chain) or bool(
            np.all(np.ptp(energies[-self.window :], axis=0) <= self.tol)
        )

    def _temperature(self, step, temperatures, energies):
        T = check_temperature(self._schedule(step, temperatures, energies))
        return T if T.ndim else float(T)


class ParallelTempering(Sampler):
    """One replica per temperature; neighbours exchange their maps, so that the cold
    ones escape through the hot.

    A swap of replicas i and j is accepted with probability min(1, exp((1/T_i - 1/T_j)
    (E_i - E_j))).

    Parameters
    ----------
    temperatures : sequence of float, default=(1e-4, 3e-4, 1e-3, 3e-3)
        Ascending; the first may be zero.
    move : Move or its name, default=HamiltonianMove()
        How to propose.
    n_steps : int, default=100
        Monte Carlo steps.
    swap_every : int, default=1
        Steps between exchanges; even and odd pairs take turns.
    burn_in : float, default=0.5
        Share of the steps in which step sizes adapt. They stay with their temperature.
    """

    def __init__(
        self,
        temperatures=(1e-4, 3e-4, 1e-3, 3e-3),
        move=None,
        *,
        n_steps=100,
        swap_every=1,
        burn_in=0.5,
    ):
        self.temperatures = temperatures
        self.move = move
        self.n_steps = n_steps
        self.swap_every = swap_every
        self.burn_in = burn_in

    @property
    def n_replicas(self) -> int:
        return len(self.temperatures)

    def _first_temperatures(self, n_replicas):
        temperature = check_temperature(self.temperatures)
        if n_replicas != len(temperature):
            raise ValueError(
                "There must be as many replicas as temperatures, "
                f"{len(temperature)}; got {n_replicas}."
            )
        if np.any(np.diff(temperature) <= 0):
            raise ValueError(f"temperatures must ascend; got {temperature.tolist()}.")
        return temperature

    def _advance(self, chain, energy):
        temperature = check_temperature(self.temperatures)
        state, scale, info = self._moved(chain, energy, temperature)
        if chain.step % self.swap_every == 0:
            state, swaps = exchange(
                chain.streams,
                state,
                temperature,
                first=chain.step // self.swap_every % 2,
            )
            info = info._replace(swaps=swaps)
        return chain.followed_by(state, scale), info


def exchange(
    rng: Streams, state: State, temperature: Array, first: int
) -> tuple[State, Array]:
    """Try to swap the pairs (first, first + 1), (first + 2, first + 3), ... of
    neighbouring temperatures.
    """
    cold = np.arange(first, len(temperature) - 1, 2)
    hot = cold + 1
    # Metropolis' rule for the cold replica taking the hot one's map, at 1/T = 1/T_cold
    # - 1/T_hot.
    between = np.zeros(len(temperature))
    rise = np.full(len(temperature), np.inf)
    between[cold] = (
        temperature[cold] * temperature[hot] / (temperature[hot] - temperature[cold])
    )
    rise[cold] = state.energy[hot] - state.energy[cold]
    ok = accept(rng, between, rise)[cold]
    order = np.arange(len(temperature))
    order[cold[ok]], order[hot[ok]] = hot[ok], cold[ok]
    swaps = np.full(len(temperature) - 1, np.nan)
    swaps[cold] = ok
    gradient = None if state.gradient is None else state.gradient[order]
    return State(state.A[order], state.energy[order], gradient), swaps


def check_temperature(temperature: Array) -> Array:
    temperature = np.asarray(temperature, dtype=np.float64)
    if not np.all(np.isfinite(temperature)) or np.any(temperature < 0):
        raise ValueError(
            f"A temperature must be a finite number >= 0; got {temperature.tolist()}."
        )
    return temperature
