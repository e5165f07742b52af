"""Prediction sets hold the true class as often as they promise."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_blobs, make_classification, make_moons
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import freemetric
from freemetric import FreeEnergyClassifier, datasets
from freemetric.ensemble.conformal import p_values
from freemetric.exceptions import DataWarning

from ..data_sets import FOLDER, MISSING

ALPHAS = (0.2, 0.1, 0.05)
N_SPLITS = 4
OPTIMISM = 0.01  # the votes that say what is typical have chosen the weights, too


def model(**options):
    usual = {"n_replicas": 6, "recipe__candidates": ["quantiles/full"], "recipe__temperature": 1e-3}
    return FreeEnergyClassifier(random_state=0).set_params(**usual | options)


@pytest.fixture(scope="module")
def data():
    return make_classification(2500, 8, n_informative=5, n_classes=3, class_sep=0.8, random_state=3)


@pytest.fixture(scope="module")
def fitted(data):
    X, y = data
    return model().fit(X[:500], y[:500])


def test_sets_by_hand():
    typical = np.array([0.2, 0.4, 0.6, 0.8])
    P = np.array([[0.1, 0.9], [0.4, 0.6]])
    np.testing.assert_allclose(p_values(P, typical), [[0.2, 1.0], [0.6, 0.8]])
    weights, own = np.array([1.0, 2.0, 0.0, 1.0]), np.array([4.0, 1.0])
    np.testing.assert_allclose(p_values(P, typical, weights, own), [[4 / 8, 8 / 8], [4 / 5, 4 / 5]])


@pytest.mark.parametrize("n", [3, 19, 99, 250])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_sets_are_those_of_the_quantile(rng, n, alpha):
    own, P = np.sort(rng.random(n)), rng.random((200, 3))
    rank = int(np.ceil((n + 1) * (1 - alpha) - 1e-9))
    threshold = np.inf if rank > n else np.sort(1 - own)[rank - 1]
    np.testing.assert_array_equal(p_values(P, own) > alpha, threshold >= 1 - P)


def test_the_chance_of_rows_that_are_exchangeable_is_exact(rng):
    n, n_times = 30, 20_000
    drawn = rng.random((n_times, n + 1))
    for alpha in (0.2, 0.1):
        hits = [p_values(row[:1], row[1:])[0] > alpha for row in drawn]
        exact = 1 - np.floor(alpha * (n + 1)) / (n + 1)
        assert np.mean(hits) == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / n_times))


def error_of_coverage(alpha, n_oob, n_test):
    """Of the share of sets that hold the truth: both the threshold and the share are found from a sample."""
    return np.sqrt(alpha * (1 - alpha) * (1 / n_oob + 1 / n_test))


@pytest.mark.parametrize("alpha", ALPHAS)
def test_coverage(data, fitted, alpha):
    X, y = data[0][500:], data[1][500:]
    hits = fitted.predict_set(X, alpha)[np.arange(len(y)), y]
    assert hits.mean() == pytest.approx(1 - alpha, abs=3 * error_of_coverage(alpha, 500, len(y)))


SETS = {
    "moons": lambda: make_moons(1500, noise=0.35, random_state=0),
    "blobs": lambda: make_blobs(1500, 4, centers=5, cluster_std=4.0, random_state=0),
    "three classes": lambda: make_classification(1500, 10, n_informative=5, n_classes=3, flip_y=0.1, random_state=3),
    "skewed": lambda: make_classification(1500, 8, n_informative=4, weights=[0.85], class_sep=0.7, random_state=1),
    "cancer": lambda: load_breast_cancer(return_X_y=True),
}
FILES = ("pima", "vehicle", "balance", "german", "yeast")


def rows_of(name):
    if name in SETS:
        return SETS[name]()
    if not (FOLDER / f"{name}.csv").exists():
        pytest.skip(MISSING)
    found = datasets.load(name, FOLDER)
    return np.asarray(found.X), np.unique(found.y, return_inverse=True)[1]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")  # rare classes of yeast
@pytest.mark.parametrize("name", [*SETS, *FILES])
def test_coverage_of_ten_sets(name):
    X, y = rows_of(name)
    hits = {alpha: [] for alpha in ALPHAS}
    for seed in range(N_SPLITS):
        train, test, y_train, y_test = train_test_split(X, y, train_size=300, random_state=seed)
        found = FreeEnergyClassifier(20, random_state=seed).fit(train, y_train)
        known = np.isin(y_test, found.classes_)  # no set holds a class that was never seen
        numbers = np.searchsorted(found.classes_, y_test[known])
        for alpha in ALPHAS:
            sets = found.predict_set(test[known], alpha, coverage="marginal")
            hits[alpha].append(sets[np.arange(len(numbers)), numbers].mean())
    for alpha, shares in hits.items():
        error = error_of_coverage(alpha, 300, len(X) - 300) / np.sqrt(N_SPLITS)
        print(f"{name}: {1 - alpha:.2f} {np.mean(shares):.3f} {(np.mean(shares) - 1 + alpha) / error:+.1f}")
        assert np.mean(shares) == pytest.approx(1 - alpha, abs=3 * error + OPTIMISM)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")  # rare classes of yeast
@pytest.mark.parametrize("name", ["skewed", "pima", "balance", "german", "yeast"])
def test_coverage_of_every_class_with_thirty_samples(name):
    X, y = rows_of(name)
    n_classes, hits, tested = y.max() + 1, 0.0, 0.0
    for seed in range(N_SPLITS):
        train, test, y_train, y_test = train_test_split(X, y, train_size=0.5, stratify=y, random_state=seed)
        sets = FreeEnergyClassifier(20, random_state=seed).fit(train, y_train).predict_set(test, 0.1)
        hits = hits + np.bincount(y_test, sets[np.arange(len(y_test)), y_test], n_classes)
        tested = tested + np.bincount(y_test, minlength=n_classes)
    large = np.bincount(y) >= 30
    print(name, (hits / tested)[large].round(3), np.bincount(y)[large])
    assert (hits / tested)[large].min() >= 0.85


def test_smaller_alpha_larger_sets(data, fitted):
    X = data[0][500:]
    small, large = fitted.predict_set(X, 0.2), fitted.predict_set(X, 0.01)
    assert (small <= large).all()
    assert large.sum() > small.sum()
    assert small.dtype == bool
    assert small.shape == (len(X), 3)


def test_few_out_of_bag_samples_promise_nothing(data):
    X, y = data
    with pytest.warns(DataWarning, match=r"fewer than 1 / alpha - 1 = 19 out-of-bag samples: class 0 \(\d\), class 1"):
        assert model().fit(X[:15], y[:15]).predict_set(X[:50], 0.05).all()


def test_after_a_file_with_names_in_a_pipeline(data, fitted, tmp_path):
    X, y = data
    expected = fitted.predict_set(X[500:600])
    fitted.save(tmp_path / "sets.model")
    np.testing.assert_array_equal(freemetric.load(tmp_path / "sets.model").predict_set(X[500:600]), expected)
    names = np.array(["a", "b", "c"])
    np.testing.assert_array_equal(model().fit(X[:500], names[y[:500]]).predict_set(X[500:600]), expected)
    pipeline = make_pipeline(StandardScaler(), model()).fit(X[:500], y[:500])
    sets = pipeline[-1].predict_set(pipeline[:-1].transform(X[500:600]))
    assert (sets == expected).mean() > 0.98  # quantiles do not see units, but for rounding


def test_after_more_rows(data):
    X, y = data
    grown = model().partial_fit(X[:300], y[:300]).partial_fit(X[300:400], y[300:400])
    hits = grown.predict_set(X[500:], 0.1)[np.arange(2000), y[500:]]
    assert hits.mean() == pytest.approx(0.9, abs=3.5 * error_of_coverage(0.1, 300, 2000))


def test_rows_in_any_order_and_of_no_weight(data, fitted, rng):
    X, y = data[0][:500], data[1][:500]
    order = rng.permutation(500)
    expected = fitted.predict_set(data[0][500:600])
    np.testing.assert_array_equal(model().fit(X[order], y[order]).predict_set(data[0][500:600]), expected)
    more, weights = np.concatenate([X, X[:40] + 1]), np.repeat([1.0, 0.0], [500, 40])
    weighed = model().fit(more, np.concatenate([y, y[:40]]), sample_weight=weights)
    np.testing.assert_array_equal(weighed.predict_set(data[0][500:600]), expected)


@pytest.mark.parametrize("alpha", [0, 1, 1.0, -0.1, 2.5, np.nan, "0.1", None])
def test_alpha_is_a_share(data, fitted, alpha):
    with pytest.raises(ValueError, match="alpha is the share of sets without the true class, between 0 and 1"):
        fitted.predict_set(data[0][:5], alpha)


def test_without_out_of_bag_samples_there_are_no_sets(data):
    never = model().fit(data[0][:100], data[1][:100])
    never.oob_conformity_ = np.empty((0, 2))
    with pytest.raises(ValueError, match="No sample was out of bag") as caught:
        never.predict_set(data[0][:5])
    assert "\n" not in str(caught.value)


def test_votes_that_are_no_probabilities_are_not_saved(data, tmp_path):
    broken = model().fit(data[0][:100], data[1][:100])
    broken.oob_decision_function_ = 2 * broken.oob_decision_function_
    with pytest.raises(freemetric.files.ModelFileError, match="oob_decision_function_ has rows that are no prob"):
        broken.save(tmp_path / "broken.model")
