"""Population annealing: a second estimate of the free energy, which shares nothing with
replica exchange but moves.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from ..mc import State, Streams
from ..mc.samplers import as_move
from ..mc.state import Array, evaluate
from ..sklearn_compat import generator
from .tempering import Coupled, Ladder, default_move


@dataclass(frozen=True)
class PopulationSettings:
    """Size of a population.

    Parameters
    ----------
    n_replicas : int, default=50
        Replicas of an island.
    n_islands : int, default=20
        Independent populations, whose spread gives error bars.
    n_steps : int, default=5
        Monte Carlo steps on every rung.
    move : Move or its name or None, default=None
        How to propose; None: Hamiltonian where the energy has a gradient, else one
        element at a time.
    """

    n_replicas: int = 50
    n_islands: int = 20
    n_steps: int = 5
    move: Any = None

    def __post_init__(self) -> None:
        for name, fewest in {"n_replicas": 1, "n_islands": 2, "n_steps": 1}.items():
            if getattr(self, name) < fewest:
                raise ValueError(
                    f"{name} must be at least {fewest}; got {getattr(self, name)}."
                )


class Population(NamedTuple):
    """Result of population annealing on a ladder.

    Parameters
    ----------
    ladder : Ladder
        The rungs.
    log_z, log_z_error : ndarray of shape (n_rungs,)
        Log of the partition function; F = -T log Z.
    """

    ladder: Ladder
    log_z: Array
    log_z_error: Array


def population_annealing(
    energy: Any,
    shape: tuple[int, int],
    ridge: float,
    ladder: Ladder,
    settings: PopulationSettings | None = None,
    random_state: Any = None,
) -> Population:
    r"""Cool a population of independent maps down a ladder, and add up its free energy
    on the way.

    The population begins with exact draws from the confinement alone. From rung to rung
    a map is copied in proportion to :math:`e^{u_k - u_{k+1}}`, the mean of which is
    :math:`Z_{k+1} / Z_k`, and then walks by Monte Carlo [1]_ [2]_. Islands of the
    population do not mix; their spread gives the error bars.

    Parameters
    ----------
    energy : callable
        E, a bound energy without confinement.
    shape : tuple of two ints
        (p, d) of the maps.
    ridge : float
        Strength of the confinement, positive.
    ladder : Ladder
        Rungs from coupling 0, such as ``ladder`` of a recording.
    settings : PopulationSettings or None, default=None
        Size of the population.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    population : Population
        Estimates on every rung.

    References
    ----------
    .. [1] K. Hukushima, Y. Iba, Population annealing and its application to a spin
       glass, AIP Conference Proceedings 690, 2003.
    .. [2] J. Machta, Population annealing with weighted averages, Physical Review E 82,
       2010.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.thermodynamics import Ladder, population_annealing
    >>> def well(A):
    ...     return (A**2).sum(axis=(1, 2))
    >>> ladder = Ladder.along(np.linspace(0, 2, 9), hottest=1.0, coldest=0.5)
    >>> found = population_annealing(well, (1, 2), 1.0, ladder, random_state=0)
    >>> error = found.log_z[-1] - np.log(np.pi / 4)  # Z = pi T / 2
    >>> bool(abs(error) < 4 * found.log_z_error[-1])
    True
    """
    if not ridge > 0 or not ladder.has_reference:
        raise ValueError(
            "A population begins with the confinement alone: "
            "it needs ridge > 0 and coupling 0."
        )
    settings, rng = settings or PopulationSettings(), generator(random_state)
    coupled = Coupled(energy, ridge)
    size = (settings.n_islands, settings.n_replicas)
    A = coupled.draw_reference(rng, (size[0] * size[1], *shape), ladder.temperature[0])
    herd = _Herd(
        coupled,
        default_move(coupled) if settings.move is None else as_move(settings.move),
        rng,
        A,
    )
    log_z = [np.full(size[0], coupled.log_reference(A[0].size, ladder.temperature[0]))]
    for k in range(1, len(ladder.temperature)):
        E, C = (
            part.reshape(size) for part in (energy(herd.A), coupled.confinement(herd.A))
        )
        u = ladder.reduced(E, C)
        gain = u[k - 1] - u[k]
        log_z.append(log_z[-1] + logsumexp(gain, axis=1) - np.log(size[1]))
        chosen = copies(rng, gain)
        herd.A = herd.A[(chosen + size[1] * np.arange(size[0])[:, None]).ravel()]
        herd.walk(settings.n_steps, ladder.coupling[k], ladder.temperature[k])
    return Population(ladder, *_combined(np.array(log_z)))


class _Herd:
    """Replicas that walk with one step size for all, which adapts to their mean
    acceptance.

    A step size of its own for every map would depend on where the map is, and so bias
    the walk."""

    def __init__(
        self, energy: Coupled, move: Any, rng: np.random.Generator, A: Array
    ) -> None:
        self.energy = energy
        self.move = move
        self.streams = Streams.of(rng, len(A))
        self.A = A
        self.scale: Array | None = None

    def walk(self, n_steps: int, coupling: float, temperature: float) -> None:
        """Walk on a rung."""
        energy = self.energy.with_coupling(coupling)
        T = np.full(len(self.A), temperature)
        state = State(self.A, evaluate(energy, self.A))
        if self.scale is None:
            first = self.move.start(self.streams, energy, state, T)
            self.scale = np.broadcast_to(
                np.exp(np.log(first).mean(axis=0)), first.shape
            ).copy()
        for _ in range(n_steps):
            state, accepted = self.move.step(self.streams, energy, state, T, self.scale)
            # An element that no replica has tried stays as it is.
            tried = np.maximum((~np.isnan(accepted)).sum(axis=0), 1)
            mean = np.nansum(accepted, axis=0) / tried
            self.scale = self.move.adapt(
                self.scale, np.broadcast_to(mean, accepted.shape)
            )
        self.A = state.A


def copies(rng: np.random.Generator, log_weights: Array) -> NDArray[np.intp]:
    """Which replica (n_islands, n_replicas) stands in each place after copying, by
    systematic resampling.

    Each is there as often as its weight says, to less than one copy.
    """
    islands, n = log_weights.shape
    shares = np.cumsum(
        np.exp(log_weights - logsumexp(log_weights, axis=1, keepdims=True)), axis=1
    )
    shares[:, -1] = 1.0
    positions = (np.arange(n) + rng.random((islands, 1))) / n
    return np.array(
        [
            np.searchsorted(share, position)
            for share, position in zip(shares, positions, strict=True)
        ]
    )


def _combined(log_z):
    """log Z (n_rungs,) of islands (n_rungs, n_islands), with errors by a jackknife.

    The mean of Z has no bias, but its logarithm is too low by half of its relative
    variance. The jackknife takes this off as well: with few islands of a rugged energy
    it is a good part of the error."""
    n = log_z.shape[1]
    own = np.eye(n, dtype=bool)
    without = np.where(own, -np.inf, log_z[:, None])
    without = logsumexp(without, axis=2) - np.log(n - 1)
    error = np.sqrt((n - 1) * without.var(axis=1))
    together = logsumexp(log_z, axis=1) - np.log(n)
    return n * together - (n - 1) * without.mean(axis=1), error
