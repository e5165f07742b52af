"""A free-energy classifier says in the runtime what it says in Python, whatever its metrics look at."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from freemetric import FreeEnergyClassifier, Recipe, load
from freemetric.metrics import FORMS, VIEWS, BoostedTrees
from freemetric.onnx_export import to_onnx

from .runtime import about, answer, votes

pytestmark = pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")


def expected(model, X):
    """Probabilities by the definition, with the first of equally far samples."""
    training_set, head = model.ensemble_.training_set, model.ensemble_.head
    mixed = 0
    for member, weights in zip(model.members_, model.ensemble_.weights, strict=True):
        view = model.views_[member.candidate.view]
        spaces = [list(member.spaces(view(rows))) for rows in (X, training_set.X[training_set.places.rows])]
        for Q, Z in zip(*spaces, strict=True):
            for k in np.flatnonzero(weights) + 1:
                counted = votes(Q, training_set.places, Z, k)
                shares = counted / counted.sum(axis=1, keepdims=True)
                mixed = mixed + weights[k - 1] * shares / len(spaces[0])
    return head.answers(mixed, head.wholes(X))


@pytest.mark.parametrize(
    "data", ["wine", *(pytest.param(name, marks=pytest.mark.slow) for name in ("iris", "breast_cancer"))]
)
def test_as_python_has_it(data, request):
    X, y = request.getfixturevalue(data)
    model, new = FreeEnergyClassifier(4, random_state=0).fit(X[::4], y[::4]), X[1::4]
    made = to_onnx(model)
    assert about(made) == {"classes": model.classes_.tolist()}
    label, probabilities = answer(made, new)
    for wanted in (expected(model, new), model.predict_proba(new)):
        close = np.isclose(probabilities, wanted, rtol=0, atol=1e-5).all(axis=1)
        assert close.mean() > 0.95  # rounding decides between equal distances
        assert (label == model.classes_[wanted.argmax(axis=1)])[close].all()
        assert np.abs(probabilities - wanted).max() < 0.1


@pytest.mark.parametrize("shortlist", [Recipe.shortlist, pytest.param(60, marks=pytest.mark.slow), 1])
def test_the_shortlist_is_asked_in_graphs_too(shortlist, halves):
    """Neighbours that are nearest in one space alone do not vote, neither in Python nor in the graph."""
    model, new = halves
    exact = model.set_params(recipe__shortlist=None).predict_proba(new)
    wanted = model.set_params(recipe__shortlist=shortlist).predict_proba(new)
    assert model.shortlist_ < len(model.ensemble_.training_set.places.rows)
    assert np.abs(wanted - exact).max() > 1e-3
    label, probabilities = answer(to_onnx(model), new)
    np.testing.assert_allclose(probabilities, wanted, rtol=0, atol=1e-6)
    assert label.tolist() == model.predict(new).tolist()


@pytest.fixture(scope="module")
def halves(breast_cancer):
    """A model at its defaults, of half of the table, and the other half."""
    X, y = breast_cancer
    return FreeEnergyClassifier(8, random_state=0).fit(X[::2], y[::2]), X[1::2]


def test_the_shortlist_names_places_where_rows_have_copies(breast_cancer):
    X, y = breast_cancer
    X, y, new = np.vstack([X[::2], X[::4]]), np.concatenate([y[::2], y[::4]]), X[1::2]
    model = FreeEnergyClassifier(4, recipe=Recipe(shortlist=60, candidates=["scaled/full"]), random_state=0).fit(X, y)
    assert not model.ensemble_.training_set.places.are_single
    np.testing.assert_allclose(answer(to_onnx(model), new)[1], model.predict_proba(new), rtol=0, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [f"{view}/{form}" for view in VIEWS for form in FORMS])
def test_every_kind_with_equal_values_and_outliers(kind, rng):
    """New values within, between, beyond and exactly on those of training; many values are equal, one is constant."""
    n = 33  # quantiles at multiples of 1/32: equal distances are equal in floating point, too
    X = np.column_stack([rng.random(n), rng.integers(0, 4, n), rng.exponential(size=n).round(1), np.ones(n)])
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + 0.2 * X[:, 1], [0.5, 1.0])]
    new = np.vstack([X[:20], rng.permuted(X, axis=0)[:20], rng.normal(size=(20, 4)), 9 * rng.normal(size=(20, 4))])
    model = FreeEnergyClassifier(3, recipe=Recipe(candidates=[kind], temperature=1e-3), random_state=0).fit(X, y)
    label, probabilities = answer(to_onnx(model), new)
    wanted = expected(model, new)
    np.testing.assert_allclose(probabilities, wanted, atol=1e-9)
    assert label.tolist() == model.classes_[wanted.argmax(axis=1)].tolist()


def test_weights_of_patterns(rng):
    X = rng.random((40, 2))
    y = (X[:, 0] + 0.4 * rng.random(40) > 0.7).astype(int)
    kinds = {"recipe": Recipe(candidates=["scaled/identity", "scaled/full"]), "random_state": 0}
    heavy = FreeEnergyClassifier(4, **kinds).fit(X, y, sample_weight=1 + 20 * y)
    new = rng.random((50, 2))
    probabilities = answer(to_onnx(heavy), new)[1]
    np.testing.assert_allclose(probabilities, heavy.predict_proba(new), atol=1e-5)
    np.testing.assert_allclose(probabilities, expected(heavy, new), atol=1e-9)


@pytest.fixture(scope="module")
def copies():
    """300 rows at 24 places, of three classes that share places; between them, places no two of which are equally far.

    Places differ in how many rows they hold.
    """
    rng = np.random.default_rng(1)
    places = rng.random((24, 3))
    number = rng.choice(24, 300, p=(1 + np.arange(24)) / 300)
    y = (np.digitize(places[number, 0], [0.3, 0.6]) + (rng.random(300) < 0.3)) % 3
    return places[number], y, np.vstack([places, rng.random((40, 3)), 3 * rng.normal(size=(20, 3))])


@pytest.mark.parametrize(
    ("kinds", "is_weighted"),
    [
        (["scaled/identity"], False),
        (["scaled/diagonal", "scaled/full"], True),
        pytest.param(["quantiles/full"], False, marks=pytest.mark.slow),
        pytest.param(["scaled/identity"], True, marks=pytest.mark.slow),
        pytest.param(["scaled/diagonal", "scaled/full"], False, marks=pytest.mark.slow),
        pytest.param(["quantiles/full"], True, marks=pytest.mark.slow),
    ],
)
def test_copies_of_rows_vote_as_in_python(kinds, is_weighted, copies):
    X, y, new = copies
    assert len(np.unique(X, axis=0)) == 24
    weights = 0.1 + np.random.default_rng(2).exponential(size=300) if is_weighted else None
    model = FreeEnergyClassifier(4, recipe=Recipe(candidates=kinds), random_state=0).fit(X, y, sample_weight=weights)
    assert not model.ensemble_.training_set.places.are_single
    probabilities = answer(to_onnx(model), new)[1]
    np.testing.assert_allclose(probabilities, model.predict_proba(new), rtol=0, atol=1e-6)
    np.testing.assert_allclose(probabilities, expected(model, new), rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_neighbors", [1, pytest.param(7, marks=pytest.mark.slow), 39])
def test_copies_with_one_number_of_neighbours(n_neighbors, copies):
    """39 neighbours lie at fewer places, and the last of these votes in part."""
    X, y, new = copies
    recipe = Recipe(candidates=["scaled/full"], n_neighbors=n_neighbors)
    model = FreeEnergyClassifier(2, recipe=recipe, random_state=0).fit(X, y)
    np.testing.assert_allclose(answer(to_onnx(model), new)[1], model.predict_proba(new), rtol=0, atol=1e-6)


def test_fewer_places_than_neighbours():
    X, y = np.repeat([[0.0], [1.0], [4.0]], 20, axis=0), np.arange(60) % 2
    model = FreeEnergyClassifier(2, recipe=Recipe(candidates=["scaled/identity"], n_neighbors=30), random_state=0).fit(
        X, y
    )
    new = np.linspace(-1, 5, 20)[:, None]
    np.testing.assert_allclose(answer(to_onnx(model), new)[1], model.predict_proba(new), rtol=0, atol=1e-6)


def test_rows_without_copies_have_a_graph_without_counts(iris):
    operators = {node.op_type for node in to_onnx(FreeEnergyClassifier(4, random_state=0).fit(*iris)).graph.node}
    assert not {"CumSum", "Clip"} & operators


def test_in_a_pipeline_with_one_feature(rng):
    X = rng.normal(5, 3, (30, 1))
    y = np.where(np.abs(X[:, 0] - 5) > 2, "far", "near")
    model = make_pipeline(StandardScaler(), FreeEnergyClassifier(4, random_state=0)).fit(X, y)
    new = rng.normal(5, 3, (40, 1))
    label, probabilities = answer(to_onnx(model), new)
    assert label.tolist() == model.predict(new).tolist()
    np.testing.assert_allclose(probabilities, expected(model[1], model[0].transform(new)), atol=1e-9)


@pytest.mark.parametrize("kernel_block", [1500, 150])
def test_kernel_regressions_are_in_the_graph(kernel_block, rng):
    X = rng.normal(size=(400, 4))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] > 0
    recipe = Recipe(n_replicas=6, kernel_block=kernel_block, plain_margin=0.0)
    model, new = FreeEnergyClassifier(recipe=recipe, random_state=0).fit(X[:300], y[:300]), X[300:]
    assert "ClassKernelRidge" in {type(part).__name__ for part in model.ensemble_.head.densities}
    _, probabilities = answer(to_onnx(model), new)
    close = np.isclose(probabilities, model.predict_proba(new), rtol=0, atol=1e-4).all(axis=1)
    assert close.mean() > 0.95  # rounding decides between equal distances


def test_a_covariance_that_classes_share_is_in_the_graph(rng):
    y = np.arange(300) % 3
    X = rng.normal(size=(300, 10)) * np.append(0.05, np.ones(9))
    X[:, 0] += 0.1 * y
    X = X @ np.linalg.qr(rng.normal(size=(10, 10)))[0]
    recipe = Recipe(n_replicas=4, candidates=["scaled/diagonal"], kernel_block=0, shortlist=None)
    model, new = FreeEnergyClassifier(recipe=recipe, random_state=0).fit(X[:200], y[:200]), X[200:]
    assert "SharedStudentT" in {type(part).__name__ for part in model.ensemble_.head.densities}
    _, probabilities = answer(to_onnx(model), new)
    np.testing.assert_allclose(probabilities, expected(model, new), atol=1e-5)
    # rounding to single precision decides between distances that are nearly equal
    assert np.isclose(probabilities, model.predict_proba(new), rtol=0, atol=1e-5).all(axis=1).mean() > 0.95


@pytest.mark.parametrize("n_classes", [2, 4])
def test_trees(n_classes, rng, tmp_path):
    """New values are on thresholds, between them and far outside."""
    X = rng.integers(0, 8, (300, 4)).astype(float)
    y = np.where((X[:, 0] > 3) & (X[:, 1] > 2), X[:, 2] > 4, X[:, 3] > 3) + (n_classes == 4) * 2 * (X[:, 1] > 5)
    densities = "naive-bayes", "boosted-trees"
    recipe = Recipe(candidates=["scaled/full"], densities=densities, kernel_block=0, shortlist=None)
    model = FreeEnergyClassifier(4, recipe=recipe, random_state=0).fit(X, y)
    densities = {type(density): density for density in model.ensemble_.head.densities}
    assert densities[BoostedTrees].trees.leaves.shape[2] == n_classes
    new = np.vstack([7 * rng.random((100, 4)), 100 * rng.standard_normal((20, 4))])
    thresholds = densities[BoostedTrees].thresholds
    new[:50, 0] = rng.choice(thresholds[np.isfinite(thresholds)], 50)
    label, probabilities = answer(to_onnx(model), new)
    np.testing.assert_allclose(probabilities, model.predict_proba(new), rtol=0, atol=1e-5)
    np.testing.assert_allclose(probabilities, expected(model, new), rtol=0, atol=1e-9)
    assert label.tolist() == model.predict(new).tolist()
    model.save(tmp_path / "a.model")
    assert load(tmp_path / "a.model").predict_proba(new).tobytes() == model.predict_proba(new).tobytes()
