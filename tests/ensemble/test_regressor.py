"""FreeEnergyRegressor: what it predicts, how sure it is, and what strangers give it."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

import freemetric
from freemetric import FreeEnergyRegressor, Recipe
from freemetric.ensemble.tasks.intervals import interval_chances
from freemetric.ensemble.tasks.regression import RegressionTask, Scored, noise_trends, spread_of
from freemetric.ensemble.tasks.scales import Scale, _scales
from freemetric.metrics import TargetEncoding
from freemetric.metrics.trends import LinearTrend


def small(**options):
    return FreeEnergyRegressor(**{"n_replicas": 6, "random_state": 0} | options)


@pytest.fixture(scope="module")
def friedman():
    X, y = make_friedman1(600, 8, noise=1.0, random_state=0)
    return X[:300], y[:300], X[300:], y[300:]


@pytest.fixture(scope="module")
def fitted(friedman):
    X, y, _, _ = friedman
    return small().fit(X, y)


def test_better_than_neighbours_and_lines(friedman, fitted):
    X, y, Q, z = friedman
    neighbours = max(KNeighborsRegressor(k).fit(X, y).score(Q, z) for k in (3, 5, 8, 13))
    assert fitted.score(Q, z) > max(neighbours, LinearRegression().fit(X, y).score(Q, z)) + 0.05
    assert fitted.oob_score_ == pytest.approx(fitted.score(Q, z), abs=0.05)


def test_intervals_hold_what_they_promise(friedman, fitted):
    _, _, Q, z = friedman
    for alpha in (0.05, 0.1, 0.2):
        low, high = fitted.predict_interval(Q, alpha).T
        held = ((low <= z) & (z <= high)).mean()
        assert abs(held - (1 - alpha)) < 4 * np.sqrt(alpha * (1 - alpha) * (1 / 300 + 1 / 300))


def test_quantiles_do_not_cross_and_say_their_share(friedman, fitted):
    _, _, Q, z = friedman
    chances = np.array([0.1, 0.5, 0.9])
    found = fitted.predict_quantiles(Q, chances)
    assert (np.diff(found, axis=1) > 0).all()
    assert_allclose((z[:, None] < found).mean(axis=0), chances, atol=0.09)
    assert_allclose(fitted.predict_quantiles(Q, 0.5), found[:, 1])


def test_intervals_are_wide_where_there_is_noise(rng):
    X = rng.random((800, 2))
    y = X[:, 0] + np.where(X[:, 1] > 0.5, 1.0, 0.05) * rng.standard_normal(800)
    model = small().fit(X[:500], y[:500])
    low, high = model.predict_interval(X[500:], 0.1).T
    noisy = X[500:, 1] > 0.5
    assert np.median((high - low)[noisy]) > 3 * np.median((high - low)[~noisy])
    assert ((low <= y[500:]) & (y[500:] <= high)).mean() == pytest.approx(0.9, abs=0.06)


def test_features_that_count_are_found(fitted):
    found = fitted.feature_importances_
    assert set(np.argsort(found)[-4:]) == {0, 1, 2, 3} or set(np.argsort(found)[-5:]) == {0, 1, 2, 3, 4}
    assert found[5:].max() < found[:2].min()


def test_skewed_numbers_go_to_a_logarithm(rng):
    X = rng.random((300, 3))
    y = np.exp(4 * X[:, 0] + 0.3 * rng.standard_normal(300))
    model = small().fit(X, y)
    assert model.scale_name_ == "log"
    assert (model.predict_interval(X, 0.05) > 0).all()
    assert model.predict(X).mean() == pytest.approx(y.mean(), rel=0.1)  # a mean, not a middle one
    assert small(scale="linear").fit(X, y).scale_name_ == "linear"


def test_a_sample_between_neighbours_that_differ_is_not_expected_beyond_all_targets():
    """The spread follows the variance among neighbours, here to 14 standard deviations, whose exponential is 1e24."""
    X = np.random.default_rng(1).lognormal(3, 1, (300, 4))
    y = X[:, 0] / X[:, 1]
    model = FreeEnergyRegressor(12, random_state=0).fit(X[:150], y[:150])
    assert model.ensemble_.head.scale.name == "log"
    assert model.predict(X).max() <= 5 * y.max()
    assert (model.predict_quantiles(X, 0.9) <= 50 * y.max()).all()
    assert model.score(X[150:], y[150:]) > 0.5


def test_a_few_zeros_do_not_forbid_logarithms(rng):
    X = rng.random((300, 3))
    y = np.exp(4 * X[:, 0] + 0.3 * rng.standard_normal(300))
    y[np.argsort(y)[:6]] = [0, 0, 0, 0, 0, -0.01]
    model, plain = (small(scale=scale).fit(X[::2], y[::2]) for scale in ("auto", "linear"))
    assert model.scale_name_ == "asinh"
    assert model.score(X[1::2], y[1::2]) > plain.score(X[1::2], y[1::2])
    assert small().fit(X, y - np.median(y)).scale_name_ == "linear"  # half of them are negative


def test_order_units_and_jobs_do_not_matter(friedman):
    X, y, Q, _ = friedman
    X, y, Q = X[:120], y[:120], Q[:50]
    usual, order = small(n_replicas=3).fit(X, y), np.random.default_rng(0).permutation(120)
    assert_allclose(small(n_replicas=3).fit(X[order], y[order]).predict(Q), usual.predict(Q), rtol=1e-6)
    assert_allclose(small(n_replicas=3, n_jobs=2).fit(X, y).predict(Q), usual.predict(Q), rtol=1e-12)
    other = small(n_replicas=3, scale="linear").fit(X, y).predict(Q)
    assert_allclose(small(n_replicas=3, scale="linear").fit(X, 1e6 * y - 7).predict(Q), 1e6 * other - 7, rtol=1e-3)


def test_saved_and_loaded(tmp_path, friedman, fitted):
    Q = friedman[2]
    fitted.save(tmp_path / "model.fm")
    again = freemetric.load(tmp_path / "model.fm")
    assert_allclose(again.predict(Q), fitted.predict(Q), rtol=0)
    assert_allclose(again.predict_interval(Q), fitted.predict_interval(Q), rtol=0)
    assert_allclose(again.feature_importances_, fitted.feature_importances_)


def test_a_file_with_other_parts_is_refused(tmp_path, fitted):
    broken = freemetric.FreeEnergyRegressor(random_state=0)
    broken.__dict__.update(fitted.__dict__)
    broken.oob_prediction_ = fitted.oob_prediction_[:5]
    with pytest.raises(freemetric.exceptions.ModelFileError, match="oob_prediction_"):
        broken.save(tmp_path / "model.fm")


@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
@pytest.mark.parametrize("y", [np.full(30, 5.0), np.arange(30.0), np.repeat([0.0, 1e9], 15), np.arange(30) * 1e-12])
def test_strange_numbers(rng, y):
    X = rng.random((30, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = small(n_replicas=2).fit(X, y)
    found = model.predict(X)
    assert np.isfinite(found).all()
    assert found.min() >= y.min() - 0.2 * np.ptp(y) - 1e-9
    assert found.max() <= y.max() + 0.2 * np.ptp(y) + 1e-6


@pytest.mark.parametrize(
    ("options", "y", "said"),
    [
        ({}, ["a"] * 30, "learns from numeric targets"),
        ({}, [np.nan] * 30, "NaN"),
        ({"scale": "log"}, np.arange(30.0), "positive numbers"),
        ({"recipe": Recipe(candidates=("scaled/full/nca",))}, np.arange(30.0), "scaled/full/nca are for classes"),
        ({"scale": "sqrt"}, np.arange(30.0), "scale"),
    ],
)
def test_says_what_is_wrong(rng, options, y, said):
    with pytest.raises(ValueError, match=said):
        small(**options).fit(rng.random((30, 2)), y)


@pytest.mark.parametrize("q", [0.0, 1.5, [0.1, -0.2], [[0.5]]])
def test_chances_are_between_0_and_1(fitted, friedman, q):
    with pytest.raises(ValueError, match="chance"):
        fitted.predict_quantiles(friedman[2], q)


@pytest.mark.parametrize("alpha", [0.0, 1.0, 2, "a"])
def test_alpha_is_a_share_of_intervals(fitted, friedman, alpha):
    with pytest.raises(ValueError, match="alpha is the share of intervals without the target, between 0 and 1"):
        fitted.predict_interval(friedman[2], alpha)


def test_fewer_dimensions_and_weights():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:150], y[:150]
    assert small(recipe=Recipe(n_components=2), n_replicas=4).fit(X, y).transform(X).shape == (150, 2)
    heavy = np.where(y > np.median(y), 5.0, 1.0)
    shift = small(n_replicas=4).fit(X, y, heavy).predict(X).mean() - small(n_replicas=4).fit(X, y).predict(X).mean()
    assert shift > 0


def test_interval_ends_are_ranks():
    assert_allclose(interval_chances(99, 0.2) * 98, [9, 89])  # the 10th and the 90th of 99
    assert_allclose(interval_chances(5, 0.05), [0, 1])


def test_spread_is_the_likeliest(rng):
    variance = rng.random(4000) + 0.1
    errors = np.exp(0.4) * variance**0.35 * rng.standard_normal(4000)
    found = spread_of(errors, np.log(variance)[None], np.ones(4000))
    assert_allclose(found, [0.4, 0.7], atol=0.06)

    def cost(v):
        log = v[0] + v[1] * np.log(variance) / 2
        return (log + errors**2 / (2 * np.exp(2 * log))).mean()

    assert cost(found) == pytest.approx(minimize(cost, [0.0, 0.0]).fun, abs=1e-6)


def test_noise_that_grows_along_a_feature_is_found(rng):
    X, variance = rng.random((2000, 3)), rng.random(2000) + 0.1
    errors = np.exp(1.5 * X[:, 1]) * rng.standard_normal(2000)
    noises, logs = noise_trends(errors, X, ["linear", "steps"], np.ones(2000))
    slopes = [noise(np.eye(3)) - noise(np.zeros((1, 3))) for noise in noises]
    assert_allclose(slopes[0], [0, 3, 0], atol=0.4)  # of log(error^2)
    alpha, beta, *gammas = spread_of(errors, np.vstack([np.log(variance), logs]), np.ones(2000))
    sigma = np.exp(alpha + (beta * np.log(variance) + gammas @ logs) / 2)
    assert np.corrcoef(np.log(sigma), X[:, 1])[0, 1] > 0.95
    assert np.abs(np.log(sigma) - 1.5 * X[:, 1]).mean() < 0.12


def test_strengths_are_least_squares_where_they_are_positive(rng):
    values = np.array([rng.standard_normal(500), rng.random(500), rng.standard_normal(500)])
    encoding = TargetEncoding.of(values)
    shares, trends = encoding.votes(values) / 3, rng.standard_normal((1, 500)).clip(encoding.low[0], encoding.high[0])
    y = values[0] + 0.5 * (trends[0] - values[0])
    task = RegressionTask(encoding, [LinearTrend([], np.empty(0), 0.0)], Scale("linear", 0.0, 1.0))
    head = task.head(Scored.of(np.empty((500, 1)), shares, trends, y, None), prior=1e-9)
    assert_allclose(head.strengths, [1, 0.5, 0], atol=0.02)
    assert_allclose(head(shares, trends).location, y, atol=0.02)


def test_scores_by_hand():
    encoding = TargetEncoding(np.zeros(2), np.ones(2))
    task = RegressionTask(encoding)
    shares = encoding.votes(np.array([[0.2, 0.9], [0.0, 0.0]])) / 2
    assert_allclose(task.scores(shares, np.array([0.0, 1.0])), (0.04 + 0.01) / 2, rtol=1e-5)
    assert_allclose(task.errors(shares, np.array([0.0, 1.0]), np.array([3.0, 1.0])), (3 * 0.2 + 0.1) / 4, rtol=1e-5)


def test_strata_are_quarters():
    strata = RegressionTask(TargetEncoding(np.zeros(1), np.ones(1))).strata(np.arange(40.0)[::-1])
    assert [len(part) for part in strata] == [10] * 4
    assert sorted(np.concatenate(strata).tolist()) == list(range(40))
    assert strata[0].min() == 30


@pytest.mark.parametrize(
    ("y", "scales"),
    [
        ([1.0, 2.1], ["linear", "log"]),
        ([1.0, 2.0], ["linear"]),  # not more than a factor
        ([0.0, 5.0], ["linear", "asinh"]),
        ([0.0, 0.0], ["linear"]),
        ([-1.0] + 99 * [5.0], ["linear", "asinh"]),  # one in a hundred is below zero by noise
        ([-1.0] + 98 * [5.0], ["linear"]),
    ],
)
def test_scales_that_are_tried(y, scales):
    assert _scales(np.array(y), "auto") == scales
    assert _scales(np.array(y), "linear") == ["linear"]


def corners(rng, n):
    """Where the first feature is large, steps of the second; elsewhere, of the third."""
    X = rng.random((n, 5))
    return X, np.where(X[:, 0] > 0.5, 3.0 * (X[:, 1] > 0.3), 2.0 * (X[:, 2] > 0.6)) + 0.1 * rng.standard_normal(n)


def test_trees_know_thresholds_that_depend_on_each_other(rng):
    (X, y), (Q, z), kinds = corners(rng, 300), corners(rng, 1000), ["scaled/diagonal", "scaled/full"]
    with_them = small(recipe=Recipe(candidates=kinds)).fit(X, y)
    assert with_them.strengths_["boosted-trees beside"] > 0.3
    assert "boosted-trees along" in with_them.strengths_
    without = small(recipe=Recipe(candidates=kinds, trends=("linear", "steps", "surface"))).fit(X, y)
    assert "boosted-trees beside" not in without.strengths_
    assert 1 - with_them.score(Q, z) < 0.6 * (1 - without.score(Q, z))
    assert with_them.oob_score_ == pytest.approx(with_them.score(Q, z), abs=0.05)


def test_trees_need_200_samples(rng):
    X, y = corners(rng, 200)
    for n in (199, 200):
        model = small(recipe=Recipe(candidates=["scaled/diagonal"], n_steps=1)).fit(X[:n], y[:n])
        assert ("boosted-trees beside" in model.strengths_) == (n == 200)


def test_errors_may_follow_trees(rng):
    """Errors are larger in one corner alone, and intervals are wider there."""
    X, Q = rng.random((600, 3)), rng.random((1000, 3))
    loud, there = ((V[:, 0] > 0.5) & (V[:, 1] > 0.5) for V in (X, Q))
    y = X[:, 2] + np.where(loud, 1.0, 0.1) * rng.standard_normal(600)
    recipe = Recipe(candidates=["scaled/identity"], noises=("boosted-trees",))
    widths = np.diff(small(recipe=recipe).fit(X, y).predict_interval(Q), axis=1)[:, 0]
    assert widths[there].mean() > 4 * widths[~there].mean()
