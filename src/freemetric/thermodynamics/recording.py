"""What chains have visited: energies by rung, exchanges and maps; kept while they run,
and in files.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..mc import Info, State
from ..mc.state import Array
from .tempering import Coupled, Ladder

MOST_MAPS = 1000  # that are kept of every ladder


class Recording(NamedTuple):
    """Energies and exchanges of chains on the rungs of a ladder, after burn-in.

    Parameters
    ----------
    ladder : Ladder
        Coupling and temperature of every rung.
    energy, confinement : ndarray of shape (n_steps, n_ladders, n_rungs)
        E(A), without coupling and confinement, and lambda |A|^2, of the replica that
        stands on each rung.
    swaps : ndarray of shape (n_steps, n_ladders, n_rungs - 1)
        1 where a rung and the next one exchanged replicas, 0 where they did not, NaN
        where that was not tried.
    log_reference : float
        log Z of the first rung where it is known, else NaN: free energies and entropies
        are then relative.
    maps : ndarray of shape (n_maps, n_ladders, p, d)
        Maps on the rung ``kept``, evenly spaced in time; of length 0 where none were
        kept.
    kept : int
        Rung of the maps.
    population : ndarray of shape (2, n_rungs)
        log Z of all rungs by population annealing, and its standard errors; of length
        0 where that was not made.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.thermodynamics import Recording
    >>> rng = np.random.default_rng(0)
    >>> T = np.tile([1.0, 0.5, 0.25], (400, 1))
    >>> E = T * rng.standard_exponential((400, 3))  # of two quadratic parameters
    >>> trace = {"temperature": T, "energy": E}
    >>> run = Recording.from_trace(trace, burn_in=0.0)
    >>> run.ladder.temperature.tolist(), run.energy.shape
    ([1.0, 0.5, 0.25], (400, 1, 3))
    """

    ladder: Ladder
    energy: Array
    confinement: Array
    swaps: Array
    log_reference: float = float("nan")
    maps: Array = np.empty((0, 1, 0, 0))
    kept: int = -1
    population: Array = np.empty((0, 0))

    @classmethod
    def from_trace(
        cls, trace: Mapping[str, NDArray], burn_in: float = 0.5
    ) -> "Recording":
        """Chains at constant temperatures, as ``trace_`` of DMLFE describes them; the
        first share is left out.

        Parameters
        ----------
        trace : dict of ndarray of shape (n_steps, R)
            "temperature" and "energy", and where there are such "confinement", which is
            part of the energy, and "swaps".
        burn_in : float, default=0.5
            Share of the steps to leave out.

        Returns
        -------
        recording : Recording
            One ladder with a rung for every chain.
        """
        kept = slice(int(burn_in * len(trace["energy"])), None)
        T = np.asarray(trace["temperature"])[kept]
        if not len(T) or not (np.all(T[0] == T) and np.all(T > 0)):
            raise ValueError(
                "Thermodynamics needs chains at constant, positive temperatures; "
                "annealing has none."
            )
        order = np.argsort(-T[0], kind="stable")
        total = np.asarray(trace["energy"], dtype=np.float64)[kept][:, order]
        C = np.asarray(trace.get("confinement", np.zeros(trace["energy"].shape)))[kept][
            :, order
        ]
        # Swaps are listed by the colder neighbour, as mc.ParallelTempering has the
        # coldest first.
        swaps = np.asarray(trace.get("swaps", np.full(trace["energy"].shape, np.nan)))[
            kept
        ][:, order][:, 1:]
        ladder = Ladder(np.ones(len(order)), T[0, order])
        return cls(ladder, (total - C)[:, None], C[:, None], swaps[:, None])

    @property
    def total(self) -> Array:
        """E + C of every replica: the energy that thermodynamics is about."""
        return self.energy + self.confinement

    @property
    def is_absolute(self) -> bool:
        """Whether the partition function of the first rung is known."""
        return bool(np.isfinite(self.log_reference))

    def after(self, step: int) -> "Recording":
        """The recording without its first steps."""
        first_map = round(step * len(self.maps) / max(len(self.energy), 1))
        return self._replace(
            energy=self.energy[step:],
            confinement=self.confinement[step:],
            swaps=self.swaps[step:],
            maps=self.maps[first_map:],
        )

    def rungs_of_replicas(self) -> NDArray[np.intp]:
        """The rung of every replica after every step, (n_steps, n_ladders, n_replicas),
        from the exchanges.
        """
        n, L, K = self.energy.shape
        standing = np.tile(np.arange(K), (L, 1))  # which replica stands on each rung
        rung = np.arange(K)
        visited = np.empty((n, L, K), dtype=np.intp)
        for step, swaps in enumerate(self.swaps):
            ladders, rungs = np.nonzero(swaps == 1)
            both = np.array([rungs, rungs + 1])
            standing[ladders, both] = standing[ladders, both[::-1]]
            np.put_along_axis(
                visited[step], standing, np.broadcast_to(rung, (L, K)), axis=1
            )
        return visited


class Recorder:
    """Collects a recording from the steps of a sampler; it can be read at any time.

    Parameters
    ----------
    ladder : Ladder
        The rungs of the sampler.
    energy : Coupled
        The energy that it samples.
    n_steps : int
        Steps that will be recorded, which decide how many maps are left out between two
        that are kept.
    kept : int, default=-1
        Rung whose maps are kept.
    """

    def __init__(
        self,
        ladder: Ladder,
        energy: Coupled,
        n_steps: int,
        kept: int = -1,
    ) -> None:
        self.ladder = ladder
        self.energy = energy
        self.kept = kept
        self.stride = max(1, -(-n_steps // MOST_MAPS))
        self._rows: list[tuple[Array, ...]] = []
        self._maps: list[Array] = []
        self._n_parameters = 0

    def note(self, state: State, info: Info) -> None:
        """Record a step; steps in which step sizes adapt are no samples."""
        if info.adapting:
            return
        K = len(self.ladder.temperature)
        E, C = (part.reshape(-1, K) for part in self.energy.parts(state))
        A = state.A.reshape(-1, K, *state.A.shape[1:])
        if len(self._rows) % self.stride == 0:
            self._maps.append(A[:, self.kept].copy())
        swaps = info.swaps_with_next.reshape(-1, K)[:, :-1]
        self._rows.append((E, C, swaps))
        self._n_parameters = state.A[0].size

    @property
    def recording(self) -> Recording:
        """All steps so far."""
        if not self._rows:
            raise ValueError("Nothing was recorded: every step was one of the burn-in.")
        E, C, swaps = (np.array(rows) for rows in zip(*self._rows, strict=True))
        log_z = float("nan")
        if self.ladder.has_reference:
            log_z = float(
                self.energy.log_reference(
                    self._n_parameters, self.ladder.temperature[0]
                )
            )
        return Recording(
            self.ladder, E, C, swaps, log_z, np.array(self._maps), self.kept
        )
