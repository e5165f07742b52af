"""Families of models: how one is fitted with given parameters, and from what they are drawn.

``fit(parameters, seed, X, y, held_out, rounds)`` gives a model and its number of rounds. With held-out rows
(X, y), boosting stops when these show no progress, and forests are smaller; otherwise it runs for ``rounds``, or as
many as the library's default. ``first`` is the configuration that a search begins with: the defaults.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from freemetric.extras import require

from . import N_TREES

MOST_ROUNDS = 500
PATIENCE = 25  # rounds without progress
SEARCHED_TREES = 100  # enough to tell configurations apart


class Trees:
    """Forests: the number of trees is given, and more never hurt."""

    first = {}

    def __init__(self, kind):
        self.kind = kind

    def draw(self, rng):
        return {
            "max_features": _one_of(rng, ("sqrt", 0.2, 0.4, 0.7, 1.0)),
            "min_samples_leaf": _one_of(rng, (1, 2, 4, 8)),
            "criterion": _one_of(rng, ("gini", "entropy")),
        }

    def fit(self, parameters, seed, X, y, held_out=None, rounds=None):
        n_trees = N_TREES if held_out is None else SEARCHED_TREES
        return self.kind(n_trees, random_state=seed, **parameters).fit(X, y), N_TREES


class LightGBM:
    """Boosting of leaves; the library's own default wants 20 rows a leaf."""

    first = {}

    def draw(self, rng):
        return {
            "learning_rate": _log_uniform(rng, 0.03, 0.3),
            "num_leaves": round(_log_uniform(rng, 4, 128)),
            "min_child_samples": round(_log_uniform(rng, 2, 40)),
            "colsample_bytree": float(rng.uniform(0.4, 1.0)),
            "subsample": float(rng.uniform(0.6, 1.0)),
            "subsample_freq": 1,
            "reg_lambda": _log_uniform(rng, 1e-3, 10.0),
            "extra_trees": _one_of(rng, (False, True)),
        }

    def fit(self, parameters, seed, X, y, held_out=None, rounds=None):
        lightgbm = require("lightgbm", "outside")
        n_rounds = MOST_ROUNDS if held_out else rounds or 100
        model = lightgbm.LGBMClassifier(
            n_estimators=n_rounds, random_state=seed, n_jobs=1, verbosity=-1, deterministic=True, **parameters
        )
        if held_out is None:
            return model.fit(X, y), n_rounds
        model.fit(
            X, y, eval_X=held_out[0], eval_y=held_out[1], callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)]
        )
        return model, max(model.best_iteration_, 1)


class CatBoost:
    """Boosting of symmetric trees; without a learning rate it takes one for the size of the data and the rounds."""

    first = {"learning_rate": 0.1}  # or the final fit, with its own number of rounds, would have another one

    def draw(self, rng):
        return {
            "learning_rate": _log_uniform(rng, 0.05, 0.3),
            "depth": int(rng.integers(3, 7)),
            "l2_leaf_reg": _log_uniform(rng, 1.0, 10.0),
            "random_strength": float(rng.uniform(0.0, 2.0)),
            "bagging_temperature": float(rng.uniform(0.0, 1.0)),
            "rsm": float(rng.uniform(0.4, 1.0)),
        }

    def fit(self, parameters, seed, X, y, held_out=None, rounds=None):
        catboost = require("catboost", "outside")
        n_rounds = MOST_ROUNDS if held_out else rounds or 1000
        model = catboost.CatBoostClassifier(
            iterations=n_rounds,
            random_seed=seed,
            thread_count=1,
            verbose=False,
            allow_writing_files=False,
            **parameters,
        )
        if held_out is None:
            return model.fit(X, y), n_rounds
        model.fit(X, y, eval_set=held_out, early_stopping_rounds=PATIENCE)
        return model, model.get_best_iteration() + 1


class Plain(ClassifierMixin, BaseEstimator):
    """A family with the defaults of its library."""

    def __init__(self, family, random_state=None):
        self.family = family
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.model_, _ = self.family.fit({}, self.random_state, X, y)
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


def _one_of(rng, values):
    return values[rng.integers(len(values))]


def _log_uniform(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


FAMILIES = {
    "forest": lambda: Trees(RandomForestClassifier),
    "extra-trees": lambda: Trees(ExtraTreesClassifier),
    "lightgbm": LightGBM,
    "catboost": CatBoost,
}
"""By name: how a family is made."""
