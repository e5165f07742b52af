"""Trends against ridge regressions of scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from freemetric.metrics import trends
from freemetric.metrics.trends import (
    MOST_PRODUCTS,
    STRAIGHT,
    STRENGTHS,
    TRENDS,
    ColumnTrend,
    LinearTrend,
    Products,
    SurfaceTrend,
    crossed_trend,
)


@pytest.fixture
def rows(rng):
    X = rng.random((60, 3))
    return X, 3 * X[:, 0] - X[:, 1] + 0.1 * rng.standard_normal(60)


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


@pytest.mark.parametrize("name", [name for name, kind in TRENDS.items() if issubclass(kind, ColumnTrend)])
@pytest.mark.parametrize("few", [7, 1000])
def test_a_trend_is_ridge_regression(rows, name, few, monkeypatch):
    monkeypatch.setattr(trends, "FEW", few)
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
