from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, fbeta_score, recall_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

import freemetric
from freemetric import GMML, ITML, LDML, MMC, SDML, DMLeig, PairClassifier
from freemetric.report.card import drawn_card


@pytest.fixture
def model(pairs, itml):
    return PairClassifier(itml, preprocessor=pairs.X).fit(pairs.rows, pairs.signs)


def sensitivity(truth, said):
    return recall_score(truth, said, pos_label=1)


def specificity(truth, said):
    return recall_score(truth, said, pos_label=-1)


STRATEGIES = {
    "accuracy": ({}, accuracy_score),
    "f_beta": ({"beta": 3.0}, lambda truth, said: fbeta_score(truth, said, beta=3.0, zero_division=0)),
    "max_tpr": ({"min_rate": 0.7}, lambda t, s: sensitivity(t, s) if specificity(t, s) >= 0.7 else -1),
    "max_tnr": ({"min_rate": 0.95}, lambda t, s: specificity(t, s) if sensitivity(t, s) >= 0.95 else -1),
}


@pytest.mark.parametrize("learner", [ITML(random_state=0), MMC(), SDML(), DMLeig(), GMML(), LDML()], ids=repr)
def test_it_learns_what_the_learner_learns_from_indices(pairs, learner):
    model = PairClassifier(learner, preprocessor=pairs.X).fit(pairs.rows, pairs.signs)
    alone = clone(learner).fit(pairs.X, pairs=pairs.rows, pair_labels=pairs.signs)
    np.testing.assert_array_equal(model.learner_.components_, alone.components_)
    np.testing.assert_array_equal(model.decision_function(pairs.rows), -alone.pair_distance(pairs.X[pairs.rows]))
    assert model.score(pairs.rows, pairs.signs) > 0.85


def test_the_score_is_the_area_under_the_curve(model, pairs):
    """Which is the share of similar and dissimilar pairs whose order is right."""
    distances = model.pair_distance(pairs.rows)
    near, far = distances[pairs.signs > 0], distances[pairs.signs < 0]
    share = np.mean((near[:, None] < far) + 0.5 * (near[:, None] == far))
    assert model.score(pairs.rows, pairs.signs) == pytest.approx(share)
    assert model.score(pairs.rows, pairs.signs) == pytest.approx(roc_auc_score(pairs.signs, -distances))


def thresholds_of(distances):
    """All that differ in what they say."""
    distances = np.unique(distances)
    return [-1.0, *(sum(two) / 2 for two in pairwise(distances)), distances[-1] + 1]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("where", ["fit", "afterwards"])
def test_no_threshold_is_better(pairs, itml, strategy, where):
    options, measure = STRATEGIES[strategy]
    model = PairClassifier(itml, preprocessor=pairs.X)
    known, signs = pairs.rows[:50], pairs.signs[:50]
    if where == "fit":
        model.fit(known, signs, calibrate={"strategy": strategy, **options})
    else:
        model.fit(pairs.rows[100:], pairs.signs[100:], calibrate=None)
        assert model.calibrate_threshold(known, signs, strategy, **options) is model
    distances = model.pair_distance(known)
    best = max(measure(signs, np.where(distances <= tried, 1, -1)) for tried in thresholds_of(distances))
    assert measure(signs, model.predict(known)) == pytest.approx(best)


def test_accuracy_is_the_default(model, pairs):
    expected = clone(model).fit(pairs.rows, pairs.signs, calibrate="accuracy").threshold_
    assert model.threshold_ == expected
    assert model.calibrate_threshold(pairs.rows, pairs.signs).threshold_ == expected


def test_a_threshold_of_ones_own(model, pairs):
    distances = model.pair_distance(pairs.rows)
    for threshold in (0, 0.3, distances[7], 1e9, -1.0, np.float32(0.5)):
        assert model.set_threshold(threshold) is model
        np.testing.assert_array_equal(model.predict(pairs.rows), np.where(distances <= threshold, 1, -1))
    for bad in (np.nan, "0.3", None):
        with pytest.raises(ValueError, match="threshold must be a number, the largest distance of similar pairs; got"):
            model.set_threshold(bad)


