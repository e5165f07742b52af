"""Numbers as votes, trends, scales and readings, against what they stand for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from freemetric.ensemble.model import RegressionEnsemble
from freemetric.metrics import Mixture, Reading, RegressionTrainingSet, Scale, TargetEncoding
from freemetric.metrics import trends as ridges
from freemetric.metrics.heads import BEYOND, Outlook, terms_of
from freemetric.metrics.trends import (
    MOST_PRODUCTS,
    STRAIGHT,
    STRENGTHS,
    TRENDS,
    LinearTrend,
    Products,
    SurfaceTrend,
    crossed_trend,
)


@pytest.fixture
def rows(rng):
    X = rng.random((60, 3))
    return X, 3 * X[:, 0] - X[:, 1] + 0.1 * rng.standard_normal(60)


def test_shares_of_votes_are_means_of_numbers(rng):
    numbers, w = rng.standard_normal((3, 40)) * [[1], [100], [1e-3]], rng.random(40)
    told = TargetEncoding.ranges_of(numbers)
    votes = told.ballots(numbers) * w[:, None]
    shares = votes.sum(axis=0) / votes.sum()
    assert_allclose(
        told.means(shares), np.average(numbers, axis=1, weights=w), atol=1e-6 * np.abs(numbers).max(axis=1).max()
    )
    assert_allclose(told.mean(shares, 2), np.average(numbers[2], weights=w), atol=1e-9)


def test_a_ballot_has_one_vote_for_each_number(rng):
    votes = TargetEncoding.ranges_of(rng.random((4, 20))).ballots(rng.random((4, 20)))
    assert_allclose(votes.reshape(20, 4, 2).sum(axis=2), 1, rtol=1e-6)


@pytest.mark.parametrize("number", [7.0, 0.0, -1e-9, 1e9, -1e200])
def test_equal_numbers_have_a_range(number):
    equal = np.full((1, 5), number)
    told = TargetEncoding.ranges_of(equal)
    assert told.low < told.high
    assert_allclose(told.means(told.ballots(equal).mean(axis=0)), number)


def test_copies_vote_together(rng):
    X = np.repeat(rng.random((5, 2)), 2, axis=0)
    training_set = RegressionTrainingSet(X, rng.random((2, 10)))
    places = training_set.places
    assert len(places.rows) == 5
    assert (places.counts == 2).all()
    assert_allclose(places.ballots, training_set.ballots(np.arange(10)).reshape(5, 2, 4).sum(axis=1), rtol=1e-6)


def columns_by_hand(name, X):
    """Straight lines, alone or held less, then what is beside them."""
    straight = StandardScaler().fit_transform(X)
    if name == "linear":
        return straight
    thresholds = [np.unique(np.quantile(x, np.arange(1, 9) / 9, method="inverted_cdf")) for x in X.T]
    steps = [x > t for x, some in zip(X.T, thresholds, strict=True) for t in some if t < x.max()]
    middle = (X.min(axis=0) + X.max(axis=0)) / 2
    products = PolynomialFeatures(2, include_bias=False).fit_transform((X - middle) / np.ptp(X, axis=0))[
        :, X.shape[1] :
    ]
    beside = np.column_stack(steps).astype(float) if name == "steps" else products
    return np.hstack([STRAIGHT * straight, StandardScaler().fit_transform(beside)])


@pytest.mark.parametrize("name", TRENDS)
@pytest.mark.parametrize("few", [7, 1000])
def test_a_trend_is_ridge_regression(rows, name, few, monkeypatch):
    monkeypatch.setattr(ridges, "FEW", few)
    X, y = rows
    trend, left_out = crossed_trend(TRENDS[name], X, y)
    V, fold = columns_by_hand(name, X), np.arange(len(y)) % 10
    known = [Ridge(strength).fit(V, y).predict(V) for strength in STRENGTHS]
    found = [np.abs(trend(X) - some).max() for some in known]
    assert min(found) < 1e-7
    crossed = []
    for strength in STRENGTHS:
        out = np.empty(len(y))
        for number in range(10):
            met = fold == number
            out[met] = Ridge(strength).fit(V[~met], y[~met]).predict(V[met])
        crossed.append(out)
    best = np.argmin([((out - y) ** 2).sum() for out in crossed])
    assert best == np.argmin(found)
    assert_allclose(left_out, crossed[best], atol=1e-7)


def test_a_surface_knows_what_two_features_do_together(rng):
    X = rng.uniform(-1, 1, (300, 3))
    y, asked = X[:, 0] * X[:, 1] - X[:, 2] ** 2, rng.uniform(-1, 1, (50, 3))
    trend, left_out = crossed_trend(SurfaceTrend, X, y)
    truth = asked[:, 0] * asked[:, 1] - asked[:, 2] ** 2
    assert np.abs(trend(asked) - truth).max() < 1e-3
    assert np.abs(left_out - y).max() < 1e-3
    assert np.abs(crossed_trend(LinearTrend, X, y)[1] - y).max() > 0.5


def test_surfaces_have_few_products(rng):
    most = int(np.sqrt(2 * MOST_PRODUCTS))
    assert crossed_trend(SurfaceTrend, rng.random((20, most - 1)), rng.random(20)) is not None
    assert crossed_trend(SurfaceTrend, rng.random((20, most)), rng.random(20)) is None


@pytest.mark.parametrize("size", [1e10, 1e160, 1e300])
def test_a_surface_is_finite_everywhere(rng, size):
    X = rng.random((40, 3))
    trend, _ = crossed_trend(SurfaceTrend, X, X[:, 0] * X[:, 1] - X[:, 2] ** 2)
    assert np.isfinite(trend(size * np.array([[1, 1, 1], [-1, 1, 1], [1, 0, -1]]))).all()


def test_a_file_cannot_ask_for_very_many_products():
    with pytest.raises(ValueError, match="too many features"):
        Products.from_state({"low": np.zeros(100_000), "span": np.ones(100_000)})


def test_constants_say_nothing_in_a_surface(rng):
    X, y = rng.random((40, 2)), rng.random(40)
    trend, left_out = crossed_trend(SurfaceTrend, X, y)
    beside = np.column_stack([X, np.full(40, 7.0)])
    same, also_left_out = crossed_trend(SurfaceTrend, beside, y)
    assert_allclose(also_left_out, left_out, atol=1e-10)
    beside[:, 2] = 1e6
    assert_allclose(same(beside), trend(X), atol=1e-10)


def test_what_a_trend_says_of_a_row_does_not_depend_on_its_number(rows):
    X, y = rows
    changed = y.copy()
    changed[7] += 1e-3  # too little to change the ridge
    assert crossed_trend(LinearTrend, X, y)[1][7] == pytest.approx(
        crossed_trend(LinearTrend, X, changed)[1][7], abs=1e-12
    )
    assert crossed_trend(LinearTrend, X, y)[0](X[7:8]) != pytest.approx(
        crossed_trend(LinearTrend, X, changed)[0](X[7:8])
    )


def test_more_columns_than_rows(rng):
    X = rng.random((15, 40))
    trend, left_out = crossed_trend(LinearTrend, X, 3 * X[:, 0])
    assert trend(X).shape == left_out.shape == (15,)
    V = StandardScaler().fit_transform(X)
    assert min(np.abs(trend(X) - Ridge(s).fit(V, 3 * X[:, 0]).predict(V)).max() for s in STRENGTHS) < 1e-7


def test_weights_are_copies_for_a_trend(rows):
    X, y = rows
    order = np.argsort(np.arange(60) % 10, kind="stable")  # copies stay in the fold of their row
    w = np.ones(60)
    w[order[:6]] = 2.0
    weighed = crossed_trend(LinearTrend, X, y, w)[0]
    V = StandardScaler().fit(X, sample_weight=w).transform(X)
    known = [Ridge(strength).fit(V, y, sample_weight=w).predict(V) for strength in STRENGTHS]
    assert min(np.abs(weighed(X) - some).max() for some in known) < 1e-8


@pytest.mark.parametrize("name", ["linear", "log", "asinh"])
def test_a_scale_goes_back(rng, name):
    y = np.exp(rng.standard_normal(50))
    if name == "asinh":
        y[:5] = [0, 0, 0, -0.1, -3]
    scale = Scale.of(name, y)
    z = scale(y)
    assert_allclose([z.mean(), z.std()], [0, 1], atol=1e-12)
    assert_allclose(scale.back(z), y)


def test_asinh_is_a_logarithm_far_from_zero():
    y = np.r_[np.zeros(10), np.geomspace(1, 1000, 90)]
    scale = Scale.of("asinh", y)
    decades = np.diff(scale(np.array([100.0, 1e3, 1e4])))
    assert decades[0] == pytest.approx(decades[1], rel=1e-4)
    assert decades[0] == pytest.approx(np.log(10) / scale.unit, rel=1e-4)


def test_a_reading_by_hand():
    told = TargetEncoding(np.array([0.0, 0.0, 0.0]), np.array([1.0, 1.0, 1.0]))
    numbers = np.array([[0.2, 0.6], [0.04, 0.36], [0.1, 0.5]])  # target, square and trend of two neighbours
    shares = told.ballots(numbers).mean(axis=0)[None] / 3
    reading = Reading(
        told, 0.1, np.array([0.9, 0.2, 0.5]), np.array([0.3, 1.0, 0.5]), np.zeros(1), np.array([[-1.0, 0.4]])
    )
    outlook = reading(shares, np.array([[0.7], [0.2]]))
    assert outlook.place == pytest.approx(0.1 + 0.9 * (0.4 - 0.1) + 0.2 * (0.7 - 0.4) + 0.5 * (0.7 - 0.3), rel=1e-5)
    assert outlook.spread == pytest.approx(np.exp(0.3 + 0.5 * 0.2 / 2) * 0.2, rel=1e-4)
    beyond = reading(shares, np.array([[0.7], [1e6]])).spread  # noise is not followed to where nobody was
    assert beyond == pytest.approx(np.exp(0.3 + 0.5 * 0.4 / 2) * 0.2, rel=1e-4)


def test_readings_do_not_leave_the_range_by_much():
    told = TargetEncoding(np.array([0.0, 0.0, -9.0]), np.array([1.0, 1.0, 9.0]))
    terms, _ = terms_of(told, np.full((1, 6), 1 / 6), np.array([[1e6]]), 0.0)
    assert terms.max() <= 1 + BEYOND
    place = Reading(told, 0.0, np.array([1.0, 9.0, 9.0]), np.zeros(2), np.zeros(1), np.empty((0, 2)))(
        np.full((1, 6), 1 / 6), np.array([[1e6]])
    ).place
    assert place == 1 + BEYOND


@pytest.mark.parametrize("name", ["linear", "log", "asinh"])
def test_expected_numbers_are_means_over_errors(rng, name):
    """Errors that are skewed: were they taken with the other sign, all means would be others."""
    y = np.exp(rng.standard_normal(50))
    told, scale, errors = (
        TargetEncoding(np.zeros(2), np.ones(2)),
        Scale.of(name, y),
        np.sort(rng.exponential(size=2000)),
    )
    reading = Reading(told, 0.0, np.ones(1), np.zeros(2), errors, np.empty((0, 2)))
    training_set = RegressionTrainingSet(y[:, None], np.stack([y, y**2]), told)
    ensemble = RegressionEnsemble({}, [], Mixture(np.ones((1, 1)), reading), training_set, [], scale)
    place, spread = np.array([-1.0, 0.0, 0.5]), np.array([0.1, 0.3, 0.2])
    expected = scale.back(place[:, None] + spread[:, None] * errors).mean(axis=1)
    assert_allclose(ensemble.means(Outlook(place, spread)), expected, rtol=1e-2 if name != "linear" else 1e-12)
