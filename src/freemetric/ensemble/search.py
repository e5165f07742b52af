"""The search of a free-energy model: replicas for candidates, round by round."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..energies import Energy, as_energy
from ..mc import Annealing, Constant, HamiltonianMove, Sampler
from ..metrics import Candidate, TrainingSet, View
from ..metrics.views import view_of
from .candidates import Panel, affordable_panel, walk_length
from .population import CandidateResult, Population
from .sampling import Bags, Replicas, ReplicaTask, replicas_of
from .settings import Recipe
from .task import EnsembleTask

Run = Callable[[Sequence[ReplicaTask]], Iterable[Replicas]]  # does tasks in any place, yields results in their order
Note = Callable[[ReplicaTask, Replicas], None]


class SearchProblem(NamedTuple):
    """What is learned, from which samples, and on which device."""

    training_set: TrainingSet
    task: EnsembleTask
    energy: Energy | None = None  # for all candidates; None: each has its own
    sampler: Sampler | None = None  # for all candidates; None: the recipe's, at each one's temperature
    n_components: int | None = None
    device: str = "cpu"


def searched_part(
    training_set: TrainingSet, task: EnsembleTask, most: int, seed: np.random.SeedSequence
) -> TrainingSet:
    """The training samples that a search sees: all, or of more than ``most`` a stratified part."""
    if len(training_set) <= most:
        return training_set
    rng = np.random.default_rng(_stream(seed, "panel"))
    return training_set.only(np.sort(Bags(rng, task.strata(training_set.y), 1.0, most).first(1)[0]))


class Search:
    """Samples replicas of candidates, round by round."""

    def __init__(self, problem: SearchProblem, recipe: Recipe, seed: np.random.SeedSequence, scores: bool = True):
        self.problem, self.recipe, self.seed, self.device = problem, recipe, seed, problem.device
        y = problem.training_set.y
        self.strata = problem.task.strata(y)
        self.bags: dict[int, Bags] = {}
        scored = np.arange(len(y) if scores else 0)
        wanted = Panel(min(len(scored), recipe.most_scored), min(recipe.most_neighbors, len(y) - 1))
        panel = affordable_panel(wanted, problem.training_set.n_cells, max(map(len, self.strata)), recipe)
        if len(scored) > panel.n_scored:
            # random numbers depend on the name of their stream
            scored = Bags(self._generator("judges"), self.strata, 1.0, panel.n_scored).first(1)[0]
        self.population = Population(problem.training_set, problem.task, scored, panel.n_neighbors, self)
        self.views: dict[str, View] = {}
        self.seen: dict[str, NDArray] = {}

    def grow(
        self, wanted: Iterable[tuple[CandidateResult, int]], run: Run | None = None, note: Note | None = None
    ) -> None:
        """Sample more replicas of some candidates, all in one round, with their out-of-bag votes.

        ``run`` does the tasks, None one by one; every task and its replicas are shown to ``note``.
        """
        pairs = [(result, task) for result, n in wanted for task in self._tasks(result, n)]
        tasks = [task for _, task in pairs]
        found = map(replicas_of, tasks) if run is None else run(tasks)
        for (result, task), replicas in zip(pairs, found, strict=True):
            result.add(replicas)
            if note is not None:
                note(task, replicas)

    def enter(self, candidate: Candidate) -> CandidateResult:
        """A new candidate, without replicas."""
        if candidate.view not in self.views:
            self.look_through({candidate.view: view_of(candidate.view, self.problem.training_set)})
        return self.population.enter(candidate, self.seen[candidate.view].shape[1])

    def look_through(self, views: Mapping[str, View]) -> None:
        """Let candidates see the rows in these views."""
        self.views |= views
        places = self.problem.training_set.X[self.problem.training_set.places.rows]
        self.seen |= {name: view(places) for name, view in views.items()}

    def bag_sizes(self) -> list[int]:
        """Samples of a bag, the smallest first; the last step may be smaller than the others, but doubles at least."""
        recipe, N = self.recipe, len(self.problem.training_set)
        most = min(recipe.most_learned_on, round(recipe.subsample * N))
        sizes = [max(2, min(recipe.smallest_bag, most))]
        while most >= 2 * sizes[-1]:
            sizes.append(min(recipe.bag_growth * sizes[-1], most))
        return sizes

    def bags_of(self, size: int) -> Bags:
        """Bags of so many samples; the same for every candidate."""
        if size not in self.bags:
            share, N = self.recipe.subsample, len(self.problem.training_set)
            most = N if size == round(share * N) else size  # the share is exact for every class
            rng = self._generator(f"bags of {size}")
            self.bags[size] = Bags(rng, self.strata, share, most, self.recipe.complementary_bags)
        return self.bags[size]

    def left_out(self, result: CandidateResult) -> NDArray[np.bool_]:
        """Which of the out-of-bag samples each replica left out, (R, n_oob); all where nothing is learned."""
        numbers, candidate = self.population.oob_samples, result.candidate
        if not candidate.learns:
            return np.ones((1, len(numbers)), dtype=bool)
        bags = self.bags_of(candidate.bag_size).first(len(result.maps))
        return np.array([~np.isin(numbers, bag) for bag in bags]).reshape(len(bags), len(numbers))

    def lone_task(self, candidate: Candidate, bag: NDArray, number: int) -> tuple[ReplicaTask, View]:
        """A task of one replica that sees the samples of its bag (n,) and no others, and its view, made of them."""
        alone = self.problem.training_set.only(bag)
        view = view_of(candidate.view, alone)
        task = ReplicaTask(
            candidate,
            view(alone.X[alone.places.rows]),
            alone,
            np.arange(len(bag))[None],
            [self._seed(f"alone: {_name(candidate)}", number)],
            np.empty(0, dtype=int),
            1,
            self._energy(candidate),
            self._sampler(candidate),
            self.problem.n_components,
            self.problem.device,
            (self.recipe.screened_features, self.recipe.screened_floor),
        )
        return task, view

    def n_replicas(self, bag_size: int) -> int:
        """How many a search may sample: more where bags are small, fewer where they are large."""
        recipe, size = self.recipe, self.bags_of(bag_size).size
        more, fewer = np.clip(recipe.cheap_bag / size, 1, 2), min(1, recipe.affordable_bag / size)
        return max(1, int(recipe.n_replicas * more * fewer))

    def _tasks(self, result, n) -> Iterator[ReplicaTask]:
        start, candidate = len(result.maps), result.candidate
        if not candidate.learns and result.oob_votes.counts.any():  # scored already; there is nothing to add
            return
        bags = self.bags_of(candidate.bag_size) if candidate.learns else None
        size = self._batch(bags.size if bags else 1, self.seen[candidate.view].shape[1])
        ends = range(start, start + n, size) if candidate.learns else [0]
        for first in ends:
            numbers = range(first, min(first + size, start + n)) if candidate.learns else range(0)
            yield ReplicaTask(
                candidate,
                self.seen[candidate.view],
                self.problem.training_set,
                bags.between(numbers.start, numbers.stop) if bags else np.empty((0, 0), dtype=int),
                [self._seed(_name(candidate), number) for number in numbers],
                self.population.scored,
                self.population.n_neighbors,
                self._energy(candidate),
                self._sampler(candidate),
                self.problem.n_components,
                self.problem.device,
                (self.recipe.screened_features, self.recipe.screened_floor),
            )

    def _batch(self, bag_size, width):
        """Replicas of a task. It depends on the data alone, so that sums do not depend on the number of workers."""
        recipe = self.recipe
        narrow = min(1.0, recipe.wide / width)
        if self.problem.device not in ("cpu", "reference"):
            return max(1, int(narrow * recipe.device_replicas))
        return int(np.clip(narrow * recipe.task_samples // bag_size, 1, recipe.task_replicas))

    def _energy(self, candidate):
        if self.problem.energy is not None:
            return self.problem.energy
        energy = as_energy(candidate.energy)
        return energy.set_params(n_neighbors=self.recipe.listed_neighbors)

    def _sampler(self, candidate):
        if self.problem.sampler is not None:
            return self.problem.sampler
        move = HamiltonianMove(caution=self.recipe.caution)
        return Annealing(Constant(candidate.temperature), move, n_steps=walk_length(self.recipe, candidate))

    def _seed(self, what: str, number: int = 0):
        return _stream(self.seed, what, number)

    def _generator(self, what):
        return np.random.default_rng(self._seed(what))


def _stream(seed: np.random.SeedSequence, what: str, number: int = 0) -> np.random.SeedSequence:
    """The random stream of that name and number; it does not depend on what else was drawn."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(crc32(what.encode()), number))


def _name(candidate):
    """A name that no other candidate of the search has."""
    return f"{candidate.view}/{candidate.form}/{candidate.energy} at {candidate.temperature!r} on {candidate.bag_size}"
