"""Methods from outside, by name: what each needs, and how it is made from a seed.

Modules of methods that need an optional package are imported when such a method is made, not before.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from .pretuned import BAGGED, KINDS, N_BAGS, make_pretuned

N_TREES = 500


@dataclass(frozen=True)
class Outsider:
    """``make(seed)`` is a classifier; ``needs`` the module without which it cannot be made; ``setting`` of records.

    Without ``make`` there are only records, of a method that is no longer here.
    """

    make: Callable[[int], Any] | None
    about: str
    needs: str | None = None
    setting: str = "default"


def _forest(seed):
    return RandomForestClassifier(N_TREES, random_state=seed)


def _extra_trees(seed):
    return ExtraTreesClassifier(N_TREES, random_state=seed)


def _plain(family, seed):
    from .families import FAMILIES, Plain

    return Plain(FAMILIES[family](), random_state=seed)


def _tuned(family, seed):
    from .families import FAMILIES
    from .random_search import RandomSearch

    return RandomSearch(FAMILIES[family](), random_state=seed)


OURS = "our own implementation of ModernNCA, of which the records remain; pytabkit has none"
SEARCH = "the best of 20 configurations by the log loss of 3 inner folds"
METHODS: dict[str, Outsider] = {
    "forest-500": Outsider(_forest, "scikit-learn's random forest, 500 trees"),
    "extra-trees": Outsider(_extra_trees, "scikit-learn's extra trees, 500 trees"),
    "lightgbm": Outsider(partial(_plain, "lightgbm"), "LightGBM, its defaults (100 rounds)", "lightgbm"),
    "catboost": Outsider(partial(_plain, "catboost"), "CatBoost, its defaults (1,000 rounds)", "catboost"),
    "modern-nca": Outsider(None, f"{OURS}; one map, a fifth validates"),
    "modern-nca-bagged": Outsider(None, f"{OURS}; eight maps, each validated by another eighth"),
    **{name: Outsider(partial(make_pretuned, name), about, "pytabkit") for name, (_, about) in KINDS.items()},
    **{
        name + BAGGED: Outsider(partial(make_pretuned, name + BAGGED), f"{about}; mean of {N_BAGS} folds", "pytabkit")
        for name, (_, about) in KINDS.items()
    },
    "forest-tuned": Outsider(partial(_tuned, "forest"), f"forest of 500, {SEARCH}", None, "tuned"),
    "extra-trees-tuned": Outsider(partial(_tuned, "extra-trees"), f"extra trees of 500, {SEARCH}", None, "tuned"),
    "lightgbm-tuned": Outsider(
        partial(_tuned, "lightgbm"), f"LightGBM, {SEARCH}; rounds by early stopping", "lightgbm", "tuned"
    ),
    "catboost-tuned": Outsider(
        partial(_tuned, "catboost"), f"CatBoost, {SEARCH}; rounds by early stopping", "catboost", "tuned"
    ),
}
"""All methods from outside, the cheaper ones first."""


def refusal(name):
    """Why a method cannot be run here, in one line; None if it can."""
    if name not in METHODS:
        return f"Unknown method {name!r}; known methods: {', '.join(METHODS)}."
    needs = METHODS[name].needs
    if METHODS[name].make is None:
        return f"{name} cannot be run: {METHODS[name].about}."
    if needs is None or find_spec(needs) is not None:
        return None
    return f"{name} needs {needs}, which is not installed: pip install 'freemetric[outside]'."
