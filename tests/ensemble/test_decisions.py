"""class_weight and scoring: what calibrated probabilities are used for."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.metrics import (
    balanced_accuracy_score,
    f1_score,
    fbeta_score,
    get_scorer,
    log_loss,
    make_scorer,
    roc_auc_score,
)
from sklearn.model_selection import train_test_split
from sklearn.utils.class_weight import compute_class_weight

import freemetric
from freemetric import FreeEnergyClassifier
from freemetric.ensemble.tasks.decisions import ProbabilityScore, best_weights, favouring, score_name


def model(**options):
    usual = {"n_replicas": 4, "recipe__candidates": ["quantiles/full"], "recipe__temperature": 1e-3}
    return FreeEnergyClassifier(random_state=0).set_params(**usual | options)


def skewed(seed, n=1350, **options):
    options = {"n_informative": 4, "class_sep": 0.8, "random_state": seed} | options
    return make_classification(n, 6, **options)


def rare_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :2]  # all thirty say it too well
    return np.concatenate([X[y == 1], X[y == 0][:45]]), np.repeat([0, 1], [(y == 1).sum(), 45])


SKEWED = {
    "two classes": lambda: skewed(1, weights=[0.9]),
    "three classes": lambda: skewed(2, n_classes=3, n_clusters_per_class=1, weights=[0.8, 0.15]),
    "rare cancer": rare_cancer,
}


@pytest.fixture(scope="module")
def data():
    return skewed(1, weights=[0.9])


@pytest.fixture(scope="module")
def plain(data):
    X, y = data
    return model().fit(X[:350], y[:350])


def weighed(P, weights):
    return P * weights / (P * weights).sum(axis=1, keepdims=True)


@pytest.mark.parametrize("sample_weight", [None, "given"])
def test_a_class_weight_multiplies_probabilities(data, rng, sample_weight):
    X, y = data[0][:200], data[1][:200]
    importance = None if sample_weight is None else rng.random(200) + 0.5
    P = model().fit(X, y, sample_weight=importance).predict_proba(X)
    favoured = model(class_weight={1: 4}).fit(X, y, sample_weight=importance)
    np.testing.assert_allclose(favoured.predict_proba(X), weighed(P, [1, 4]), rtol=1e-5)
    np.testing.assert_array_equal(favoured.class_weight_, [1, 4])


def test_probabilities_times_factors():
    found = favouring(np.array([[0.5, 0.5], [0.8, 0.2], [0.9, 0.1]]), np.array([1.0, 3.0]))
    np.testing.assert_allclose(found, [[1 / 4, 3 / 4], [4 / 7, 3 / 7], [3 / 4, 1 / 4]])


def test_balanced_is_one_over_the_weight_of_a_class(data, rng, plain):
    X, y = data[0][:350], data[1][:350]
    balanced = model(class_weight="balanced").fit(X, y).class_weight_
    np.testing.assert_allclose(balanced, compute_class_weight("balanced", classes=np.unique(y), y=y))
    importance = rng.integers(1, 4, len(y))
    total = np.bincount(y, importance)
    balanced = model(class_weight="balanced").fit(X, y, sample_weight=importance).class_weight_
    np.testing.assert_allclose(balanced * total, (balanced * total)[0])
    np.testing.assert_array_equal(plain.class_weight_, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("problem", SKEWED)
@pytest.mark.parametrize("options", [{"class_weight": "balanced"}, {"recipe__scoring": "balanced_accuracy"}], ids=str)
def test_balanced_accuracy_rises_on_skewed_classes(problem, options):
    X, y = SKEWED[problem]()
    gains = []
    for seed in range(4):
        train, test, y_train, y_test = train_test_split(
            X, y, train_size=min(350, len(X) // 2), stratify=y, random_state=seed
        )
        before, after = (
            balanced_accuracy_score(y_test, model(**given).fit(train, y_train).predict(test)) for given in ({}, options)
        )
        gains.append(after - before)
    assert np.mean(gains) > (0 if problem == "three classes" else 0.02)  # its rare class is found without weights, too


@pytest.mark.parametrize(
    ("class_weight", "said"),
    [
        ({"yes": 2, "maybe": 1}, r"labels that are not among the classes: \['maybe'\]"),
        ({"yes": -1}, "class_weight of 'yes' is no positive number: -1"),
        ({"yes": 0}, "class_weight of 'yes' is no positive number: 0"),
        ({"yes": np.nan}, "class_weight of 'yes' is no positive number: nan"),
        ({"yes": "2"}, "class_weight of 'yes' is no positive number: '2'"),
        ({"yes": True}, "class_weight of 'yes' is no positive number: True"),
        ("fair", "The 'class_weight' parameter of FreeEnergyClassifier must be"),
    ],
)
def test_class_weights_that_cannot_be(data, class_weight, said):
    labels = np.array(["no", "yes"])[data[1]]
    with pytest.raises(ValueError, match=said) as caught:
        model(class_weight=class_weight).fit(data[0], labels)
    assert "\n" not in str(caught.value)


def test_a_fold_may_lack_a_class_that_has_a_weight(data):
    X, y = data[0][:100], data[1][:100]
    np.testing.assert_array_equal(model(class_weight={0: 1, 1: 3, 2: 9}).fit(X, y).class_weight_, [1, 3])


def f2(y, labels):
    return fbeta_score(y, labels, beta=2)


@pytest.mark.parametrize(
    ("scoring", "metric"),
    [
        ("balanced_accuracy", lambda y, P: balanced_accuracy_score(y, P.argmax(axis=1))),
        ("f1", lambda y, P: f1_score(y, P.argmax(axis=1))),
        ("neg_log_loss", lambda y, P: -log_loss(y, P)),
        ("roc_auc", lambda y, P: roc_auc_score(y, P[:, 1])),
        (make_scorer(f2), lambda y, P: f2(y, P.argmax(axis=1))),
        (lambda estimator, X, y: -estimator.predict_proba(X)[:, 1].mean(), lambda y, P: -P[:, 1].mean()),
    ],
    ids=["balanced accuracy", "F1", "log loss", "AUC", "F2", "a function"],
)
def test_the_score_out_of_bag_is_the_one_asked_for(data, scoring, metric):
    X, y = data[0][:350], data[1][:350]
    found = model(recipe__scoring=scoring).fit(X, y)
    scored = ~np.isnan(found.oob_decision_function_).any(axis=1)
    assert found.oob_score_ == pytest.approx(metric(y[scored], found.oob_decision_function_[scored]))


@pytest.mark.parametrize(
    "scoring",
    [
        "neg_log_loss",
        "roc_auc",
        *(pytest.param(s, marks=pytest.mark.slow) for s in ("average_precision", "neg_brier_score")),
    ],
)
def test_scores_of_probabilities_leave_them_alone(data, plain, scoring):
    X, y = data[0][:350], data[1][:350]
    np.testing.assert_array_equal(model(recipe__scoring=scoring).fit(X, y).predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1", "f1_macro"])
def test_scores_of_labels_tune_decisions(data, plain, scoring):
    X, y = data
    tuned, score = model(recipe__scoring=scoring).fit(X[:350], y[:350]), get_scorer(scoring)
    assert score(tuned, X[350:], y[350:]) > score(plain, X[350:], y[350:]) + 0.02
    P = plain.predict_proba(X[350:])
    np.testing.assert_allclose(tuned.predict_proba(X[350:]), weighed(P, tuned.class_weight_), rtol=1e-5)
    np.testing.assert_array_equal(tuned.predict(X), tuned.predict_proba(X).argmax(axis=1))


def test_given_weights_are_not_tuned(data):
    X, y = data[0][:350], data[1][:350]
    np.testing.assert_array_equal(model(class_weight={0: 1.0}, recipe__scoring="f1").fit(X, y).class_weight_, 1.0)


def test_a_scorer_that_cannot_score_these_classes_says_so_before_the_search(data, monkeypatch):
    monkeypatch.setattr("freemetric.ensemble.base.run_to_the_end", None)  # it would fail otherwise
    with pytest.raises(ValueError, match="pos_label=1 is not a valid label"):
        model(recipe__scoring="f1").fit(data[0], np.array(["no", "yes"])[data[1]])


def test_the_best_weights_are_on_a_plateau_and_near_to_none():
    np.testing.assert_array_equal(best_weights(lambda w: 1.0, np.array([90, 10])), [1, 1])
    found = best_weights(lambda w: float(4 < w[1] / w[0] < 8), np.array([90, 10]))
    assert 4 < found[1] / found[0] < 8
    lucky = best_weights(lambda w: 1.2 if np.isclose(w[1] / w[0], np.exp(-3)) else float(w[1] > w[0]), np.ones(2))
    assert lucky[1] > lucky[0]


def test_classes_of_average_size_keep_their_weight():
    """As those without rows do."""
    found = best_weights(lambda w: -abs(np.log(w[2] / w[0]) - np.log(3)), np.array([90.0, 60.0, 30.0]))
    np.testing.assert_allclose(found, [60 / 90, 1, 60 / 30])
    found = best_weights(lambda w: -abs(np.log(w[1] / w[0]) - np.log(3)), np.array([90.0, 30.0, 0.0]))
    np.testing.assert_allclose(found, [40 / 90, 40 / 30, 1])


def test_many_classes_are_weighed_by_their_sizes():
    sizes = np.array([80.0, 15.0, 5.0])
    found = best_weights(lambda w: -abs(np.log(w[2] / w[0]) - np.log(16)), sizes)
    np.testing.assert_allclose(found / found[0], 80 / sizes)
    without = best_weights(lambda w: w[1] / w[0], np.array([80.0, 15.0, 0.0]))
    assert np.isfinite(without).all()
    assert (without > 0).all()


def test_scores_that_are_not_finite_are_not_taken():
    found = best_weights(lambda w: np.nan if w[1] < w[0] else 0.5, np.array([50, 50]))
    assert found[1] >= found[0]


def test_weights_stay_when_rows_come(data):
    X, y = data
    grown = model(class_weight="balanced").partial_fit(X[:200], y[:200])
    before = grown.class_weight_
    np.testing.assert_array_equal(grown.partial_fit(X[200:250], y[200:250]).class_weight_, before)


def test_decisions_are_saved(data, tmp_path):
    X, y = data[0][:200], data[1][:200]
    found = model(recipe__scoring="f1", class_weight={1: 2.0}).fit(X, y)
    found.save(tmp_path / "weighed.model")
    loaded = freemetric.load(tmp_path / "weighed.model")
    np.testing.assert_array_equal(loaded.predict_proba(X), found.predict_proba(X))
    assert loaded.oob_score_ == found.oob_score_
    found.class_weight_ = -found.class_weight_
    with pytest.raises(freemetric.files.ModelFileError, match="class_weight_ is not positive"):
        found.save(tmp_path / "negative.model")


@pytest.mark.parametrize(
    ("scoring", "of_labels"),
    [(None, False), ("f1", True), ("balanced_accuracy", True), ("neg_log_loss", False), ("roc_auc", False)],
)
def test_scores_of_labels_are_distinguished_from_those_of_probabilities(scoring, of_labels):
    assert ProbabilityScore(scoring, np.arange(2)).is_of_labels(np.array([0, 1, 1])) == of_labels


def test_scores_have_names():
    assert [score_name(scoring) for scoring in (None, "f1_macro", f2)] == ["accuracy", "f1 macro", "score"]
