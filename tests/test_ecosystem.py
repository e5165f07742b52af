"""What scikit-learn's users do with an estimator, done with every one of ours: pipelines, searches, frames, labels."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, HalvingRandomSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from freemetric import (
    DMLFE,
    LEARNERS,
    RCA,
    Covariance,
    FreeEnergyClassifier,
    MetricKNeighborsClassifier,
    Recipe,
)
from freemetric.mc import Annealing, Constant, ElementMove

polars = pytest.importorskip("polars")

COLUMNS = ["sepal length", "sepal width", "petal length", "petal width"]
NAMES = np.array(["setosa", "versicolor", "virginica"])
KINDS = ["scaled/identity", "scaled/full"]
CLASSIFIERS = {
    "free-energy": lambda: FreeEnergyClassifier(
        4, recipe=Recipe(candidates=KINDS, n_neighbors=3), random_state=0
    ),
    "metric-knn": lambda: MetricKNeighborsClassifier(
        RCA(), most_neighbors=5, random_state=0
    ),
}
# few replicas leave some samples in every bag
pytestmark = pytest.mark.filterwarnings(
    "ignore:.* samples? (were|was) never out of bag"
)


def seeded(learner):
    return (
        learner.set_params(random_state=0)
        if "random_state" in learner.get_params()
        else learner
    )


def slow_or_not(name):
    """Frames, names and labels are read by the base of all learners: some are fast, all are slow."""
    return pytest.param(
        name,
        marks=[] if name in ("itml", "lda", "lmnn", "nca", "rca") else pytest.mark.slow,
    )


@pytest.fixture(params=[slow_or_not(name) for name in LEARNERS])
def learner(request):
    return seeded(LEARNERS[request.param]())


@pytest.fixture(params=CLASSIFIERS)
def classifier(request):
    return CLASSIFIERS[request.param]()


@pytest.fixture(params=[*map(slow_or_not, LEARNERS), *CLASSIFIERS])
def estimator(request):
    return seeded({**LEARNERS, **CLASSIFIERS}[request.param]())


@pytest.fixture(scope="module")
def small(iris):
    """Every second iris, scaled."""
    return iris[0][::2], iris[1][::2]


@pytest.fixture(scope="module")
def flowers(small):
    """The same as a frame whose rows have names."""
    return pd.DataFrame(
        small[0], columns=COLUMNS, index=[f"flower {i}" for i in range(len(small[0]))]
    )


@pytest.fixture(scope="module")
def corners():
    """Four classes at the corners of a square, in two of four features: no line tells them apart, a plane does."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 18)
    places = np.stack([y // 2, y % 2], axis=1)
    return np.hstack(
        [places + rng.normal(0, 0.17, (len(y), 2)), rng.normal(0, 0.3, (len(y), 2))]
    ), y


def result(fitted, X):
    """What an estimator makes of X: probabilities, or distances, for a metric without axes may turn its space."""
    return (
        fitted.predict_proba(X)
        if hasattr(fitted, "predict_proba")
        else pdist(fitted.transform(X))
    )


# pipelines


def test_a_pipeline_does_the_same_step_by_step(estimator, small):
    X, y = 100 * small[0] - 7, small[1]
    last = [] if hasattr(estimator, "predict") else [KNeighborsClassifier()]
    pipeline = make_pipeline(MinMaxScaler(), estimator, *last).fit(X, y)
    Z = MinMaxScaler().fit_transform(X)
    by_hand = clone(estimator).fit(Z, y)
    if last:
        by_hand, Z = (
            KNeighborsClassifier().fit(by_hand.transform(Z), y),
            by_hand.transform(Z),
        )
    np.testing.assert_array_equal(pipeline.predict(X), by_hand.predict(Z))
    assert pipeline.score(X, y) > (
        0.85 if isinstance(estimator, Covariance) else 0.9
    )  # it knows no classes


def test_beside_an_encoder_in_a_column_transformer(learner, flowers, small):
    """The metric sees the numbers alone; names go past it, and the neighbours see both."""
    y = small[1]
    frame = flowers.assign(colour=np.where(y == 0, "blue", "violet"))
    columns = ColumnTransformer(
        [
            ("metric", learner, COLUMNS[1:]),
            ("names", OneHotEncoder(drop="first"), ["colour"]),
        ]
    )
    model = make_pipeline(columns, KNeighborsClassifier()).fit(frame, y)
    alone = clone(learner).fit(flowers[COLUMNS[1:]], y)
    Z = model[0].transform(frame)
    np.testing.assert_array_equal(Z[:, :-1], alone.transform(flowers[COLUMNS[1:]]))
    np.testing.assert_array_equal(Z[:, -1], y != 0)
    prefix = type(learner).__name__.lower()
    names = [
        *(f"metric__{prefix}{i}" for i in range(len(alone.components_))),
        "names__colour_violet",
    ]
    assert model[0].get_feature_names_out().tolist() == names
    assert model.score(frame, y) > 0.9


def test_a_classifier_after_a_column_transformer(classifier, flowers, small):
    frame = flowers[COLUMNS[:2]].assign(colour=NAMES[small[1]])
    columns = ColumnTransformer(
        [("numbers", "passthrough", COLUMNS[:2])], remainder=OneHotEncoder()
    )
    assert (
        make_pipeline(columns, classifier).fit(frame, small[1]).score(frame, small[1])
        == 1
    )


# searches


def score_by_hand(model, X, y, splits):
    return np.mean(
        [
            clone(model).fit(X[train], y[train]).score(X[test], y[test])
            for train, test in splits
        ]
    )


def thirds(y):
    """Stratified splits: every third sample of each class is scored."""
    part = np.arange(len(y)) % 3
    return [(np.flatnonzero(part != i), np.flatnonzero(part == i)) for i in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "euclidean"])
def test_a_grid_search_finds_the_plane(name, corners):
    X, y = corners
    model = Pipeline(
        [("metric", seeded(LEARNERS[name]())), ("knn", KNeighborsClassifier(3))]
    )
    search = GridSearchCV(model, {"metric__n_components": [1, 2]}, cv=thirds(y)).fit(
        X, y
    )
    assert search.best_params_ == {"metric__n_components": 2}
    line, plane = search.cv_results_["mean_test_score"]
    assert (
        line + 0.05
        < plane
        == score_by_hand(model.set_params(metric__n_components=2), X, y, thirds(y))
    )
    assert search.best_estimator_["metric"].components_.shape == (2, 4)


VOTES = Recipe(densities=(), candidates=["scaled/full"], n_neighbors=3)
SAMPLERS = [
    Annealing(Constant(1e-4), n_steps=12),
    Annealing(Constant(0.0), ElementMove(0.3), n_steps=3),
]


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (DMLFE(1, random_state=0), {"sampler": SAMPLERS, "energy": ["nca", "log-nca"]}),
        (DMLFE(1, random_state=0, sampler=SAMPLERS[0]), {"sampler__n_steps": [1, 12]}),
    ],
    ids=["objects", "their parameters"],
)
def test_samplers_and_energies_are_parameters(model, grid, small):
    X, y = small
    model = Pipeline([("metric", model), ("knn", KNeighborsClassifier(3))])
    search = GridSearchCV(
        model,
        {f"metric__{name}": values for name, values in grid.items()},
        cv=thirds(y),
    ).fit(X, y)
    for given, score in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    ):
        assert score == score_by_hand(clone(model).set_params(**given), X, y, thirds(y))
    assert len(set(search.cv_results_["mean_test_score"])) > 1


