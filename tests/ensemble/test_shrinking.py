"""Fewer training samples: what is forgotten is nowhere, what is condensed is as good, and everything works on."""

from copy import deepcopy

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_diabetes, make_blobs, make_classification
from sklearn.metrics import accuracy_score

import freemetric
from freemetric import FreeEnergyClassifier, FreeEnergyRegressor, Recipe
from freemetric.ensemble import shrinking
from freemetric.ensemble.shrinking import Prototypes
from freemetric.metrics import VIEWS


@pytest.fixture(scope="module")
def data():
    """300 samples, two of which are like no other: one at the ends of features, one among the rest."""
    X, y = make_classification(300, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
    rng = np.random.default_rng(0)
    X[7] = X.max(axis=0) + rng.random(5)
    X[8] = X.min(axis=0) - rng.random(5)
    return X, y


FORGOTTEN = [7, 8, 20]


@pytest.fixture(scope="module")
def classifier(data):
    X, y = data
    return FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X[:150], y[:150])


@pytest.fixture(scope="module")
def regressor(data):
    X, _ = data
    y = X[:, 0] + X[:, 1] ** 2
    y[7] = 97.531
    return FreeEnergyRegressor(n_replicas=4, scale="linear", random_state=0).fit(X[:150], y[:150])


def every_kind(X, y, **options):
    """One member of every view, so that each of them has to let go."""
    kinds = [f"{view}/diagonal" for view in ("scaled", "logs", "quantiles", "steps", "whitened")]
    recipe = Recipe(candidates=kinds, selection_temperature=1e9, negligible=0.0)
    return FreeEnergyClassifier(10, recipe=recipe, random_state=0, **options).fit(X, y)


