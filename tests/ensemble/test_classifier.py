"""The classifier: known Bayes errors and probabilities, and odd tables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, softmax
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from freemetric import FreeEnergyClassifier
from freemetric.ensemble.base import check_alpha
from freemetric.ensemble.classifier import prediction_sets

from . import brute_force


def few(n_replicas=4, **options):
    return FreeEnergyClassifier(n_replicas, **{"random_state": 0, **options})


@pytest.fixture
def blobs(rng):
    """Three normal classes, 150 samples."""
    y = np.arange(150) % 3
    return rng.normal(size=(150, 4)) + 2 * np.eye(3, 4)[y], y


# --- accuracy and probabilities -------------------------------------------------------


def test_copies_of_few_rows_are_classified_as_well_as_can_be(rng):
    """24 different rows of 2,000, whose P(y | x) is known."""
    rows, P = rng.normal(size=(24, 4)), rng.beta(0.5, 0.5, 24)
    place = rng.integers(0, 24, 2000)
    y = (rng.uniform(size=2000) < P[place]).astype(int)
    model = few(12).fit(rows[place], y)
    accuracy = np.where(model.predict(rows) == 1, P, 1 - P)
    assert accuracy.mean() > np.maximum(P, 1 - P).mean() - 0.02
    assert np.abs(model.predict_proba(rows)[:, 1] - P).mean() < 0.08


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["line", "ring", "corners"])
def test_probabilities_are_those_that_made_the_classes(rng, kind):
    logit = {
        "line": lambda X: 3 * X[:, 0] - 2 * X[:, 1],
        "ring": lambda X: 6 * (np.hypot(X[:, 0], X[:, 1]) - 1),
        "corners": lambda X: 5 * np.sign(X[:, 0]) * np.sign(X[:, 1]),
    }[kind]
    X = rng.uniform(-1.5, 1.5, (1500, 4))
    y = (rng.uniform(size=1500) < expit(logit(X))).astype(int)
    model = few(12).fit(X, y)
    Q = rng.uniform(-1.5, 1.5, (4000, 4))
    known, found = expit(logit(Q)), model.predict_proba(Q)[:, 1]
    bayes = np.maximum(known, 1 - known).mean()
    accuracy = np.where(model.predict(Q) == 1, known, 1 - known).mean()
    assert accuracy > bayes - 0.04
    for part in np.array_split(np.argsort(found), 5):
        assert found[part].mean() == pytest.approx(known[part].mean(), abs=0.06)
    assert model.oob_score_ == pytest.approx(accuracy, abs=0.03)


def test_out_of_bag_scores_are_honest(rng):
    """Labels without any relation to the features are not predicted."""
    X, y = rng.normal(size=(600, 5)), rng.integers(0, 2, 600)
    assert few(12).fit(X, y).oob_score_ < 0.58


def test_probabilities_make_predictions(classifier, classified):
    X, y = classified
    P = classifier.predict_proba(X)
    assert_allclose(P.sum(axis=1), 1)
    assert_array_equal(classifier.predict(X), classifier.classes_[P.argmax(axis=1)])
    assert_allclose(np.exp(classifier.predict_log_proba(X)), P)
    assert classifier.score(X[1::2], y[1::2]) > 0.93
    known = classifier.oob_decision_function_
    has = ~np.isnan(known[:, 0])
    right = classifier.classes_[known[has].argmax(axis=1)] == y[::2][has]
    assert classifier.oob_score_ == pytest.approx(right.mean())


@pytest.mark.parametrize("coverage", ["class", "marginal"])
def test_sets_hold_the_class(rng, coverage):
    y = rng.choice(3, 3400, p=[0.6, 0.3, 0.1])
    X = rng.normal(size=(3400, 3)) + 1.5 * np.eye(3)[y]
    model = few(8).fit(X[:1400], y[:1400])
    sets = model.predict_set(X[1400:], alpha=0.1, coverage=coverage)
    is_inside = sets[np.arange(2000), y[1400:]]
    assert is_inside.mean() == pytest.approx(0.9, abs=0.03)
    if coverage == "class":
        for c in range(3):
            assert is_inside[y[1400:] == c].mean() == pytest.approx(0.9, abs=0.08)
    with pytest.raises(ValueError, match="coverage is 'class' or 'marginal'"):
        model.predict_set(X, coverage="all")


def test_a_set_holds_classes_whose_rank_is_not_too_low():
    known = np.array([[0.9, 0.1], [0.6, 0.4], [0.3, 0.7], [0.2, 0.8]])
    P, y = np.array([[0.65, 0.35], [0.1, 0.9]]), np.array([0, 0, 1, 1])
    for alpha, by_class, sets in (
        (0.3, False, [[True, False], [False, True]]),
        (0.1, False, [[True, True], [True, True]]),
        (0.34, True, [[True, False], [False, True]]),
        (0.33, True, [[True, True], [True, True]]),
    ):
        assert prediction_sets(P, known, y, alpha, by_class).tolist() == sets


# --- weights of classes ---------------------------------------------------------------


def test_class_weights_multiply_probabilities(blobs):
    X, y = blobs
    P = few().fit(X, y).predict_proba(X)
    model = few(class_weight={0: 1, 1: 5, 2: 0.5}).fit(X, y)
    weighted = P * [1, 5, 0.5]
    assert_allclose(model.predict_proba(X), weighted / weighted.sum(1, keepdims=True))
    many = np.append(np.arange(50) * 3, [1, 4, 7, 2, 5])
    balanced = few(class_weight="balanced").fit(X[many], y[many])
    assert_allclose(balanced.class_weight_, 55 / 3 / np.array([50, 3, 2]))
    with pytest.raises(ValueError, match="class_weight"):
        few(class_weight={0: 1, 9: 2}).fit(X, y)


# --- more samples ---------------------------------------------------------------------


def test_partial_fit_lets_more_samples_vote(blobs):
    X, y = blobs
    far = X[:30] + 50
    model = few(estimators=None).fit(X, y).partial_fit(far, np.full(30, 2))
    votes = brute_force.ensemble_votes(model.ensemble_, far[:4])
    assert_allclose(model.predict_proba(far[:4]), model.pool_(votes, []), atol=1e-4)
    assert (model.predict(far) == 2).all()
    assert len(model.oob_decision_function_) == 180
    assert len(model.ensemble_.X) == 180


def test_partial_fit_fits_the_estimators_anew(blobs):
    X, y = blobs
    line = [("line", LogisticRegression())]
    model = few(estimators=line).fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    known = LogisticRegression().fit(X, y)
    assert_allclose(model.estimators_[0][1].predict_proba(X), known.predict_proba(X))
    first = few(estimators=line).partial_fit(X, y, classes=[0, 1, 2])
    at_once = few(estimators=line).fit(X, y)
    assert_array_equal(first.predict_proba(X), at_once.predict_proba(X))


def test_partial_fit_refuses_new_classes_and_other_features(blobs):
    X, y = blobs
    model = few().fit(X, y)
    with pytest.raises(ValueError, match=r"y has the class .*7.*, which was not in"):
        model.partial_fit(X[:2], [0, 7])
    with pytest.raises(ValueError, match="expecting 4 features"):
        model.partial_fit(X[:2, :3], [0, 1])


def test_weights_of_later_samples_have_a_mean_of_one(blobs):
    X, y = blobs
    for weights in (np.full(50, 9.0), None):
        model = few().fit(X[:100], y[:100]).partial_fit(X[100:], y[100:], None, weights)
        assert_array_equal(model.ensemble_.training_set.weights, np.ones(150))
    weights = np.where(np.arange(50) % 2, 30.0, 10.0)
    model = few().fit(X[:100], y[:100]).partial_fit(X[100:], y[100:], None, weights)
    assert_allclose(model.ensemble_.training_set.weights[100:], weights / 20)


# --- estimators beside the votes ------------------------------------------------------


@pytest.mark.slow
def test_estimators_of_users_stand_beside_the_votes(rng):
    X = rng.uniform(-1, 1, (400, 8))
    y = (np.prod(np.sign(X[:, :2]), axis=1) > 0).astype(int)
    forest = RandomForestClassifier(50, random_state=0)
    chosen = [("forest", forest), ("trees", "default"), ("linear", "drop")]
    plain = {"candidates": ["scaled/identity"]}
    model = few(estimators=chosen, **plain).fit(X, y)
    assert [name for name, _ in model.estimators_] == ["forest", "trees"]
    assert model.pool_.strengths.sum() > 0.1
    alone = few(estimators=None, **plain).fit(X, y)
    assert alone.estimators_ == []
    assert model.oob_score_ > alone.oob_score_ + 0.05


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"estimators": [("a", 3)]}, "has no predict_proba; got 3"),
        ({"estimators": "trees"}, "'estimators' parameter"),
        ({"candidates": "scaled/full"}, "'candidates' parameter"),
        ({"candidates": []}, "candidates is a sequence"),
        ({"candidates": ["scaled"]}, "A candidate is a view and a form"),
        ({"candidates": ["scaled/full"], "n_replicas": 0}, "n_replicas=0 samples no"),
        ({"n_replicas": -1}, "'n_replicas' parameter"),
        ({"n_neighbors": 0}, "'n_neighbors' parameter"),
        ({"n_neighbors": [3, 0]}, "n_neighbors is a positive integer or a sequence"),
        ({"n_neighbors": []}, "n_neighbors is a positive integer or a sequence"),
        ({"class_weight": "some"}, "'class_weight' parameter"),
        ({"energy": "warmth"}, "Unknown energy 'warmth'"),
        ({"sampler": 3}, "'sampler' parameter"),
    ],
)
def test_wrong_parameters_are_named_in_a_line(blobs, options, message):
    with pytest.raises(ValueError, match=message) as caught:
        few(**options).fit(*blobs)
    assert "\n" not in str(caught.value)


# --- odd tables -----------------------------------------------------------------------


LABELS = [np.array(["no", "yes"]), np.array(["no", "yes"], dtype=object)]
LABELS += [np.array([False, True]), np.array([-1.0, 3.0]), np.array([2**40, 2**41])]


@pytest.mark.parametrize("labels", LABELS)
def test_labels_of_any_type(blobs, labels):
    X, y = blobs
    expected = few().fit(X, y > 0).predict(X)
    model = few().fit(X, labels[(y > 0).astype(int)])
    assert model.classes_.dtype == labels.dtype
    assert_array_equal(model.predict(X), labels[expected.astype(int)])


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (
            np.ones((5, 2)),
            np.ones(5),
            "y has 1 class, 1.0; a classifier needs at least",
        ),
        (np.eye(4), [0.5, 1.5, 0.3, 2], "continuous"),
        (np.eye(4), [[0, 1]] * 4, "1d array"),
        (np.eye(4), [0, 1, 0], "inconsistent numbers of samples"),
        (np.diag([1, 2, 1e151, 1]), [0, 1, 0, 1], r"value 1e\+151 in row 2, column 2"),
        (np.diag([1, np.inf, 1, 1]), [0, 1, 0, 1], "infinity"),
        (np.ones(4), [0, 1, 0, 1], "Expected 2D array"),
        (np.empty((4, 0)), [0, 1, 0, 1], "0 feature"),
    ],
)
def test_wrong_data_are_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        few().fit(X, y)


@pytest.mark.parametrize("n_replicas", [0, 4])
@pytest.mark.parametrize(
    "y",
    [[0, 1], [0, 1, 0], [0, 1, 0, 1], [0] * 6 + [1], [0, 0, 1, 1, 2, 2], [0, 1, 2] * 2],
)
def test_very_few_samples(rng, y, n_replicas):
    X = rng.normal(size=(len(y), 3)) + 20 * np.array(y)[:, None]
    model = few(n_replicas).fit(X, y)
    assert_array_equal(model.predict(X), y)
    assert model.predict_set(X).any()


def test_a_rare_class_among_many_samples(rng, monkeypatch):
    """Some estimators learn from a part of the samples, which should not lack it."""
    monkeypatch.setattr("freemetric.ensemble.stacking.MOST_LEARNED", 100)
    X, y = rng.normal(size=(600, 3)), np.zeros(600, dtype=int)
    y[[1, 3, 5, 7]] = 1
    X[y == 1] += 10
    assert few().fit(X, y).score(X, y) == 1


def test_metrics_are_searched_on_a_part_of_many_samples(wine, monkeypatch):
    monkeypatch.setattr("freemetric.ensemble.base.MOST_SEARCHED", 60)
    model = few().fit(*wine)
    assert len(model.ensemble_.X) == len(wine[0])  # all vote
    assert len(model.oob_decision_function_) == len(wine[0])
    assert np.isfinite(model.oob_decision_function_).all(axis=1).sum() <= 60
    assert model.score(*wine) > 0.95


@pytest.mark.slow
def test_300_classes_of_two_or_four_samples(rng):
    y = np.repeat(np.arange(300), np.where(np.arange(300) % 2, 2, 4))
    X = 20 * rng.normal(size=(300, 5))[y] + rng.normal(size=(len(y), 5))
    model = few().fit(X, y)
    assert model.score(X + 0.1, y) > 0.9
    assert np.isnan(model.oob_decision_function_[y % 2 == 1]).all()


def test_odd_features(blobs, odd):
    X, y = blobs
    X = odd(X)
    model = few().fit(X[::2], y[::2])
    P = model.predict_proba(X)
    assert np.isfinite(P).all()
    assert np.isfinite(model.transform(X)).all()
    assert np.isfinite(model.feature_importances_).all()
    far = model.predict_proba(np.full((1, X.shape[1]), 1e149))
    assert_allclose(far.sum(), 1)


def test_constant_rows_have_the_shares_of_classes():
    model = few(estimators=None).fit(np.ones((60, 3)), np.arange(60) % 3 == 0)
    assert_allclose(model.predict_proba([[1, 1, 1]]), [[2 / 3, 1 / 3]], atol=0.03)


def test_more_neighbours_than_samples(blobs):
    X, y = blobs
    model = few(n_neighbors=[1, 1000, 2000]).fit(X, y)
    assert_array_equal(model.ensemble_.sizes, [1, 149])
    assert few(n_neighbors=np.int64(3)).fit(X, y).score(X, y) > 0.8


# --- prediction sets -----------------------------------------------------------------


@pytest.mark.parametrize("by_class", [False, True])
def test_sets_are_counts_by_hand(rng, by_class):
    known, y = rng.dirichlet(np.ones(3), 60), rng.integers(0, 3, 60)
    P = rng.dirichlet(np.ones(3), 20)
    sets = prediction_sets(P, known, y, 0.2, by_class)
    for p, found in zip(P, sets, strict=True):
        for c in range(3):
            same = [known[i, y[i]] for i in range(60) if y[i] == c or not by_class]
            p_value = (sum(own <= p[c] for own in same) + 1) / (len(same) + 1)
            assert found[c] == (p_value > 0.2)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize("by_class", [False, True])
def test_coverage_of_exchangeable_samples(rng, alpha, by_class):
    y = rng.choice(3, 30_000, p=[0.7, 0.25, 0.05])
    P = softmax(2 * np.eye(3)[y] + rng.normal(size=(30_000, 3)) + [1, 0, -1], axis=1)
    sets = prediction_sets(P[6000:], P[:6000], y[:6000], alpha, by_class)
    is_inside = sets[np.arange(24_000), y[6000:]]
    assert is_inside.mean() == pytest.approx(1 - alpha, abs=0.015)
    of_classes = [is_inside[y[6000:] == c].mean() for c in range(3)]
    assert (np.abs(np.array(of_classes) - 1 + alpha).max() < 0.04) == by_class


def test_without_samples_every_class_is_possible():
    sets = prediction_sets(np.eye(2), np.empty((0, 2)), np.empty(0, int), 0.1, True)
    assert sets.all()


@pytest.mark.parametrize("alpha", [0, 1, -0.1, "0.1", None, True, np.nan, 3])
def test_other_shares_are_refused(alpha):
    with pytest.raises(ValueError, match="alpha is the share of predictions"):
        check_alpha(alpha)
