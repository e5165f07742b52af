"""Graphs say what Python says, to 1e-8, where Python computes in double precision.

Its votes are in single precision: their independent truth is the definition.
"""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from scipy.special import log_softmax, softmax
from sklearn.datasets import load_diabetes, load_wine
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from freemetric.ensemble import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    FreeEnergyClassifier,
    FreeEnergyRegressor,
    LinearClassifier,
    LineRegressor,
    ScreenedNaiveBayes,
    StudentTClassifier,
    SurfaceRegressor,
)
from freemetric.ensemble.neighbors import space
from freemetric.ensemble.views import Quantiles
from freemetric.learners import (
    LEARNERS,
    LFDA,
    MLKR,
    NCA,
    MetricKNeighborsClassifier,
    MetricKNeighborsRegressor,
)

from .examples import NAMED, X as IRIS, fitted

onnxruntime = pytest.importorskip("onnxruntime", reason="graphs are run by it")
from freemetric.files import to_onnx  # noqa: E402 - it needs ONNX, too
from freemetric.files.graph import Graph  # noqa: E402
from freemetric.files.onnx_ensemble import on_quantiles  # noqa: E402

WINE, WINES = load_wine(return_X_y=True)
DIABETES, PROGRESSIONS = load_diabetes(return_X_y=True)
TIGHT = {"rtol": 1e-8, "atol": 1e-8}


def answer(made, X):
    """The outputs of a graph by name."""
    session = onnxruntime.InferenceSession(made.SerializeToString())
    found = session.run(None, {"X": np.asarray(X, dtype=np.float64)})
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, found, strict=True))


def notes(made):
    return {note.key: json.loads(note.value) for note in made.metadata_props}


def exact_votes(ensemble, X):
    """Votes (n, n_values) over all training samples, in double precision."""
    training_set = ensemble.training_set
    rows = training_set.X[training_set.row_of_point]
    total = 0.0
    for member in ensemble.members:
        view = ensemble.views[member.view]
        for A in member.maps:
            Z, Q = space(view(rows), A), space(view(X), A)
            nearest = cdist(Q, Z).argsort(axis=1, kind="stable")
            for k, weight in zip(ensemble.sizes, member.weights, strict=True):
                mean = mean_of_nearest(training_set, nearest, k)
                total += weight / len(member.maps) * mean
    return total


def mean_of_nearest(training_set, nearest, k):
    """Means (n, n_values) of k rows; of the last place a part of the rows counts."""
    counts = training_set.counts[nearest]
    before = counts.cumsum(axis=1) - counts
    shares = np.clip(k - before, 0, counts) / counts
    masses = (shares * training_set.masses[nearest]).sum(axis=1)
    return np.einsum("nm,nmv->nv", shares, training_set.sums[nearest]) / masses[:, None]


def is_near(found, expected):
    """Whether numbers agree, but where rounding decides which of two rows is nearer."""
    return np.isclose(found, expected, rtol=1e-4, atol=1e-5).mean() > 0.95


# --- one metric -----------------------------------------------------------------------


@pytest.mark.parametrize("name", LEARNERS)
def test_learners(name):
    model, samples = fitted(name)
    found = answer(to_onnx(model), samples)
    assert_allclose(found["variable"], model.transform(samples), **TIGHT)


PIPELINES = [
    make_pipeline(MinMaxScaler(), NCA(2), KNeighborsClassifier(3)),
    make_pipeline(StandardScaler(), LFDA(), LogisticRegression()),
    make_pipeline(RobustScaler(), PCA(5), LFDA(), GaussianNB()),
    make_pipeline(NCA(), KNeighborsClassifier(3, metric="manhattan")),
    make_pipeline(StandardScaler(), MetricKNeighborsClassifier(NCA(2))),
    MetricKNeighborsClassifier(make_pipeline(StandardScaler(), NCA()), 5),
    GridSearchCV(MetricKNeighborsClassifier(LFDA()), {"n_neighbors": [1, 4]}, cv=2),
]


