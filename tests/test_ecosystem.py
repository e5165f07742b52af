"""What scikit-learn's users do with an estimator, done with every one of ours."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import StackingClassifier, StackingRegressor, VotingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

import freemetric as fm
from freemetric.learners import LEARNERS
from freemetric.mc import Annealing, Constant, ElementMove

# Few replicas leave some samples in every bag, and few steps leave learners unfinished.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.* never out of bag"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
COLUMNS = ["sepal length", "sepal width", "petal length", "petal width"]
NAMES = np.array(["setosa", "versicolor", "virginica"])
SHORT = Annealing(Constant(1e-3), ElementMove(0.3), n_steps=5)
QUICK = {
    "DMLFE": {"sampler": SHORT},
    "DMLeig": {"max_iter": 3},
    "FreeEnergyClassifier": {"n_replicas": 4},
    "FreeEnergyRegressor": {"n_replicas": 4},
    "MetricKNeighborsClassifier": {"learner": fm.RCA()},
    "MetricKNeighborsRegressor": {"learner": fm.PCA()},
    "PairClassifier": {"learner": fm.MMC()},
    "QuadrupletClassifier": {"learner": fm.LSML()},
    "SCML": {"n_basis": 40, "max_iter": 500},
    "TableClassifier": {"estimator": fm.FreeEnergyClassifier(4, random_state=0)},
    "TableRegressor": {"estimator": fm.FreeEnergyRegressor(4, random_state=0)},
    "TripletClassifier": {"learner": fm.SCML(n_basis=40, max_iter=500, random_state=0)},
}
CLASSES = {
    name: value
    for name in fm.__all__
    if inspect.isclass(value := getattr(fm, name)) and issubclass(value, BaseEstimator)
}
OF_TUPLES = ("PairClassifier", "QuadrupletClassifier", "TripletClassifier")
LEARN = sorted(cls.__name__ for cls in {*LEARNERS.values(), fm.MLKR})
CLASSIFY = ["FreeEnergyClassifier", "MetricKNeighborsClassifier", "TableClassifier"]
FEW = ["ITML", "LDA", "LMNN", "NCA", "RCA"]
"""All learners read frames by the same code: the others are tried by slow tests."""


def few(names):
    quick = (*FEW, *CLASSIFY)
    slow = pytest.mark.slow
    return [pytest.param(name, marks=() if name in quick else slow) for name in names]


def make(name):
    estimator = CLASSES[name](**QUICK.get(name, {}))
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    return estimator


def outcome(fitted, X):
    """Return probabilities, or distances, as a metric may turn its space."""
    if hasattr(fitted, "predict_proba"):
        return fitted.predict_proba(X)
    return pdist(fitted.transform(X))


@pytest.fixture(scope="module")
def small(iris):
    return iris[0][::2], iris[1][::2]


@pytest.fixture(scope="module")
def flowers(small):
    """The same as a frame whose rows have names."""
    rows = [f"flower {i}" for i in range(len(small[0]))]
    return pd.DataFrame(small[0], columns=COLUMNS, index=rows)


def data_for(name, small):
    X, y = small
    if name in OF_TUPLES:
        size = {"PairClassifier": 2, "TripletClassifier": 3}.get(name, 4)
        tuples = X[np.random.default_rng(0).integers(len(X), size=(60, size))]
        return tuples, np.where(np.arange(60) % 2, 1, -1)
    if name in ("FreeEnergyRegressor", "TableRegressor", "MLKR"):
        y = X[:, 0]
    if name.startswith("Table"):
        X = pd.DataFrame(X, columns=COLUMNS)
    return X, y


def test_every_public_estimator_is_tried():
    assert set(QUICK) <= set(CLASSES)
    assert set(LEARN) | set(OF_TUPLES) <= set(CLASSES)


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.filterwarnings("ignore")
def test_an_estimator_is_shown_copied_and_sent(name, small):
    """Notebooks show, workers copy; test_attributes reads what editors list."""
    X, y = data_for(name, small)
    estimator = make(name)
    assert not hasattr(estimator, "nothing_of_the_kind")
    fitted = clone(estimator).fit(X, y)
    assert repr(fitted) == repr(estimator)
    assert name in fitted._repr_html_()
    again = pickle.loads(pickle.dumps(fitted))
    ask = "predict" if hasattr(fitted, "predict") else "transform"
    found = getattr(fitted, ask)(X)
    np.testing.assert_array_equal(getattr(again, ask)(X), found)
    refitted = clone(fitted).fit(X, y)
    np.testing.assert_array_equal(getattr(refitted, ask)(X), found)


@pytest.mark.parametrize("name", few([*LEARN, *CLASSIFY]))
def test_a_pipeline_does_the_same_step_by_step(name, small):
    X, y = 100 * small[0] - 7, small[1]
    last = [] if name in CLASSIFY else [KNeighborsClassifier()]
    model = make(name)
    pipeline = make_pipeline(MinMaxScaler(), model, *last).fit(X, y)
    Z = MinMaxScaler().fit_transform(X)
    by_hand = clone(model).fit(Z, y)
    if last:
        Z = by_hand.transform(Z)
        by_hand = KNeighborsClassifier().fit(Z, y)
    np.testing.assert_array_equal(pipeline.predict(X), by_hand.predict(Z))
    assert pipeline.score(X, y) > 0.85


def test_beside_an_encoder_in_a_column_transformer(flowers, small):
    """The metric sees the numbers, and the neighbours see the names, too."""
    y = small[1]
    frame = flowers.assign(colour=np.where(y == 0, "blue", "violet"))
    names = OneHotEncoder(drop="first")
    steps = [("metric", fm.RCA(), COLUMNS[1:]), ("names", names, ["colour"])]
    columns = ColumnTransformer(steps)
    model = make_pipeline(columns, KNeighborsClassifier()).fit(frame, y)
    Z = model[0].transform(frame)
    alone = fm.RCA().fit(flowers[COLUMNS[1:]], y).transform(flowers[COLUMNS[1:]])
    np.testing.assert_array_equal(Z[:, :-1], alone)
    expected = [f"metric__rca{i}" for i in range(3)] + ["names__colour_violet"]
    assert model[0].get_feature_names_out().tolist() == expected
    assert model.score(frame, y) > 0.9


def thirds(y):
    part = np.arange(len(y)) % 3
    return [(np.flatnonzero(part != i), np.flatnonzero(part == i)) for i in range(3)]


SHORT_WALK = fm.DMLFE(1, random_state=0, sampler=SHORT)
ENSEMBLE = make("FreeEnergyClassifier")
GRIDS = [
    (SHORT_WALK, {"sampler__n_steps": [1, 5]}),
    pytest.param(SHORT_WALK, {"energy": ["nca", "log-nca"]}, marks=pytest.mark.slow),
    (make("MetricKNeighborsClassifier"), {"learner__n_components": [1, 2]}),
    pytest.param(ENSEMBLE, {"n_replicas": [2, 4]}, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("model", "grid"), GRIDS, ids=lambda value: None)
def test_a_grid_search_in_processes(model, grid, small):
    X, y = small
    last = KNeighborsClassifier(3)
    if not hasattr(model, "predict"):
        grid = {f"{type(model).__name__.lower()}__{name}": grid[name] for name in grid}
        model = make_pipeline(model, last)
    search = GridSearchCV(model, grid, cv=thirds(y), n_jobs=2, refit=False).fit(X, y)
    found = search.cv_results_
    scores = found["mean_test_score"]
    for parameters, score in zip(found["params"], scores, strict=True):
        alone = clone(model).set_params(**parameters)
        assert score == cross_val_score(alone, X, y, cv=thirds(y)).mean()


@pytest.mark.parametrize("name", few([*LEARN, "FreeEnergyClassifier"]))
def test_frames_are_arrays_with_names(name, flowers, small):
    X, y = small
    expected = outcome(make(name).fit(X, y), X)
    fitted = make(name).fit(flowers, y)
    assert fitted.feature_names_in_.tolist() == COLUMNS
    # sums in another order
    np.testing.assert_allclose(outcome(fitted, flowers), expected, atol=1e-8)
    with pytest.raises(ValueError, match="feature names should match"):
        outcome(fitted, flowers[COLUMNS[::-1]])
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        outcome(fitted, X)


@pytest.mark.parametrize("output", ["pandas", "polars"])
@pytest.mark.parametrize("name", few(LEARN))
def test_set_output(name, output, flowers, small):
    pytest.importorskip(output)
    learner = make(name)
    expected = learner.fit(flowers, small[1]).transform(flowers)
    found = learner.set_output(transform=output).transform(flowers)
    assert type(found).__module__.startswith(output)
    assert list(found.columns) == learner.get_feature_names_out().tolist()
    np.testing.assert_array_equal(found.to_numpy(), expected)
    if output == "pandas":
        assert found.index.equals(flowers.index)


LABELS = {
    "series of texts": lambda y: pd.Series(NAMES[y], index=np.arange(len(y))[::-1]),
    "objects": lambda y: NAMES[y].astype(object),
    "categories": lambda y: pd.Categorical(NAMES[y], NAMES[::-1]),
    "list": lambda y: NAMES[y].tolist(),
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("name", CLASSIFY)
def test_labels_of_every_kind(name, kind, small):
    """Labels come back as they are; rows count, not the index of a series."""
    X, y = small
    X = pd.DataFrame(X, columns=COLUMNS) if name == "TableClassifier" else X
    fitted = make(name).fit(X, LABELS[kind](y))
    assert fitted.classes_.tolist() == NAMES.tolist()
    expected = NAMES[make(name).fit(X, y).predict(X)]
    assert fitted.predict(X).tolist() == expected.tolist()


@pytest.mark.parametrize("name", CLASSIFY[:2])
def test_labels_with_gaps_are_refused(name, small):
    texts = [None, *NAMES[small[1]][1:].tolist()]
    with pytest.raises(ValueError, match="y has no value in row 0"):
        make(name).fit(small[0], pd.Series(texts))


@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSIFY[:2])
def test_stacked_averaged_and_calibrated(name, small):
    X, y = small[0], NAMES[small[1]]
    parts = [("metric", make(name)), ("linear", LogisticRegression())]
    stacked = StackingClassifier(parts, LogisticRegression(), cv=2).fit(X, y)
    calibrated = CalibratedClassifierCV(make(name), cv=2).fit(X, y)
    assert stacked.score(X, y) > 0.9
    assert calibrated.score(X, y) > 0.9
    average = VotingClassifier(parts, voting="soft").fit(X, y).predict_proba(X)
    alone = [clone(part).fit(X, y).predict_proba(X) for _, part in parts]
    np.testing.assert_allclose(average, np.mean(alone, axis=0))


def test_a_stacked_regressor(small):
    X = small[0][:, 1:]
    y = small[0][:, 0]
    parts = [("metric", make("FreeEnergyRegressor")), ("linear", Ridge())]
    assert StackingRegressor(parts, Ridge(), cv=2).fit(X, y).score(X, y) > 0.7
