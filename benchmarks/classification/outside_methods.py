"""Classifiers of other libraries, by name: with their defaults, and pre-tuned.

Those of `pytabkit` have the defaults that its authors tuned on other data sets
(D. Holzmüller, L. Grinsztajn, I. Steinwart, Better by Default, NeurIPS 2024). Networks
learn on the device that the environment variable NETWORK_DEVICE names.
"""

import os
from functools import partial
from importlib.util import find_spec

from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from freemetric.exceptions import require

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


trees, extra_trees = RandomForestClassifier, ExtraTreesClassifier
METHODS = {
    "forest-500": partial(forest, trees),
    "extra-trees": partial(forest, extra_trees),
    "lightgbm": lightgbm,
    "catboost": catboost,
    **{name: partial(pretuned, name) for name in PRETUNED},
    **{name + BAGGED: partial(pretuned, name + BAGGED) for name in PRETUNED},
}
"""Functions of a seed that make a classifier, the cheaper ones first."""


def package_of(name):
    """Return the package that a method needs, or None."""
    if name.removesuffix(BAGGED) in PRETUNED:
        return "pytabkit"
    package = name.partition("-")[0]
    return package if package in ("lightgbm", "catboost") else None


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
