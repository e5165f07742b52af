"""Replicas of one candidate, sampled on their bags and scored on the samples left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray
from sklearn import clone, config_context

from ..energies import Energy, bind, each_confined, takes_weights
from ..files.checks import check_array, require
from ..kernels import kernels_for
from ..learners.base import one_blas_thread
from ..learners.descent import initial_map
from ..learners.sampling_run import Walk, side_by_side
from ..mc import Annealing, Constant, Sampler, Streams
from ..metrics import FORMS, Candidate, Member, TrainingSet
from ..metrics.class_densities import significant_features
from ..metrics.neighbor_votes import NeighborVotes


class Bags:
    """An endless row of bags, all with the same number of samples of every stratum.

    A stratum gives ``share`` of its samples to a bag, at least two, and all together at most ``most``. Complementary
    bags go round every stratum in shuffled order, so that samples are left out about equally often: of two bags with
    half of the samples one is the other's complement. Others are drawn independently.
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
        """The first n bags (n, bag size) of sample numbers."""
        return self.between(0, n)

    def between(self, start: int, stop: int) -> NDArray:
        """Bags number start to stop - 1; the same ones in every call."""
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
    """Out-of-bag votes for the samples that are scored, summed over replicas."""

    shares: NDArray[np.float32]  # (n_scored, K, C) sums of shares of votes
    counts: NDArray[np.int32]  # (n_scored,) replicas that have not seen the sample

    @classmethod
    def none(cls, n_scored: int, n_neighbors: int, n_cells: int) -> "OOBVotes":
        """No votes yet."""
        size = n_scored, n_neighbors, n_cells
        return cls(np.zeros(size, dtype=np.float32), np.zeros(n_scored, dtype=np.int32))

    def add(self, other: "OOBVotes") -> None:
        """Count more votes."""
        self.shares[:] += other.shares
        self.counts[:] += other.counts


Seeds = list[np.random.SeedSequence]
SHARED = ("seen", "training_set", "scored")  # fields of many tasks
MOST_TOGETHER = 128  # replicas of several tasks that walk together


class Start(NamedTuple):
    """Where walks begin that do not begin at the identity."""

    screened_features: int = 0  # from which diagonal maps are screened
    floor: float = 1.0  # the least weight of a screened column
    distance: float = 0.0  # the least mean squared distance of the samples of a bag


class ReplicaTask(NamedTuple):
    """Replicas to sample, all of one candidate."""

    candidate: Candidate
    seen: NDArray  # (M, d_view) the places of the training samples in the candidate's view
    training_set: TrainingSet
    bags: NDArray  # (R, n) rows that each replica learns on
    seeds: Seeds  # of every replica
    scored: NDArray  # samples that are scored where they are out of bag
    n_neighbors: int
    energy: Energy
    sampler: Sampler
    n_components: int | None = None
    device: str = "cpu"
    start: Start = Start()


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
        """Whether they have the shapes that a task gives, which compiled code does not check."""
        R = len(task.bags) if task.candidate.learns else 0
        shape = len(task.scored), task.n_neighbors, task.training_set.n_cells
        return self.maps.shape[::2] == (R, task.seen.shape[1]) and self.oob_votes.shares.shape == shape


def replicas_of(task: ReplicaTask, *shared: Any) -> Replicas:
    """Sample the replicas of a task, and score them out of bag; ``shared`` are its fields that came apart from it."""
    task = task._replace(**dict(zip(SHARED, shared, strict=True))) if shared else task
    # one core: a task on a cluster would else want threads for all of them
    with parallel_config(backend="sequential"), one_blas_thread():
        maps, trace, snapshots = np.empty((0, 1, task.seen.shape[1])), {}, {}
        if task.candidate.learns:
            walks = []
            for bags, streams in _bags_and_streams(task):
                energy, start = _bound([task], [bags])
                walks.append(Walk("replica", keeps_best=False).run(task.sampler, streams, energy, start))
            maps, trace, snapshots = _together(task, walks)
        votes = oob_votes(Member(task.candidate, maps), task)
    return Replicas(maps, votes, trace, snapshots)


