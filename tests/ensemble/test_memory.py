"""Wide tables and very many classes: bounded memory, measured in a process of its own, and nothing lost."""

import pickle
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from freemetric import FreeEnergyClassifier, Recipe, load
from freemetric.energies import Confinement, NCAEnergy
from freemetric.ensemble.candidates import Panel, affordable_panel
from freemetric.ensemble.population import mixed_shares
from freemetric.ensemble.running import kinds_to_try
from freemetric.ensemble.search import SearchProblem
from freemetric.ensemble.tasks.classification import ClassificationTask
from freemetric.learners.learned_space import AveragedMetric
from freemetric.metrics import Axes, ClassEncoding, TrainingSet
from freemetric.metrics.views import Scaled

pytestmark = pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")

MEASURED = """
import resource, warnings
import numpy as np
from freemetric import FreeEnergyClassifier
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
{data}
model = FreeEnergyClassifier({n_replicas}, random_state=0).fit(X, y)
assert model.predict_proba(X[:50]).shape == (50, len(model.classes_))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, model.oob_score_)
"""
WIDE = "y = np.arange(100) % 2; X = rng.standard_normal((100, 5000)); X[:, :100] += y[:, None]"
MANY = "y = np.arange(4000) % 500; X = 3 * rng.standard_normal((500, 10))[y] + rng.standard_normal((4000, 10))"


def peak_and_score(data, n_replicas):
    pytest.importorskip("resource")
    code = MEASURED.format(data=data, n_replicas=n_replicas)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=600)
    return map(float, done.stdout.split())


@pytest.mark.slow
@pytest.mark.parametrize("data", [WIDE, MANY], ids=["wide", "many classes"])
def test_less_than_a_gigabyte(data):
    gigabytes, score = peak_and_score(data, '"auto"')
    assert gigabytes < 1
    assert score > 0.5


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = 10 ** rng.uniform(-3, 3, 600) * (rng.standard_normal((40, 600)) + (np.arange(600) < 60) * y[:, None])
    return X, y


@pytest.fixture(scope="module")
def model(wide):
    return FreeEnergyClassifier(8, random_state=0).fit(*wide)


