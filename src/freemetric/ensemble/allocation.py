"""Allocation of replicas to the candidates of a search."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..metrics import Candidate
from .candidates import PATIENT, is_worth_patience, other_temperatures, spread
from .population import CandidateResult, Population, allowed_neighbors, learner_weights
from .search import Search

Round = list[tuple[CandidateResult, int]]  # candidates, and how many replicas each gets


def most_replicas(search: Search) -> int:
    """Most replicas that a search may sample; longer walks count as several."""
    sizes = search.bag_sizes()
    total = search.n_replicas(sizes[0])
    more = int(search.recipe.grown_share * total) if len(sizes) > 1 else 0
    is_patient = search.recipe.colder > 0 and sizes[-1] >= search.recipe.patient_bag
    return (total + more) * (search.recipe.longest_walk if is_patient and search.problem.task.energy in PATIENT else 1)


def allocate_replicas(search: Search, candidates: Sequence[Candidate]) -> Iterator[Round]:
    """Rounds of replicas, each chosen by the scores of those before it.

    Replicas go evenly to all candidates on the smallest bags, then to other temperatures of the best of every form, to
    larger bags, and to the best. ``search.grow(wanted)`` must come before the next round.
    """
    recipe, population = search.recipe, search.population
    total = search.n_replicas(search.bag_sizes()[0])
    each = max(2, round(recipe.first_share * total / max(1, sum(candidate.learns for candidate in candidates))))
    if len(search.bag_sizes()) > 1:
        each = min(each, recipe.scouts)
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
