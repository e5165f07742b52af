"""Prediction sets and intervals hold within classes and groups, and under covariate shift."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import make_classification

from freemetric import FreeEnergyClassifier, FreeEnergyRegressor, TableClassifier, TableRegressor
from freemetric.ensemble.conformal import Conditions, DensityRatios, error_limits, prediction_sets
from freemetric.exceptions import DataWarning

ALPHA = 0.1
QUICK = {"n_replicas": 4, "random_state": 0}


def within(share, expected, n, widths=4.0):
    """Whether a share of n independent draws may have this expectation."""
    return abs(share - expected) < widths * np.sqrt(expected * (1 - expected) / n) + 1e-12


def conditions(groups=0, new_groups=0, weights=1.0, new_weights=1.0, n=1, m=1):
    known, new = np.zeros(n, dtype=int) + groups, np.zeros(m, dtype=int) + new_groups
    labels = [f"g{number}" for number in range(max(known.max(initial=0), new.max(initial=0)) + 1)]
    return Conditions(labels, known, new, np.zeros(n) + weights, np.zeros(m) + new_weights)


def exact(n, alpha=ALPHA):
    """Coverage of a conformal set of n exchangeable scores without ties."""
    return 1 - np.floor(alpha * (n + 1)) / (n + 1)


def test_coverage_within_each_class_and_group_is_exact(rng):
    sizes, times = {(0, 0): 25, (0, 1): 40, (1, 0): 14, (1, 1): 3}, 1500
    classes, of_new = np.array(list(sizes)).T
    truth, groups = np.repeat(classes, list(sizes.values())), np.repeat(of_new, list(sizes.values()))
    given, everyone = conditions(groups, of_new, n=len(truth), m=4), conditions(n=len(truth), m=4)
    hits, overall = np.zeros(4), np.zeros(4)
    for _ in range(times):
        # a score of class c in group g is drawn from a distribution of its own, far from those of the others
        typical, scores = rng.normal(truth + 3 * groups), np.tile(rng.normal(classes + 3 * of_new)[:, None], 2)
        hits += prediction_sets(scores, truth, typical, ALPHA, True, given)[0][np.arange(4), classes]
        overall += prediction_sets(scores, truth, typical, ALPHA, False, everyone)[0][np.arange(4), classes]
    for n, count in zip(sizes.values(), hits, strict=True):
        assert within(count / times, exact(n), times), n
    assert overall[0] / times < 0.8  # what all samples promise, the class with the lowest scores does not get


def test_groups_alone_hold_within_groups(rng):
    groups, times = np.repeat([0, 1], [30, 50]), 1500
    hits = np.zeros(2)
    for _ in range(times):
        typical = rng.normal(2 * groups)
        for g in (0, 1):
            given = conditions(groups, g, n=80)
            hits[g] += prediction_sets(rng.normal(2 * g, size=(1, 1)), groups, typical, ALPHA, False, given)[0].item()
    assert within(hits[0] / times, exact(30), times)
    assert within(hits[1] / times, exact(50), times)


def test_ties_only_make_sets_larger(rng):
    times, n = 1500, 24
    truth, given = np.zeros(n, dtype=int), conditions(n=n)
    drawn = rng.integers(0, 3, size=(times, n + 1)).astype(float)
    hits = [prediction_sets(row[:1, None], truth, row[1:], ALPHA, True, given)[0].item() for row in drawn]
    assert np.mean(hits) > 1 - ALPHA
    same = prediction_sets(np.full((1, 1), 0.5), truth, np.full(n, 0.5), ALPHA, True, given)[0]
    assert same.all()


@pytest.mark.parametrize(("n", "is_small"), [(0, True), (3, True), (8, True), (9, False)])
def test_small_classes_are_in_every_set(n, is_small):
    truth = np.repeat([0, 1], [40, n])
    low = np.array([[-1.0, -1.0]])  # below every score
    sets, small = prediction_sets(low, truth, np.linspace(0, 1, 40 + n), ALPHA, True, conditions(n=40 + n))
    assert sets.tolist() == [[False, is_small]]
    assert [(c, size) for c, _, size in small] == ([(1, n)] if is_small else [])


def test_true_weights_hold_under_a_shift(rng):
    """The weighted quantile of Tibshirani and others, for normal populations whose density ratio is exp(x - 1/2)."""
    n, times = 150, 1500
    hits, plain = 0, 0
    for _ in range(times):
        x, new = rng.normal(size=n), rng.normal(1.0)
        typical, score = rng.normal(-x), np.array([[rng.normal(-new)]])
        given = conditions(weights=np.exp(x), new_weights=np.exp(new), n=n)
        hits += prediction_sets(score, np.zeros(n, dtype=int), typical, ALPHA, True, given)[0].item()
        plain += prediction_sets(score, np.zeros(n, dtype=int), typical, ALPHA, True, conditions(n=n))[0].item()
    assert hits / times > 1 - ALPHA - 4 * np.sqrt(ALPHA * (1 - ALPHA) / times)
    assert hits / times < 0.96
    assert plain / times < 0.8


def test_limits_by_their_definition(rng):
    n = 60
    errors, weights = rng.normal(size=n), rng.random(n)
    groups, new_groups, own = rng.integers(0, 2, n), np.array([0, 1, 1]), np.array([0.1, 0.5, 500.0])
    limits, small = error_limits(errors, ALPHA, conditions(groups, new_groups, weights, own, n, 3))
    assert not small
    for (low, high), g, mass in zip(limits, new_groups, own, strict=True):
        u, w = errors[groups == g], weights[groups == g]
        share = 0.95 * (w.sum() + mass)
        above = [t for t in u if w[u <= t].sum() >= share]
        below = [t for t in u if w[u >= t].sum() >= share]
        assert high == min(above, default=np.inf)
        assert low == max(below, default=-np.inf)
    assert np.isinf(limits[2]).all()
    assert np.isfinite(limits[:2]).all()


@pytest.mark.parametrize("n", [18, 19, 20, 39, 199])
def test_limits_without_weights_are_the_ranks_of_intervals(n):
    limits, small = error_limits(np.arange(n, dtype=float)[::-1], ALPHA, conditions(n=n))
    rank = int(np.floor((n + 1) * 5 / 100))  # from either side, counted from one
    assert limits[0].tolist() == ([rank - 1, n - rank] if rank else [-np.inf, np.inf])
    assert bool(small) == (rank == 0)


def test_density_ratios_are_those_of_counts_and_of_densities(rng):
    old, new = rng.normal(size=(2000, 1)), rng.normal(1.0, size=(1000, 1))
    ratios, at = DensityRatios(old, new), np.linspace(-1, 2, 13)[:, None]
    found = ratios(at)
    pool, is_new = np.concatenate([old, new])[:, 0], np.repeat([False, True], [2000, 1000])
    for x, ratio in zip(at[:, 0], found, strict=True):
        nearest = np.argsort(np.abs(pool - x))[:55]  # the square root of 3,000
        a = is_new[nearest].sum()
        assert ratio == pytest.approx((a + 1) / 1000 / ((55 - a + 1) / 2000))
    truth = norm(1).logpdf(at[:, 0]) - norm(0).logpdf(at[:, 0])
    assert np.abs(np.log(found) - truth).max() < 1.0  # counts of about 27 each: three standard errors of 0.3
    assert abs((np.log(found) - truth).mean()) < 0.25


@pytest.fixture(scope="module")
def rare():
    X, y = make_classification(3000, 6, n_informative=4, weights=[0.85], class_sep=0.6, random_state=1)
    group = np.where(np.random.default_rng(0).random(3000) < 0.4, "noisy", "clean")
    flipped = (group == "noisy") & (np.random.default_rng(1).random(3000) < 0.3)
    return X, np.where(flipped, 1 - y, y), group


@pytest.fixture(scope="module")
def classifier(rare):
    return FreeEnergyClassifier(8, effort="low", random_state=0).fit(rare[0][:800], rare[1][:800])


def coverage(sets, y, among):
    return sets[np.arange(len(y)), y][among].mean()


def error(n_known, n_new):
    return np.sqrt(ALPHA * (1 - ALPHA) * (1 / n_known + 1 / n_new))


def test_every_class_of_a_model_is_covered(rare, classifier):
    X, y = rare[0][800:], rare[1][800:]
    sets, marginal = classifier.predict_set(X), classifier.predict_set(X, coverage="marginal")
    for c in (0, 1):
        n = (rare[1][:800] == c).sum(), (y == c).sum()
        assert coverage(sets, y, y == c) == pytest.approx(0.9, abs=3 * error(*n) + 0.01)
    assert coverage(marginal, y, y == 1) < 0.8
    assert coverage(marginal, y, slice(None)) == pytest.approx(0.9, abs=0.04)


def test_every_group_of_a_model_is_covered(rare, classifier):
    X, y, group = rare
    pair, new = (group[:800], group[800:]), group[800:]
    sets = classifier.predict_set(X[800:], coverage="marginal", groups=pair)
    for name in ("noisy", "clean"):
        n = (group[:800] == name).sum(), (new == name).sum()
        assert coverage(sets, y[800:], new == name) == pytest.approx(0.9, abs=3 * error(*n) + 0.01)
    plain = classifier.predict_set(X[800:], coverage="marginal")
    assert coverage(plain, y[800:], new == "noisy") < 0.85
    both = classifier.predict_set(X[800:], groups=pair)
    for name in ("noisy", "clean"):
        alone = FreeEnergyClassifier.predict_set(
            classifier, X[800:][new == name], groups=(group[:800], new[new == name])
        )
        np.testing.assert_array_equal(both[new == name], alone)


def test_one_group_is_no_group_and_no_shift_is_hardly_one(rare, classifier):
    X, y, _ = rare
    new, truth = X[800:1200], y[800:1200]
    plain = classifier.predict_set(new)
    np.testing.assert_array_equal(plain, classifier.predict_set(new, groups=(np.zeros(800), np.zeros(400))))
    shifted = classifier.predict_set(new, shift=X[800:])
    assert coverage(shifted, truth, slice(None)) == pytest.approx(coverage(plain, truth, slice(None)), abs=0.03)


def test_a_shift_is_followed(rng):
    def drawn(n, centre):
        X = np.column_stack([rng.normal(centre, 1, n), rng.normal(size=n)])
        return X, (rng.random(n) < 1 / (1 + np.exp(2.0 * X[:, 0] - 3.0))).astype(int)

    (X, y), (new, truth) = drawn(900, 0.0), drawn(1500, 1.5)
    model = FreeEnergyClassifier(6, effort="low", random_state=0).fit(X, y)
    plain = coverage(model.predict_set(new, coverage="marginal"), truth, slice(None))
    weighted = coverage(model.predict_set(new, coverage="marginal", shift=new), truth, slice(None))
    ratios = np.exp(1.5 * X[:, 0])  # of the densities, but for a factor
    n_effective = ratios.sum() ** 2 / np.square(ratios).sum()  # so many samples of the new population they are worth
    assert weighted == pytest.approx(0.9, abs=3 * error(n_effective, len(new)))
    assert plain < 0.9 - 3 * error(len(X), len(new))
    assert plain < weighted - 0.05


def test_small_classes_warn_once_and_by_name(rng):
    X = rng.normal(size=(123, 3))
    y = np.array(["often"] * 60 + ["common"] * 60 + ["rare"] * 3)
    model = FreeEnergyClassifier(5, random_state=0).fit(X, y)
    with pytest.warns(DataWarning, match=r"fewer than 1 / alpha - 1 = 9 out-of-bag .*: class rare \(\d\)\.") as caught:
        sets = model.predict_set(X)
    assert len(caught) == 1
    assert sets[:, list(model.classes_).index("rare")].all()
    assert not sets.all()


@pytest.fixture(scope="module")
def sizes_of_noise():
    rng = np.random.default_rng(2)
    X, group = rng.random((2500, 3)), np.where(rng.random(2500) < 0.25, "loud", "quiet")
    y = X @ [3.0, 1.0, 0.0] + rng.normal(size=2500) * np.where(group == "loud", 2.0, 0.2)
    return X, y, group


@pytest.fixture(scope="module")
def regressor(sizes_of_noise):
    X, y, _ = sizes_of_noise
    return FreeEnergyRegressor(8, effort="low", random_state=0).fit(X[:500], y[:500])


def test_intervals_hold_within_groups(sizes_of_noise, regressor):
    (X, y, group), new = sizes_of_noise, sizes_of_noise[2][500:]

    def shares(ends):
        hits = (ends[:, 0] <= y[500:]) & (y[500:] <= ends[:, 1])
        return {name: hits[new == name].mean() for name in ("loud", "quiet")}

    found = shares(regressor.predict_interval(X[500:], groups=(group[:500], new)))
    for name, share in found.items():
        n = (group[:500] == name).sum(), (new == name).sum()
        assert share == pytest.approx(0.9, abs=3 * error(*n) + 0.01)
    assert shares(regressor.predict_interval(X[500:]))["loud"] < 0.8


def test_one_group_of_intervals_is_no_group(sizes_of_noise, regressor):
    X = sizes_of_noise[0][500:600]
    one = regressor.predict_interval(X, groups=(np.ones(500), np.ones(100)))
    plain = regressor.predict_interval(X)
    np.testing.assert_allclose(one, plain, atol=0.1 * np.ptp(plain, axis=1).mean())
    weighted = regressor.predict_interval(X, shift=sizes_of_noise[0][500:])
    np.testing.assert_allclose(weighted, plain, atol=0.3 * np.ptp(plain, axis=1).mean())


def test_groups_with_few_errors_have_infinite_intervals(sizes_of_noise, regressor):
    X, group = sizes_of_noise[0][:4], np.repeat(["a", "b"], [490, 10])
    with pytest.warns(DataWarning, match=r"infinite where .* fewer than 2 / alpha - 1 = 19.*: group b \(10\)\."):
        ends = regressor.predict_interval(X, groups=(group, ["a", "a", "b", "b"]))
    assert np.isfinite(ends[:2]).all()
    assert ends[2:].tolist() == [[-np.inf, np.inf]] * 2


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ((["a"] * 800, ["a", "b", "c", "a"]), "has 'b', 'c', and no row given to fit is of that group"),
        ((["a"] * 799, ["a"] * 4), "groups of the rows given to fit has 799 values, and there are 800 such rows"),
        ((["a"] * 800, ["a"] * 5), "groups of the rows of X has 5 values, and there are 4 such rows"),
        ((np.zeros((800, 2)), ["a"] * 4), "groups of the rows given to fit has 2 dimensions"),
        (([np.nan] * 800, ["a"] * 4), "groups of the rows given to fit has missing values"),
        ((["a"] * 800, np.array(["a", None, "a", "a"], dtype=object)), "groups of the rows of X has missing values"),
        (["a"] * 4, "groups is a pair"),
        ("sex", "groups is a pair"),
    ],
)
def test_groups_that_are_none(rare, classifier, groups, message):
    with pytest.raises(ValueError, match=message) as caught:
        classifier.predict_set(rare[0][:4], groups=groups)
    assert "\n" not in str(caught.value)


def test_other_arguments_that_are_none(rare, classifier, rng):
    with pytest.raises(ValueError, match="coverage is one of 'class', 'marginal'; got 'label'"):
        classifier.predict_set(rare[0][:4], coverage="label")
    with pytest.raises(ValueError, match="X has 2 features, but"):
        classifier.predict_set(rare[0][:4], shift=rare[0][:9, :2])
    X = rng.random((60, 2))
    several = FreeEnergyRegressor(**QUICK).fit(X, X @ rng.random((2, 2)))
    with pytest.raises(ValueError, match="Intervals by groups or under a shift are of one target; this model has 2"):
        several.predict_interval(X, groups=(np.zeros(60), np.zeros(60)))


def test_tables_give_what_their_last_steps_give(rng):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": rng.random(120), "b": rng.random(120), "town": ["x", "y", "z"] * 40})
    target = frame["a"] + 0.3 * rng.random(120)
    pair = frame["town"], frame["town"][:30]
    table = TableClassifier(FreeEnergyClassifier(**QUICK)).fit(frame, (target > target.median()).astype(int))
    options = {"coverage": "marginal", "groups": pair}
    found = table.predict_set(frame[:30], 0.2, shift=frame[:60], **options)
    features = table.features(frame)
    np.testing.assert_array_equal(
        found, table.classifier_.predict_set(features[:30], 0.2, shift=features[:60], **options)
    )
    numbers = TableRegressor(FreeEnergyRegressor(**QUICK)).fit(frame, target)
    found, features = numbers.predict_interval(frame[:30], 0.2, groups=pair), numbers.features(frame)
    np.testing.assert_array_equal(found, numbers.regressor_.predict_interval(features[:30], 0.2, groups=pair))
    assert not np.array_equal(found, numbers.predict_interval(frame[:30], 0.2))
