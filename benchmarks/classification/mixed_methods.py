"""Methods for tables with categories and gaps: functions of a seed and a task.

Boosting handles categories and gaps itself. A forest gets a column for every category;
it and the methods of pytabkit get medians for gaps in numbers, and a column that says
where gaps were. Those of `pytabkit` have the defaults that its authors tuned on other
data sets (D. Holzmüller, L. Grinsztajn, I. Steinwart, Better by Default, NeurIPS 2024).
Networks learn on the device that the environment variable NETWORK_DEVICE names.
"""

import os
from functools import partial

import numpy as np
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
from freemetric.exceptions import require

OURS = "freemetric"
N_TREES = 500
N_BAGS = 5
BAGGED = "-bagged"
PRETUNED = {
    "lgbm-td": "LGBM_TD",
    "xgb-td": "XGB_TD",
    "xrfm": "XRFM_D",
    "realmlp": "RealMLP_TD",
    "catboost-td": "CatBoost_TD",
    "tabm": "TabM_D",
}
"""pytabkit's classes, without their task, by the name of a method."""
NETWORKS = ("realmlp", "tabm")
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


def lightgbm(seed, task):
    kind = getattr(require("lightgbm", "outside"), f"LGBM{task}")
    return kind(random_state=seed, n_jobs=1, verbosity=-1, deterministic=True)


class NativeCatBoost(BaseEstimator):
    """CatBoost that is told which columns are categories; a gap is one of them."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.names_ = NAMES(X)
        kind = getattr(require("catboost", "outside"), f"CatBoost{self.task}")
        options = {"thread_count": 1, "verbose": False, "allow_writing_files": False}
        options |= {"random_seed": self.random_state, "cat_features": self.names_}
        self.model_ = kind(**options).fit(self._named(X), y)
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


def catboost(seed, task):
    return (CatBoostOfClasses if task == "Classifier" else CatBoostOfNumbers)(seed)


def pretuned(name, seed, task):
    """A method of pytabkit; with "-bagged", the mean of five, each on four fifths."""
    single = name.removesuffix(BAGGED)
    kind = getattr(require("pytabkit", "outside"), f"{PRETUNED[single]}_{task}")
    device = os.environ.get("NETWORK_DEVICE", "cpu") if single in NETWORKS else "cpu"
    n_folds = N_BAGS if name.endswith(BAGGED) else 1
    model = kind(device=device, random_state=seed, n_threads=1, n_cv=n_folds)
    return make_pipeline(filled("passthrough"), model)


METHODS = {
    OURS: ours,
    "forest": forest,
    "hist-boosting": hist_boosting,
    "lightgbm": lightgbm,
    "catboost": catboost,
    **{name: partial(pretuned, name) for name in PRETUNED},
    **{name + BAGGED: partial(pretuned, name + BAGGED) for name in PRETUNED},
}
"""The methods by name, the cheaper ones first."""


def package_of(name):
    """Return the package that a method needs, or None."""
    if name.removesuffix(BAGGED) in PRETUNED:
        return "pytabkit"
    return name if name in ("lightgbm", "catboost") else None
