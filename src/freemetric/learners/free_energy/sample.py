"""Replicas of one candidate, sampled on their bags and judged by the others: a pure function of a task.

A task holds all that its result depends on, so that it can be done in any order, process or machine. Every replica has
a random stream by its number: it comes out the same alone or beside others.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...energies import Energy, bind, confined, takes_weights
from ...files.checks import check_array, require
from ...mc import Sampler, Streams
from ...metrics import FORMS, Candidate, Ensemble, Voters
from ..base import one_blas_thread
from ..descent import initial_map
from ..sampling_run import Walk, side_by_side
from .judge import Ballots, judge

Seeds = list[np.random.SeedSequence]


class ReplicaTask(NamedTuple):
    """Replicas to sample, all of one candidate."""

    candidate: Candidate
    seen: NDArray  # (M, d_view) the places of the voters in the candidate's view
    voters: Voters
    bags: NDArray  # (R, n) rows that each replica learns on
    seeds: Seeds  # of every replica
    judged: NDArray  # rows that judge, where they are out of bag
    n_neighbors: int
    energy: Energy
    sampler: Sampler
    n_components: int | None = None
    device: str = "cpu"


class Replicas(NamedTuple):
    """What a task gives."""

    maps: NDArray  # (R, p, d)
    ballots: Ballots
    trace: dict[str, NDArray]  # (n_steps, R)
    snapshots: dict[str, NDArray]  # of the first replica

    def to_state(self) -> dict[str, Any]:
        return {
            "maps": self.maps,
            "shares": self.ballots.shares,
            "counts": self.ballots.counts,
            "trace": self.trace,
            "snapshots": self.snapshots,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Replicas":
        maps, shares, counts = state["maps"], state["shares"], state["counts"]
        check_array(maps, "maps of Replicas", 3)
        check_array(shares, "shares of Replicas", 3)
        check_array(counts, "counts of Replicas", 1, shares.shape[:1], "i")
        for name in ("trace", "snapshots"):
            arrays = state[name].values() if type(state[name]) is dict else [None]
            require(all(type(array) is np.ndarray for array in arrays), f"{name} of Replicas", "holds something else")
        return cls(maps, Ballots(shares, counts), state["trace"], state["snapshots"])

    def may_be_of(self, task: ReplicaTask) -> bool:
        """Whether they have the shapes that a task gives; compiled code believes them."""
        R = len(task.bags) if task.candidate.learns else 0
        judges = len(task.judged), task.n_neighbors, task.voters.n_cells
        return self.maps.shape[::2] == (R, task.seen.shape[1]) and self.ballots.shares.shape == judges


def replicas_of(task: ReplicaTask) -> Replicas:
    """Sample the replicas of a task, and let the patterns they have not seen judge them."""
    with one_blas_thread():
        maps, trace, snapshots = sample(task)
        ensemble = Ensemble(task.candidate, maps)
        ballots = judge(ensemble, task.seen, task.voters, task.bags, task.judged, task.n_neighbors, task.device)
    return Replicas(maps, ballots, trace, snapshots)


def sample(task: ReplicaTask) -> tuple[NDArray, dict[str, NDArray], dict[str, NDArray]]:
    """Maps (R, p, d) of the replicas, their trace, and snapshots of the first."""
    if not task.candidate.learns:
        return np.empty((0, 1, task.seen.shape[1])), {}, {}
    R = getattr(task.sampler, "n_replicas", 1)
    if R == 1 and not getattr(task.sampler, "couples_replicas", True):
        walk = _walk(task, task.bags, Streams.from_seeds(task.seeds))
        return walk.state.A, walk.trace, walk.snapshots
    # a sampler whose replicas depend on each other runs once for each of ours, whose map is its first, the coldest
    walks = [
        _walk(task, np.repeat(bag[None], R, axis=0), Streams.from_seeds(seed.spawn(R)))
        for bag, seed in zip(task.bags, task.seeds, strict=True)
    ]
    traces = [{name: rows[:, :1] for name, rows in walk.trace.items()} for walk in walks]
    return np.array([walk.state.A[0] for walk in walks]), side_by_side(traces), walks[0].snapshots


def _start(task, form, V, y):
    """Where a replica begins: at the identity, or with the directions in which its own bag differs most."""
    d, p = V.shape[1], task.n_components
    if p is None or p == d or not form.is_free:
        return form.start(d, p)
    A = initial_map("pca" if y.dtype.kind == "f" else "auto", np.random.default_rng(0), V, y, p)
    spread = (V @ A.T).var(axis=0).sum()
    return A * np.sqrt(V.var(axis=0).sum() / spread) if spread > 0 else A  # distances as large as the identity's


def _walk(task, bags, streams):
    form, voters = FORMS[task.candidate.form], task.voters
    energy = confined(form.restrict(task.energy), task.candidate.confinement)
    weighs = voters.weights is not None and takes_weights(energy)
    V = task.seen[voters.places.of_row[bags]]  # (R, n, d_view)
    weights = voters.weights[bags] if weighs else None
    bound = bind(energy, V, voters.targets(bags), weights, task.device)
    start = np.array([_start(task, form, V[r], voters.y[bags[r]]) for r in range(len(bags))])
    return Walk("replica", keeps_best=False).run(task.sampler, streams, bound, start)
