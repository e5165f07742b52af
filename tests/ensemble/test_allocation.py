"""Which candidates get how many replicas, where votes are given by hand."""

import numpy as np
import pytest

from freemetric import Recipe
from freemetric.ensemble.population import Population
from freemetric.ensemble.sampling import OOBVotes, Replicas
from freemetric.ensemble.search import Search, SearchProblem, _coldest_and_better, allocate_replicas, most_replicas
from freemetric.ensemble.tasks.classification import ClassificationTask
from freemetric.metrics import Candidate, ClassEncoding, TrainingSet

N_SAMPLES = 100
LEARNER = Candidate("scaled", "diagonal", "log-nca", 1e-3)


class Patient(ClassificationTask):
    """A task whose walks may be longer."""

    energy = "neighbor-likelihood"


def search_in(recipe, task=None):
    options = {"n_replicas": 40, "cheap_bag": 1, "affordable_bag": N_SAMPLES, "bag_growth": 5} | recipe
    training_set = TrainingSet(np.arange(float(N_SAMPLES))[:, None], np.arange(N_SAMPLES) % 2, ClassEncoding(2))
    problem = SearchProblem(training_set, ClassificationTask(2) if task is None else task)
    return Search(problem, Recipe(**options), np.random.SeedSequence(0))


def allocated(recipe, tunes_temperature=False):
    """Replicas that each round of a search has sampled, and those of each candidate; all are equally good."""
    rounds = []

    def run(tasks):
        rounds.append(sum(len(task.bags) for task in tasks))
        for task in tasks:
            size = len(task.scored), task.n_neighbors, 2
            votes = OOBVotes(np.full(size, len(task.bags) / 2, dtype=np.float32), np.full(N_SAMPLES, len(task.bags)))
            yield Replicas(np.ones((len(task.bags), 1, 1)), votes, {}, {})

    search = search_in(recipe | {"other_temperatures": tunes_temperature})
    candidate = LEARNER.on_bags_of(search.bag_sizes()[0])
    for wanted in allocate_replicas(search, [candidate]):
        search.grow(wanted, run)
    return rounds, [len(result.maps) for result in search.population.results]


@pytest.mark.parametrize(("smallest_bag", "rounds"), [(50, [10, 30]), (10, [4, 4, 32])])
def test_few_scouts_go_first_where_larger_bags_may_follow(smallest_bag, rounds):
    assert allocated({"smallest_bag": smallest_bag})[0] == rounds


@pytest.mark.parametrize(("n_replicas", "sampled"), [(6, [2, 2, 2]), (5, [5])])
def test_other_temperatures_are_tried_where_replicas_just_suffice(n_replicas, sampled):
    """Two replicas each, colder and hotter; what is too few for both goes to the first temperature instead."""
    recipe = {"n_replicas": n_replicas, "first_share": 1 / 3, "smallest_bag": 50}
    assert allocated(recipe, tunes_temperature=True)[1] == sampled
    assert allocated(recipe)[1] == [n_replicas]


@pytest.mark.parametrize(
    ("recipe", "task", "most"),
    [
        ({"smallest_bag": 50}, ClassificationTask, 40),
        ({"smallest_bag": 10}, ClassificationTask, 60),  # half as many for larger bags
        ({"smallest_bag": 10, "patient_bag": 50}, ClassificationTask, 60),
        ({"smallest_bag": 10, "patient_bag": 50}, Patient, 240),  # four times as long
        ({"smallest_bag": 50, "patient_bag": 50}, Patient, 160),
        ({"smallest_bag": 10, "patient_bag": 51}, Patient, 60),
        ({"smallest_bag": 10, "patient_bag": 50, "colder": 0}, Patient, 60),
    ],
)
def test_how_many_replicas_there_may_be(recipe, task, most):
    assert most_replicas(search_in(recipe, task(2))) == most


@pytest.mark.parametrize(
    ("right", "best"),
    [
        ((0.7, 0.8, 0.6), 1),
        ((0.8, 0.7, 0.6), None),  # the hotter one is better
        ((0.8, 0.8, 0.6), None),
        ((0.6, 0.7, 0.8), None),  # alone of its kind
    ],
)
def test_the_coldest_of_its_kind_is_better_than_the_others_of_it(right, best):
    y = np.arange(N_SAMPLES) % 2
    training_set = TrainingSet(np.zeros((N_SAMPLES, 1)), y, ClassEncoding(2))
    population = Population(training_set, ClassificationTask(2), np.arange(N_SAMPLES), 1)
    kinds = ("diagonal", 1e-3), ("diagonal", 1e-4), ("full", 1e-6)
    for (form, temperature), share in zip(kinds, right, strict=True):
        result = population.enter(Candidate("scaled", form, "neighbor-likelihood", temperature), 1)
        result.oob_votes.shares[:, 0] = np.where(np.arange(2) == y[:, None], share, 1 - share)
        result.oob_votes.counts[:] = 1
    found = _coldest_and_better(population)
    assert found is (None if best is None else population.results[best])


def test_samples_of_unequal_weight_are_fewer():
    """Samples of weights 1, 1 and 4 have the standard error of 6^2 / (1 + 1 + 16) = 2 equal ones."""
    y = np.array([0, 1, 1])
    for weights, n in ((None, 3), (np.ones(3), 3), (np.array([1.0, 1.0, 4.0]), 2), (np.array([1e-9, 1e-9, 1.0]), 1)):
        training_set = TrainingSet(np.zeros((3, 1)), y, ClassEncoding(2), weights)
        population = Population(training_set, ClassificationTask(2), np.arange(3), 1)
        population.enter(LEARNER, 1).oob_votes.counts[:] = 1
        assert population.n_oob == pytest.approx(n)
