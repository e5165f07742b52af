"""Methods for tables with categories and gaps: functions of a seed and a task.

Boosting handles categories and gaps itself. A forest gets a column for every category;
it and the methods of pytabkit get medians for gaps in numbers, and a column that says
where gaps were.
"""

from functools import partial

import numpy as np
from outside_methods import BAGGED, PRETUNED, catboost, lightgbm, pretuned
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from freemetric import TableClassifier, TableRegressor

OURS = "freemetric"
N_TREES = 500
GAP = "missing"
NAMES = make_column_selector(dtype_include="category")
NUMBERS = make_column_selector(dtype_include="number")


def ours(seed, task):
    table = TableClassifier if task == "Classifier" else TableRegressor
    return table(random_state=seed)


def filled(names):
    """Medians for gaps in numbers, and columns of where these were."""
    numbers = SimpleImputer(
        strategy="median", add_indicator=True, keep_empty_features=True
    )
    made = make_column_transformer(
        (numbers, NUMBERS), (names, NAMES), verbose_feature_names_out=False
    )
    return made.set_output(transform="pandas")


def forest(seed, task):
    kind = RandomForestClassifier if task == "Classifier" else RandomForestRegressor
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_pipeline(filled(one_hot), kind(N_TREES, random_state=seed))


def hist_boosting(seed, task):
    is_class = task == "Classifier"
    kind = HistGradientBoostingClassifier if is_class else HistGradientBoostingRegressor
    return kind(categorical_features="from_dtype", random_state=seed)


class NativeCatBoost(BaseEstimator):
    """CatBoost that is told which columns are categories; a gap is one of them."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.names_ = NAMES(X)
        self.model_ = catboost(self.random_state, self.task)
        self.model_.set_params(cat_features=self.names_)
        self.model_.fit(self._named(X), y)
        if self.task == "Classifier":
            self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return np.ravel(self.model_.predict(self._named(X)))

    def _named(self, X):
        names = {name: X[name].astype(object) for name in self.names_}
        return X.assign(**{n: c.where(c.notna(), GAP) for n, c in names.items()})


class CatBoostOfClasses(ClassifierMixin, NativeCatBoost):
    task = "Classifier"

    def predict_proba(self, X):
        return self.model_.predict_proba(self._named(X))


class CatBoostOfNumbers(RegressorMixin, NativeCatBoost):
    task = "Regressor"


def native_catboost(seed, task):
    return (CatBoostOfClasses if task == "Classifier" else CatBoostOfNumbers)(seed)


def filled_pretuned(name, seed, task):
    return make_pipeline(filled("passthrough"), pretuned(name, seed, task))


METHODS = {
    OURS: ours,
    "forest": forest,
    "hist-boosting": hist_boosting,
    "lightgbm": lightgbm,
    "catboost": native_catboost,
    **{name: partial(filled_pretuned, name) for name in PRETUNED},
    **{name + BAGGED: partial(filled_pretuned, name + BAGGED) for name in PRETUNED},
}
"""The methods by name, the cheaper ones first."""
