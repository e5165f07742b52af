"""Costs, rejection and tuned thresholds: decisions of a fitted classifier, against brute force and scikit-learn."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import freemetric
from freemetric import FreeEnergyClassifier
from freemetric.ensemble.deciding import weights_of_costs


def model(**options):
    usual = {"n_replicas": 6, "recipe__candidates": ["quantiles/full"], "recipe__temperature": 1e-3}
    return FreeEnergyClassifier(random_state=0).set_params(**usual | options)


@pytest.fixture(scope="module")
def skewed():
    X, y = make_classification(1000, 6, n_informative=4, weights=[0.9], class_sep=0.4, random_state=1)
    return X[:350], y[:350], X[350:], y[350:]


@pytest.fixture(scope="module")
def plain(skewed):
    return model().fit(*skewed[:2])


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    return X, names, model().fit(X[::2], names[::2])


def mean_cost(y, labels, costs):
    return (confusion_matrix(y, labels) * costs).sum() / len(y)


def test_costs_are_expected_by_the_sum_over_true_classes(flowers, rng):
    X, _, of_three = flowers
    P, C = of_three.predict_proba(X), rng.normal(size=(3, 3))
    slow = [[sum(p[i] * C[i, j] for i in range(3)) for j in range(3)] for p in P]
    np.testing.assert_array_equal(of_three.predict(X, costs=C), of_three.classes_[np.argmin(slow, axis=1)])


def test_equal_costs_are_no_costs(flowers, plain, skewed):
    X, _, of_three = flowers
    np.testing.assert_array_equal(of_three.predict(X, costs=1 - np.eye(3)), of_three.predict(X))
    np.testing.assert_array_equal(plain.predict(skewed[2], costs=[[0, 2], [2, 0]]), plain.predict(skewed[2]))


def test_two_classes_are_distinguished_by_the_threshold_of_elkan(plain, skewed):
    """C_10 is lost by a miss and C_01 by a false alarm: the alarm pays from C_01 / (C_01 + C_10) on."""
    expected = FixedThresholdClassifier(plain, threshold=2 / (2 + 7), pos_label=1).fit(*skewed[:2])
    by_cost = plain.predict(skewed[2], costs=[[0, 2], [7, 0]])
    np.testing.assert_array_equal(by_cost, expected.predict(skewed[2]))
    assert by_cost.sum() > plain.predict(skewed[2]).sum()


def test_costs_are_lower_where_they_are_counted(plain, skewed):
    costs = np.array([[0, 1], [15, 0]])
    careful, careless = plain.predict(skewed[2], costs=costs), plain.predict(skewed[2])
    assert mean_cost(skewed[3], careful, costs) < 0.8 * mean_cost(skewed[3], careless, costs)


def test_an_answer_of_no_cost_is_always_given(flowers):
    X, _, of_three = flowers
    answers = of_three.predict(X, costs=[[1, 1, 0.5], [1, 1, 0.5], [1, 1, 0.5]])
    assert set(answers) == {"virginica"}
    assert answers.dtype == of_three.predict(X).dtype


def test_costs_stand_for_class_weights(skewed, plain):
    balanced, costs = model(class_weight="balanced").fit(*skewed[:2]), [[0, 1], [4, 0]]
    np.testing.assert_array_equal(balanced.predict(skewed[2], costs=costs), plain.predict(skewed[2], costs=costs))


def test_costs_pass_through_a_pipeline(skewed, plain):
    X, y, new, _ = skewed
    pipeline = make_pipeline(StandardScaler(), model()).fit(X, y)
    assert pipeline.predict(new, costs=[[0, 1], [9, 0]]).sum() > pipeline.predict(new).sum()


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        (
            [[0, 1], [1, 0]],
            "costs of 3 classes must be 3 x 3, a row for every true class and a column for every",
        ),
        (np.ones(3), r"got \(3,\)"),
        (np.full((3, 3), np.nan), "costs has NaN or infinity"),
        ([["a", 1, 2], [1, 0, 1], [1, 1, 0]], "costs must be a matrix of numbers"),
        ([[0, 1], [1]], "costs must be a matrix of numbers"),
    ],
)
def test_costs_that_cannot_be(flowers, costs, said):
    with pytest.raises(ValueError, match=said) as caught:
        flowers[2].predict(flowers[0], costs=costs)
    assert "\n" not in str(caught.value)


def test_rejected_labels_are_masked(flowers):
    X, names, of_three = flowers
    new = np.concatenate([X[1::2], 1e6 + X[:3]])
    answers, p = of_three.predict(new, reject=0.05), of_three.score_samples(new)
    np.testing.assert_array_equal(answers.mask, p <= 0.05)
    assert answers.mask[-3:].all()
    assert not answers.mask.all()
    np.testing.assert_array_equal(answers.data, of_three.predict(new))
    assert set(answers.filled("?")) == {*names, "?"}
    by_cost = of_three.predict(new, costs=np.ones((3, 3)), reject=0.05)
    np.testing.assert_array_equal(by_cost.mask, answers.mask)


@pytest.mark.parametrize("reject", [0, 1, 1.5, -0.1, "0.1", True])
def test_a_share_that_cannot_be_rejected(flowers, reject):
    with pytest.raises(ValueError, match="reject is the share of ordinary samples that are rejected, between 0 and 1"):
        flowers[2].predict(flowers[0], reject=reject)


def balanced_accuracy(y, labels):
    return np.mean([np.mean(labels[y == c] == c) for c in (0, 1)])


def f1(y, labels):
    return 2 * (y * labels).sum() / (y.sum() + labels.sum())


def best_score_by_brute_force(P, y, score):
    """Over all thresholds that tell any two samples apart."""
    cuts = np.concatenate([[0], np.unique(P), [2]])
    return max(score(y, (cut <= P).astype(int)) for cut in cuts)


@pytest.mark.parametrize(("scoring", "score"), [("balanced_accuracy", balanced_accuracy), ("f1", f1)])
def test_thresholds_are_near_the_best_out_of_bag_and_better_on_new_samples(plain, skewed, scoring, score):
    _, y, new, truth = skewed
    tuned, known = plain.tune_threshold(scoring), ~np.isnan(plain.oob_decision_function_[:, 1])
    reached = score(y[known], tuned.oob_decision_function_[known].argmax(axis=1))
    best = best_score_by_brute_force(plain.oob_decision_function_[known, 1], y[known], score)
    assert best - 0.08 < reached <= best  # the score is smoothed, so that the best one need not be taken
    assert score(truth, tuned.predict(new)) > score(truth, plain.predict(new))


def test_a_tuned_threshold_is_a_threshold(plain, skewed):
    tuned = plain.tune_threshold("f1")
    w = tuned.class_weight_
    above = plain.predict_proba(skewed[2])[:, 1] >= w[0] / w.sum()
    np.testing.assert_array_equal(tuned.predict(skewed[2]) == 1, above)
    np.testing.assert_array_equal(plain.class_weight_, 1)  # the model itself stays as it is
    assert plain.class_weight is None


def test_tuning_after_the_fit_is_that_of_the_fit(plain, skewed):
    in_fit = model(recipe__scoring="f1").fit(*skewed[:2])
    np.testing.assert_allclose(plain.tune_threshold("f1").predict_proba(skewed[2]), in_fit.predict_proba(skewed[2]))


def test_tuning_does_not_depend_on_earlier_weights(plain, skewed):
    balanced = model(class_weight="balanced").fit(*skewed[:2])
    for other in (balanced, plain.tune_threshold("f1")):
        np.testing.assert_allclose(
            other.tune_threshold("balanced_accuracy").class_weight_, plain.tune_threshold().class_weight_
        )


def test_a_tuned_model_is_a_model(plain, skewed, tmp_path):
    X, y, new, _ = skewed
    tuned = plain.tune_threshold("f1")
    tuned.save(tmp_path / "tuned.model")
    np.testing.assert_array_equal(freemetric.load(tmp_path / "tuned.model").predict(new), tuned.predict(new))
    again = clone(tuned).fit(X, y)  # its weights are a parameter
    np.testing.assert_allclose(again.predict_proba(new), tuned.predict_proba(new), rtol=1e-6)
    assert tuned.oob_score_ == pytest.approx(again.oob_score_)


def test_thresholds_of_costs(plain, skewed):
    _, y, new, truth = skewed
    costs = np.array([[0, 1], [10, 0]])
    tuned = plain.tune_threshold(costs=costs)
    assert mean_cost(truth, tuned.predict(new), costs) < 0.8 * mean_cost(truth, plain.predict(new), costs)
    known = ~np.isnan(plain.oob_decision_function_[:, 1])
    P, gain = plain.oob_decision_function_[known, 1], lambda y, labels: -mean_cost(y, labels, costs)
    reached = gain(y[known], tuned.oob_decision_function_[known].argmax(axis=1))
    assert reached > 1.3 * best_score_by_brute_force(P, y[known], gain)


def test_costs_beyond_the_steps_are_searched_around_their_own_threshold(plain):
    extreme = plain.tune_threshold(costs=[[0, 1], [1e6, 0]]).class_weight_
    assert extreme[1] / extreme[0] > 5e3


def test_weights_of_costs_decide_as_costs_do(rng):
    P, costs = rng.dirichlet(np.ones(2), 200), np.array([[-1.0, 3.0], [2.0, 0.5]])
    by_weights = (P * weights_of_costs(costs)).argmax(axis=1)
    np.testing.assert_array_equal(by_weights, (P @ costs).argmin(axis=1))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"scoring": "roc_auc"}, "The roc auc has no threshold; tune_threshold takes a score of labels"),
        ({"scoring": "f1", "costs": [[0, 1], [1, 0]]}, "takes a scoring or costs, not both"),
        ({"costs": [[1, 0], [1, 0]]}, "a mistake about either class must cost more than the truth"),
        ({"costs": np.eye(3)}, "costs of 2 classes must be 2 x 2"),
    ],
)
def test_what_cannot_be_tuned(plain, options, said):
    with pytest.raises(ValueError, match=said):
        plain.tune_threshold(**options)


def test_three_classes_have_scores_but_no_threshold_of_costs(flowers):
    with pytest.raises(ValueError, match="costs of more than two classes are no threshold"):
        flowers[2].tune_threshold(costs=1 - np.eye(3))
    assert flowers[2].tune_threshold("f1_macro").class_weight_.shape == (3,)


def test_without_out_of_bag_samples_nothing_is_tuned(plain):
    unknown = plain.tune_threshold("f1")
    unknown.oob_decision_function_ = np.full_like(unknown.oob_decision_function_, np.nan)
    with pytest.raises(ValueError, match="No sample was out of bag, so there is no threshold to tune"):
        unknown.tune_threshold("f1")
    del unknown.oob_decision_function_
    with pytest.raises(ValueError, match="keeps no out-of-bag votes"):
        unknown.tune_threshold("f1")


def test_prediction_sets_follow_the_tuned_probabilities():
    X, y = make_classification(300, 6, weights=[0.85], random_state=0)
    model = FreeEnergyClassifier(n_replicas=4, random_state=0).fit(X, y)
    tuned = model.tune_threshold("f1")
    known = ~np.isnan(tuned.oob_decision_function_).any(axis=1)
    own = tuned.oob_decision_function_[known, y[known]]
    np.testing.assert_allclose(np.sort(tuned.oob_conformity_[:, 1]), np.sort(own))
    truth = tuned.predict_set(X[known], alpha=0.2)[np.arange(known.sum()), y[known]]
    assert truth.mean() > 0.75
    with pytest.raises(ValueError, match="tune_threshold before condense"):
        model.condense(max_rows=60).tune_threshold("f1")
