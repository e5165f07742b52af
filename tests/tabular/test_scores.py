"""Scores are scikit-learn's on the same predictions, also where folds lack classes."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.calibration import calibration_curve
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from freemetric.tabular import InputError
from freemetric.tabular.comparison import estimate
from freemetric.tabular.held_out import CLASSIFICATION_SCORES as SCORES
from freemetric.tabular.held_out import ClassPredictions, calibration, check_scores, class_details, roc, scores_named


def made_up(n_classes, n=200, seed=0, present=None):
    """Predictions that are right more often than not; test rows of the present classes alone."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(n_classes if present is None else present, n)
    P = rng.dirichlet(np.ones(n_classes), n) + 0.5 * np.eye(n_classes)[truth] * rng.random((n, 1))
    P = np.round(P / P.sum(axis=1, keepdims=True), 2)  # with ties
    P /= P.sum(axis=1, keepdims=True)
    return ClassPredictions(tuple(f"c{i}" for i in range(n_classes)), np.arange(n), truth, P.argmax(axis=1), P, P)


def perfect(n_classes):
    y = np.repeat(np.arange(n_classes), 2)
    return ClassPredictions(tuple("abc"[:n_classes]), y, y, y, np.eye(n_classes)[y])


@pytest.mark.parametrize("n_classes", [2, 3, 26])
def test_scores_are_those_of_scikit_learn(n_classes):
    found = made_up(n_classes, 600)
    y, predicted, P, labels = found.truth, found.predicted, found.probabilities, range(n_classes)
    auc = (
        metrics.roc_auc_score(y, P[:, 1])
        if n_classes == 2
        else metrics.roc_auc_score(y, P, multi_class="ovr", average="macro", labels=labels)
    )
    expected = {
        "accuracy": metrics.accuracy_score(y, predicted),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, predicted),
        "f1_macro": metrics.f1_score(y, predicted, average="macro"),
        "roc_auc": auc,
        "log_loss": metrics.log_loss(y, P, labels=labels),
        "brier": np.mean(np.sum((P - np.eye(n_classes)[y]) ** 2, axis=1)) / 2,
    }
    assert {name: score.of(found) for name, score in SCORES.items()} == pytest.approx(expected, rel=1e-12)
    np.testing.assert_array_equal(found.confusion(), metrics.confusion_matrix(y, predicted, labels=labels))
    if n_classes == 2:
        assert expected["brier"] == pytest.approx(metrics.brier_score_loss(y, P[:, 1]))


def test_test_rows_that_lack_classes():
    found = made_up(4, present=[0, 2])
    y, P = found.truth, found.probabilities
    assert SCORES["balanced_accuracy"].of(found) == pytest.approx(
        np.mean([(found.predicted == c)[y == c].mean() for c in (0, 2)])
    )
    labels = np.union1d(y, found.predicted)
    expected = metrics.f1_score(y, found.predicted, labels=labels, average="macro")
    assert SCORES["f1_macro"].of(found) == pytest.approx(expected)
    expected = np.mean([metrics.roc_auc_score(y == c, P[:, c]) for c in (0, 2)])
    assert SCORES["roc_auc"].of(found) == pytest.approx(expected)
    one = made_up(3, present=[1])
    assert np.isnan(SCORES["roc_auc"].of(one))
    assert SCORES["log_loss"].of(one) == pytest.approx(metrics.log_loss(one.truth, one.probabilities, labels=range(3)))


def test_probabilities_of_zero():
    found = ClassPredictions(
        ("a", "b"), np.arange(2), np.array([0, 1]), np.array([0, 0]), P := np.array([[1.0, 0.0]] * 2), P
    )
    assert SCORES["log_loss"].of(found) == pytest.approx(metrics.log_loss([0, 1], P))


@pytest.mark.parametrize("seen", [(0, 1, 2), (0, 2)])
def test_predictions_of_classifiers(rng, seen):
    """A class that was not met has no probability; a decision function ranks where there are none."""
    X = rng.standard_normal((90, 2))
    y = np.array(seen)[np.arange(90) % len(seen)]
    X[:, 0] += 2 * y
    model = LogisticRegression().fit(X, y)
    found = ClassPredictions.of(model, X, np.arange(90), y, "abc")
    np.testing.assert_array_equal(found.probabilities[:, seen], model.predict_proba(X))
    assert found.probabilities.shape == (90, 3)
    np.testing.assert_array_equal(found.predicted, model.predict(X))
    ranked = ClassPredictions.of(SVC().fit(X, y), X, np.arange(90), y, "abc")
    assert ranked.probabilities is None
    assert np.isnan(SCORES["log_loss"].of(ranked))
    values = SVC().fit(X, y).decision_function(X)
    columns = np.stack([-values, values], axis=1) if values.ndim == 1 else values
    expected = np.mean([metrics.roc_auc_score(y == c, columns[:, i]) for i, c in enumerate(seen)])
    assert SCORES["roc_auc"].of(ranked) == pytest.approx(expected)