def test_no_threshold_no_predictions(pairs, itml, tmp_path):
    model = PairClassifier(itml, preprocessor=pairs.X).fit(pairs.rows, pairs.signs)
    model.fit(pairs.rows, pairs.signs, calibrate=None)
    assert not hasattr(model, "threshold_")
    assert model.score(pairs.rows, pairs.signs) > 0.9
    for one in (model, PairClassifier(itml)):
        with pytest.raises(NotFittedError):
            one.predict(pairs.X[pairs.rows])
    with pytest.raises(NotFittedError, match="There is no threshold yet: call calibrate_threshold or set_threshold"):
        model.predict(pairs.rows)
    with pytest.raises(NotFittedError):
        PairClassifier(itml).set_threshold(1.0)
    model.save(tmp_path / "a.fm")
    assert not hasattr(freemetric.load(tmp_path / "a.fm"), "threshold_")


def test_folds_score_pairs_that_were_left_out(pairs, itml):
    model = PairClassifier(itml, preprocessor=pairs.X, n_folds=4).fit(pairs.rows, pairs.signs)
    distances = np.empty(len(pairs.rows))
    for seen, left_out in StratifiedKFold(4).split(pairs.rows, pairs.signs):
        part = clone(itml).fit(pairs.X, pairs=pairs.rows[seen], pair_labels=pairs.signs[seen])
        distances[left_out] = part.pair_distance(pairs.X[pairs.rows[left_out]])
    right = [np.sum((distances <= tried) == (pairs.signs > 0)) for tried in thresholds_of(distances)]
    assert np.sum((distances <= model.threshold_) == (pairs.signs > 0)) == max(right)
    whole = clone(itml).fit(pairs.X, pairs=pairs.rows, pair_labels=pairs.signs)
    np.testing.assert_array_equal(model.learner_.components_, whole.components_)


@pytest.mark.parametrize(
    ("calibrate", "message"),
    [
        ("best", "strategy must be one of 'accuracy', 'f_beta', 'max_tpr', 'max_tnr'; got 'best'"),
        ({"rate": 0.3}, "calibrate must be a strategy, or a dict of strategy, beta and min_rate"),
        (0.3, "calibrate must be a strategy, or a dict"),
        ("max_tpr", "strategy='max_tpr' needs min_rate, a number between 0 and 1; got None"),
        ({"strategy": "max_tnr", "min_rate": 1.5}, "needs min_rate, a number between 0 and 1; got 1.5"),
        ({"strategy": "f_beta", "beta": -1}, "beta must be a number of at least 0; got -1"),
    ],
)
def test_bad_calibrations_are_named_before_anything_is_learned(pairs, itml, calibrate, message):
    model = PairClassifier(itml, preprocessor=pairs.X)
    with pytest.raises(ValueError, match=message):
        model.fit(pairs.rows, pairs.signs, calibrate=calibrate)
    assert not hasattr(model, "learner_")
    if isinstance(calibrate, str):
        with pytest.raises(ValueError, match=message):
            model.fit(pairs.rows, pairs.signs).calibrate_threshold(pairs.rows, pairs.signs, calibrate)


def test_bad_parameters_are_named(pairs, itml):
    for model, message in (
        (PairClassifier("itml"), "'learner' parameter of PairClassifier"),
        (PairClassifier(itml, n_folds=1), "'n_folds' parameter of PairClassifier"),
        (PairClassifier(itml, preprocessor=3), "'preprocessor' parameter of PairClassifier"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(pairs.X[pairs.rows], pairs.signs)


def test_copies_are_one_point(pairs):
    """ITML's bounds are percentiles of distances between points: a point in many pairs counts once."""
    model = PairClassifier(ITML(random_state=0)).fit(pairs.X[pairs.rows], pairs.signs)
    used = np.unique(pairs.rows)
    alone = ITML(random_state=0).fit(pairs.X[used], pairs=np.searchsorted(used, pairs.rows), pair_labels=pairs.signs)
    np.testing.assert_allclose(model.learner_.bounds_, alone.bounds_)


def test_the_card_says_the_threshold(model):
    assert f"up to a distance of {model.threshold_:.4g}" in drawn_card(model)
