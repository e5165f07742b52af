"""Classifiers from outside metric learning, given a fair chance: scaled features, parameters tuned by inner folds."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC
from sklearn.utils.metaestimators import available_if

from .sampling import stratified_sample

MOST_TUNED_ON = 2000


def _can(method: str) -> Callable:
    """A condition of scikit-learn's: whether the classifier within has this method."""
    return lambda tuned: hasattr(tuned.classifier, method)


class Tuned(ClassifierMixin, BaseEstimator):
    """A scaled classifier whose grid is searched on at most 2,000 patterns; the best is then fitted on all."""

    def __init__(self, classifier: BaseEstimator, grid: dict[str, list], random_state: int | None = None):
        self.classifier = classifier
        self.grid = grid
        self.random_state = random_state

    def fit(self, X: NDArray, y: NDArray) -> "Tuned":
        model = make_pipeline(MinMaxScaler(), clone(self.classifier))
        grid = {f"{model.steps[-1][0]}__{name}": values for name, values in self.grid.items()}
        rng = np.random.default_rng(self.random_state)
        some = stratified_sample(rng, y, MOST_TUNED_ON) if len(y) > MOST_TUNED_ON else np.arange(len(y))
        n_folds = int(np.clip(np.bincount(y[some])[np.unique(y)].min(), 2, 5))
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=self.random_state)
        best = GridSearchCV(model, grid, cv=folds, refit=False).fit(X[some], y[some]).best_params_
        self.model_ = model.set_params(**best).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: NDArray) -> NDArray:
        return self.model_.predict(X)

    @available_if(_can("predict_proba"))
    def predict_proba(self, X: NDArray) -> NDArray:
        return self.model_.predict_proba(X)

    @available_if(_can("decision_function"))
    def decision_function(self, X: NDArray) -> NDArray:
        return self.model_.decision_function(X)


REFERENCES: dict[str, Callable[[], BaseEstimator]] = {
    "hist-boosting": HistGradientBoostingClassifier,
    "svm": lambda: Tuned(SVC(), {"C": [1, 10, 100], "gamma": [0.1, 0.5, "scale", 2.0, 8.0]}),
    "logistic": lambda: Tuned(LogisticRegression(max_iter=2000), {"C": [0.1, 1.0, 10.0, 100.0, 1000.0]}),
}