@pytest.mark.parametrize(
    ("name", "grid", "best"),
    [
        # on votes in maps that learn alone: plain neighbours and densities do not care for the dimension of the others
        (
            "free-energy",
            {"recipe__n_components": [1, 2], "recipe": [VOTES]},
            {"recipe__n_components": 2},
        ),
        ("metric-knn", {"learner": [RCA(1), RCA(2)], "n_neighbors": [1, 3]}, {}),
        ("metric-knn", {"learner__n_components": [1, 2]}, {"learner__n_components": 2}),
    ],
)
def test_a_grid_search_over_a_classifier(name, grid, best, corners):
    X, y = corners
    model = CLASSIFIERS[name]()
    search = GridSearchCV(model, grid, cv=thirds(y)).fit(X, y)
    for given, score in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    ):
        assert score == score_by_hand(clone(model).set_params(**given), X, y, thirds(y))
    assert best.items() <= search.best_params_.items()
    assert search.best_score_ > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "euclidean"])
def test_a_halving_search(name, corners):
    model = Pipeline(
        [("metric", seeded(LEARNERS[name]())), ("knn", KNeighborsClassifier(3))]
    )
    search = HalvingRandomSearchCV(
        model,
        {"metric__n_components": [1, 2, 3]},
        n_candidates=3,
        min_resources=36,
        factor=2,
        cv=2,
        random_state=0,
    ).fit(*corners)
    assert (search.n_candidates_, search.n_resources_) == ([3, 2], [36, 72])
    assert search.best_params_["metric__n_components"] > 1


