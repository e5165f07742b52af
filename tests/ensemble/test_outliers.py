"""Where a query lies outside of all that was seen."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor, Recipe


@pytest.fixture(scope="module")
def halves():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    X = rng.standard_normal((300, 4)) + 2 * y[:, None]
    return X[:150], y[:150], X[150:]


@pytest.fixture(scope="module")
def model(halves):
    return FreeEnergyClassifier(6, random_state=0).fit(*halves[:2])


def test_scores_are_ranks_of_the_distance_to_the_nearest(model, halves):
    X, _, new = halves
    Z, Q = model.transform(X), model.transform(new)
    among = cdist(Z, Z)
    np.fill_diagonal(among, np.inf)
    expected = (among.min(axis=1) <= cdist(Q, Z).min(axis=1)[:, None]).mean(axis=1)
    np.testing.assert_allclose(model.outlier_score(new), expected, atol=0.01)


def test_training_patterns_are_inside_and_new_ones_spread_over_all_scores(model, halves):
    X, _, new = halves
    np.testing.assert_array_equal(model.outlier_score(X), 0)
    scores = model.outlier_score(new)
    assert 0.4 < scores.mean() < 0.65
    assert (scores > 0.95).mean() < 0.15


@pytest.mark.parametrize("size", [1e2, 1e10, 1e40, 1e100, 1e300])
@pytest.mark.parametrize("sign", [1, -1])
def test_far_queries_are_outside_however_far(model, size, sign):
    far = sign * size * np.ones((3, 4))
    np.testing.assert_array_equal(model.outlier_score(far), 1)
    one_feature = model.ensemble_.training_set.X[:3].copy()
    one_feature[:, 2] = sign * size
    np.testing.assert_array_equal(model.outlier_score(one_feature), 1)


def test_views_that_end_where_the_rows_end_are_not_fooled(halves):
    X, y, _ = halves
    model = FreeEnergyClassifier(2, recipe=Recipe(candidates=["quantiles/diagonal"]), random_state=0).fit(X, y)
    lowest_of_all = X.min(axis=0, keepdims=True) - 1e6
    assert model.outlier_score(lowest_of_all) == 1


def test_a_score_is_asked_of_patterns_with_the_same_features(model):
    with pytest.raises(ValueError, match="3 features"):
        model.outlier_score(np.zeros((2, 3)))


def test_numbers_have_outliers_too(halves):
    X, _, new = halves
    model = FreeEnergyRegressor(4, random_state=0).fit(X, X[:, 0])
    np.testing.assert_array_equal(model.outlier_score(np.full((2, 4), 1e100)), 1)
    assert model.outlier_score(new).mean() < 0.8


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (FreeEnergyClassifier(), "outlier_score"),
        *(
            (FreeEnergyRegressor(), name)
            for name in ("outlier_score", "predict", "predict_quantiles", "predict_interval")
        ),
    ],
)
def test_a_model_that_is_not_fitted_says_so(model, method):
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        getattr(model, method)([[0.0]])
