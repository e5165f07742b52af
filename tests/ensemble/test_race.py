"""The race by its parts: who gets how many replicas, where judges have said by hand what each candidate is worth."""

import numpy as np
import pytest

from freemetric import Recipe
from freemetric.learners.free_energy.judge import Ballots
from freemetric.ensemble.population import Population
from freemetric.ensemble.allocation import _coldest_and_better, most_replicas
from freemetric.learners.free_energy.race import populate
from freemetric.ensemble.sampling import Replicas
from freemetric.ensemble.search import Problem, Search
from freemetric.learners.target import Classes
from freemetric.metrics import Candidate, Voters

N_ROWS = 100
LEARNER = Candidate("scaled", "diagonal", "log-nca", 1e-3)


class Patient(Classes):
    """A target whose walks may be longer."""

    energy = "likeness"


def search_in(recipe, target=None, run=None):
    options = {"n_replicas": 40, "cheap_bag": 1, "affordable_bag": N_ROWS, "bag_growth": 5} | recipe
    voters = Voters(np.arange(float(N_ROWS))[:, None], np.arange(N_ROWS) % 2, 2)
    problem = Problem(voters, Classes(2) if target is None else target)
    return Search(problem, Recipe(**options), np.random.SeedSequence(0), run)


def race(recipe, tunes_temperature=False):
    """Replicas that each round of a race has sampled, and those that each entrant has; all are equally good."""
    rounds = []

    def run(tasks):
        rounds.append(sum(len(task.bags) for task in tasks))
        for task in tasks:
            size = len(task.judged), task.n_neighbors, 2
            votes = Ballots(np.full(size, len(task.bags) / 2, dtype=np.float32), np.full(N_ROWS, len(task.bags)))
            yield Replicas(np.ones((len(task.bags), 1, 1)), votes, {}, {})

    search = search_in(recipe, run=run)
    candidate = LEARNER.on_bags_of(search.bag_sizes()[0])
    populate(search, [candidate], tunes_temperature, moves_trap=True)
    return rounds, [len(entrant.maps) for entrant in search.population.entrants]


@pytest.mark.parametrize(("smallest_bag", "rounds"), [(50, [20, 20]), (10, [6, 6, 28])])
def test_few_scouts_go_first_where_larger_bags_may_follow(smallest_bag, rounds):
    assert race({"smallest_bag": smallest_bag})[0] == rounds


@pytest.mark.parametrize(("n_replicas", "sampled"), [(6, [2, 2, 2]), (5, [5])])
def test_other_temperatures_are_tried_where_replicas_just_suffice(n_replicas, sampled):
    """Two replicas each, colder and hotter; what is too few for both goes to the first temperature instead."""
    recipe = {"n_replicas": n_replicas, "first_share": 1 / 3, "smallest_bag": 50}
    assert race(recipe, tunes_temperature=True)[1] == sampled
    assert race(recipe)[1] == [n_replicas]


@pytest.mark.parametrize(
    ("recipe", "target", "most"),
    [
        ({"smallest_bag": 50}, Classes, 40),
        ({"smallest_bag": 10}, Classes, 60),  # half as many for larger bags
        ({"smallest_bag": 10, "patient_bag": 50}, Classes, 60),
        ({"smallest_bag": 10, "patient_bag": 50}, Patient, 240),  # four times as long
        ({"smallest_bag": 50, "patient_bag": 50}, Patient, 160),
        ({"smallest_bag": 10, "patient_bag": 51}, Patient, 60),
        ({"smallest_bag": 10, "patient_bag": 50, "colder": 0}, Patient, 60),
    ],
)
def test_how_many_replicas_there_may_be(recipe, target, most):
    assert most_replicas(search_in(recipe, target(2))) == most


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
    y = np.arange(N_ROWS) % 2
    population = Population(Voters(np.zeros((N_ROWS, 1)), y, 2), Classes(2), np.arange(N_ROWS), 1)
    kinds = ("diagonal", 1e-3), ("diagonal", 1e-4), ("full", 1e-6)
    for (form, temperature), share in zip(kinds, right, strict=True):
        entrant = population.enter(Candidate("scaled", form, "likeness", temperature), 1)
        entrant.ballots.shares[:, 0] = np.where(np.arange(2) == y[:, None], share, 1 - share)
        entrant.ballots.counts[:] = 1
    found = _coldest_and_better(population)
    assert found is (None if best is None else population.entrants[best])


def test_judges_of_unequal_weight_are_fewer():
    """Judges of weights 1, 1 and 4 have the standard error of 6^2 / (1 + 1 + 16) = 2 equal ones."""
    y = np.array([0, 1, 1])
    for weights, n in ((None, 3), (np.ones(3), 3), (np.array([1.0, 1.0, 4.0]), 2), (np.array([1e-9, 1e-9, 1.0]), 1)):
        population = Population(Voters(np.zeros((3, 1)), y, 2, weights), Classes(2), np.arange(3), 1)
        population.enter(LEARNER, 1).ballots.counts[:] = 1
        assert population.n_judges == pytest.approx(n)
