"""A free-energy regressor says in the runtime what it says in Python, on every scale."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from freemetric import Euclidean, FreeEnergyClassifier, FreeEnergyRegressor, Recipe, load
from freemetric.metrics import BoostedTrend
from freemetric.onnx_export import to_onnx

from .runtime import about, answer, nearest

pytestmark = pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X[::4], y[::4], X[1::4]


@pytest.fixture(scope="module", params=["linear", "log", "asinh"])
def model(diabetes, request):
    X, y, _ = diabetes
    kinds = ["scaled/full", "steps/diagonal"]
    return FreeEnergyRegressor(
        4, recipe=Recipe(candidates=kinds, shortlist=None), scale=request.param, random_state=0
    ).fit(X, y)


def test_numbers_and_quantiles_as_python_has_them(model, diabetes):
    new, chances = diabetes[2], [0.05, 0.5, 0.9]
    made = to_onnx(model, quantiles=chances)
    assert [(put.name, len(put.type.tensor_type.shape.dim)) for put in made.graph.output] == [
        ("variable", 2),
        ("quantiles", 2),
    ]
    assert about(made) == {"quantiles": chances}
    numbers, quantiles = answer(made, new)
    assert numbers.shape == (len(new), 1)
    np.testing.assert_allclose(numbers[:, 0], model.predict(new), rtol=1e-6)
    np.testing.assert_allclose(quantiles, model.predict_quantiles(new, chances), rtol=1e-6, atol=1e-6 * 300)


def test_at_defaults_the_shortlist_is_asked_in_graphs_too():
    X, y = load_diabetes(return_X_y=True)
    model, new, chances = FreeEnergyRegressor(6, random_state=0).fit(X[:300], y[:300]), X[300:], [0.05, 0.95]
    assert model.shortlist_ < 300
    wanted = model.predict(new), model.predict_quantiles(new, chances)
    numbers, quantiles = answer(to_onnx(model, quantiles=chances), new)
    unit = np.std(y)
    np.testing.assert_allclose(numbers[:, 0], wanted[0], rtol=0, atol=1e-5 * unit)
    np.testing.assert_allclose(quantiles, wanted[1], rtol=0, atol=1e-5 * unit)
    assert np.abs(model.set_params(recipe__shortlist=None).predict(new) - wanted[0]).max() > 1e-3 * unit


def _by_hand(model, X):
    """Location and spread by plain means over the samples themselves, without cells of votes."""
    ensemble, training_set = model.ensemble_, model.ensemble_.training_set
    assert training_set.places.are_single
    means = np.zeros((len(training_set.values), len(X)))
    for member, weights in zip(ensemble.members, ensemble.weights, strict=True):
        view = ensemble.views[member.candidate.view]
        for Q, Z in zip(member.spaces(view(X)), member.spaces(view(training_set.X)), strict=True):
            for k in np.flatnonzero(weights) + 1:
                of_nearest = training_set.values[:, nearest(Q, Z)[:, :k]].mean(axis=2)
                means += weights[k - 1] * of_nearest / len(member)
    mean, square, *over = means
    head, z = ensemble.head, training_set.values[0]
    beyond = 0.1 * np.ptp(z)
    wholes = [np.clip(trend(X), z.min() - beyond, z.max() + beyond) for trend in head.trends]
    s, *others = head.strengths
    location = head.centre + s * (mean - head.centre)
    for f, over_neighbours, beside, along in zip(wholes, over, others[: len(over)], others[len(over) :], strict=True):
        location += beside * (f - mean) + along * (f - over_neighbours)
    log = head.spread[0] + head.spread[1] * np.log(np.maximum(square - mean**2, 1e-4)) / 2
    for gamma, noise, seen in zip(head.spread[2:], head.noises, head.seen, strict=True):
        log += gamma * np.clip(noise(X), *seen) / 2
    spread = np.exp(log) if head.scale.name == "linear" else np.minimum(np.exp(log), 1.0)
    return np.clip(location, z.min() - beyond, z.max() + beyond), spread


def test_by_the_definition(model, diabetes):
    location, spread = _by_hand(model, diabetes[2])
    scale, errors = model.ensemble_.head.scale, model.ensemble_.head.errors
    back = {"linear": np.array, "log": np.exp, "asinh": lambda g: scale.bend * np.sinh(g)}[scale.name]
    numbers, median = answer(to_onnx(model, quantiles=0.5), diabetes[2])
    middle = 2.0**scale.exponent * back(scale.centre + scale.unit * (location + spread * np.median(errors)))
    np.testing.assert_allclose(median[:, 0], middle, rtol=1e-5)
    mean = 2.0**scale.exponent * back(scale.centre + scale.unit * (location[:, None] + spread[:, None] * errors)).mean(
        axis=1
    )
    np.testing.assert_allclose(numbers[:, 0], mean, rtol=1e-5 if scale.name == "linear" else 5e-3)  # 256 stand for all


@pytest.mark.parametrize("kind", ["steps/full", "quantiles/diagonal", "whitened/full"])
def test_values_far_outside(kind, diabetes):
    """Trends run away there, and stop a tenth of the range beyond what was seen."""
    X, y, new = diabetes
    model = FreeEnergyRegressor(3, recipe=Recipe(candidates=[kind], temperature=1e-3), random_state=0).fit(
        X[:60], y[:60]
    )
    far = np.vstack([20 * new[:20], -5 * new[:20], X[:20]])
    numbers = answer(to_onnx(model), far)[0][:, 0]
    np.testing.assert_allclose(numbers, model.predict(far), rtol=1e-5)
    assert numbers.min() > y[:60].min() - 0.2 * np.ptp(y[:60])
    assert numbers.max() < y[:60].max() + 0.2 * np.ptp(y[:60])


def test_trends_are_finite_however_far(diabetes):
    X, y, new = diabetes
    model = FreeEnergyRegressor(3, recipe=Recipe(candidates=["steps/full"], temperature=1e-3), random_state=0).fit(
        X[:60], y[:60]
    )
    far = np.vstack([1e30 * new[:20], -1e100 * new[:20]])
    np.testing.assert_allclose(answer(to_onnx(model), far)[0][:, 0], model.predict(far), rtol=1e-5)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_copies_of_rows(is_weighted, rng):
    """300 rows at 24 places, whose numbers differ."""
    places = rng.random((24, 3))
    number = rng.choice(24, 300, p=(1 + np.arange(24)) / 300)
    y = places[number, 0] + 0.1 * rng.normal(size=300)
    weights = 0.1 + rng.exponential(size=300) if is_weighted else None
    model = FreeEnergyRegressor(4, recipe=Recipe(candidates=["scaled/full"]), random_state=0)
    model.fit(places[number], y, sample_weight=weights)
    assert not model.ensemble_.training_set.places.are_single
    new = np.vstack([places, rng.random((40, 3))])
    np.testing.assert_allclose(answer(to_onnx(model), new)[0][:, 0], model.predict(new), rtol=0, atol=1e-5)


def test_without_trends(diabetes):
    X, y, new = diabetes
    model = FreeEnergyRegressor(4, recipe=Recipe(trends=(), candidates=["scaled/full"]), random_state=0).fit(X, y)
    assert not model.ensemble_.head.trends
    np.testing.assert_allclose(answer(to_onnx(model), new)[0][:, 0], model.predict(new), rtol=1e-5)


def test_in_a_pipeline_and_a_search(diabetes):
    X, y, new = diabetes
    pipeline = make_pipeline(
        StandardScaler(), FreeEnergyRegressor(3, recipe=Recipe(candidates=["scaled/full"]), random_state=0)
    )
    search = GridSearchCV(pipeline, {"freeenergyregressor__recipe__n_neighbors": [3, 8]}, cv=2).fit(X, y)
    numbers, quantiles = answer(to_onnx(search, quantiles=(0.1, 0.9)), new)
    np.testing.assert_allclose(numbers[:, 0], search.predict(new), rtol=1e-5)
    inner, inside = search.best_estimator_[1], search.best_estimator_[0].transform(new)
    np.testing.assert_allclose(quantiles, inner.predict_quantiles(inside, [0.1, 0.9]), rtol=0, atol=1e-3)


def test_what_was_saved_is_exported_as_it_was(model, tmp_path):
    model.save(tmp_path / "model.fm")
    assert to_onnx(load(tmp_path / "model.fm")).SerializeToString() == to_onnx(model).SerializeToString()


def test_patterns_that_are_none(model, diabetes):
    new = diabetes[2][:3].copy()
    new[1, 2], new[2, 0] = np.nan, np.inf
    numbers, quantiles = answer(to_onnx(model, quantiles=[0.1, 0.9]), new)
    for outputs in (numbers, quantiles):
        assert np.isnan(outputs).all(axis=1).tolist() == [False, False, True]
    np.testing.assert_allclose(numbers[:2, 0], model.predict(new[:2]), rtol=1e-6)


@pytest.mark.parametrize("kind", [FreeEnergyClassifier, FreeEnergyRegressor])
def test_gaps_as_python_has_them(diabetes, kind):
    X, y, new = diabetes
    X, new = (np.where(np.random.default_rng(0).random(some.shape) < 0.2, np.nan, some) for some in (X, new))
    y = y if kind is FreeEnergyRegressor else (y > 150).astype(int)
    candidates = ["scaled/full", "quantiles/diagonal", "steps/diagonal", "whitened/identity"]
    model = kind(4, recipe=Recipe(candidates=candidates, shortlist=None), random_state=0).fit(X, y)
    assert len(model.ensemble_.training_set.gaps.features) == 10
    outputs = answer(to_onnx(model), new)[-1]
    wanted = model.predict(new)[:, None] if kind is FreeEnergyRegressor else model.predict_proba(new)
    np.testing.assert_allclose(outputs, wanted, rtol=1e-5)


def test_what_cannot_be_asked_for(model, diabetes):
    with pytest.raises(ValueError, match=r"^q is a chance between 0 and 1, or several; got 90"):
        to_onnx(model, quantiles=90)
    metric = Euclidean().fit(diabetes[0], np.arange(len(diabetes[0])) % 2)
    with pytest.raises(ValueError, match=r"^quantiles are of a FreeEnergyRegressor; Euclidean has none\.$"):
        to_onnx(metric, quantiles=0.5)


def test_trees(rng, tmp_path):
    """Of the target and of its errors, also of values on thresholds and far outside."""
    X = rng.integers(0, 8, (260, 4)).astype(float)
    y = np.where(X[:, 0] > 3, X[:, 1] > 2, X[:, 2]) + np.where(X[:, 3] > 3, 1.0, 0.2) * rng.standard_normal(260)
    recipe = Recipe(candidates=["scaled/full"], noises=("linear", "boosted-trees"), shortlist=None)
    model = FreeEnergyRegressor(4, recipe=recipe, random_state=0).fit(X, y)
    kinds = [[type(trend) for trend in some] for some in (model.ensemble_.head.trends, model.ensemble_.head.noises)]
    assert all(BoostedTrend in some for some in kinds)
    new = np.vstack([7 * rng.random((100, 4)), 100 * rng.standard_normal((20, 4))])
    thresholds = model.ensemble_.head.trends[-1].trees.thresholds
    new[:50, 0] = rng.choice(thresholds[np.isfinite(thresholds)], 50)
    numbers, quantiles = answer(to_onnx(model, quantiles=[0.1, 0.9]), new)
    np.testing.assert_allclose(numbers[:, 0], model.predict(new), rtol=0, atol=1e-5)
    np.testing.assert_allclose(quantiles, model.predict_quantiles(new, [0.1, 0.9]), rtol=0, atol=1e-5)
    model.save(tmp_path / "a.model")
    assert load(tmp_path / "a.model").predict(new).tobytes() == model.predict(new).tobytes()