def test_scorers_by_name():
    two, three = made_up(2), made_up(3)
    extra = scores_named(["average_precision", "f1", "accuracy"])
    assert list(extra) == [*SCORES, "average_precision", "f1"]
    expected = metrics.average_precision_score(two.truth, two.probabilities[:, 1])
    assert extra["average_precision"].of(two) == pytest.approx(expected)
    assert extra["f1"].of(two) == pytest.approx(metrics.f1_score(two.truth, two.predicted))
    check_scores(extra, perfect(2), "a.csv")
    with pytest.raises(InputError, match=r"a\.csv: score 'f1' is not defined for this target: Target is multiclass"):
        check_scores(scores_named(["f1"]), perfect(3), "a.csv")
    with pytest.raises(InputError, match="unknown score 'magic'; known: accuracy, balanced_accuracy"):
        scores_named(["magic"])
    for name in ("r2", "neg_mean_squared_error", "rand_score", "v_measure_score"):  # of numbers, of clusters
        with pytest.raises(InputError, match=f"unknown score '{name}'"):
            scores_named([name])
    weighted = scores_named(["roc_auc_ovr_weighted"])["roc_auc_ovr_weighted"]
    assert np.isnan(weighted.of(made_up(3, present=[0, 1])))  # scikit-learn cannot say
    assert np.isnan(weighted.of(ClassPredictions(three.classes, three.rows, three.truth, three.predicted)))


def test_a_constant_is_scikit_learns():
    y = np.array([0] * 30 + [1] * 60 + [2] * 10)
    model = DummyClassifier(strategy="prior").fit(np.zeros((100, 1)), y)
    found = ClassPredictions.of(model, np.zeros((100, 1)), np.arange(100), y, "abc")
    assert SCORES["accuracy"].of(found) == 0.6
    assert SCORES["balanced_accuracy"].of(found) == pytest.approx(1 / 3)
    assert SCORES["roc_auc"].of(found) == 0.5
    p = np.array([0.3, 0.6, 0.1])
    assert SCORES["log_loss"].of(found) == pytest.approx(-(p * np.log(p)).sum())
    assert SCORES["brier"].of(found) == pytest.approx((1 - (p**2).sum()) / 2)


def test_classes_one_by_one():
    found = made_up(3)
    rows = class_details(found, 2)
    expected = metrics.precision_recall_fscore_support(found.truth, found.predicted)
    for c, row in enumerate(rows):
        assert [row["precision"], row["recall"], row["f1"]] == pytest.approx([part[c] for part in expected[:3]])
        assert row["rows"] == round(expected[3][c] / 2)
        wrong = np.where(np.arange(3) == c, 0, found.confusion()[c])
        assert (row["taken_for"], row["how_often"]) == (f"c{wrong.argmax()}", wrong.max())
    never = class_details(ClassPredictions(("a", "b"), np.arange(2), np.zeros(2, int), np.zeros(2, int)), 1)[1]
    assert (never["rows"], never["how_often"]) == (0, 0)
    assert {never[name] for name in ("recall", "precision", "f1", "taken_for")} == {None}


def test_calibration_is_scikit_learns():
    found = made_up(2, 1000)
    bins = calibration(found, 1)["bins"]
    true, chance = calibration_curve(found.truth, found.probabilities[:, 1], n_bins=10, strategy="quantile")
    assert [part["share"] for part in bins] == pytest.approx(true, abs=0.03)  # ties lie to another side of an edge
    assert [part["chance"] for part in bins] == pytest.approx(chance, abs=0.02)
    assert sum(part["rows"] for part in bins) == 1000
    assert all(part["low"] <= part["share"] <= part["high"] for part in bins)
    more = calibration(made_up(5, 1000), 1)
    assert more["of"] is None
    right = sum(part["share"] * part["rows"] for part in more["bins"]) / 1000
    assert right == pytest.approx(SCORES["accuracy"].of(made_up(5, 1000)))


def test_wilson_intervals():
    """Against the published interval of 1 among 10: 0.0179 to 0.4042."""
    P = np.full((10, 2), 0.5)
    found = ClassPredictions(("a", "b"), np.arange(10), np.eye(10, dtype=int)[0], np.zeros(10, int), P, P)
    (only,) = calibration(found, 1)["bins"]
    assert [only["low"], only["high"]] == pytest.approx([0.0179, 0.4042], abs=1e-4)


def test_roc_is_scikit_learns():
    found = made_up(2, 2000)
    curve = roc(found)
    assert len(curve["false"]) <= 200
    assert metrics.auc(curve["false"], curve["true"]) == pytest.approx(
        metrics.roc_auc_score(found.truth, found.probabilities[:, 1]), abs=1e-3
    )
    assert roc(made_up(3)) is None


def test_pooled_predictions():
    parts = [made_up(3, seed=seed) for seed in (0, 1)]
    assert len(parts[0].pooled(parts).truth) == 400
    bare = ClassPredictions(parts[0].classes, *(getattr(parts[0], name) for name in ("rows", "truth", "predicted")))
    assert parts[0].pooled([parts[0], bare]).probabilities is None


def test_the_error_of_a_mean_counts_that_splits_overlap():
    """Nadeau and Bengio on ten splits of ten folds: sqrt(1/10 + 1/9) times the standard deviation."""
    values = np.random.default_rng(0).normal(size=10)
    assert estimate(values, 10).error == pytest.approx(np.std(values, ddof=1) * np.sqrt(0.1 + 1 / 9))
    for c in (2.0**-1000, 2.0**1000):  # as small and as large as the target's unit makes them
        assert estimate(c * values, 10).error == c * estimate(values, 10).error
    assert estimate([3.0, np.nan], 5)[0] == 3.0
    assert "{:.2f} {:.2f} {}".format(*estimate([9, 11, 10, 10, np.nan], 5)) == "10.00 0.58 4"
    assert np.isnan(estimate([3.0], 5).error)
    assert np.isnan(estimate([], 5).mean)
    assert estimate([1.0, 2.0, 3.0], 3).margin == pytest.approx(2.9200 * np.sqrt(1 / 3 + 1 / 2), rel=1e-4)
