"""Cross-fitting: no sample is predicted by a model that has learned from it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from freemetric.ensemble import stacking
from freemetric.ensemble.stacking import (
    checked_estimators,
    cross_fitted,
    fit_all,
    folds_of,
    weighted_fit,
)

DEFAULT = [("line", Ridge()), ("other", LogisticRegression())]


class Memory(BaseEstimator):
    """Predicts whether it has learned from a sample, and how many it has."""

    def fit(self, X, y):
        self.learned_ = X[:, 0]
        self.y_ = y
        return self

    def predict(self, X):
        known = np.isin(X[:, 0], self.learned_).astype(float)
        n_classes = np.full(len(X), len(np.unique(self.y_)))
        return np.column_stack([known, np.full(len(X), len(self.y_)), n_classes])


def test_no_sample_is_predicted_by_what_it_taught(rng):
    X, y = np.arange(103.0)[:, None], np.zeros(103)
    wanted = np.sort(rng.permutation(103)[:50])
    estimators = [("a", Memory()), ("b", Memory())]
    first, second = cross_fitted(
        estimators, X, y, None, y, wanted, lambda fitted, Q: fitted.predict(Q), 2
    )
    assert first.shape == (50, 3)
    assert not first[:, 0].any()
    assert set(first[:, 1]) <= {82, 83}
    assert_array_equal(first, second)


def test_many_samples_teach_with_their_share_of_every_class(rng, monkeypatch):
    monkeypatch.setattr(stacking, "MOST_LEARNED", 200)
    y = np.repeat([0, 1, 2], [900, 95, 5])
    rng.shuffle(y)
    X = np.arange(1000.0)[:, None]
    wanted = np.arange(1000)
    (found,) = cross_fitted(
        [("a", Memory())], X, y, None, y, wanted, lambda fitted, Q: fitted.predict(Q), 1
    )
    assert not found[:, 0].any()
    assert (found[:, 1] < 200).all()
    assert (found[:, 2] == 3).all()


def test_folds_hold_their_share_of_every_class(rng):
    strata = rng.permutation(np.repeat([0, 1, 2, 3], [50, 23, 2, 1]))
    folds, can_learn = folds_of(strata)
    assert can_learn.all()
    assert (folds[strata > 1] == -1).all()
    assert_array_equal(np.bincount(folds[strata == 0]), [10] * 5)
    assert np.ptp(np.bincount(folds[strata == 1])) == 1


def test_weights_reach_the_last_step_of_a_pipeline(rng):
    X, w = rng.normal(size=(40, 2)), rng.uniform(0.1, 3, 40)
    y = X[:, 0] + rng.normal(size=40)
    found = weighted_fit("a", make_pipeline(StandardScaler(), Ridge()), X, y, w)
    known = Ridge().fit(StandardScaler().fit_transform(X), y, w).coef_
    assert_allclose(found[-1].coef_, known)
    assert_allclose(
        weighted_fit("a", Ridge(), X, y, w).coef_, Ridge().fit(X, y, w).coef_
    )


def test_an_estimator_without_weights_is_refused_by_its_name(rng):
    with pytest.raises(ValueError, match="'near' beside the votes takes no sample_wei"):
        weighted_fit("near", KNeighborsClassifier(), np.eye(3), [0, 1, 2], np.ones(3))


def test_clones_are_fitted():
    own = Ridge()
    ((name, fitted),) = fit_all([("line", own)], np.eye(3), np.ones(3), None, 1)
    assert name == "line"
    assert not hasattr(own, "coef_")
    assert hasattr(fitted, "coef_")


def test_estimators_are_chosen_by_name():
    own = Ridge(3)
    assert checked_estimators("default", DEFAULT, "predict") == DEFAULT
    assert checked_estimators(None, DEFAULT, "predict") == []
    assert checked_estimators([], DEFAULT, "predict") == []
    chosen = [("mine", own), ["line", "default"], ("other", "drop")]
    found = checked_estimators(chosen, DEFAULT, "predict")
    assert found == [("mine", own), ("line", DEFAULT[0][1])]


@pytest.mark.parametrize(
    ("estimators", "message"),
    [
        ("other", "estimators is 'default', None or a list"),
        ([Ridge()], "a list of \\(name, estimator\\)"),
        ([("a", Ridge(), 3)], "a list of \\(name, estimator\\)"),
        (["ab"], "a list of \\(name, estimator\\)"),
        ([("a", Ridge()), ("a", Ridge())], "different names"),
        ([("tree", "default")], "no default named 'tree'; known: 'line', 'other'"),
        ([("line", Ridge())], "'line' beside the votes has no predict_proba"),
        ([("a", 3)], "'a' beside the votes has no predict_proba; got 3"),
    ],
)
def test_other_estimators_are_refused_in_a_line(estimators, message):
    with pytest.raises(ValueError, match=message) as caught:
        checked_estimators(estimators, DEFAULT, "predict_proba")
    assert "\n" not in str(caught.value)
