"""Results do not depend on the units of the features; numbers without squares are refused in one line."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import minmax_scale, scale

from freemetric import (
    DMLFE,
    LEARNERS,
    MLKR,
    NCA,
    PCA,
    RCA,
    SCML,
    Covariance,
    FreeEnergyClassifier,
    FreeEnergyRegressor,
    Kernelized,
    MetricKNeighborsClassifier,
    MetricKNeighborsRegressor,
    TableClassifier,
    TableRegressor,
    metric_learn,
)
from freemetric.exceptions import DataWarning
from freemetric.learners.validation import unit_of
from freemetric.mc import Annealing, Constant, ElementMove, LangevinMove

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
ONE_STEP = Annealing(Constant(0.0), n_steps=1)


@pytest.fixture(scope="module")
def data():
    """Two classes, of which one lies around the other in the first two of four features."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 4))
    y = (np.hypot(X[:, 0], X[:, 1]) > 1.2).astype(int)
    return minmax_scale(X), y


@pytest.fixture(params=LEARNERS, ids=str)
def learner(request):
    learner = LEARNERS[request.param]()
    return learner.set_params(random_state=0) if "random_state" in learner.get_params() else learner


def neighbors(learner, X):
    Z = learner.transform(X)
    Z = Z / np.abs(Z).max()  # ranks have no scale, and powers of numbers have limits
    return NearestNeighbors(n_neighbors=6).fit(Z).kneighbors(Z, return_distance=False)


def test_every_learner_finds_the_same_neighbors_in_any_unit(learner, data):
    X, y = data
    if isinstance(learner, SCML):
        learner.set_params(max_iter=3000)
    expected = neighbors(clone(learner).fit(X, y), X)
    for factor in (1e-12, 7.0, 1e12):
        found = neighbors(clone(learner).fit(X * factor, y), X * factor)
        assert np.mean(found == expected) > 0.97, factor  # the last digits decide between near equals


@pytest.mark.parametrize("factor", [1e-12, 1e12])
def test_the_ensemble_predicts_the_same_in_any_unit(data, factor):
    X, y = data
    model = FreeEnergyClassifier(6, random_state=0)
    expected = clone(model).fit(X[::2], y[::2]).predict(X[1::2])
    np.testing.assert_array_equal(model.fit(X[::2] * factor, y[::2]).predict(X[1::2] * factor), expected)


def test_features_between_zero_and_one_are_taken_as_they_are(data, rng):
    X = minmax_scale(1e7 * data[0] + 3)
    assert unit_of(X) == 1
    assert unit_of(X[rng.random(80) < 0.7]) == 1  # a part of rows that were scaled together
    assert unit_of(np.ones((5, 2))) == 1
    assert unit_of(5 * X) == pytest.approx(5)


@pytest.mark.parametrize("cls", [NCA, DMLFE])
def test_a_given_start_is_a_map_of_what_was_given(cls, data):
    X, y = data
    model = cls(random_state=0).fit(X, y)
    parameters = {"sampler": ONE_STEP} if cls is DMLFE else {"max_iter": 1}
    again = cls(init=model.components_ / 1e6, random_state=0, **parameters).fit(1e6 * X, y)
    assert again.energy_ == pytest.approx(model.energy_, abs=2e-3)
    if cls is DMLFE:
        np.testing.assert_allclose(again.snapshots_["map"][0], model.components_ / 1e6)


@pytest.mark.parametrize("cls", [NCA, DMLFE, SCML])
def test_warm_starts_go_on_in_any_unit(cls, data):
    X, y = data
    model = cls(random_state=0, warm_start=True).fit(1e-6 * X, y)
    energy = "objective_" if cls is SCML else "energy_"
    first = getattr(model, energy)
    assert getattr(model.fit(1e-6 * X, y), energy) <= first + 2e-3


def test_weights_of_bases_make_the_metric_of_what_was_given(data):
    X, y = data
    model = SCML(random_state=0).fit(1e6 * X, y)
    M = (model.basis_.T * model.weights_) @ model.basis_
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), M, atol=1e-9 * np.abs(M).max())


def test_an_energy_that_knows_its_data_has_its_own_units(data):
    X, y = data
    sampler = Annealing(Constant(0.0), ElementMove(), n_steps=1)
    model = DMLFE(energy=lambda A: (A**2).sum(axis=(1, 2)), sampler=sampler, random_state=0).fit(1e6 * X, y)
    np.testing.assert_array_equal(model.snapshots_["map"][0], np.eye(4))


