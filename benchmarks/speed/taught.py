"""What the learners of ``learners_size.py`` are fitted to."""

import inspect
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "scale"))

import numpy as np
from scale_problem import problem

from freemetric.learners import BEYOND_CLASSES, LEARNERS
from freemetric.learners.oasis import draw_triplets

KINDS = LEARNERS | BEYOND_CLASSES
CONSTRAINTS = ("pairs", "triplets", "quadruplets")
MILLION = 1_000_000


def arguments_for(name, n):
    """Return what a learner is fitted to."""
    X, y = problem(n, seed=0)
    X = X.astype(np.float64)
    is_regression = name in ("mlkr", "distance-matching")
    return {"X": X, "y": X[:, 0] ** 2 + X[:, 1] if is_regression else y}


def constraints_of(name):
    """Return the kind of constraints that a learner takes, or None."""
    taken = inspect.signature(KINDS[name].fit).parameters
    return next((kind for kind in CONSTRAINTS if kind in taken), None)


def many_constraints(name):
    """Return 10,000 samples and a million pairs, triplets or quadruplets of them."""
    X, y = arguments_for(name, 10_000).values()
    rng = np.random.default_rng(0)
    kind = constraints_of(name)
    if kind == "pairs":
        pairs = rng.integers(len(X), size=(MILLION, 2))
        difference = np.abs(y[pairs[:, 0]] - y[pairs[:, 1]])
        if name == "distance-matching":
            return {"X": X, "pairs": pairs, "y": difference}
        alike = np.where(difference == 0, 1, -1)
        return {"X": X, "pairs": pairs, "pair_labels": alike}
    triplets = draw_triplets(rng, y, MILLION)
    columns = [0, 1, 2] if kind == "triplets" else [0, 1, 0, 2]
    return {"X": X, kind: triplets[:, columns]}
