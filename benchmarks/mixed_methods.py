"""Methods for tables with categories and gaps, by name: (seed, task) -> an estimator that takes the frame as it comes.

Boosting handles both natively. Forests get one column per category, and everything of pytabkit gets categories as they
are; both get the median in place of a gap in a column of numbers, and a column that says where gaps were, since
neither takes NaN there.
"""

from functools import partial
from importlib.util import find_spec
from tempfile import TemporaryDirectory

import numpy as np
from outside_methods.pretuned import BAGGED, KINDS, make_pretuned
from sklearn.base import BaseEstimator
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
from freemetric.extras import require

OURS = "freemetric"
FOREST = "forest"
N_TREES = 500
TARGET = "the target"  # the column that AutoGluon predicts
GAP = "missing"  # the name of a gap where gaps are a category of their own
NAMES, NUMBERS = make_column_selector(dtype_include="category"), make_column_selector(dtype_include="number")


def _ours(seed, task):
    return {"Classifier": TableClassifier, "Regressor": TableRegressor}[task](random_state=seed)


def _filled(names):
    """Numbers with the median for gaps and 0/1 columns of where they were, beside what becomes of the categories."""
    numbers = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    made = make_column_transformer((numbers, NUMBERS), (names, NAMES), verbose_feature_names_out=False)
    return made.set_output(transform="pandas")


def _forest(seed, task):
    kind = {"Classifier": RandomForestClassifier, "Regressor": RandomForestRegressor}[task]
    one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_pipeline(_filled(one_hot), kind(N_TREES, random_state=seed))


def _hist_boosting(seed, task):
    kind = {"Classifier": HistGradientBoostingClassifier, "Regressor": HistGradientBoostingRegressor}[task]
    return kind(categorical_features="from_dtype", random_state=seed)


def _lightgbm(seed, task):
    kind = getattr(require("lightgbm", "outside"), f"LGBM{task}")
    return kind(random_state=seed, n_jobs=1, verbosity=-1, deterministic=True)


class NativeCatBoost(BaseEstimator):
    """CatBoost with its defaults, which knows which columns are categories; a gap there is a category."""

    def __init__(self, task, random_state=None):
        self.task = task
        self.random_state = random_state

    def fit(self, X, y):
        kind = getattr(require("catboost", "outside"), f"CatBoost{self.task}")
        self.names_ = NAMES(X)
        options = {"thread_count": 1, "verbose": False, "allow_writing_files": False}
        self.model_ = kind(random_seed=self.random_state, cat_features=self.names_, **options)
        self.model_.fit(self._named(X), y)
        return self

    def _named(self, X):
        return X.assign(**{name: X[name].astype(object).where(X[name].notna(), GAP) for name in self.names_})

    @property
    def classes_(self):
        return self.model_.classes_

    def predict_proba(self, X):
        return self.model_.predict_proba(self._named(X))

    def predict(self, X):
        return self.model_.predict(self._named(X))


def _catboost(seed, task):
    return NativeCatBoost(task, seed)


def _pretuned(name, seed, task):
    return make_pipeline(_filled("passthrough"), make_pretuned(name, seed, task))


class AutoGluon(BaseEstimator):
    """AutoGluon's stack of the medium preset, which chooses and weighs its models itself, on one core."""

    def __init__(self, task):
        self.task = task

    def fit(self, X, y):
        tabular = require("autogluon.tabular", "outside")
        kind = "regression" if self.task == "Regressor" else "binary" if len(np.unique(y)) == 2 else "multiclass"
        self.folder_ = TemporaryDirectory()
        self.model_ = tabular.TabularPredictor(TARGET, kind, path=self.folder_.name, verbosity=0)
        cores = {"num_cpus": 1, "num_gpus": 0}
        self.model_.fit(X.assign(**{TARGET: y}), presets="medium_quality", **cores)
        self.classes_ = None if kind == "regression" else np.array(self.model_.class_labels)
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X).to_numpy()

    def predict(self, X):
        return self.model_.predict(X).to_numpy()


def _autogluon(seed, task):
    return AutoGluon(task)


METHODS = {
    OURS: _ours,
    FOREST: _forest,
    "hist-boosting": _hist_boosting,
    "lightgbm": _lightgbm,
    "catboost": _catboost,
    **{name: partial(_pretuned, name) for name in KINDS},
    **{name + BAGGED: partial(_pretuned, name + BAGGED) for name in KINDS},
    "autogluon": _autogluon,
}
"""By name, the cheaper ones first."""

NEEDS = {"lightgbm": "lightgbm", "catboost": "catboost", "autogluon": "autogluon"}


def refusal(name):
    """Why a method cannot be run here, in one line; None if it can."""
    needs = NEEDS.get(name, "pytabkit" if name.removesuffix(BAGGED) in KINDS else None)
    if needs is None or find_spec(needs) is not None:
        return None
    return f"{name} needs {needs}, which is not installed: pip install 'freemetric[outside]'."