@pytest.mark.parametrize("number", range(len(PIPELINES)))
@pytest.mark.parametrize("labels", [WINES, WINES.astype(str), WINES == 1])
def test_classifiers(number, labels):
    model = PIPELINES[number].fit(WINE[::2], labels[::2])
    made = to_onnx(model)
    found = answer(made, WINE[1::2])
    assert_allclose(found["probabilities"], model.predict_proba(WINE[1::2]), **TIGHT)
    assert (found["label"] == model.predict(WINE[1::2])).all()
    assert notes(made)["classes"] == model.classes_.tolist()


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_means_of_neighbors(weights, n_outputs):
    """Distances may be small, and zero for the samples that were learned."""
    y = np.column_stack([PROGRESSIONS, DIABETES[:, 2]])[:, :n_outputs].squeeze()
    model = MetricKNeighborsRegressor(MLKR(), 4, weights=weights)
    model.fit(DIABETES[::3] / 1e4, y[::3])
    for X in (DIABETES / 1e4, DIABETES * 10):
        found = answer(to_onnx(model), X)["variable"]
        assert_allclose(found.squeeze(), model.predict(X), rtol=1e-8)


# --- estimators beside the votes ------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        BoostedTreesClassifier(),
        LinearClassifier(),
        ScreenedNaiveBayes(),
        StudentTClassifier(),
    ],
)
@pytest.mark.parametrize("labels", [WINES, WINES == 2])
def test_classifiers_beside_the_votes(model, labels):
    model.fit(WINE[::2], labels[::2])
    X = np.vstack([WINE, -1e6 * WINE[:9], np.zeros((1, 13))])
    found = answer(to_onnx(model), X)
    assert_allclose(found["probabilities"], model.predict_proba(X), **TIGHT)


@pytest.mark.parametrize(
    "model", [BoostedTreesRegressor(), LineRegressor(), SurfaceRegressor()]
)
def test_trends(model):
    model.fit(DIABETES[::2], PROGRESSIONS[::2])
    X = np.vstack([DIABETES, 10 * DIABETES[:9]])
    assert_allclose(answer(to_onnx(model), X)["variable"][:, 0], model.predict(X))


# --- ensembles ------------------------------------------------------------------------


def test_quantiles():
    """Constants, few values, many values, and values outside of those in fit."""
    rng = np.random.default_rng(0)
    columns = [np.ones(900), rng.integers(3, size=900), rng.normal(size=900)]
    V = np.column_stack(columns).astype(float)
    view, graph = Quantiles.fit(V), Graph()
    made = graph.model("q", 3, {"out": on_quantiles(graph, view, "X")}, {})
    X = np.vstack([V, 2.5 * rng.normal(size=(300, 3)), V[:9] + 1e9, V[:9] - 1e9])
    assert_allclose(answer(made, X)["out"], view(X), atol=1e-12)


@pytest.fixture(autouse=True)
def no_shortlist(monkeypatch):
    """Graphs compare all training samples, and so does Python here."""
    monkeypatch.setattr("freemetric.ensemble.ensemble.SHORTEST", 10**6)


def with_gaps(X):
    X = X.copy()
    X[::5, 1] = np.nan
    return X


CLASSIFIERS = {
    "usual": {},
    "alone": {"estimators": None},
    "balanced": {"class_weight": "balanced"},
    "others": {
        "estimators": [
            ("forest", RandomForestClassifier(5, random_state=0)),
            ("normal", GaussianNB()),
            ("line", "default"),
        ]
    },
}


