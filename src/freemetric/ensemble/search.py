"""The search of a free-energy model: which candidates get replicas, round by round, and the tasks that sample them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..energies import Energy, as_energy
from ..mc import Annealing, Constant, HamiltonianMove, Sampler
from ..metrics import Candidate, TrainingSet, View
from ..metrics.views import view_of
from .candidates import (
    PATIENT,
    Panel,
    affordable_panel,
    is_worth_patience,
    listed_in,
    longer_walk,
    other_temperatures,
    spread,
    walk_length,
)
from .population import CandidateResult, Population, allowed_neighbors, learner_weights
from .sampling import Bags, Replicas, ReplicaTask, Start, replicas_of
from .settings import Recipe
from .task import EnsembleTask

Run = Callable[[Sequence[ReplicaTask]], Iterable[Replicas]]  # does tasks in any place, yields results in their order
Note = Callable[[ReplicaTask, Replicas], None]
Wanted = Sequence[tuple[CandidateResult, int]]  # candidates, and how many replicas each gets


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

    def grow(self, wanted: Wanted, run: Run | None = None, note: Note | None = None) -> None:
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
            *self._shared(candidate),
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
                *self._shared(candidate),
            )

    def _batch(self, bag_size, width):
        """Replicas of a task. It depends on the data alone, so that sums do not depend on the number of workers."""
        recipe = self.recipe
        narrow = min(1.0, recipe.wide / width)
        if self.problem.device not in ("cpu", "reference"):
            return max(1, int(narrow * recipe.device_replicas))
        return int(np.clip(narrow * recipe.task_samples // bag_size, 1, recipe.task_replicas))

    def _shared(self, candidate) -> tuple[Any, ...]:
        """The last fields of every task of a candidate."""
        recipe, problem = self.recipe, self.problem
        start = Start(recipe.screened_features, recipe.screened_floor, recipe.start_distance)
        return self._energy(candidate), self._sampler(candidate), problem.n_components, problem.device, start

    def _energy(self, candidate):
        if self.problem.energy is not None:
            return self.problem.energy
        energy = as_energy(candidate.energy)
        return energy.set_params(n_neighbors=listed_in(self.recipe, candidate.bag_size))

    def _sampler(self, candidate):
        if self.problem.sampler is not None:
            return self.problem.sampler
        recipe = self.recipe
        move = HamiltonianMove("single", caution=recipe.caution, n_trajectories=recipe.n_trajectories, gain=recipe.gain)
        return Annealing(Constant(candidate.temperature), move, n_steps=walk_length(recipe, candidate))

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


def most_replicas(search: Search) -> int:
    """Most replicas that a search may sample; longer walks count as several."""
    recipe, sizes = search.recipe, search.bag_sizes()
    total = search.n_replicas(sizes[0])
    more = int(recipe.grown_share * total) if len(sizes) > 1 else 0
    is_patient = recipe.colder > 0 and sizes[-1] >= recipe.patient_bag and search.problem.task.energy in PATIENT
    return (total + more) * max(recipe.longest_walk if is_patient else 1, ceil(longer_walk(recipe, sizes[-1])))


def allocate_replicas(search: Search, candidates: Sequence[Candidate]) -> Iterator[Wanted]:
    """Rounds of replicas, each chosen by the scores of those before it.

    Replicas go evenly to all candidates on the smallest bags, then to other temperatures of the best of every form, to
    larger bags, and to the best. ``search.grow(wanted)`` must come before the next round.
    """
    recipe, population = search.recipe, search.population
    total = search.n_replicas(search.bag_sizes()[0])
    each = max(2, round(recipe.first_share * total / max(1, sum(candidate.learns for candidate in candidates))))
    if len(search.bag_sizes()) > 1:
        each = recipe.scouts
    yield _first_round(search, candidates, each, total)
    if recipe.tunes_temperature:
        yield _other_temperatures(search, each, total)
        yield from _colder_again(search, each, total)
    size = yield from _larger_bags(search, each, total)
    weights, left = _learner_weights(search), total - _n_sampled(population)
    if size > search.bag_sizes()[0]:  # many of those that turned out to be better, too
        left = max(left, int(recipe.grown_share * total) - _n_sampled(population, size))
    if weights.any() and left > 0:
        yield list(zip(population.results, spread(left, weights).tolist(), strict=True))


def _first_round(search, candidates, each, total):
    """Entrants and how many replicas each gets; a candidate for which too few are left is not tried."""
    left, first = total, []
    for candidate in candidates:
        n = min(each, left) * candidate.learns
        if n > 1 or n == total or not candidate.learns:  # two bags leave out everybody once
            first.append((search.enter(candidate), n))
            left -= n
    return first


def _other_temperatures(search, each, total):
    """Try the best of every form colder and hotter, the best of all first, while there are replicas left for it."""
    others: list[CandidateResult] = []
    for result in _best_of_every_form(search.population):
        both = list(other_temperatures(result.candidate, search.recipe))
        if total - _n_sampled(search.population) >= each * (len(others) + len(both)):
            others += [search.enter(candidate) for candidate in both]
    return [(result, each) for result in others]


def _colder_again(search, each, total):
    """Try the best still colder, as long as the coldest of its kind is better than all others of it."""
    population = search.population
    for _ in range(search.recipe.colder):
        coldest = _coldest_and_better(population)
        if coldest is None or not is_worth_patience(search.recipe, coldest.candidate):
            break
        if total - _n_sampled(population) < each:
            break
        colder, _ = other_temperatures(coldest.candidate, search.recipe)
        yield [(search.enter(colder), each)]


def _coldest_and_better(population: Population) -> CandidateResult | None:
    """The best of all that learn, if the others of its kind are hotter and worse by more than the error of that."""
    scores = population.scores().min(axis=1)
    learners = [number for number, result in enumerate(population.results) if result.candidate.learns]
    if not learners:
        return None
    best = population.results[min(learners, key=scores.__getitem__)]
    others = [e for e in population.results if e is not best and e.candidate.is_of_the_kind(best.candidate)]
    is_coldest = all(e.candidate.temperature > best.candidate.temperature for e in others)
    return best if others and is_coldest and is_better(population, [best], others) else None


def _larger_bags(search, each, total):
    """Try the best of every form on larger bags while that is better by more than its error; the size that is best."""
    population, (size, *larger_ones) = search.population, search.bag_sizes()
    for larger in larger_ones:
        best = _best_of_every_form(population)
        if not best or total - _n_sampled(population) < each * len(best):
            break
        grown = [search.enter(replace(result.candidate, bag_size=larger)) for result in best]
        yield [(result, each) for result in grown]
        if not is_better(population, grown, best):
            break
        size = larger
    return size


def _best_of_every_form(population: Population) -> list[CandidateResult]:
    """Of those that learn on the largest bags so far, the best of every form: free maps need more samples."""
    size = max((result.candidate.bag_size for result in population.results), default=0)
    scores = population.scores().min(axis=1)
    best: dict[str, CandidateResult] = {}
    for number in np.argsort(scores, kind="stable"):
        result = population.results[number]
        if result.candidate.learns and result.candidate.bag_size == size:
            best.setdefault(result.candidate.form, result)
    return list(best.values())


def is_better(population: Population, new: list[CandidateResult], old: list[CandidateResult]) -> bool:
    """Whether the best of the new is better than the best of the old by more than the error of their difference."""
    if not len(population.oob_samples):
        return False
    gains = _least(population, old) - _least(population, new)
    return bool(gains.mean() > gains.std() / np.sqrt(len(gains)))


def _least(population: Population, results: list[CandidateResult]) -> NDArray:
    """Deviations of the best of some candidates."""
    numbers = [population.results.index(result) for result in results]
    scores = population.scores().min(axis=1)[numbers]
    return population.deviations(numbers[int(scores.argmin())])


def _learner_weights(search):
    neighbors = allowed_neighbors(search.recipe.neighbors, search.population.n_neighbors)
    return learner_weights(search.population, neighbors, search.recipe)


def _n_sampled(population, bag_size=None):
    """Replicas so far, on bags of any size or of one."""
    some = [e for e in population.results if bag_size is None or e.candidate.bag_size == bag_size]
    return sum(len(result.maps) for result in some)