def replicas_of_all(tasks: Sequence[ReplicaTask]) -> Iterator[Replicas]:
    """The same of all tasks, for a GPU: those whose maps have one shape walk together, so that launches are fewer."""
    kinds, found = [_kind_of_walk(task) for task in tasks], dict[int, Replicas]()
    for number, (task, kind) in enumerate(zip(tasks, kinds, strict=True)):
        if number not in found:
            others = [other for other in range(number, len(tasks)) if kinds[other] == kind and other not in found]
            n_replicas = np.cumsum([len(tasks[other].bags) for other in others])
            together = [
                other for other, n in zip(others, n_replicas, strict=True) if other == number or n <= MOST_TOGETHER
            ]
            some = [tasks[other] for other in together]
            found |= dict(zip(together, _walked_together(some) if some[1:] else [replicas_of(task)], strict=True))
        yield found.pop(number)


def _kind_of_walk(task):
    """What tasks have in common that can walk together: all but the view, the temperature and the trap."""
    if not task.candidate.learns or not _has_own_temperature(task.sampler):
        return id(task)
    plain = [_settings(part) for part in (task.energy, task.sampler)]
    return task.candidate.form, task.bags.shape[1], task.seen.shape[1], plain


def _has_own_temperature(sampler):
    """Whether nothing but a constant temperature of each replica decides how hot it is."""
    return type(sampler) is Annealing and type(sampler.schedule) is Constant and not sampler.couples_replicas


def _settings(parameters):
    """Types and values of all parameters, but for the temperature."""
    found = sorted(parameters.get_params().items())
    values = [(name, type(value) if hasattr(value, "get_params") else value) for name, value in found]
    return type(parameters), [pair for pair in values if pair[0] != "schedule__temperature"]


def _walked_together(tasks):
    """Replicas of every task, out of one walk with the temperature of each."""
    sizes = [len(task.bags) for task in tasks]
    ends = np.cumsum(sizes).tolist()
    sampler = clone(tasks[0].sampler)
    sampler.set_params(schedule__temperature=np.repeat([task.sampler.schedule.temperature for task in tasks], sizes))
    streams = Streams.from_seeds([seed for task in tasks for seed in task.seeds])
    walk, results = Walk("replica", keeps_best=False, followed=[0, *ends[:-1]]), []
    with parallel_config(backend="sequential"), one_blas_thread():
        walk.run(sampler, streams, *_bound(tasks, [task.bags for task in tasks]))
        assert walk.state is not None
        steps, seen = walk.snapshots.values()
        for number, (task, size, end) in enumerate(zip(tasks, sizes, ends, strict=True)):
            maps = walk.state.A[end - size : end]
            trace = {name: rows[:, end - size : end] for name, rows in walk.trace.items()}
            votes = oob_votes(Member(task.candidate, maps), task)
            results.append(Replicas(maps, votes, trace, {"step": steps, "map": seen[:, number]}))
    return results


def _bags_and_streams(task):
    """The bags of every run of the sampler, with random streams.

    A sampler whose replicas depend on each other runs once for each of ours, whose map is its first, the coldest.
    """
    R = getattr(task.sampler, "n_replicas", 1)
    if R == 1 and not getattr(task.sampler, "couples_replicas", True):
        return [(task.bags, Streams.from_seeds(task.seeds))]
    pairs = zip(task.bags, task.seeds, strict=True)
    return [(np.repeat(bag[None], R, axis=0), Streams.from_seeds(seed.spawn(R))) for bag, seed in pairs]