@pytest.mark.parametrize(
    "learner",
    [NCA(batch_size=40, max_iter=2), DMLFE(batch_size=40, sampler=Annealing(move=LangevinMove(), n_steps=3))],
    ids=repr,
)
def test_batches_have_units_too(learner, data):
    X, y = data
    learner.set_params(random_state=0)
    maps = [clone(learner).fit(factor * X, y).components_ * factor for factor in (1.0, 2.0**40)]
    np.testing.assert_array_equal(*maps)


@pytest.mark.parametrize("largest", [1e80, 1e300, 1.7e308])
def test_numbers_too_large_are_refused_in_one_line(learner, data, largest):
    X, y = data
    with pytest.raises(ValueError, match=r"^X has values as large as .*, or divide X by a constant\.$"):
        learner.fit(np.where(X > 0.5, largest, -X), y)


def test_the_ensemble_refuses_numbers_too_large(data):
    X, y = data
    model = FreeEnergyClassifier(4, random_state=0)
    with pytest.raises(ValueError, match=r"^X has values as large as 1\.7e\+308"):
        model.fit(np.where(X > 0.5, 1.7e308, -X), y)


def test_differences_too_small_are_refused_in_one_line(learner, data):
    X, y = data
    with pytest.raises(ValueError, match=r"^No feature of X varies by more than 1\.0e-200, .* by a constant\.$"):
        learner.fit(1e-200 * X, y)


@pytest.mark.parametrize("learner", [NCA(), DMLFE(), SCML()], ids=repr)
def test_a_wrong_cell_is_found(wine, learner):
    X, y = wine
    X = X.copy()
    X[7, 3] = 1e9
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learner.fit(X, y)
    said = [str(warning.message) for warning in caught if warning.category is DataWarning]
    assert any(message.startswith("Feature 3 spans ") and "wrong cell" in message for message in said)
    assert np.isfinite(learner.components_).all()


@pytest.mark.parametrize("factor", [1.0, 1e9, 1e-9])
def test_standardised_features_are_taken_as_they_are(data, factor):
    X = factor * scale(data[0])
    assert unit_of(X) == pytest.approx(factor)
    assert unit_of(np.column_stack([X, np.full(len(X), 3.0)])) == pytest.approx(factor)  # a constant has no part in it


def test_otherwise_the_unit_is_the_largest_range(data):
    X = scale(data[0]) * np.linspace(1, 5, data[0].shape[1])
    assert unit_of(X) == np.ptp(X, axis=0).max()


@pytest.mark.parametrize(
    "factor", [1e-19, 1e-6, 1e25, *(pytest.param(factor, marks=pytest.mark.slow) for factor in (1e3, 1e15, 1e19))]
)
@pytest.mark.parametrize("cls", [NCA, DMLFE])
def test_spreads_at_which_maps_once_stayed_where_they_began(cls, data, factor):
    X, y = data
    expected, model = cls(random_state=0).fit(X, y), cls(random_state=0).fit(factor * X, y)
    assert np.mean(neighbors(model, factor * X) == neighbors(expected, X)) > 0.97
    assert model.energy_ == pytest.approx(expected.energy_, rel=1e-3)


def of_metric_learn():
    """Estimators of metric-learn's names, by name."""
    for name in metric_learn.__all__:
        cls = getattr(metric_learn, name)
        if isinstance(cls, type) and hasattr(cls, "fit"):
            yield f"metric_learn.{name}", cls()


ESTIMATORS = {
    **{name: make() for name, make in LEARNERS.items()},
    **dict(of_metric_learn()),
    "mlkr": MLKR(),
    "dmlfe of numbers": DMLFE(energy="regression"),
    "classifier": FreeEnergyClassifier(4),
    "regressor": FreeEnergyRegressor(4),
    "kernelized": Kernelized(RCA()),
    "k-NN classifier": MetricKNeighborsClassifier(PCA()),
    "k-NN regressor": MetricKNeighborsRegressor(PCA()),
    "table classifier": TableClassifier(FreeEnergyClassifier(4)),
    "table regressor": TableRegressor(FreeEnergyRegressor(4)),
}
FEW = {"random_state": 0, "max_iter": 20, "n_basis": 20, "n_constraints": 20, "n_chunks": 10}
SIZES = {
    "1e-300": 1e-300,
    "1e300": 1e300,
    "mixed": np.array([1e-300, 1.0, 1e300]),
    "one tiny": np.array([1e-300, 1.0, 1.0]),
    "1e307": 1e307,
}


