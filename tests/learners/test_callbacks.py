import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons

from freemetric import DMLFE, RCA, FreeEnergyClassifier, MetricKNeighborsClassifier, Recipe, load
from freemetric.mc import Annealing

pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
N_STEPS = Recipe().n_steps


class Counter:
    """Counts what a fit tells, and may stop a walk after some steps."""

    max_estimator_depth = None

    def __init__(self, most=None):
        self.most = most
        self.events = []

    def setup(self, estimator, context):
        self.events.append("setup")
        self.total = context.max_subtasks

    def on_fit_task_begin(self, estimator, context):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context):
        self.events.append(f"end {context.task_name}")
        return self.most is not None and self.steps >= self.most

    def teardown(self, estimator, context):
        self.events.append("teardown")

    @property
    def steps(self):
        return self.events.count("end Monte Carlo step")


def test_callbacks_see_every_step(iris):
    counter = Counter()
    model = DMLFE(random_state=0).set_callbacks(counter).fit(*iris)
    assert counter.steps == model.n_iter_ == 40
    assert counter.events[:2] == ["setup", "begin fit"]
    assert counter.events[-2:] == ["end fit", "teardown"]


def test_a_callback_can_stop_the_walk(iris):
    model = DMLFE(random_state=0).set_callbacks(Counter(most=7)).fit(*iris)
    assert model.n_iter_ == 7
    assert np.isfinite(model.components_).all()


def test_larger_bags_are_steps_that_were_announced():
    X, y = make_moons(400, noise=0.1, random_state=0)
    counter = Counter()
    kinds = "scaled/diagonal", "scaled/full"
    recipe = Recipe(n_replicas=48, cheap_bag=1, smallest_bag=10, candidates=kinds, n_steps=2, start_distance=0.0)
    model = FreeEnergyClassifier(recipe=recipe, random_state=0).set_callbacks(counter).fit(X, y)
    assert len(np.unique(model.selection_["bag_size"])) > 1
    assert 2 * 48 < counter.steps <= counter.total


def test_the_classifier_tells_the_steps_of_all_replicas(iris):
    counter = Counter()
    model = FreeEnergyClassifier(8, random_state=0).set_callbacks(counter).fit(*iris)
    assert counter.steps == counter.total == 8 * N_STEPS
    plain = clone(model).fit(*iris)
    np.testing.assert_array_equal(plain.predict_proba(iris[0]), model.predict_proba(iris[0]))


@pytest.mark.filterwarnings("ignore:.* samples? (were|was) never out of bag")
@pytest.mark.parametrize("options", [{"n_replicas": 1}, {"n_replicas": 7}, {"recipe__candidates": ["scaled/identity"]}])
def test_no_more_steps_than_were_promised(iris, options):
    counter = Counter()
    model = FreeEnergyClassifier(5, random_state=0).set_params(**options).set_callbacks(counter).fit(*iris)
    assert counter.steps <= counter.total == N_STEPS * model.n_replicas


def test_a_callback_can_stop_the_search(iris):
    X, y = iris
    model = FreeEnergyClassifier(40, random_state=0).set_callbacks(Counter(most=1)).fit(X, y)
    first = model.selection_["n_neighbors"] == 1
    assert 0 < model.selection_["n_replicas"][first].sum() < 40
    assert model.score(X, y) > 0.9


def test_threads_share_the_count(iris):
    counter = Counter()
    sampler = Annealing(n_steps=5, n_replicas=4)
    model = DMLFE(sampler=sampler, n_jobs=2, random_state=0).set_callbacks(counter).fit(*iris)
    assert counter.steps == 20
    alone = DMLFE(sampler=sampler, random_state=0).fit(*iris)
    np.testing.assert_array_equal(model.replicas_, alone.replicas_)
    np.testing.assert_array_equal(model.trace_["energy"], alone.trace_["energy"])


def test_replicas_of_a_walk_count(iris):
    counter = Counter()
    DMLFE(sampler=Annealing(n_steps=4, n_replicas=3), random_state=0).set_callbacks(counter).fit(*iris)
    assert counter.steps == counter.total == 12


@pytest.mark.parametrize(("n_neighbors", "n_fits"), [("auto", 6), (3, 1)])
def test_nearest_neighbours_tell_the_fits_of_their_metric(iris, n_neighbors, n_fits):
    counter = Counter()
    MetricKNeighborsClassifier(RCA(), n_neighbors, random_state=0).set_callbacks(counter).fit(*iris)
    assert counter.events.count("end fit of the metric") == counter.total == n_fits


def test_progress_bar_of_scikit_learn(iris, capsys):
    callback = pytest.importorskip("sklearn.callback")
    DMLFE(random_state=0).set_callbacks(callback.ProgressBar()).fit(*iris)
    assert "DMLFE" in capsys.readouterr().out


def test_callbacks_are_not_saved(iris, tmp_path):
    model = DMLFE(random_state=0).set_callbacks(Counter()).fit(*iris)
    model.save(tmp_path / "model.fm")
    np.testing.assert_array_equal(load(tmp_path / "model.fm").transform(iris[0]), model.transform(iris[0]))


class Onlooker(Counter):
    """Is shown what a search finds."""

    def __init__(self):
        super().__init__()
        self.energies, self.rounds = [], []

    def on_replicas(self, task, replicas):
        self.energies.append((task.candidate.learns, replicas.trace.get("energy", np.empty((0, 0)))))

    def on_round(self, population):
        self.rounds.append(sum(len(result.maps) for result in population.results))


def test_callbacks_are_shown_what_a_search_finds(iris):
    onlooker = Onlooker()
    model = FreeEnergyClassifier(12, random_state=0).set_callbacks(onlooker).fit(*iris)
    assert sum(energy.size for _, energy in onlooker.energies) == onlooker.steps
    sampled = sum(energy.shape[1] for learns, energy in onlooker.energies if learns)
    assert onlooker.rounds == sorted(onlooker.rounds)
    assert onlooker.rounds[-1] == sampled == model.trace_["energy"].shape[1]