def _bound(tasks, bags):
    """The energy of the bags (R, n) of every task, and the maps that replicas begin with."""
    form, training_set, everyone = FORMS[tasks[0].candidate.form], tasks[0].training_set, np.concatenate(bags)
    energy = form.restrict(tasks[0].energy)
    weighs = training_set.weights is not None and takes_weights(energy)
    places = training_set.places.of_row
    V = np.concatenate([task.seen[places[some]] for task, some in zip(tasks, bags, strict=True)])  # (R, n, d_view)
    weights = training_set.weights[everyone] if weighs else None
    start = np.array([_start(tasks[0], form, V[r], bag) for r, bag in enumerate(everyone)])
    bound = bind(energy, V, training_set.targets(everyone), weights, tasks[0].device)
    return each_confined(
        bound, np.repeat([task.candidate.confinement for task in tasks], [len(b) for b in bags])
    ), start


def _together(task, walks):
    """Maps (R, p, d) of the replicas, their trace, and snapshots of the first."""
    if len(walks[0].state.A) == len(task.bags) and len(walks) == 1:
        return walks[0].state.A, walks[0].trace, walks[0].snapshots
    traces = [{name: rows[:, :1] for name, rows in walk.trace.items()} for walk in walks]
    return np.array([walk.state.A[0] for walk in walks]), side_by_side(traces), walks[0].snapshots


def oob_votes(member: Member, task: ReplicaTask) -> OOBVotes:
    """Votes that the scored samples of a task get in every replica's space, where they are not in its bag.

    All samples vote, each leaves itself out.
    """
    training_set, scored = task.training_set, task.scored
    votes = OOBVotes.none(len(scored), task.n_neighbors, training_set.n_cells)
    own = training_set.votes(scored)
    bags = task.bags if member.form.learns else np.empty((1, 0), dtype=int)
    outside = [_outside(bag, scored, len(training_set)) for bag in bags]
    votes.counts[:] = np.bincount(np.concatenate(outside), minlength=len(scored))
    if task.device not in ("cpu", "reference"):
        places, place = training_set.places, training_set.places.of_row[scored]
        counted = (places.counts, places.votes), place, own, task.n_neighbors
        votes.shares[:] = kernels_for(task.device).left_out_shares(
            partial(_spaces, member), task.seen, member.maps, outside, counted, task.device
        )
        return votes
    with config_context(assume_finite=True, skip_parameter_validation=True):  # checked once, not by every replica
        for Z, numbers in zip(member.spaces(task.seen), outside, strict=True):
            if len(numbers):
                search = NeighborVotes(Z, training_set.places, task.n_neighbors, 1, task.device)
                search.add_left_out_shares(scored[numbers], own[numbers], numbers, votes.shares)
    return votes


def _outside(bag, scored, n_samples):
    """Which of the scored samples are not in a bag, by their places among them."""
    is_inside = np.zeros(n_samples, dtype=bool)
    is_inside[bag] = True
    return np.flatnonzero(~is_inside[scored])


def _spaces(member, seen, maps, ops):
    """The spaces of a member whose samples and maps are arrays of another library."""
    return replace(member, maps=maps).spaces(seen, ops)


def _start(task, form, V, bag):
    """Where a replica begins: at the identity, or with the directions in which the classes of its own bag differ."""
    d, p, (features, floor, least) = V.shape[1], task.n_components, task.start
    y, weights = task.training_set.y[bag], task.training_set.weights
    weights = None if weights is None else weights[bag]
    usual = 2 * V.var(axis=0).sum()  # the identity's mean squared distance
    wanted, is_wide = max(usual, least), 0 < features <= task.training_set.X.shape[1]
    if form.keeps_apart and is_wide and y.dtype.kind in "iu":
        A = form.start(d) * np.maximum(np.sqrt(significant_features(V, y, weights)), floor)
    elif p is None or p == d or not form.is_free:
        A = form.start(d, p)
        return A * np.sqrt(wanted / usual) if wanted > usual > 0 else A
    else:
        A = initial_map("pca" if y.dtype.kind == "f" else "auto", np.random.default_rng(0), V, y, p)
    spread = 2 * form.map(V, A).var(axis=0).sum()
    return A * np.sqrt(wanted / spread) if spread > 0 else A