def test_a_halving_search_over_replicas(corners):
    """Replicas are what the search may spend more and more of."""
    model = FreeEnergyClassifier(
        recipe=Recipe(
            candidates=["scaled/full"], n_components=2, n_neighbors=3, densities=()
        ),
        random_state=0,
    )
    search = HalvingRandomSearchCV(
        model,
        {"recipe__temperature": [1e-4, 1.0]},
        n_candidates=2,
        resource="n_replicas",
        min_resources=2,
        max_resources=4,
        factor=2,
        cv=thirds(corners[1]),
        random_state=0,
    ).fit(*corners)
    assert search.n_resources_ == [2, 4]
    assert search.best_estimator_.selection_["n_replicas"].max() == 4
    assert search.best_params_["recipe__temperature"] == 1e-4


@pytest.mark.slow
def test_cross_validation_is_a_plain_loop(estimator, small):
    X, y = small
    model = (
        estimator
        if hasattr(estimator, "predict")
        else make_pipeline(estimator, KNeighborsClassifier(3))
    )
    scores = cross_val_score(model, X, y, cv=thirds(y))
    assert scores.mean() == score_by_hand(model, X, y, thirds(y))
    assert scores.min() > 0.8


def test_a_clone_learns_the_same_and_knows_nothing(estimator, small):
    fitted = estimator.fit(*small)
    again = clone(fitted)
    assert not [name for name in vars(again) if name.endswith("_")]
    np.testing.assert_array_equal(
        result(again.fit(*small), small[0]), result(fitted, small[0])
    )


# frames


def as_polars(frame):
    return polars.DataFrame({name: frame[name].to_numpy() for name in frame})


UNKNOWN = pytest.mark.skipif(
    not hasattr(
        MinMaxScaler().fit(polars.DataFrame({"a": [0.0, 1.0]})), "feature_names_in_"
    ),
    reason="this scikit-learn does not know this polars",
)


@pytest.mark.parametrize(
    "convert",
    [
        pytest.param(pd.DataFrame, id="pandas"),
        pytest.param(as_polars, id="polars", marks=UNKNOWN),
    ],
)
def test_frames_give_what_arrays_give_and_names_are_kept(
    estimator, convert, flowers, small
):
    X, y = small
    frame, expected = convert(flowers), result(clone(estimator).fit(X, y), X)
    fitted = estimator.fit(frame, y)
    assert fitted.feature_names_in_.tolist() == COLUMNS
    np.testing.assert_allclose(
        result(fitted, frame), expected, atol=1e-10
    )  # sums in another order
    shuffled, renamed = (
        convert(flowers[COLUMNS[::-1]]),
        convert(flowers.rename(columns={COLUMNS[0]: "height"})),
    )
    with pytest.raises(
        ValueError,
        match="The feature names should match those that were passed during fit",
    ):
        result(fitted, shuffled)
    with pytest.raises(
        ValueError,
        match=r"unseen at fit time:\n- height\n.*yet now missing:\n- sepal length",
    ):
        result(fitted, renamed)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        np.testing.assert_allclose(result(fitted, X), expected, atol=1e-10)


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_set_output(learner, output, flowers, small):
    y = small[1]
    expected = clone(learner).fit(flowers, y).transform(flowers)
    found = learner.set_output(transform=output).fit(flowers, y).transform(flowers)
    assert type(found).__module__.startswith(output)
    prefix = type(learner).__name__.lower()
    assert list(found.columns) == learner.get_feature_names_out().tolist()
    assert list(found.columns) == [f"{prefix}{i}" for i in range(expected.shape[1])]
    np.testing.assert_array_equal(found.to_numpy(), expected)
    if output == "pandas":
        assert found.index.equals(flowers.index)
        part = flowers.iloc[[7, 3]]
        assert learner.transform(part).index.tolist() == ["flower 7", "flower 3"]
        through = make_pipeline(MinMaxScaler(), clone(learner)).set_output(
            transform="pandas"
        )
        assert through.fit_transform(flowers, y).index.equals(flowers.index)
    assert isinstance(
        learner.set_output(transform="default").transform(flowers), np.ndarray
    )


