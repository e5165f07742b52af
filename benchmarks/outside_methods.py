"""Classifiers of other libraries, by name: defaults, pre-tuned, and tuned by a search.

Those of `pytabkit` have the defaults that its authors tuned on other data sets
(D. Holzmüller, L. Grinsztajn, I. Steinwart, Better by Default, NeurIPS 2024). Networks
learn on the device that the environment variable NETWORK_DEVICE names.
"""

import os
from functools import partial
from importlib.util import find_spec

import numpy as np
from scipy.stats import loguniform, randint, uniform
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import RandomizedSearchCV, StratifiedKFold

from freemetric.exceptions import require

N_TREES = 500
N_CONFIGURATIONS = 20
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


def forest(kind, seed):
    return kind(N_TREES, random_state=seed)


def lightgbm(seed, task="Classifier"):
    """LightGBM with its defaults."""
    kind = getattr(require("lightgbm", "outside"), f"LGBM{task}")
    return kind(random_state=seed, n_jobs=1, verbosity=-1, deterministic=True)


def catboost(seed, task="Classifier"):
    """CatBoost with its defaults."""
    kind = getattr(require("catboost", "outside"), f"CatBoost{task}")
    return kind(
        random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False
    )


def pretuned(name, seed, task="Classifier"):
    """A method of pytabkit; with "-bagged", the mean of five, each on four fifths."""
    single = name.removesuffix(BAGGED)
    kind = getattr(require("pytabkit", "outside"), f"{PRETUNED[single]}_{task}")
    device = os.environ.get("NETWORK_DEVICE", "cpu") if single in NETWORKS else "cpu"
    n_folds = N_BAGS if name.endswith(BAGGED) else 1
    return kind(device=device, random_state=seed, n_threads=1, n_cv=n_folds)


OF_TREES = {
    "max_features": ["sqrt", 0.2, 0.4, 0.7, 1.0],
    "min_samples_leaf": [1, 2, 4, 8],
    "criterion": ["gini", "entropy"],
}
OF_LIGHTGBM = {
    "n_estimators": [50, 100, 200, 400],
    "learning_rate": loguniform(0.03, 0.3),
    "num_leaves": randint(4, 128),
    "min_child_samples": randint(2, 40),
    "colsample_bytree": uniform(0.4, 0.6),
    "reg_lambda": loguniform(1e-3, 10.0),
}
OF_CATBOOST = {
    "iterations": [200, 500, 1000],
    "learning_rate": loguniform(0.03, 0.3),
    "depth": randint(3, 7),
    "l2_leaf_reg": loguniform(1.0, 10.0),
    "random_strength": uniform(0.0, 2.0),
}


def tuned(make, drawn_from, seed):
    """The best of 20 configurations by the log loss of three inner folds."""
    folds = StratifiedKFold(3, shuffle=True, random_state=seed)
    return RandomizedSearchCV(
        make(seed),
        drawn_from,
        n_iter=N_CONFIGURATIONS,
        scoring="neg_log_loss",
        cv=folds,
        random_state=seed,
        error_score=-np.inf,
    )


trees, extra_trees = RandomForestClassifier, ExtraTreesClassifier
METHODS = {
    "forest-500": partial(forest, trees),
    "extra-trees": partial(forest, extra_trees),
    "lightgbm": lightgbm,
    "catboost": catboost,
    **{name: partial(pretuned, name) for name in PRETUNED},
    **{name + BAGGED: partial(pretuned, name + BAGGED) for name in PRETUNED},
    "forest-tuned": partial(tuned, partial(forest, trees), OF_TREES),
    "extra-trees-tuned": partial(tuned, partial(forest, extra_trees), OF_TREES),
    "lightgbm-tuned": partial(tuned, lightgbm, OF_LIGHTGBM),
    "catboost-tuned": partial(tuned, catboost, OF_CATBOOST),
}
"""Functions of a seed that make a classifier, the cheaper ones first."""


def package_of(name):
    """Return the package that a method needs, or None."""
    if name.removesuffix(BAGGED) in PRETUNED:
        return "pytabkit"
    package = name.partition("-")[0]
    return package if package in ("lightgbm", "catboost", "autogluon") else None


def are_here(names):
    """Return the methods whose package is installed; the others are printed."""
    found = []
    for name in names:
        package = package_of(name)
        if package and find_spec(package) is None:
            print(f"{name} needs {package}: pip install {package}")
        else:
            found.append(name)
    return found
