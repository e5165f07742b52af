"""Candidates of a search with their replicas, out-of-bag votes, scores and weights."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..learners.sampling_run import side_by_side
from ..metrics import FORMS, Candidate, Member, TrainingSet, View
from ..metrics.kernel_ridge import OOBMetrics
from .sampling import OOBVotes, Replicas
from .settings import Recipe
from .task import EnsembleTask

MANY_CELLS = 64  # shares of so many are mixed one by one: together, and in double precision, they are too large


class CandidateResult:
    """A candidate in the search."""

    def __init__(self, candidate: Candidate, n_features: int, oob_votes: OOBVotes):
        self.candidate, self.oob_votes = candidate, oob_votes
        self.maps: NDArray = np.empty((0, *FORMS[candidate.form].start(n_features).shape))
        self.traces: list[dict[str, NDArray]] = []
        self.snapshots: dict[str, NDArray] = {}
        self.measured: dict[tuple[str, bytes], NDArray] = {}  # by name and out-of-bag samples, of the votes so far

    def add(self, more: Replicas) -> None:
        """Take more replicas, with their out-of-bag votes."""
        self.oob_votes.add(more.oob_votes)
        self.measured = {}
        self.maps = np.concatenate([self.maps, more.maps]) if len(self.maps) else more.maps
        self.snapshots = self.snapshots or more.snapshots
        if more.trace:
            self.traces.append(more.trace)

    def member(self) -> Member:
        """The replicas as a value."""
        return Member(self.candidate, self.maps)


class Spaces(Protocol):
    """Views by name, a device to compute on, and which out-of-bag samples the replicas of a candidate left out."""

    views: dict[str, View]
    device: str

    def left_out(self, result: CandidateResult) -> NDArray[np.bool_]:
        """Whether (R, n_oob); one row of True where nothing is learned."""


class Population:
    """All candidates of one search, with their scores on the samples of ``scored`` that are out of bag.

    Votes are counted for up to ``n_neighbors`` neighbours, K, among the training samples ``kept``, all for None. Where
    their spaces are known, ``spaces`` has what candidates see and what their replicas left out.
    """

    def __init__(
        self,
        training_set: TrainingSet,
        task: EnsembleTask,
        scored: NDArray,
        n_neighbors: int,
        spaces: "Spaces | None" = None,
        kept: NDArray | None = None,
    ):
        self.training_set, self.task, self.scored, self.n_neighbors = training_set, task, scored, n_neighbors
        self.spaces, self.kept = spaces, np.arange(len(training_set)) if kept is None else kept
        self.results: list[CandidateResult] = []

    def metrics(self, weights: NDArray) -> OOBMetrics:
        """Those of the candidates with weights (n_candidates, K)."""
        assert self.spaces is not None
        used = np.flatnonzero(weights.any(axis=1))
        results = [self.results[number] for number in used]
        members, left_out = [result.member() for result in results], [self.spaces.left_out(some) for some in results]
        of_members = members, weights[used].sum(axis=1), self.oob_samples, left_out
        return OOBMetrics(self.spaces.views, *of_members, self.spaces.device)

    def enter(self, candidate: Candidate, n_features: int) -> CandidateResult:
        """A new candidate, without replicas."""
        none = OOBVotes.none(len(self.scored), self.n_neighbors, self.training_set.n_cells)
        self.results.append(CandidateResult(candidate, n_features, none))
        return self.results[-1]

    def forget_those_without_votes(self) -> None:
        """Leave out candidates without any out-of-bag votes; ValueError where none would be left."""
        self.results = [result for result in self.results if result.oob_votes.counts.any()]
        if not self.results:
            raise ValueError("The fit was stopped before any candidate was scored; there is no model.")

    @property
    def learns(self) -> NDArray[np.bool_]:
        """Which candidates learn."""
        return np.array([result.candidate.learns for result in self.results])

    @property
    def n_never_oob(self) -> int:
        """How many samples were in the bags of all replicas of some candidate."""
        return int((~self._is_oob).sum())

    @property
    def _is_oob(self):
        """Which of the scored samples every candidate left out at least once."""
        return np.all([result.oob_votes.counts for result in self.results], axis=0)

    @property
    def oob_samples(self) -> NDArray[np.intp]:
        """The samples that every candidate left out at least once."""
        return self.scored[self._is_oob]

    @property
    def truth(self) -> NDArray:
        """Their targets."""
        return self.training_set.y[self.oob_samples]

    @property
    def oob_weights(self) -> NDArray | None:
        """Their weights, mean one; None where all are the same."""
        if self.training_set.weights is None or not len(self.oob_samples):
            return None
        weights = self.training_set.weights[self.oob_samples]
        return weights / weights.mean()

    @property
    def n_oob(self) -> float:
        """The effective number of out-of-bag samples: so many of equal weight would have the same standard error."""
        weights = self.oob_weights
        return max(1.0, len(self.oob_samples) if weights is None else weights.sum() ** 2 / (weights**2).sum())

    def shares(self) -> NDArray:
        """Out-of-bag shares of votes (n_candidates, K, n, n_cells)."""
        size = len(self.results), self.n_neighbors, len(self.oob_samples), self.training_set.n_cells
        out = np.empty(size, dtype=np.float32)
        for share, result in zip(out, self.results, strict=True):
            share[:] = self._shares_of(result)
        return out

    def _shares_of(self, result):
        """Class shares (K, n, C) of one candidate: of very many classes, more at a time would be too large."""
        (votes, counts), oob = result.oob_votes, self._is_oob
        votes, counts = (votes, counts) if oob.all() else (votes[oob], counts[oob])  # nothing is copied for nothing
        return np.swapaxes(votes / counts.astype(np.float32)[:, None, None], 0, 1)

    def scores(self) -> NDArray:
        """Scores (n_candidates, K) out of bag, the lower the better; equal ones where no sample was out of bag."""
        return self._measured("scores", 0.0)

    def error_of(self, score: float) -> float:
        """The standard error of a score on so many samples."""
        return self.task.error_of(score, self.n_oob)

    def errors(self) -> NDArray:
        """Errors (n_candidates, K) out of bag; NaN where no sample was out of bag."""
        return self._measured("errors", np.nan)

    def _measured(self, name, unknown):
        """Scores or errors of every candidate, computed once; ``unknown`` where no sample was out of bag."""
        oob = self._is_oob
        if not oob.any():
            return np.full((len(self.results), self.n_neighbors), unknown)
        truth, weights, key = self.truth, self.oob_weights, (name, oob.tobytes())
        for result in self.results:
            if key not in result.measured:
                result.measured[key] = getattr(self.task, name)(self._shares_of(result), truth, weights)
        return np.array([result.measured[key] for result in self.results])

    def deviations(self, number: int) -> NDArray:
        """Deviations (n_oob,) of a candidate with its best number of neighbours."""
        best = int(self.scores()[number].argmin())
        return self.task.deviations(self._shares_of(self.results[number])[best], self.truth)

    def trace(self) -> dict[str, NDArray]:
        """Temperature, energy and acceptance (n_steps, R) of all replicas; NaN after the end of a shorter walk."""
        return side_by_side([trace for result in self.results for trace in result.traces])


def boltzmann_weights(scores: NDArray, error: float, temperature: float) -> NDArray:
    """exp(-score / T), normalised; T is the temperature in units of the error of the best score."""
    weights = np.exp(-(scores - scores.min()) / (temperature * error))
    return weights / weights.sum()


def selection_weights(
    scores: NDArray, error_of: Callable[[float], float], neighbors: Sequence[int], recipe: Recipe
) -> NDArray:
    """Boltzmann weights (n_candidates, K) of all candidates with any of the ``neighbors``; zero for other numbers."""
    columns = np.asarray(neighbors) - 1
    weights, some = np.zeros(scores.shape), scores[:, columns]
    weights[:, columns] = boltzmann_weights(some, error_of(some.min()), recipe.selection_temperature)
    weights[weights.sum(axis=1) < recipe.negligible] = 0.0
    weights[:, weights.sum(axis=0)[::-1].cumsum()[::-1] < recipe.negligible] = 0.0  # few neighbours are found faster
    return weights / weights.sum()


def learner_weights(population: Population, neighbors: Sequence[int], recipe: Recipe) -> NDArray:
    """Weights of the candidates that learn; zero for the others."""
    weights = selection_weights(population.scores(), population.error_of, neighbors, recipe).sum(axis=1)
    weights *= population.learns
    return weights if weights.any() else population.learns.astype(float)


def mixed_shares(weights: NDArray, shares: NDArray) -> NDArray:
    """Shares (n, C) from those of every member and k, (n_members, n_neighbors, n, C), by their weights."""
    if shares.shape[-1] <= MANY_CELLS:
        return np.tensordot(weights, shares, 2)
    total = np.zeros(shares.shape[2:])
    for pair in zip(*np.nonzero(weights), strict=True):
        total += weights[pair] * shares[pair]
    return total


def allowed_neighbors(neighbors: Sequence[int], most: int) -> list[int]:
    """Those numbers of neighbours that there can be; the most there can be where all are larger."""
    return [k for k in neighbors if k <= most] or [most]


def best_pair(scores: NDArray) -> tuple[np.intp, ...]:
    """Row and column of the lowest score; the first of equals, which is the simplest candidate."""
    return np.unravel_index(scores.argmin(), scores.shape)
