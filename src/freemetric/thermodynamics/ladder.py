"""Ladders tuned by the communication barrier, and the run on them that thermodynamics
is made of.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator

from ..mc import Annealing, Constant
from ..mc.state import Array
from ..sklearn_compat import generator
from .diagnostics import equilibrated, rejections
from .population import PopulationSettings, population_annealing
from .recording import Recorder, Recording
from .tempering import Coupled, Ladder, LadderTempering, default_move

FEWEST_RUNGS, FIRST_STEPS = 5, 16
HOTTEST = 12  # doublings of the lowest temperature, at most
HOT_STEPS = 50  # of a walk at the highest temperature
FEWEST_REPLICAS, POPULATION_STEPS = 10, 2


@dataclass(frozen=True)
class TemperingSettings:
    """How long and on how many rungs to sample.

    Parameters
    ----------
    n_steps : int, default=400
        Monte Carlo steps that are recorded.
    n_rungs : int or None, default=None
        Rungs of a ladder; None: two for every unit of the communication barrier, and
        one.
    most_rungs : int, default=40
        The most that None chooses.
    n_ladders : int, default=2
        Independent ladders, which R-hat compares. The first, the third and so on begin
        with the start, the others with draws of the confinement at the highest
        temperature.
    n_rounds : int, default=3
        Rounds of tuning, each twice as long as the one before.
    move : Move or its name or None, default=None
        How to propose; None: Hamiltonian where the energy has a gradient, else one
        element at a time.
    kept_temperature : float or None, default=None
        Temperature whose maps are kept, which becomes one of a rung; None: the lowest.
    n_islands : int, default=10
        Islands of a population annealing on the same rungs, whose log Z must agree; it
        makes a third of the ladders' steps. 0: none.
    """

    n_steps: int = 400
    n_rungs: int | None = None
    most_rungs: int = 40
    n_ladders: int = 2
    n_rounds: int = 3
    move: Any = None
    kept_temperature: float | None = None
    n_islands: int = 10

    def __post_init__(self) -> None:
        least = {
            "n_steps": 1,
            "n_rungs": 2,
            "most_rungs": 2,
            "n_ladders": 1,
            "n_rounds": 0,
            "n_islands": 0,
        }
        for name, fewest in least.items():
            value = getattr(self, name)
            if value is not None and value < fewest:
                raise ValueError(f"{name} must be at least {fewest}; got {value}.")


def temper(
    energy: Any,
    start: Array,
    ridge: float,
    temperatures: tuple[float, float | None],
    settings: TemperingSettings | None = None,
    random_state: Any = None,
) -> Recording:
    r"""Sample :math:`\exp\{-(E(A) + \lambda |A|^2) / T\}` at all temperatures of a
    range by replica exchange.

    With a confinement the ladder begins with it alone, at the highest temperature: its
    partition function is known, so that free energies are absolute. From there the
    energy is switched on, and then the temperature falls. Rungs are tuned in rounds of
    doubling length: the probability of rejected swaps, summed from rung to rung, is the
    communication barrier, and rungs are placed evenly in it [1]_.

    Parameters
    ----------
    energy : callable
        E, a bound energy without confinement: (R, p, d) -> (R,), with
        ``value_and_grad`` where there is a gradient.
    start : ndarray of shape (p, d)
        Map that every second ladder begins with, such as a fitted one; the others
        begin at the highest temperature.
    ridge : float
        Strength lambda of the confinement; 0 for an energy that confines itself, whose
        F and S are then relative.
    temperatures : tuple of two floats
        Lowest and highest T. None for the highest one: where the confinement alone
        spreads E by about T.
    settings : TemperingSettings or None, default=None
        Length and size of the run.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    recording : Recording
        Energies of all rungs, and maps at one temperature.

    References
    ----------
    .. [1] S. Syed, A. Bouchard-Côté, G. Deligiannidis, A. Doucet, Non-reversible
       parallel tempering: a scalable highly parallel MCMC scheme, Journal of the Royal
       Statistical Society B 84, 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.thermodynamics import temper, thermodynamics
    >>> def well(A):
    ...     return (A**2).sum(axis=(1, 2))
    >>> run = temper(well, np.zeros((1, 2)), 1.0, (0.5, 1.0), random_state=0)
    >>> F = thermodynamics(run).at(1.0)["free_energy"]
    >>> bool(abs(F.value + np.log(np.pi / 2)) < 4 * F.error)  # Z = pi T / 2
    True
    """
    settings, rng = settings or TemperingSettings(), generator(random_state)
    if not ridge >= 0 or np.ndim(start) != 2:
        raise ValueError(
            "start must be a map (p, d) and ridge at least 0; "
            f"got {np.shape(start)} and {ridge}."
        )
    coupled = Coupled(energy, ridge)
    (coldest, hottest) = temperatures
    if hottest is None:
        natural = natural_temperature(rng, coupled, np.shape(start), coldest)
        hottest = max(natural, settings.kept_temperature or 0.0)
    if not 0 < coldest <= hottest or not np.isfinite(hottest):
        raise ValueError(
            f"temperatures must be positive, the lowest first; got {temperatures}."
        )
    starts = dispersed(rng, coupled, np.asarray(start, float), hottest, settings)
    tuning = _Tuning(coupled, settings, (hottest, coldest), starts)
    run = equilibrated(tuning.tuned(rng).recorded(rng, settings.n_steps, burn_in=0.3))
    if not settings.n_islands or not run.is_absolute:
        return run
    size = settings.n_ladders * settings.n_steps / (2 * settings.n_islands)
    herd = PopulationSettings(
        n_replicas=max(FEWEST_REPLICAS, round(size / POPULATION_STEPS)),
        n_islands=max(2, settings.n_islands),
        n_steps=POPULATION_STEPS,
        move=settings.move,
    )
    seed = int(rng.integers(2**32))
    found = population_annealing(energy, np.shape(start), ridge, run.ladder, herd, seed)
    return run._replace(population=np.array([found.log_z, found.log_z_error]))


def dispersed(
    rng: np.random.Generator,
    energy: Coupled,
    start: Array,
    hottest: float,
    settings: TemperingSettings,
) -> Array:
    """First maps of every ladder, (n_ladders, p, d): the start, a draw at the highest
    temperature, the start, and so on.

    The draw is one of the confinement alone; without it, the end of a walk.
    """
    maps = np.tile(start, (settings.n_ladders, 1, 1))
    hot = maps[1::2]
    if energy.ridge > 0:
        hot[:] = energy.draw_reference(rng, hot.shape, hottest)
    elif len(hot):
        move = default_move(energy) if settings.move is None else settings.move
        walk = Annealing(Constant(hottest), move, n_steps=HOT_STEPS)
        for state, _ in walk.iterate(rng, energy, hot.copy()):
            hot[:] = state.A
    return maps


def natural_temperature(
    rng: np.random.Generator, energy: Coupled, shape: tuple[int, ...], coldest: float
) -> float:
    """A temperature at which the confinement alone spreads the energy by about T: there
    it is easily switched on.
    """
    T = 2 * coldest
    for _ in range(HOTTEST):
        values = (
            energy.energy(energy.draw_reference(rng, (16, *shape), T))
            if energy.ridge > 0
            else np.zeros(1)
        )
        if np.std(values) <= T:
            break
        T *= 2
    return T


def even_positions(positions: Array, rejected: Array, n_rungs: int) -> Array:
    """Positions of so many rungs, between the same ends, that share the communication
    barrier evenly.

    ``rejected`` are the probabilities of rejected swaps between the present neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.thermodynamics.ladder import even_positions
    >>> even_positions([0.0, 1.0, 2.0], np.array([0.4, 0.4]), 5).round(3).tolist()
    [0.0, 0.5, 1.0, 1.5, 2.0]
    """
    apart = np.maximum(rejected, 1e-4)  # rungs never fall together
    barrier = np.concatenate([[0.0], np.cumsum(apart)])
    return PchipInterpolator(barrier, positions)(np.linspace(0, barrier[-1], n_rungs))


class _Tuning:
    """A ladder with its maps, on the way from the first guess of rungs to the last."""

    def __init__(
        self,
        energy: Coupled,
        settings: TemperingSettings,
        ends: tuple[float, float],
        starts: Array,
    ):
        self.energy = energy
        self.settings = settings
        self.ends = ends
        first = 0.0 if energy.ridge > 0 else 1.0
        last = 2.0 if ends[0] > ends[1] else 1.0
        K = (
            1
            if first == last
            else settings.n_rungs or max(FEWEST_RUNGS, min(16, settings.most_rungs))
        )
        # Where the energy is switched on, most happens at the beginning.
        self.positions = np.linspace(first, last, K)
        self.positions = np.where(self.positions < 1, self.positions**2, self.positions)
        self.maps = np.repeat(starts[:, None], K, axis=1)
        self.kept = K - 1

    def tuned(self, rng: np.random.Generator) -> "_Tuning":
        """The ladder after all rounds, with its maps where they belong, and a rung at
        the temperature to keep.
        """
        for number in range(self.settings.n_rounds if len(self.positions) > 1 else 0):
            recording = self.recorded(rng, FIRST_STEPS * 2**number, burn_in=0.5)
            rejected = rejections(recording)
            most = max(FEWEST_RUNGS, self.settings.most_rungs)
            K = self.settings.n_rungs or int(
                np.clip(np.ceil(2 * rejected.sum()) + 1, FEWEST_RUNGS, most)
            )
            positions = even_positions(self.positions, rejected, K)
            nearest = np.abs(self.positions[:, None] - positions).argmin(axis=0)
            self.positions, self.maps, self.kept = (
                positions,
                self.maps[:, nearest],
                K - 1,
            )
        T, (hottest, coldest) = self.settings.kept_temperature, self.ends
        if T is not None and coldest < T <= hottest:
            position = 1 + np.log(hottest / T) / np.log(hottest / coldest)
            self.kept = int(np.abs(self.positions - position).argmin())
            self.positions[self.kept] = position
        return self

    def recorded(
        self, rng: np.random.Generator, n_steps: int, burn_in: float
    ) -> Recording:
        """A run of so many recorded steps after a burn-in, which is a share of all
        steps.
        """
        settings = self.settings
        ladder = Ladder.along(self.positions, *self.ends)
        energy = self.energy.with_coupling(np.tile(ladder.coupling, settings.n_ladders))
        move = default_move(energy) if settings.move is None else settings.move
        n_total = round(n_steps / (1 - burn_in))
        sampler = LadderTempering(
            ladder, move, n_steps=n_total, n_ladders=settings.n_ladders, burn_in=burn_in
        )
        recorder = Recorder(ladder, energy, n_steps, self.kept)
        for state, info in sampler.iterate(
            rng, energy, self.maps.reshape(-1, *self.maps.shape[2:])
        ):
            recorder.note(state, info)
        self.maps = state.A.reshape(self.maps.shape)
        return recorder.recording
