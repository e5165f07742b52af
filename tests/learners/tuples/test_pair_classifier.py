from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, fbeta_score, recall_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from freemetric import GMML, ITML, LDML, MMC, SDML, DMLeig, PairClassifier


@pytest.fixture
def model(pairs, itml):
    return PairClassifier(itml, preprocessor=pairs.X).fit(pairs.rows, pairs.signs)


def sensitivity(truth, said):
    return recall_score(truth, said, pos_label=1)


def specificity(truth, said):
    return recall_score(truth, said, pos_label=-1)


STRATEGIES = {
    "accuracy": ({}, accuracy_score),
    "f_beta": ({"beta": 3.0}, partial(fbeta_score, beta=3.0, zero_division=0)),
    "max_tpr": (
        {"min_rate": 0.7},
        lambda t, s: sensitivity(t, s) if specificity(t, s) >= 0.7 else -1,
    ),
    "max_tnr": (
        {"min_rate": 0.95},
        lambda t, s: specificity(t, s) if sensitivity(t, s) >= 0.95 else -1,
    ),
}


@pytest.mark.parametrize(
    "learner", [ITML(random_state=0), MMC(), SDML(), DMLeig(), GMML(), LDML()], ids=repr
)
def test_it_learns_what_the_learner_learns_from_indices(pairs, learner):
    model = PairClassifier(learner, preprocessor=pairs.X).fit(pairs.rows, pairs.signs)
    alone = clone(learner).fit(pairs.X, pairs=pairs.rows, pair_labels=pairs.signs)
    np.testing.assert_array_equal(model.learner_.components_, alone.components_)
    expected = -alone.pair_distance(pairs.X[pairs.rows])
    found = model.decision_function(pairs.rows)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert model.score(pairs.rows, pairs.signs) > 0.85


def test_the_score_is_the_area_under_the_curve(model, pairs):
    """Which is the share of similar and dissimilar pairs whose order is right."""
    distances = model.pair_distance(pairs.rows)
    near, far = distances[pairs.signs > 0], distances[pairs.signs < 0]
    share = np.mean((near[:, None] < far) + 0.5 * (near[:, None] == far))
    assert model.score(pairs.rows, pairs.signs) == pytest.approx(share)
    assert share == pytest.approx(roc_auc_score(pairs.signs, -distances))


def thresholds_of(distances):
    """All that differ in what they say."""
    distances = np.unique(distances)
    return [-1.0, *(sum(two) / 2 for two in pairwise(distances)), distances[-1] + 1]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_threshold_is_better(pairs, itml, strategy):
    options, measure = STRATEGIES[strategy]
    model = PairClassifier(itml, preprocessor=pairs.X)
    known, signs = pairs.rows[:50], pairs.signs[:50]
    model.fit(pairs.rows[100:], pairs.signs[100:], calibrate=None)
    with pytest.raises(NotFittedError, match="There is no threshold"):
        model.predict(known)
    assert model.calibrate_threshold(known, signs, strategy, **options) is model
    distances = model.pair_distance(known)
    said = [np.where(distances <= tried, 1, -1) for tried in thresholds_of(distances)]
    best = max(measure(signs, each) for each in said)
    assert measure(signs, model.predict(known)) == pytest.approx(best)


def test_folds_score_pairs_that_were_left_out(pairs, itml):
    X, rows, signs = pairs
    model = PairClassifier(itml, preprocessor=X, n_folds=4).fit(rows, signs)
    distances = np.empty(len(rows))
    for seen, left_out in StratifiedKFold(4).split(rows, signs):
        part = clone(itml).fit(X, pairs=rows[seen], pair_labels=signs[seen])
        distances[left_out] = part.pair_distance(X[rows[left_out]])

    def n_right(threshold):
        return np.sum((distances <= threshold) == (signs > 0))

    assert n_right(model.threshold_) == max(map(n_right, thresholds_of(distances)))
    whole = clone(itml).fit(X, pairs=rows, pair_labels=signs)
    np.testing.assert_array_equal(model.learner_.components_, whole.components_)


def test_bad_parameters_are_named(pairs, itml):
    for model, message in (
        (PairClassifier("itml"), "'learner' parameter of PairClassifier"),
        (PairClassifier(itml, n_folds=1), "'n_folds' parameter of PairClassifier"),
        (PairClassifier(itml, preprocessor=3), "'preprocessor' parameter of Pair"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(pairs.X[pairs.rows], pairs.signs)


def test_copies_are_one_point(pairs):
    """ITML's bounds are percentiles of distances between points: a point in many pairs
    counts once.
    """
    model = PairClassifier(ITML(random_state=0)).fit(pairs.X[pairs.rows], pairs.signs)
    used = np.unique(pairs.rows)
    alone = ITML(random_state=0).fit(
        pairs.X[used], pairs=np.searchsorted(used, pairs.rows), pair_labels=pairs.signs
    )
    np.testing.assert_allclose(model.learner_.bounds_, alone.bounds_)


def test_a_threshold_of_ones_own(model, pairs):
    distances = model.pair_distance(pairs.rows)
    expected = np.where(distances <= distances[7], 1, -1)
    predicted = model.set_threshold(distances[7]).predict(pairs.rows)
    np.testing.assert_array_equal(predicted, expected)
    with pytest.raises(ValueError, match="threshold must be a number"):
        model.set_threshold("0.3")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "best"}, "strategy must be one of 'accuracy', 'f_beta'"),
        ({"strategy": "max_tpr"}, "'max_tpr' needs min_rate"),
        ({"strategy": "max_tnr", "min_rate": 1.5}, "needs min_rate"),
        ({"strategy": "f_beta", "beta": -1}, "beta must be a number of at least 0"),
    ],
)
def test_bad_strategies_are_named(model, pairs, options, message):
    with pytest.raises(ValueError, match=message):
        model.calibrate_threshold(pairs.rows, pairs.signs, **options)