def predictions(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict_quantiles(X)


def oob(model):
    return model.oob_decision_function_ if hasattr(model, "classes_") else model.oob_prediction_


def written(model, tmp_path):
    path = tmp_path / "a.model"
    model.save(path)
    return path.read_bytes()


def is_in(value, content):
    """Whether a file of arrays and of JSON holds a number."""
    kinds = [np.array(value, dtype=kind).tobytes() for kind in (">f8", "<f8", "<f4")]
    return any(part in content for part in [*kinds, repr(float(value)).encode()])


@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_forgetting_nothing_finds_what_fit_has_found(name, data, request):
    """Votes, weights, densities, trends and calibration are found by other code than that of a search."""
    model = request.getfixturevalue(name)
    again = deepcopy(model).forget([])
    np.testing.assert_allclose(oob(again), oob(model), rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(
        predictions(again, data[0][150:]), predictions(model, data[0][150:]), rtol=1e-6, atol=1e-5
    )
    assert again.oob_score_ == pytest.approx(model.oob_score_, abs=1e-6)


def test_forgetting_nothing_of_weighted_samples_and_several_targets(data):
    X, y = data
    weights = np.random.default_rng(1).random(120) + 0.5
    model = FreeEnergyClassifier(n_replicas=3, random_state=0).fit(X[:120], y[:120], sample_weight=weights)
    np.testing.assert_allclose(oob(deepcopy(model).forget([])), oob(model), atol=1e-5)
    several = FreeEnergyRegressor(n_replicas=3, random_state=0).fit(X[:120], X[:120, :2] ** 2)
    np.testing.assert_allclose(oob(deepcopy(several).forget([])), oob(several), atol=1e-5)


@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_forgotten_values_are_nowhere_in_the_file(name, data, request, tmp_path):
    model = request.getfixturevalue(name)
    values = [*data[0][FORGOTTEN].ravel(), *([97.531] if name == "regressor" else [])]
    assert all(is_in(value, written(model, tmp_path)) for value in data[0][FORGOTTEN].ravel())
    content = written(deepcopy(model).forget(FORGOTTEN), tmp_path)
    assert not [value for value in values if is_in(value, content)]


def test_every_view_forgets(data, tmp_path):
    X, y = data[0] - data[0].min() + 0.137, data[1]  # no other number in the file
    model = every_kind(X[:150], y[:150])
    assert set(model.views_) == {"scaled", "logs", "quantiles", "steps", "whitened"} <= set(VIEWS)
    model.forget(FORGOTTEN)
    content = written(model, tmp_path)
    assert not [value for value in X[FORGOTTEN].ravel() if is_in(value, content)]


@pytest.mark.parametrize("view", ["scaled", "logs"])
def test_a_wide_range_that_shrinks_changes_no_distance(data, view):
    """Maps of scaled features change with their units: votes stay those of the other rows in the same spaces."""
    X, y = data[0] - data[0].min() + 0.1, data[1]
    recipe = Recipe(candidates=[f"{view}/full"], temperature=1e-3)
    model = FreeEnergyClassifier(3, recipe=recipe, random_state=0).fit(X[:150], y[:150])
    (before,), kept = model.members_, np.setdiff1d(np.arange(150), FORGOTTEN)
    Z = [model.views_[view](X[kept]) @ A.T for A in before.maps]
    model.forget(FORGOTTEN)
    (after,) = model.members_
    for old, A in zip(Z, after.maps, strict=True):
        new = model.views_[view](X[kept]) @ A.T
        np.testing.assert_allclose(new - new[0], old - old[0], atol=1e-9)


def test_a_forgotten_row_is_no_neighbor_and_has_no_value(classifier, data):
    model = deepcopy(classifier).forget(FORGOTTEN)
    assert not np.isin(FORGOTTEN, model.kneighbors(data[0][:150], 20, return_distance=False)).any()
    assert np.isnan(model.data_values()[FORGOTTEN]).all()
    assert np.isnan(model.oob_decision_function_[FORGOTTEN]).all()
    assert np.isfinite(model.data_values()).sum() == 147
    assert not np.isin(FORGOTTEN, model.oob_indices_.rows).any()


@pytest.mark.parametrize("name", ["classifier", "regressor"])
@pytest.mark.parametrize("how", ["forget", "condense"])
def test_everything_works_afterwards(name, how, data, request, tmp_path):
    X = data[0]
    model = deepcopy(request.getfixturevalue(name))
    model = model.forget(FORGOTTEN) if how == "forget" else model.condense(max_rows=60)
    model.save(tmp_path / "b.model")
    again = freemetric.load(tmp_path / "b.model")
    np.testing.assert_array_equal(predictions(again, X), predictions(model, X))
    assert np.isfinite(again.permutation_importances(n_repeats=1).mean).all()
    assert again.outlier_score(X).shape == (300,)
    assert np.isfinite(again.data_values()[again.ensemble_.training_set.rows]).all()
    assert again.report(tmp_path / "report.html").exists()
    known = np.isfinite(oob(again)).all(axis=1) if name == "classifier" else np.isfinite(oob(again))
    if name == "classifier":
        y = data[1][:150]
        assert again.oob_score_ == pytest.approx(accuracy_score(y[known], oob(again)[known].argmax(axis=1)))
        assert again.predict_set(X, 0.2).shape == (300, 3)
        again.partial_fit(X[150:160], data[1][150:160])
        assert len(again.oob_decision_function_) == 160
        again.forget([155]).check_state()
    else:
        assert (np.diff(again.predict_interval(X), axis=1) > 0).all()
    again.fit(X[:60], data[1][:60])
    assert len(again.ensemble_.training_set) == 60


def test_graphs_are_those_of_the_samples_that_are_left(classifier, data, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    from freemetric.onnx_export import to_onnx

    model = deepcopy(classifier).condense(max_rows=40)
    graph = to_onnx(model).SerializeToString()
    assert len(graph) < len(to_onnx(classifier).SerializeToString())
    session = runtime.InferenceSession(graph)
    answers = session.run(None, {session.get_inputs()[0].name: data[0][150:].astype(np.float64)})
    probabilities = next(answer for answer in answers if np.ndim(answer) == 2)
    np.testing.assert_allclose(probabilities, model.predict_proba(data[0][150:]), atol=1e-4)


def check_prototypes(Z, labels, chosen):
    """One row of every cluster, nearer to its mean than others; of two rows each is as near."""
    assert sorted(labels[chosen]) == np.unique(labels).tolist()
    for row in chosen:
        members = Z[labels == labels[row]]
        apart = np.linalg.norm(members - members.mean(axis=0), axis=1)
        assert np.linalg.norm(Z[row] - members.mean(axis=0)) <= apart.min() + 1e-9


@pytest.mark.parametrize("n", [1, 7, 40, 119])
def test_prototypes_are_those_of_wards_clusters(n):
    Z = np.random.default_rng(0).random((120, 3))
    clusters = AgglomerativeClustering(n, linkage="ward").fit_predict(Z)
    check_prototypes(Z, clusters, Prototypes(Z, [np.arange(120)])(n))


def test_every_stratum_has_its_share_of_prototypes():
    y = np.repeat([0, 1, 2], [60, 30, 1])
    prototypes = Prototypes(np.random.default_rng(0).random((91, 2)), [np.flatnonzero(y == c) for c in range(3)])
    assert [np.bincount(y[prototypes(n)]).tolist() for n in (3, 10, 46, 91)] == [
        [1, 1, 1],
        [6, 3, 1],
        [30, 15, 1],
        [60, 30, 1],
    ]


def test_copies_are_as_many_prototypes_as_wanted():
    Z = np.repeat(np.random.default_rng(0).random((5, 2)), 20, axis=0)
    chosen = Prototypes(Z, [np.arange(100)])(30)
    assert len(np.unique(chosen)) == 30
    assert len(np.unique(Z[chosen], axis=0)) == 5


def test_large_strata_are_clustered_in_parts(monkeypatch):
    """Six far clouds, which parts of neighbouring samples do not tear apart."""
    monkeypatch.setattr(shrinking, "MOST_CLUSTERED", 100)
    Z, clouds = make_blobs(300, centers=100 * np.arange(6)[:, None] * np.ones((1, 2)), random_state=0)
    prototypes = Prototypes(Z, [np.arange(300)])
    assert [len(some) for some in prototypes.groups] == [100, 100, 100]
    check_prototypes(Z, clouds, prototypes(6))


def test_few_that_stand_for_all_are_better_than_as_many_at_random():
    """Two interleaved rings of eight clouds: a sample at random misses clouds, and a prototype does not."""
    angle = np.arange(8) * np.pi / 4
    centers = np.column_stack([np.cos(angle), np.sin(angle)])
    X, cloud = make_blobs(480, centers=centers, cluster_std=0.12, random_state=0)
    y = cloud % 2
    recipe = Recipe(densities=(), kernel_block=0)
    model = FreeEnergyClassifier(n_replicas=6, recipe=recipe, random_state=0).fit(X[::2], y[::2])
    small = deepcopy(model).condense(max_rows=16)
    rng, chance = np.random.default_rng(0), []
    for _ in range(10):
        drawn = deepcopy(model)
        ensemble = drawn.ensemble_
        rebuilt = shrinking.Rebuilt(drawn, ensemble.views, ensemble.members, ensemble.training_set)
        vars(drawn).update(rebuilt.attributes(np.sort(rng.permutation(240)[:16])))
        chance.append(drawn.score(X[1::2], y[1::2]))
    assert small.score(X[1::2], y[1::2]) > max(0.95, np.mean(chance) + 2 * np.std(chance) / np.sqrt(10))


def test_fewer_rows_than_classes_cannot_be_kept():
    X, y = make_blobs(180, centers=12, random_state=0)
    model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="max_rows of this model is at least 12; got 11"):
        model.condense(max_rows=11)
    assert len(model.condense(max_rows=12).ensemble_.training_set) == 12
    assert (model.predict(X) == y).mean() > 0.8


@pytest.mark.slow
def test_condensed_models_are_as_good_by_their_own_score(data):
    X, y = data
    model = FreeEnergyClassifier(n_replicas=6, random_state=0).fit(X, y)
    truth = np.eye(3)[y]

    def brier(one):
        return ((oob(one) - truth) ** 2).sum(axis=1) / 2

    before, small = brier(model), deepcopy(model).condense()
    n = len(small.ensemble_.training_set)
    assert 50 <= n < 300
    scoring = model.oob_indices_.rows
    limit = before[scoring].mean() + before[scoring].std() / np.sqrt(len(scoring))
    assert brier(small)[scoring].mean() <= limit + 1e-6
    assert set(small.ensemble_.training_set.y) == {0, 1, 2}
    assert len(small.oob_conformity_) == np.isfinite(before).sum()  # also by samples that do not vote any more
    assert small.condense(max_rows=n + 1) is small
    assert len(small.ensemble_.training_set) == n


def test_condensed_regressors_keep_their_intervals():
    X, y = load_diabetes(return_X_y=True)
    model = FreeEnergyRegressor(n_replicas=4, random_state=0).fit(X[::2], y[::2])
    r2 = model.score(X[1::2], y[1::2])
    model.condense(max_rows=80)
    assert len(model.ensemble_.training_set) == 80
    assert model.score(X[1::2], y[1::2]) > r2 - 0.05
    low, high = model.predict_interval(X[1::2], alpha=0.1).T
    assert ((low <= y[1::2]) & (y[1::2] <= high)).mean() > 0.85


def test_out_of_bag_votes_of_a_condensed_model_by_brute_force(data):
    """Samples that vote and samples that do not, by replicas that left them out, from distances of numpy."""
    X, y = data
    recipe = Recipe(candidates=["scaled/full"], temperature=1e-3, densities=(), calibration="none", n_neighbors=5)
    model = FreeEnergyClassifier(8, recipe=recipe, random_state=0).fit(X[:150], y[:150])
    (member,), indices = model.members_, model.oob_indices_
    (left_out,) = indices.left_out(model.members_)
    model.condense(max_rows=70)
    remaining, view = model.ensemble_.training_set.rows, model.views_["scaled"]
    floor = model.ensemble_.head.floor
    for sample in [np.intersect1d(indices.rows, remaining)[0], np.setdiff1d(indices.rows, remaining)[0]]:
        fair, shares = left_out[:, indices.rows == sample][:, 0], []
        for A in member.maps[fair]:
            others = remaining[remaining != sample]
            apart = (((view(X[others]) - view(X[[sample]])) @ A.T) ** 2).sum(axis=1)
            shares.append(np.bincount(y[others[np.argsort(apart)[:5]]], minlength=3) / 5)
        expected = np.mean(shares, axis=0) + floor
        np.testing.assert_allclose(oob(model)[sample], expected / expected.sum(), atol=1e-5)


def test_dropped_rows_can_be_forgotten(data, tmp_path):
    """Views know the values of rows that were dropped: files of condensed models may hold them, until forgotten."""
    X, y = data
    model = every_kind(X[:150], y[:150]).condense(max_rows=60)
    dropped = np.setdiff1d(np.arange(150), model.ensemble_.training_set.rows)[:5]
    assert any(is_in(value, written(model, tmp_path)) for value in X[dropped].ravel())
    content = written(model.forget(dropped), tmp_path)
    assert not [value for value in X[dropped].ravel() if is_in(value, content)]
    assert np.isnan(model.oob_decision_function_[dropped]).all()


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([150], "holds 150, and the model was given 150 rows"),
        ([0.5], "row numbers"),
        (range(145), "5 training samples"),
    ],
)
def test_rows_that_cannot_be_forgotten(classifier, rows, words):
    before = classifier.oob_decision_function_.copy()
    with pytest.raises(ValueError, match=words):
        classifier.forget(list(rows))
    np.testing.assert_array_equal(classifier.oob_decision_function_, before)


@pytest.mark.parametrize("max_rows", [0, 9, 20.5, "all", True])
def test_numbers_of_rows_to_keep(classifier, max_rows):
    with pytest.raises(ValueError, match="max_rows is a number of training samples, at least 10"):
        classifier.condense(max_rows=max_rows)
