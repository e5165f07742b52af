"""What users do with an estimator, one function a use.

Each takes a ``Subject`` and gives scores, higher for better; it asks for two workers wherever scikit-learn lets it.
"""

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - HalvingGridSearchCV is imported by it
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
    learning_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import (
    ClassifierChain,
    MultiOutputClassifier,
    MultiOutputRegressor,
    RegressorChain,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

JOBS = 2


@dataclass(frozen=True)
class Subject:
    """An estimator that predicts, and what it is tried on."""

    model: Any
    X: Any
    y: np.ndarray
    is_classifier: bool
    grid: dict[str, list]  # one parameter with two values
    learner: Any = None  # the step of ``model`` that transforms, where there is one

    def score_of(self, predicted: np.ndarray) -> float:
        """Accuracy, or R2."""
        return (accuracy_score if self.is_classifier else r2_score)(self.y, predicted)


def _folds(subject):
    """Two folds, each with rows of every class."""
    even, odd = np.arange(0, len(subject.y), 2), np.arange(1, len(subject.y), 2)
    return [(even, odd), (odd, even)]


def _cross_val_score(model, subject, X=None, n_folds=1):
    """Scores of one fold: it is a worker that fits, and the fewer fits the better."""
    X = subject.X if X is None else X
    return cross_val_score(
        model,
        X,
        subject.y,
        cv=_folds(subject)[:n_folds],
        n_jobs=JOBS,
        error_score="raise",
    )


def _fitted_score(estimator, subject):
    return estimator.fit(subject.X, subject.y).score(subject.X, subject.y)


def use_cross_val_score(subject):
    return _cross_val_score(subject.model, subject, n_folds=2)


def use_cross_val_predict(subject):
    return subject.score_of(
        cross_val_predict(
            subject.model, subject.X, subject.y, cv=_folds(subject), n_jobs=JOBS
        )
    )


def use_learning_curve(subject):
    _, _, scores = learning_curve(
        subject.model,
        subject.X,
        subject.y,
        cv=_folds(subject)[:1],
        train_sizes=[1.0],
        n_jobs=JOBS,
        error_score="raise",
    )
    return scores


def use_grid_search(subject):
    search = GridSearchCV(
        subject.model,
        subject.grid,
        cv=_folds(subject)[:1],
        n_jobs=JOBS,
        error_score="raise",
    )
    return search.fit(subject.X, subject.y).best_score_


def use_randomized_search(subject):
    options = {
        "cv": _folds(subject)[:1],
        "n_jobs": JOBS,
        "refit": False,
        "error_score": "raise",
    }
    search = RandomizedSearchCV(
        subject.model, subject.grid, n_iter=2, random_state=0, **options
    )
    return search.fit(subject.X, subject.y).best_score_


def use_halving_search(subject):
    options = {
        "cv": _folds(subject)[:1],
        "n_jobs": JOBS,
        "refit": False,
        "error_score": "raise",
    }
    least = 3 * len(subject.y) // 4
    search = HalvingGridSearchCV(
        subject.model,
        subject.grid,
        factor=4 / 3,
        min_resources=least,
        random_state=0,
        **options,
    )
    return search.fit(subject.X, subject.y).best_score_


def use_bagging(subject):
    kind = BaggingClassifier if subject.is_classifier else BaggingRegressor
    return _fitted_score(
        kind(subject.model, n_estimators=2, n_jobs=JOBS, random_state=0), subject
    )


def _beside_another(subject):
    other = GaussianNB() if subject.is_classifier else LinearRegression()
    return [("ours", subject.model), ("other", other)]


def use_stacking(subject):
    kind, last = (
        (StackingClassifier, GaussianNB)
        if subject.is_classifier
        else (StackingRegressor, LinearRegression)
    )
    return _fitted_score(
        kind(_beside_another(subject), last(), cv=2, n_jobs=JOBS), subject
    )


def use_voting(subject):
    kind = VotingClassifier if subject.is_classifier else VotingRegressor
    return _fitted_score(kind(_beside_another(subject), n_jobs=JOBS), subject)


def use_one_vs_rest(subject):
    return _fitted_score(OneVsRestClassifier(subject.model, n_jobs=JOBS), subject)


def use_calibrated(subject):
    return _fitted_score(
        CalibratedClassifierCV(subject.model, cv=_folds(subject)[:1], n_jobs=JOBS),
        subject,
    )


def _two_outputs(subject):
    return np.stack([subject.y, subject.y[0] - subject.y + subject.y.max()], axis=1)


def use_multi_output(subject):
    kind = MultiOutputClassifier if subject.is_classifier else MultiOutputRegressor
    Y = _two_outputs(subject)
    return kind(subject.model, n_jobs=JOBS).fit(subject.X, Y).score(subject.X, Y)


def _share_of_right_labels(chain, X, Y):
    return np.mean(
        chain.predict(X) == Y
    )  # scikit-learn has no score of several outputs with several classes


def use_chain(subject):
    """Chains take arrays alone, and know no workers of their own: the folds have them."""
    kind, scoring = (
        (ClassifierChain, _share_of_right_labels)
        if subject.is_classifier
        else (RegressorChain, "r2")
    )
    X, Y = np.asarray(subject.X), _two_outputs(subject)
    options = {
        "cv": _folds(subject)[:1],
        "scoring": scoring,
        "n_jobs": JOBS,
        "error_score": "raise",
    }
    return cross_val_score(kind(subject.model), X, Y, **options)


def _selecting_score(selection, subject):
    """Refuse here what has no importances: joblib ends its workers when one of them raises, and new ones cost time."""
    clone(selection).fit(subject.X, subject.y)
    return _cross_val_score(selection, subject)


def use_rfe(subject):
    return _selecting_score(RFE(subject.model, n_features_to_select=2, step=2), subject)


def use_select_from_model(subject):
    features = SelectFromModel(clone(subject.model), max_features=2, threshold=-np.inf)
    return _selecting_score(make_pipeline(features, subject.model), subject)


def use_permutation_importance(subject):
    fitted = clone(subject.model).fit(subject.X, subject.y)
    found = permutation_importance(
        fitted, subject.X, subject.y, n_repeats=1, n_jobs=JOBS, random_state=0
    )
    return found.importances_mean.max()


def use_partial_dependence(subject):
    """Of two features by joblib, as ``PartialDependenceDisplay`` asks for them."""
    fitted = clone(subject.model).fit(subject.X, subject.y)
    found = Parallel(n_jobs=JOBS)(
        delayed(partial_dependence)(
            fitted, subject.X, [feature], grid_resolution=4, method="brute"
        )
        for feature in (0, 2)
    )
    return np.ptp(found[1]["average"])


def use_transformed_target(subject):
    model = TransformedTargetRegressor(subject.model, transformer=StandardScaler())
    return _cross_val_score(model, subject)


def _with_names(subject):
    """Numbers and a column of names as a frame."""
    colours = np.array(["red", "green"])[np.arange(len(subject.y)) // 2 % 2]
    return (
        pd.DataFrame(np.asarray(subject.X))
        .rename(columns="x{}".format)
        .assign(colour=colours)
    )


def use_column_transformer(subject):
    frame = _with_names(subject)
    numbers = StandardScaler() if subject.learner is None else subject.learner
    last = subject.model if subject.learner is None else subject.model[-1]
    parts = [
        ("numbers", numbers, list(frame)[:-1]),
        ("names", OneHotEncoder(sparse_output=False), ["colour"]),
    ]
    model = make_pipeline(ColumnTransformer(parts, n_jobs=JOBS), last)
    return _cross_val_score(model, subject, frame)


def use_feature_union(subject):
    """Beside the features as they are."""
    union = FeatureUnion(
        [("learned", subject.learner), ("same", "passthrough")], n_jobs=JOBS
    )
    return _cross_val_score(make_pipeline(union, subject.model[-1]), subject)


def use_pickle(subject):
    """Fitted by a worker, sent back, and copied again."""
    (fitted,) = Parallel(n_jobs=JOBS)(
        [delayed(clone(subject.model).fit)(subject.X, subject.y)]
    )
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(subject.X), fitted.predict(subject.X))
    return again.score(subject.X, subject.y)
