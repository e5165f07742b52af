import numpy as np
import pytest
import sklearn
from scipy.stats import rankdata

from freemetric.metrics import Whitened
from freemetric.metrics.views import VIEWS, Logarithms, Quantiles, Scaled, Steps, register_view


@pytest.fixture
def X(rng):
    return np.column_stack([rng.lognormal(size=60), rng.integers(0, 3, 60), np.full(60, 7.0), rng.normal(size=60)])


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_all_views_are_of_order_one_and_belong_to_all_features(view, X):
    fitted = view.of(X)
    V = fitted(X)
    assert 0.1 < np.ptp(V, axis=0).max() <= (3 if view is Whitened or view.mixes_features else 1)
    assert V.shape[1] == len(fitted.owner)
    assert set(fitted.owner) == {0, 1, 2, 3} or fitted.mixes_features


def test_scaled_keeps_distances_along_a_feature(X):
    V = Scaled.of(X)(X)
    span = np.ptp(X[:, 0])
    np.testing.assert_allclose(np.subtract.outer(V[:, 0], V[:, 0]), np.subtract.outer(X[:, 0], X[:, 0]) / span)
    assert not V[:, 2].any()


def test_logarithms_keep_ratios_of_positive_features(X):
    view, scaled = Logarithms.of(X), Scaled.of(X)
    V = view(X)
    np.testing.assert_array_equal(view.logged, [True, False, False, False])
    ratio = np.log(X[:, 0] / X[0, 0]) / np.log(X[:, 0].max() / X[:, 0].min())
    np.testing.assert_allclose(V[:, 0] - V[0, 0], ratio)
    np.testing.assert_allclose(V[:, 1:], scaled(X)[:, 1:])
    np.testing.assert_allclose(Logarithms.of(X * 1e5)(X * 1e5), V, atol=1e-9)  # units do not matter


def test_new_values_without_a_logarithm_are_far_below(X):
    view, new = Logarithms.of(X), np.repeat(X[:1], 5, axis=0)
    low, high = X[:, 0].min(), X[:, 0].max()
    new[:, 0] = [-1.0, 0.0, low**3 / high**2, low**2 / high, high**2 / low]
    np.testing.assert_allclose(view(new)[:, 0], [-1, -1, -1, -1, 2])


def test_logarithms_are_of_use_where_a_feature_varies_by_a_factor(X):
    assert Logarithms.is_of_use(X)
    assert not Logarithms.is_of_use(X[:, 1:])
    assert not Logarithms.is_of_use(100 + X[:, 1:2])  # 100 to 102: as good as linear
    assert Logarithms.is_of_use(1 + X[:, 1:2])


def test_quantiles_are_ranks(X):
    V = Quantiles.of(X)(X)
    np.testing.assert_allclose(V[:, 0], (rankdata(X[:, 0]) - 1) / 59, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 40, 1500])
@pytest.mark.parametrize("digits", [0, 1, 9])
def test_quantiles_are_those_of_scikit_learn(n, digits, rng):
    X = np.round(rng.standard_normal((n, 3)), digits)
    X[:, 2] = 5.0
    view = Quantiles.of(X)
    new = np.vstack([X, np.round(2 * rng.standard_normal((50, 3)), 1), np.full((1, 3), 1e300), np.full((1, 3), -1e300)])
    expected = view.transformer.transform(new)
    np.testing.assert_array_equal(view(new), expected)
    new.flags.writeable = False
    np.testing.assert_array_equal(view(np.asfortranarray(new)), expected)
    highest = 1.0 if n > 1 else 0.0
    np.testing.assert_array_equal(view(np.array([[np.inf, -np.inf, np.nan]])), [[highest, 0.0, np.nan]])


@pytest.mark.parametrize("view", [Quantiles, Steps])
def test_monotone_rescaling_does_not_matter(view, X):
    def rescaled(X):
        return np.column_stack([np.log(X[:, 0]), X[:, 1] ** 3, X[:, 2], np.exp(X[:, 3])])

    np.testing.assert_allclose(view.of(rescaled(X))(rescaled(X)), view.of(X)(X), atol=1e-9)


def test_steps_count_thresholds_in_between(X):
    view = Steps.of(X)
    V = view(X)
    for j in (0, 1, 3):
        thresholds = view.threshold[view.owner == j]
        low, high = np.minimum(X[:-1, j], X[1:, j]), np.maximum(X[:-1, j], X[1:, j])
        crossed = ((thresholds >= low[:, None]) & (thresholds < high[:, None])).sum(axis=1)
        np.testing.assert_array_equal(np.abs(np.diff(V[:, view.owner == j], axis=0)).sum(axis=1), crossed)
    assert (view.owner == 0).sum() == 8
    assert (view.owner == 1).sum() == 2  # three values, two borders
    assert not V[:, view.owner == 2].any()


def test_many_features_get_few_steps(rng):
    assert len(Steps.of(rng.normal(size=(50, 40))).owner) == 120
    assert len(Steps.of(rng.normal(size=(50, 100))).owner) == 200  # two at least


@pytest.fixture
def correlated(rng):
    """Six features of different units that a hidden one makes alike, and one that is constant."""
    X = rng.standard_normal((3000, 6)) + 3 * rng.standard_normal((3000, 1))
    return np.column_stack([X * [1, 1e3, 1e-3, 5, 20, 1] + 100, np.full(3000, 4.0)])


def test_whitened_features_are_not_correlated_and_keep_their_places(correlated):
    V, scaled = Whitened.of(correlated)(correlated), Scaled.of(correlated)(correlated)
    np.testing.assert_allclose(V.mean(axis=0), 0, atol=1e-9)
    assert V.var(axis=0).sum() == pytest.approx(scaled.var(axis=0).sum())
    whole, seen = np.corrcoef(scaled[:, :6], rowvar=False), np.corrcoef(V[:, :6], rowvar=False)
    assert whole[0, 1] > 0.85
    assert np.abs(seen - np.eye(6)).max() < 0.05
    assert not V[:, 6].any()
    across = np.corrcoef(V[:, :6], scaled[:, :6], rowvar=False)[:6, 6:]
    np.testing.assert_array_equal(across.argmax(axis=1), np.arange(6))  # a column is nearest to its own feature


def test_units_do_not_matter_to_whitened_features(correlated):
    units = np.array([2.0, 1e4, 30, 1, 7, 3, 1])
    np.testing.assert_allclose(
        Whitened.of(correlated * units + 3)(correlated * units + 3), Whitened.of(correlated)(correlated), atol=1e-9
    )


def test_few_patterns_are_hardly_whitened(rng):
    X = rng.standard_normal((8, 40))
    V = Whitened.of(X)(X)
    assert np.isfinite(V).all()
    apart, scaled_apart = (np.linalg.norm(W[:, None] - W, axis=2) for W in (V, Scaled.of(X)(X)))
    assert np.corrcoef(apart.ravel(), scaled_apart.ravel())[0, 1] > 0.8


def test_the_user_may_prefer_data_frames(X):
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(Quantiles.of(X)(X), np.ndarray)


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_view_is_its_state(view, X):
    fitted = view.of(X)
    np.testing.assert_array_equal(view.from_state(fitted.to_state())(X), fitted(X))


@pytest.mark.parametrize("name", ["", "a/b"])
def test_names_of_views_are_parts_of_kinds(name):
    with pytest.raises(ValueError, match="a name without a slash"):
        register_view(name, Scaled)