def fitted(estimator, X, y):
    """The estimator, fitted on rows, or on tuples of them where it takes such."""
    estimator = clone(estimator)
    estimator.set_params(**{name: value for name, value in FEW.items() if name in estimator.get_params()})
    tuples = np.random.default_rng(0).integers(len(X), size=(60, 4))
    size = getattr(estimator, "_size", 2)
    if hasattr(estimator, "_learn_pairs") and hasattr(estimator, "predict"):
        return estimator.fit(X[tuples[:, :2]], np.where(y[tuples[:, 0]] == y[tuples[:, 1]], 1, -1))
    return estimator.fit(X[tuples[:, :size]]) if hasattr(estimator, "_size") else estimator.fit(X, y)


@pytest.fixture
def only_our_warnings():
    """Warnings are errors, but for those that estimators of ours are known to give."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in ("As no value for `n_basis`", ".*balance"):
            warnings.filterwarnings("ignore", message=message)
        for category in (DataWarning, ConvergenceWarning):
            warnings.simplefilter("ignore", category)
        yield


def answers_of(estimator, X):
    """What a fitted estimator says of rows, by the methods that it has."""
    for name in ("transform", "predict", "predict_proba", "embed"):
        if hasattr(estimator, name) and not (name == "predict" and "metric_learn" in type(estimator).__module__):
            yield partial(getattr(estimator, name), X)
    if hasattr(estimator, "pair_distance"):
        yield lambda: estimator.pair_distance(np.stack([X[:9], X[9:18]], axis=1))
    if hasattr(estimator, "kneighbors"):
        yield lambda: estimator.kneighbors(X)[0]


def check_answers(estimator, X):
    """Every answer is finite, or refused in one line."""
    for answer in answers_of(estimator, X):
        try:
            assert np.isfinite(answer()).all()
        except ValueError as problem:
            assert "large" in str(problem) or "no numbers" in str(problem)  # noqa: PT017
            assert "\n" not in str(problem)  # noqa: PT017


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.usefixtures("only_our_warnings")
def test_features_of_any_size_are_learned_from_or_refused_in_one_line(name, size):
    X = np.random.default_rng(0).standard_normal((40, 3))
    y = (X[:, 1] > 0).astype(int)
    try:
        model = fitted(ESTIMATORS[name], X * SIZES[size], y)
    except ValueError as problem:
        assert "too large" in str(problem) or "too little" in str(problem)  # noqa: PT017
        assert "\n" not in str(problem)  # noqa: PT017
    else:
        check_answers(model, X * SIZES[size])


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.usefixtures("only_our_warnings")
def test_queries_of_any_size_are_answered_or_refused_in_one_line(name):
    X = np.random.default_rng(0).standard_normal((40, 3))
    model = fitted(ESTIMATORS[name], X, (X[:, 1] > 0).astype(int))
    for size in (1e-300, 1e160, 1e300, 1e307):
        check_answers(model, X * size)


@pytest.mark.parametrize("model", [MetricKNeighborsClassifier(PCA(), 3), MetricKNeighborsRegressor(PCA(), 3)])
@pytest.mark.parametrize("factor", [2.0**-240, 2.0**-100, 2.0**100, 2.0**240])
def test_neighbors_in_a_space_of_any_size(data, model, factor):
    X, y = data
    expected = clone(model).fit(X[::2], y[::2]).predict(X)
    np.testing.assert_array_equal(clone(model).fit(X[::2] * factor, y[::2]).predict(X * factor), expected)


def test_distances_without_squares(data):
    X, y = data
    model = PCA().fit(X, y)
    pairs = np.stack([X[:9], X[9:18]], axis=1)
    metric, expected = model.get_metric(), model.pair_distance(pairs)
    for factor in (2.0**-800, 2.0**800):
        np.testing.assert_array_equal(model.pair_distance(factor * pairs), factor * expected)
        assert metric(*(factor * pairs[0])) == pytest.approx(factor * expected[0], rel=1e-12)


def test_covariance_of_a_feature_whose_square_vanishes(rng):
    X = rng.standard_normal((50, 3))
    units = np.array([2.0**-990, 1.0, 8.0])
    Z, expected = Covariance().fit_transform(X * units), Covariance().fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, expected @ expected.T, atol=1e-9)
    with pytest.raises(ValueError, match=r"^The elements of A\^T A are too large"):
        Covariance().fit(X * units).get_mahalanobis_matrix()