def classified(model, X):
    """Probabilities by definition, of exact votes."""
    X = model.ensemble_.filled(X)
    pool = model.pool_
    logits = pool.slope * np.log(exact_votes(model.ensemble_, X) + 0.05) + pool.bias
    for strength, (_, other) in zip(pool.strengths, model.estimators_, strict=True):
        logits += strength * np.log(np.maximum(other.predict_proba(X), 1e-6))
    P = softmax(log_softmax(logits, axis=1), axis=1) * model.class_weight_
    return P / P.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_free_energy_classifiers(kind, rounded, weighted):
    """Equal rows lie at one place, of which only a part may be among the nearest."""
    options = dict(CLASSIFIERS[kind])
    if kind == "others":
        options["estimators"] = options["estimators"][: 1 + (not weighted)]
    X, y = (np.round(WINE[:, :3]), WINES) if rounded else (WINE, WINES)
    weights = np.linspace(0.1, 2, len(y))[::2] if weighted else None
    model = FreeEnergyClassifier(6, random_state=0, **options)
    model.fit(with_gaps(X[::2]), y[::2], weights)
    places = model.ensemble_.training_set.row_of_point
    assert (len(places) < len(X[::2])) == rounded
    rng = np.random.default_rng(0)
    queries = with_gaps(X[1::2] + 0.01 * rng.normal(size=X[1::2].shape))  # no ties
    made = to_onnx(model)
    found = answer(made, queries)
    assert_allclose(found["probabilities"], classified(model, queries), atol=1e-8)
    assert is_near(found["probabilities"], model.predict_proba(queries))
    assert (found["label"] == model.predict(queries)).mean() > 0.98
    assert notes(made) == {"classes": [0, 1, 2]}


@pytest.mark.parametrize("scale", ["linear", "log", "asinh"])
def test_free_energy_regressors(scale):
    model = FreeEnergyRegressor(6, scale=scale, random_state=0)
    model.fit(with_gaps(DIABETES[::3]), PROGRESSIONS[::3])
    X = with_gaps(DIABETES[1::3])
    found = answer(to_onnx(model, quantiles=[0.1, 0.5, 0.9]), X)
    seen = model.ensemble_.filled(X)
    votes = exact_votes(model.ensemble_, seen)
    trends = [other.predict(seen) for _, other in model.estimators_]
    location = model.combination_(votes, trends)
    spread, errors = model.noise_.spread(votes, seen), model.noise_.errors
    expected = model.scale_.means(location, spread, errors, model.combination_.limits)
    assert_allclose(found["variable"][:, 0], expected, rtol=1e-8)
    levels = np.quantile(errors, [0.1, 0.5, 0.9])
    quantiles = model.scale_.back(location[:, None] + spread[:, None] * levels)
    assert_allclose(found["quantiles"], quantiles, rtol=1e-8)
    assert is_near(found["variable"][:, 0], model.predict(X))


@pytest.mark.parametrize(
    "name", ["many-features", "votes-alone", "ratios", "regressor-of-one"]
)
def test_other_ensembles(name):
    model, X = fitted(name)
    X = X + 0.01 * np.random.default_rng(0).normal(size=X.shape)
    found = answer(to_onnx(model), X)
    if name == "regressor-of-one":
        assert is_near(found["variable"][:, 0], model.predict(X))
    else:
        assert_allclose(found["probabilities"], classified(model, X), atol=1e-8)


def test_names_and_infinity(tmp_path):
    model, _ = fitted("classifier")
    made = to_onnx(model, tmp_path / "a.onnx")
    assert (tmp_path / "a.onnx").read_bytes() == made.SerializeToString()
    assert notes(made)["features"] == NAMED.columns.tolist()
    X = IRIS[:3].copy()
    X[1, 0] = np.inf
    P = answer(made, X)["probabilities"]
    assert np.isnan(P).all(axis=1).tolist() == [False, True, False]


REFUSED = {
    "table-classifier": "TableClassifier cannot be exported: export model.",
    "triplets": "TripletClassifier cannot be exported: ",
    "columns": "Pipeline cannot be exported: ",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_exported(name):
    with pytest.raises(ValueError, match=REFUSED[name]) as caught:
        to_onnx(fitted(name)[0])
    assert "\n" not in str(caught.value)


def test_other_refusals():
    with pytest.raises(NotFittedError):
        to_onnx(NCA())
    own = type("OwnClassifier", (LogisticRegression,), {})
    model = make_pipeline(StandardScaler(), own()).fit(WINE, WINES)
    with pytest.raises(ValueError, match="OwnClassifier"):
        to_onnx(model)
    with pytest.raises(ValueError, match=r"NCA cannot be exported: .*noise_"):
        to_onnx(fitted("nca")[0], quantiles=[0.5])