def test_axes_keep_all_distances(wide):
    X, _ = wide
    axes, scaled = Axes.of(X), Scaled.of(X)
    assert len(axes.owner) == 39
    np.testing.assert_allclose(pdist(axes(X)), pdist(scaled(X)))
    np.testing.assert_allclose(axes(X) - axes(X[:1]), (X - X[0]) @ axes.slopes(), atol=1e-9)
    assert Axes.of(np.ones((5, 3)))(np.ones((2, 3))).shape == (2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("view", ["axes", "scaled"])
def test_features_of_a_wide_table_have_shares(wide, view):
    X, y = wide
    model = FreeEnergyClassifier(
        8, recipe=Recipe(candidates=[f"{view}/identity", f"{view}/diagonal"]), random_state=0
    ).fit(X, y)
    assert set(model.views_) == {view}
    shares = model.distance_weights_
    assert shares.shape == (600,)
    assert shares.sum() == pytest.approx(1)
    M = model.get_mahalanobis_matrix()
    expected = np.diag(M) * X.var(axis=0)
    np.testing.assert_allclose(shares, expected / expected.sum(), rtol=0.2)
    shown = AveragedMetric(model.ensemble_).matrix(X)
    np.testing.assert_allclose(np.diag(shown) / np.trace(shown), expected / expected.sum(), rtol=1e-6)


def problem(n_features, energy=None, lowest=1.0):
    X, y = np.broadcast_to(lowest + np.arange(20.0)[:, None], (20, n_features)), np.arange(20) % 2
    return SearchProblem(TrainingSet(X, y, ClassEncoding(2)), ClassificationTask(2), energy)


def test_only_maps_that_mix_many_features_see_their_axes():
    usual = Recipe().candidates
    assert set(kinds_to_try(usual, problem(500))) == set(usual)
    mixing = {"axes/full", "axes/full/nca"}
    for n_features in (501, 10_000):
        assert set(kinds_to_try(usual, problem(n_features))) == {k for k in usual if "full" not in k} | mixing


def test_logarithms_are_tried_where_features_are_positive():
    usual = Recipe().candidates
    assert set(usual) - set(kinds_to_try(usual, problem(3, lowest=0.0))) == {"logs/full"}
    assert kinds_to_try(["logs/full"], problem(3, lowest=0.0)) == ["logs/full"]  # there is no other


def test_an_energy_that_sees_matrices_sees_those_of_axes():
    kinds = kinds_to_try(Recipe().candidates, problem(600, NCAEnergy() + 0.1 * Confinement()))
    assert {kind.split("/")[0] for kind in kinds} == {"axes"}
    assert "steps/diagonal/nca" in kinds_to_try(Recipe().candidates, problem(600, NCAEnergy()))


@pytest.mark.slow
def test_one_feature_among_many_is_found(rng):
    X, Q = rng.standard_normal((80, 800)), rng.standard_normal((400, 800))
    y, z = X[:, 7] > 0, Q[:, 7] > 0
    model = FreeEnergyClassifier(8, random_state=0).fit(X, y)
    assert model.distance_weights_.argmax() == 7
    axes = FreeEnergyClassifier(8, recipe=Recipe(candidates=["axes/diagonal", "axes/full"]), random_state=0).fit(X, y)
    assert model.score(Q, z) > axes.score(Q, z) + 0.1


@pytest.mark.slow
def test_distances_of_a_wide_table_are_the_mean_of_all(wide, model):
    """Summed by hand over replicas, each scaled to a mean squared distance of one."""
    X, ensemble = wide[0], model.ensemble_
    expected = 0
    for member, member_weights in zip(ensemble.members, ensemble.member_weights, strict=True):
        V = ensemble.views[member.candidate.view](X)
        for Z in member.spaces(V):
            expected = expected + member_weights / len(member) * pdist(Z, "sqeuclidean") / (
                2 * Z.var(axis=0, ddof=1).sum()
            )
    assert {"axes", "steps"} < set(ensemble.views)
    np.testing.assert_allclose(pdist(model.transform(X), "sqeuclidean"), expected, rtol=1e-6)


def test_rows_of_views_with_very_many_columns_are_still_apart(wide, model, monkeypatch):
    expected = model.transform(wide[0])
    monkeypatch.setattr("freemetric.metrics.averaged_metric.MOST_NUMBERS", 0)  # two rows say where the axes are
    again = load_again(model)
    assert again.transform(wide[0]).shape == (40, 1)
    assert expected.shape == (40, 39)
    np.testing.assert_array_equal(again.predict(wide[0]), model.predict(wide[0]))


def load_again(model):
    """The same model without anything that was computed from it."""
    return pickle.loads(pickle.dumps(model))


@pytest.mark.slow
@pytest.mark.parametrize(
    "n_rows", [20, pytest.param(80, marks=pytest.mark.slow)]
)  # with and without lists of all others
def test_no_matrix_of_features_by_features_is_made(rng, n_rows):
    d, recipe = 3000, Recipe(candidates=("quantiles/identity", "scaled/diagonal", "axes/full"), n_steps=2, densities=())
    X, y = rng.standard_normal((n_rows, d)), np.arange(n_rows) % 2
    tracemalloc.start()
    try:
        model = FreeEnergyClassifier(4, recipe=recipe, random_state=0).fit(X, y)
        for ask in (model.predict_proba, model.transform, model.outlier_score):
            ask(X)
        assert model.distance_weights_.shape == (d,)
        assert tracemalloc.get_traced_memory()[1] < 4 * d**2  # of single precision
    finally:
        tracemalloc.stop()


def test_a_model_of_a_wide_table_is_saved(wide, model, tmp_path):
    model.save(tmp_path / "wide.fm")
    np.testing.assert_array_equal(load(tmp_path / "wide.fm").predict_proba(wide[0]), model.predict_proba(wide[0]))


def test_what_would_take_too_much_is_refused_before_it_begins(rng):
    X, y = rng.random((20, 3000)), np.arange(20) % 2
    message = r"^candidates: quantiles/full of 3000 features would take some 17 GiB, more than the 8 GiB .*\.$"
    with pytest.raises(ValueError, match=message):
        FreeEnergyClassifier(4, recipe=Recipe(candidates=["quantiles/full"]), random_state=0).fit(X, y)


def test_votes_fit_the_memory():
    wanted = Panel(4000, 40)
    assert affordable_panel(wanted, 26, 150, Recipe()) == wanted  # ordinary tables are as they were
    panel = affordable_panel(wanted, 500, 8, Recipe())
    assert panel.n_neighbors == 8
    assert panel.n_scored > 100
    assert 16 * panel.n_scored * panel.n_neighbors * 500 * 4 <= Recipe().many_class_bytes


def test_shares_of_many_classes_are_mixed_alike(rng):
    weights, shares = rng.random((3, 4)) * (rng.random((3, 4)) > 0.5), rng.random((3, 4, 7, 80))
    np.testing.assert_allclose(mixed_shares(weights, shares), np.einsum("ek,eknc->nc", weights, shares))


def test_shares_of_many_classes_are_mixed_in_little_room(rng):
    """They are neither copied nor made double precision all at once."""
    weights, shares = np.full((4, 8), 1 / 32), rng.random((4, 8, 10, 1000), dtype=np.float32)
    tracemalloc.start()
    mixed_shares(weights, shares)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < shares.nbytes / 2
