"""Replicas of one candidate, sampled on their bags and scored on the samples left out."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context

from ..energies import Energy, bind, confined, takes_weights
from ..files.checks import check_array, require
from ..learners.base import one_blas_thread
from ..learners.initial_map import initial_map
from ..learners.sampling_run import Walk, side_by_side
from ..mc import Sampler, Streams
from ..metrics import FORMS, Candidate, Member, TrainingSet
from ..metrics.neighbor_votes import NeighborVotes


class Bags:
    """An endless row of bags, all with the same number of patterns of every stratum.

    A stratum gives ``share`` of its patterns to a bag, two at least: a single one has no neighbour of its own class.
    Complementary bags go round every stratum in shuffled order, so that patterns are left out about equally often: of
    two bags with half of the patterns one is the other's complement. Others are drawn independently.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws the bags.
    strata : sequence of ndarray
        Numbers of the patterns in each stratum.
    share : float
        Of every stratum.
    most : int
        Patterns of a bag.
    complementary : bool, default=True
        How they are drawn.
    """

    def __init__(
        self, rng: np.random.Generator, strata: Sequence[NDArray], share: float, most: int, complementary: bool = True
    ) -> None:
        share = min(share, most / sum(map(len, strata)))
        self.rng, self.strata, self.complementary = rng, strata, complementary
        self.sizes = [min(len(stratum), max(2, round(share * len(stratum)))) for stratum in strata]
        self.size = sum(self.sizes)
        self.left = [np.empty(0, dtype=int) for _ in strata]
        self.drawn: list[NDArray] = []

    def first(self, n: int) -> NDArray:
        """The first n bags (n, bag size) of pattern numbers."""
        return self.between(0, n)

    def between(self, start: int, stop: int) -> NDArray:
        """Bags number start to stop - 1; the same ones whenever they are asked for."""
        while len(self.drawn) < stop:
            self.drawn.append(np.concatenate([self._draw(number) for number in range(len(self.strata))]))
        return np.array(self.drawn[start:stop])

    def _draw(self, number):
        n, left = self.sizes[number], self.left[number]
        if not self.complementary:
            return self.rng.permutation(self.strata[number])[:n]
        if len(left) < n:
            # a new round begins with those that the last one left over
            rest = np.setdiff1d(self.strata[number], left)
            left = np.concatenate([left, self.rng.permutation(rest)])
        self.left[number] = left[n:]
        return left[:n]


class OOBVotes(NamedTuple):
    """Out-of-bag votes for the patterns that judge, summed over replicas."""

    shares: NDArray[np.float32]  # (n_judged, K, C) sums of shares of votes
    counts: NDArray[np.int32]  # (n_judged,) replicas that have not seen the pattern

    @classmethod
    def none(cls, n_judged: int, n_neighbors: int, n_cells: int) -> "OOBVotes":
        """No votes yet."""
        size = n_judged, n_neighbors, n_cells
        return cls(np.zeros(size, dtype=np.float32), np.zeros(n_judged, dtype=np.int32))

    def add(self, other: "OOBVotes") -> None:
        """Count more votes."""
        self.shares[:] += other.shares
        self.counts[:] += other.counts


def judge(
    member: Member,
    seen: NDArray,
    training_set: TrainingSet,
    bags: NDArray,
    judged: NDArray,
    n_neighbors: int,
    device: str,
) -> OOBVotes:
    """Votes that the rows ``judged`` get in every replica's space, where they are not in its bag.

    All rows vote, each leaves itself out. ``seen`` (M, d_view) are the places of the voters in the ensemble's view;
    ``bags`` (R, n) the rows that each replica has learned on, (0, n) where nothing is learned.
    """
    votes = OOBVotes.none(len(judged), n_neighbors, training_set.n_cells)
    own = training_set.votes(judged)
    bags = bags if member.form.learns else np.empty((1, 0), dtype=int)
    with config_context(assume_finite=True, skip_parameter_validation=True):  # checked once, not by every replica
        for Z, bag in zip(member.spaces(seen), bags, strict=True):
            outside = ~np.isin(judged, bag)
            if outside.any():
                search = NeighborVotes(Z, training_set.places, n_neighbors, None, device)
                numbers = np.flatnonzero(outside)
                search.add_left_out_shares(judged[numbers], own[numbers], numbers, votes.shares)
                votes.counts[numbers] += 1
    return votes


Seeds = list[np.random.SeedSequence]


class ReplicaTask(NamedTuple):
    """Replicas to sample, all of one candidate."""

    candidate: Candidate
    seen: NDArray  # (M, d_view) the places of the voters in the candidate's view
    training_set: TrainingSet
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
    oob_votes: OOBVotes
    trace: dict[str, NDArray]  # (n_steps, R)
    snapshots: dict[str, NDArray]  # of the first replica

    def to_state(self) -> dict[str, Any]:
        return {
            "maps": self.maps,
            "shares": self.oob_votes.shares,
            "counts": self.oob_votes.counts,
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
        return cls(maps, OOBVotes(shares, counts), state["trace"], state["snapshots"])

    def may_be_of(self, task: ReplicaTask) -> bool:
        """Whether they have the shapes that a task gives; compiled code believes them."""
        R = len(task.bags) if task.candidate.learns else 0
        judges = len(task.judged), task.n_neighbors, task.training_set.n_cells
        return self.maps.shape[::2] == (R, task.seen.shape[1]) and self.oob_votes.shares.shape == judges


def replicas_of(task: ReplicaTask) -> Replicas:
    """Sample the replicas of a task, and let the patterns they have not seen judge them."""
    with one_blas_thread():
        maps, trace, snapshots = sample(task)
        member = Member(task.candidate, maps)
        votes = judge(member, task.seen, task.training_set, task.bags, task.judged, task.n_neighbors, task.device)
    return Replicas(maps, votes, trace, snapshots)


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
    form, training_set = FORMS[task.candidate.form], task.training_set
    energy = confined(form.restrict(task.energy), task.candidate.confinement)
    weighs = training_set.weights is not None and takes_weights(energy)
    V = task.seen[training_set.places.of_row[bags]]  # (R, n, d_view)
    weights = training_set.weights[bags] if weighs else None
    bound = bind(energy, V, training_set.targets(bags), weights, task.device)
    start = np.array([_start(task, form, V[r], training_set.y[bags[r]]) for r in range(len(bags))])
    return Walk("replica", keeps_best=False).run(task.sampler, streams, bound, start)
