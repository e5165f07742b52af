"""The search by its parts: tasks are pure, replicas have streams of their own, out-of-bag votes are fair."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from sklearn.datasets import make_classification
from sklearn.neighbors import KNeighborsClassifier

from freemetric import FreeEnergyClassifier, Recipe
from freemetric.energies import LogNCAEnergy, NCAEnergy
from freemetric.ensemble import running, sampling
from freemetric.ensemble.candidates import candidate_of
from freemetric.ensemble.population import Population
from freemetric.ensemble.sampling import ReplicaTask, replicas_of
from freemetric.ensemble.search import Search, SearchProblem, allocate_replicas, is_better
from freemetric.ensemble.tasks.classification import ClassificationTask
from freemetric.ensemble.tasks.decisions import Decision
from freemetric.exceptions import InterruptedFitWarning
from freemetric.learners.sampling_run import OBSERVERS
from freemetric.mc import Annealing, Constant, ParallelTempering
from freemetric.metrics import Candidate, ClassEncoding, TrainingSet

RECIPE = Recipe()


def search_in(X, y, recipe=RECIPE, seed=0, **options):
    n_classes = y.max() + 1
    problem = SearchProblem(TrainingSet(X, y, ClassEncoding(n_classes)), ClassificationTask(n_classes), **options)
    return Search(problem, recipe, np.random.SeedSequence(seed))


def nearest_classes(Z, y, query, k, without=None):
    D = np.linalg.norm(Z - query, axis=1)
    if without is not None:
        D[without] = np.inf
    return y[np.argsort(D, kind="stable")[:k]]


def test_out_of_bag_votes_by_brute_force(iris):
    X, y = iris[0] * [1, 2, 3, 4], iris[1]
    X[142, 0] += 0.01  # or it is a copy of another row
    search = search_in(X, y)
    result = search.enter(Candidate("scaled", "full", "log-nca", 1e-3, 3e-4, 75))
    search.grow([(result, 4)])
    V, bags = search.views["scaled"](X), search.bags_of(75).first(4)
    for i in (0, 60, 140):
        expected = np.zeros((40, 3))
        for A, bag in zip(result.maps, bags, strict=True):
            if i not in bag:
                Z = V @ A.T
                nearest = nearest_classes(Z, y, Z[i], 40, without=i)
                expected += np.eye(3)[nearest].cumsum(axis=0) / np.arange(1, 41)[:, None]
        np.testing.assert_allclose(result.oob_votes.shares[i], expected, rtol=1e-6)
        assert expected[0].sum() == result.oob_votes.counts[i] == 2  # complementary bags


def test_plain_neighbors_are_scored_by_leaving_one_out(iris):
    X, y = iris
    search = search_in(X, y)
    search.grow([(search.enter(Candidate("scaled", "identity", "log-nca")), 0)])
    for i in (3, 77, 120):
        others = np.arange(len(y)) != i
        knn = KNeighborsClassifier(5).fit(X[others], y[others])
        np.testing.assert_allclose(search.population.shares()[0, 4, i], knn.predict_proba(X[[i]])[0], atol=1e-6)


def test_plain_neighbors_are_scored_once(iris):
    search = search_in(*iris)
    result = search.enter(Candidate("scaled", "identity", "log-nca"))
    for _ in range(2):
        search.grow([(result, 0)])
    assert set(result.oob_votes.counts) == {1}


def test_never_clearly_worse_than_plain_neighbors_out_of_bag(rng):
    # Labels of the nearest prototype in all features at once: nothing can be learned that plain k-NN has not.
    X = rng.random((80, 6))
    y = np.tile([0, 1], 40)
    X[1::2] = X[::2] + 0.02 * rng.random((40, 6)) + 0.3
    search = search_in(X, y, Recipe(n_replicas=12))
    candidates = [candidate_of(kind, RECIPE, bag_size=60) for kind in RECIPE.candidates]
    for wanted in allocate_replicas(search, candidates):
        search.grow(wanted)
    decision, population = Decision(None, None, np.arange(2), search.problem.training_set), search.population
    result = ClassificationTask(2, decision).result(population, RECIPE, 80)
    best_plain = population.scores()[~population.learns].min()
    probabilities = result.attributes["oob_decision_function_"][population.oob_samples]
    brier = ((probabilities - np.eye(2)[population.truth]) ** 2).sum(axis=1) / 2
    assert brier.mean() <= best_plain + 2 * brier.std() / np.sqrt(len(brier)) + 0.02


@pytest.fixture
def tasks(wine):
    found = []

    def run(tasks):
        found.extend(tasks)
        return map(replicas_of, tasks)

    search = search_in(*wine)
    kinds = ("scaled/full", "steps/diagonal")
    search.grow(((search.enter(candidate_of(kind, RECIPE, bag_size=60)), 10) for kind in kinds), run)
    return search, found


def test_tasks_can_be_done_in_any_order(tasks):
    search, todo = tasks
    results = [replicas_of(task) for task in reversed(todo)][::-1]
    for result, own in zip(search.population.results, np.array_split(np.arange(len(todo)), 2), strict=True):
        np.testing.assert_array_equal(result.maps, np.concatenate([results[n].maps for n in own]))


@pytest.mark.slow
def test_tasks_can_be_done_in_other_processes(tasks):
    _, todo = tasks
    here = [replicas_of(task) for task in todo]
    there = Parallel(n_jobs=2, backend="loky")(delayed(replicas_of)(task) for task in todo)
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one.maps, other.maps)
        np.testing.assert_array_equal(one.oob_votes.shares, other.oob_votes.shares)


def test_a_task_has_one_core(tasks, monkeypatch):
    """Or a task on a cluster would want threads for all of the cores of its machine."""
    found, real = [], sampling.oob_votes
    monkeypatch.setattr(sampling, "oob_votes", lambda *given: found.append(effective_n_jobs(None)) or real(*given))
    with parallel_config("threading", n_jobs=3):
        replicas_of(tasks[1][0])
    assert found == [1]


def test_what_tasks_share_may_come_apart(tasks):
    task = tasks[1][0]
    light = task._replace(**dict.fromkeys(sampling.SHARED))
    apart = replicas_of(light, *(getattr(task, name) for name in sampling.SHARED))
    np.testing.assert_array_equal(apart.maps, replicas_of(task).maps)


def test_replicas_come_out_the_same_alone(tasks):
    _, (task, *_) = tasks
    together = replicas_of(task)
    assert len(together.maps) > 2
    for r in range(len(together.maps)):
        alone = replicas_of(task._replace(bags=task.bags[r : r + 1], seeds=task.seeds[r : r + 1]))
        np.testing.assert_array_equal(alone.maps[0], together.maps[r])


def test_a_replica_does_not_depend_on_what_else_is_tried(wine):
    alone, beside = search_in(*wine), search_in(*wine)
    first = alone.enter(candidate_of("scaled/full", RECIPE, bag_size=60))
    alone.grow([(first, 6)])
    other, second = (
        beside.enter(candidate_of(kind, RECIPE, bag_size=60)) for kind in ("steps/diagonal", "scaled/full")
    )
    beside.grow([(other, 4), (second, 2)])
    beside.grow([(second, 4)])
    np.testing.assert_array_equal(first.maps, second.maps)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_fit_can_leave_the_process(wine, backend):
    X, y = wine
    here = FreeEnergyClassifier(5, random_state=0).fit(X, y)
    with parallel_config(backend=backend, n_jobs=2):
        there = FreeEnergyClassifier(5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(here.predict_proba(X), there.predict_proba(X))


def test_an_energy_for_all_candidates(wine):
    search = search_in(*wine, energy=LogNCAEnergy())
    recipe, kinds = replace(RECIPE, temperature=1e-3, confinement=3e-4), ("scaled/full/nca", "scaled/full")
    nca, log_nca = (search.enter(candidate_of(kind, recipe, 60)) for kind in kinds)
    search.grow([(nca, 1), (log_nca, 1)])
    np.testing.assert_allclose(nca.traces[0]["energy"][-1], log_nca.traces[0]["energy"][-1], rtol=0.3)


def test_larger_bags_are_tried_where_there_are_many_patterns():
    def sizes(n, smallest_bag=256, **options):
        y, options["smallest_bag"] = np.arange(n) % 2, smallest_bag
        return search_in(np.arange(n, dtype=float)[:, None], y, Recipe(**options)).bag_sizes()

    assert sizes(20_000, Recipe().smallest_bag) == [1000, 4000]
    assert sizes(100) == [50]
    assert sizes(1000) == [256]
    assert sizes(1100) == [256, 550]
    assert sizes(5000) == [256, 1024, 2500]
    assert sizes(20_000) == [256, 1024, 4000]
    assert sizes(5000, smallest_bag=100, bag_growth=3) == [100, 300, 900, 2500]


def test_bags_of_the_largest_size_hold_their_share_of_every_class():
    """Half of seven is four, of every class; ten of twenty-one would be three of each."""
    search = search_in(np.arange(21.0)[:, None], np.arange(21) % 3)
    assert search.bag_sizes() == [10]
    assert search.bags_of(10).sizes == [4, 4, 4]
    assert search.bags_of(9).sizes == [3, 3, 3]


@pytest.mark.parametrize(
    ("device", "bag_size", "width", "batch"),
    [
        ("cpu", 256, 5, 16),
        ("cpu", 400, 5, 10),  # 4096 rows
        ("cpu", 400, 2000, 5),
        ("reference", 4000, 5, 1),
        ("cuda", 4000, 1000, 64),
        ("cuda", 4000, 2000, 32),
        ("cuda", 4000, 10**6, 1),
    ],
)
def test_so_many_replicas_are_sampled_together(device, bag_size, width, batch):
    search = search_in(np.arange(4.0)[:, None], np.arange(4) % 2, device=device)
    assert search._batch(bag_size, width) == batch


@pytest.mark.parametrize(
    ("sampler", "walks"),
    [
        (Annealing(Constant(1e-3)), [[[0, 1], [2, 3], [0, 2]]]),
        (Annealing(Constant(1e-3), tol=1e-3), [[[0, 1]], [[2, 3]], [[0, 2]]]),
        (ParallelTempering((1e-4, 1e-3)), [[[0, 1]] * 2, [[2, 3]] * 2, [[0, 2]] * 2]),
    ],
    ids=["on their own", "coupled", "several temperatures"],
)
def test_replicas_that_do_not_depend_on_each_other_walk_together(sampler, walks, monkeypatch):
    """Others walk one by one, each with as many copies of its bag as its sampler has replicas."""
    found = []

    class KnownWalk:
        def __init__(self, name, keeps_best):
            pass

        def run(self, sampler, streams, bags, start):
            found.append(bags.tolist())
            self.state = SimpleNamespace(A=np.array([[[bag[0], bag[1]]] for bag in bags]))
            self.trace, self.snapshots = dict.fromkeys(OBSERVERS, np.zeros((1, len(bags)))), {}
            return self

    monkeypatch.setattr("freemetric.ensemble.sampling.Walk", KnownWalk)
    monkeypatch.setattr("freemetric.ensemble.sampling._bound", lambda tasks, bags: (bags[0], None))
    X, bags, seeds = np.zeros((4, 2)), np.array([[0, 1], [2, 3], [0, 2]]), np.random.SeedSequence(0).spawn(3)
    training_set, candidate = (
        TrainingSet(X, np.zeros(4, dtype=int), ClassEncoding(1)),
        Candidate("scaled", "full", "nca"),
    )
    task = ReplicaTask(candidate, X, training_set, bags, seeds, np.arange(4), 1, LogNCAEnergy(), sampler)
    maps, _, trace, _ = replicas_of(task)
    assert found == walks
    np.testing.assert_array_equal(maps[:, 0], bags)
    assert trace["energy"].shape == (1, 3)


def test_larger_bags_are_tried_by_as_many_replicas_of_every_form():
    X, y = make_classification(600, 6, n_informative=4, random_state=0)
    recipe = Recipe(smallest_bag=30, bag_growth=5, candidates=("scaled/diagonal", "quantiles/diagonal", "scaled/full"))
    model = FreeEnergyClassifier(60, recipe=replace(recipe, temperature=1e-3, n_steps=3), random_state=0).fit(X, y)
    first = model.selection_["n_neighbors"] == 1
    sizes, forms = model.selection_["bag_size"][first], model.selection_["form"][first]
    assert sizes[:5].tolist() == [30, 30, 30, 150, 150]
    assert set(forms[3:5]) == {"diagonal", "full"}
    assert model.selection_["n_replicas"][first].sum() == 60


@pytest.mark.parametrize(("right", "better"), [(0.9, True), (0.7, False), (0.5, False)])
def test_better_means_by_more_than_the_error(right, better, rng):
    y = np.arange(400) % 2
    training_set = TrainingSet(np.arange(400.0)[:, None], y, ClassEncoding(2))
    population = Population(training_set, ClassificationTask(2), np.arange(400), 1)
    for share in (0.7, right):
        result = population.enter(Candidate("scaled", "full", "log-nca"), 1)
        correct = np.clip(share + rng.normal(0, 0.2, 400), 0, 1)
        result.oob_votes.shares[np.arange(400), 0, y] = correct
        result.oob_votes.shares[np.arange(400), 0, 1 - y] = 1 - correct
        result.oob_votes.counts[:] = 1
    old, new = population.results
    assert is_better(population, [new], [old]) == better


def test_a_given_energy_has_its_name(iris):
    X, y = iris[0][::8], iris[1][::8]
    recipe = Recipe(n_steps=1, densities=(), candidates=("scaled/full",))
    for energy, name in (("nca", "nca"), ("log-nca", "log-nca"), (2.0 * LogNCAEnergy(), "own")):
        model = FreeEnergyClassifier(2, recipe=replace(recipe, energy=energy), random_state=0).fit(X, y)
        assert set(model.selection_["energy"]) == {name}
    assert set(model.selection_["temperature"]) <= {1e-3}


@pytest.mark.parametrize(
    ("energy", "name"),
    [(None, "log-nca"), (LogNCAEnergy(), "log-nca"), (NCAEnergy(), "nca"), (2.0 * LogNCAEnergy(), "own")],
    ids=["none", "log-nca", "nca", "own"],
)
def test_candidates_of_a_given_energy_say_so(energy, name):
    """Energies that kinds have a name for keep it."""
    search = search_in(np.arange(8.0)[:, None], np.arange(8) % 2, Recipe(candidates=("scaled/full",)), energy=energy)
    pool = running.first_candidates(search)
    assert [candidate.energy for candidate in pool] == [name]


def test_max_seconds_ends_a_search(wine):
    with pytest.warns(InterruptedFitWarning, match=r"stopped after max_seconds=1e-06"):
        model = FreeEnergyClassifier(60, max_seconds=1e-6, random_state=0).fit(*wine)
    assert model.selection_["n_replicas"][model.selection_["n_neighbors"] == 1].sum() < 60
    assert model.score(*wine) > 0.9
