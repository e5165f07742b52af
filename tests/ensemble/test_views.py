"""Views of the features against scikit-learn and closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from sklearn.decomposition import PCA
from sklearn.preprocessing import MinMaxScaler, QuantileTransformer

from freemetric.ensemble.views import (
    FORMS,
    VIEWS,
    Axes,
    Logarithms,
    Quantiles,
    Scaled,
    parse_candidate,
)


@pytest.fixture
def X(rng):
    """Skewed features of different units, one with few values, and a constant one."""
    X = np.exp(rng.normal(size=(120, 5))) * [1, 1e6, 1e-6, 1, 0]
    X[:, 3] = rng.integers(0, 4, 120)
    return X


def test_scaled_is_min_max_scaling(X):
    Q = 2 * X[:9] - 1
    known = MinMaxScaler().fit(X)
    assert_allclose(Scaled.fit(X)(X), known.transform(X))
    assert_allclose(Scaled.fit(X)(Q)[:, :4], known.transform(Q)[:, :4])


@pytest.mark.parametrize("factor", [1e-300, 1e-100, 1e100, 1e149])
def test_scaled_and_logs_have_no_unit(X, factor):
    X = X[:, :4] + 0.5
    assert_allclose(Scaled.fit(factor * X)(factor * X), Scaled.fit(X)(X), atol=1e-12)
    logs = Logarithms.fit(factor * X)
    assert_allclose(logs(factor * X), Logarithms.fit(X)(X), atol=1e-9)


def test_logarithms_of_positive_features_that_vary_by_a_factor(X):
    X = np.column_stack([X[:, :3], X[:, 3] - 1, 5 + X[:, 0] / X[:, 0].max()])
    view = Logarithms.fit(X)
    assert_array_equal(view.is_logged, [True, True, True, False, False])
    known = MinMaxScaler().fit_transform(np.column_stack([np.log(X[:, :3]), X[:, 3:]]))
    assert_allclose(view(X), known, atol=1e-12)
    new = X[:2].copy()
    new[0, :3] = 0
    new[1, :3] = -5
    assert_array_equal(view(new)[:, :3], np.full((2, 3), -1.0))


def test_quantiles_are_those_of_scikit_learn(X):
    known = QuantileTransformer(n_quantiles=120).fit(X)
    view = Quantiles.fit(X)
    assert_allclose(view(X)[:, :4], known.transform(X)[:, :4], atol=1e-9)
    between = np.sort(X, axis=0)
    between = (between[1:] + between[:-1]) / 2
    assert_allclose(view(between)[:, :3], known.transform(between)[:, :3], atol=1e-9)


@pytest.mark.parametrize("change", [np.exp, np.cbrt, lambda x: 1e9 * x - 3])
def test_quantiles_are_invariant_under_monotone_changes(rng, change):
    X = np.round(rng.normal(size=(200, 3)), 1)  # with equal values
    found = Quantiles.fit(change(X))(change(X))
    assert_allclose(found, Quantiles.fit(X)(X), atol=1 / 200)
    distinct = rng.normal(size=(200, 3))
    found = Quantiles.fit(change(distinct))(change(distinct))
    assert_allclose(found, Quantiles.fit(distinct)(distinct), atol=1e-9)


def test_axes_keep_distances_of_scaled_features(rng):
    X = rng.normal(size=(50, 700)) * np.exp(rng.normal(size=700))
    V = Axes.fit(X)(X)
    scaled = Scaled.fit(X)(X)
    assert V.shape[1] < 50
    assert_allclose(pdist(V), pdist(scaled), rtol=1e-9)
    known = PCA().fit(scaled).explained_variance_
    assert_allclose(V.var(axis=0, ddof=1), known[: V.shape[1]], rtol=1e-9)


@pytest.mark.parametrize("name", list(VIEWS))
def test_views_of_constant_rows_are_numbers(name):
    view = VIEWS[name].fit(np.full((4, 3), 7.0))
    V = view(np.array([[7.0, 8, -1]]))
    assert np.isfinite(V).all()
    assert len(view.owner) == V.shape[1]


def test_candidates_are_a_view_and_a_form():
    for view in VIEWS:
        for form in FORMS:
            assert parse_candidate(f"{view}/{form}", 5) == (view, form)
    assert parse_candidate("quantiles/full", 501) == ("axes", "full")
    assert parse_candidate("quantiles/diagonal", 501) == ("quantiles", "diagonal")


@pytest.mark.parametrize("name", ["scaled", "full", "scaled/fully", "/", "a/full", 3])
def test_other_candidates_are_refused(name):
    with pytest.raises(ValueError, match="A candidate is a view and a form"):
        parse_candidate(name, 5)


def test_quantiles_of_many_rows_are_uniform(rng):
    X = rng.normal(size=(5000, 2))
    V = Quantiles.fit(X)(X)
    assert_allclose(np.sort(V, axis=0)[:, 0], np.linspace(0, 1, 5000), atol=2e-3)
    assert (V.min(), V.max()) == (0, 1)