# labels


LABELS = {
    "series of numbers": lambda y: pd.Series(y + 10, index=np.arange(len(y))[::-1]),
    "series of texts": lambda y: pd.Series(NAMES[y]),
    "series of objects": lambda y: pd.Series(NAMES[y], dtype=object),
    "series of categories": lambda y: pd.Series(pd.Categorical(NAMES[y], NAMES[::-1])),
    "categories": lambda y: pd.Categorical(NAMES[y], NAMES[::-1]),
    "nullable integers": lambda y: pd.Series(y + 10, dtype="Int64"),
    "array of texts": lambda y: NAMES[y],
    "list of texts": lambda y: NAMES[y].tolist(),
    "polars numbers": lambda y: polars.Series("y", y + 10),
    "polars texts": lambda y: polars.Series("y", NAMES[y].tolist()),
    "polars categories": lambda y: polars.Series(
        "y", NAMES[y].tolist(), dtype=polars.Categorical
    ),
    "polars enumeration": lambda y: polars.Series(
        "y", NAMES[y].tolist(), dtype=polars.Enum(NAMES[::-1].tolist())
    ),
}


@pytest.fixture(scope="module")
def fitted(small):
    """The classifiers, fitted on class numbers."""
    return [make().fit(*small) for make in CLASSIFIERS.values()]


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_every_kind(kind, fitted, small):
    """Labels come back as they are; rows count, not the index of a series."""
    X, y = small
    labels = LABELS[kind](y)
    names = np.arange(10, 13) if "number" in kind or "integer" in kind else NAMES
    for plain in fitted:
        again = clone(plain).fit(X, labels)
        assert again.classes_.tolist() == names.tolist()
        assert again.predict(X).tolist() == names[plain.predict(X)].tolist()
        assert again.score(X, labels) == again.score(X, names[y]) == plain.score(X, y)


def test_learners_take_labels_of_every_kind(learner, small):
    X, y = small
    expected = clone(learner).fit(X, y).components_
    for kind in (
        "series of categories",
        "nullable integers",
        "polars texts",
        "polars enumeration",
    ):
        np.testing.assert_array_equal(
            learner.fit(X, LABELS[kind](y)).components_, expected, err_msg=kind
        )


@pytest.mark.parametrize("kind", ["pandas", "polars", "categories"])
def test_labels_with_gaps_are_refused(kind, small):
    X, y = small
    texts = [None, *NAMES[y][1:].tolist()]
    labels = {
        "pandas": pd.Series(texts),
        "polars": polars.Series(texts),
        "categories": pd.Categorical(texts),
    }[kind]
    for make in CLASSIFIERS.values():
        with pytest.raises(ValueError, match=r"NaN|Unknown label type"):
            make().fit(X, labels)


# ensembles and inspection


def test_voting(small):
    X, y = small
    names = NAMES[y]
    parts = [("metric", CLASSIFIERS["free-energy"]()), ("linear", LogisticRegression())]
    model = VotingClassifier(parts, voting="soft").fit(X, names)
    alone = [clone(part).fit(X, names).predict_proba(X) for _, part in parts]
    np.testing.assert_allclose(model.predict_proba(X), np.mean(alone, axis=0))


def test_stacking(classifier, small):
    X, y = small
    model = StackingClassifier(
        [("metric", classifier)], LogisticRegression(), cv=3
    ).fit(X, NAMES[y])
    assert model.final_estimator_.coef_.shape == (3, 3)
    assert model.score(X, NAMES[y]) > 0.9


def test_calibration(classifier, small):
    X, y = small
    model = CalibratedClassifierCV(classifier, cv=3).fit(X, NAMES[y])
    assert len(model.calibrated_classifiers_) == 3
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, NAMES[y]) > 0.9


def test_permutation_importance_finds_what_counts(classifier, corners):
    X, y = corners
    found = permutation_importance(
        classifier.fit(X, y), X, y, n_repeats=2, random_state=0
    )
    assert found.importances_mean[:2].min() > 0.3 > found.importances_mean[2:].max()
