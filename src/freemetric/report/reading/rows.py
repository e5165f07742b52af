"""The rows that a page shows: given by the caller, or kept by the model from its fit."""

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d

from ...display.learned import LearnedSpace, passed
from .parts import find, mapped

PATTERNS, MAPPED = ("_X",), ("_Z", "_fit_X")  # where fitted models keep their training patterns


def keeper_of(model):
    """The part of a model that has kept its training patterns, or None."""
    return find(model, *PATTERNS, *MAPPED)


def given_rows(found, model, space, X, y, most_rows):
    """Rows that the caller has."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    _choose(found, n, most_rows, "the rows given")
    X = _safe_indexing(X, found.rows)
    inputs = passed(space.front, X)
    found.inputs = np.asarray(inputs, dtype=np.float64)
    found.Z, found.before = mapped(space.learner, inputs), space.before(X)
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    values = np.asarray(X, dtype=object).T
    found.columns = list(zip(names or [f"x{i}" for i in range(len(values))], values, strict=True))
    same_shape = len(values) == found.inputs.shape[1]
    found.aligned = same_shape and all(isinstance(step, OneToOneFeatureMixin) for step in space.front)
    if y is not None:
        check_consistent_length(np.empty(n), y)
        _label(found, getattr(find(space.estimator, "classes_"), "classes_", []), column_or_1d(y)[found.rows])
    keeper = keeper_of(model)
    found.learned_from = _same(found, keeper)
    if found.learned_from:
        _voters(found, keeper)


def kept_rows(found, model, most_rows):
    """Rows that the model has kept."""
    keeper = keeper_of(model)
    if keeper is None:
        return
    place = next(name for name in (*PATTERNS, *MAPPED) if hasattr(keeper, name))
    kept = getattr(keeper, place)
    _choose(found, len(kept), most_rows, "the rows it has learned from")
    if place in MAPPED:
        found.Z = np.asarray(kept, dtype=np.float64)[found.rows]
    else:
        found.inputs = np.asarray(kept, dtype=np.float64)[found.rows]
        found.Z, found.before = mapped(keeper, found.inputs), LearnedSpace(keeper).before(found.inputs)
        found.aligned = True
        found.columns = [(f"x{i}", column) for i, column in enumerate(found.inputs.T)]
    if hasattr(keeper, "_y") and hasattr(keeper, "classes_"):
        _label(found, keeper.classes_, np.asarray(keeper.classes_)[np.ravel(keeper._y)[found.rows]])
    found.learned_from = True
    _voters(found, keeper)


def _choose(found, n, most, words):
    rows = np.arange(n)
    if n > most:
        rows = np.sort(np.random.default_rng(0).choice(n, most, replace=False))
    found.rows, found.n_rows, found.origin = rows, n, words


def _label(found, classes, y):
    """Class numbers. Labels are told apart by how they read."""
    said = [str(label) for label in np.asarray(y).tolist()]
    known = list(dict.fromkeys(str(label) for label in np.asarray(classes).tolist()))
    if not set(known) & set(said):  # other words for the same classes, perhaps
        known = []
    found.class_names = known + sorted(set(said) - set(known))
    number = {name: c for c, name in enumerate(found.class_names)}
    found.y = np.array([number[label] for label in said], dtype=int)


def _same(found, keeper):
    """Whether the rows given are those that the model has learned from."""
    for name in (*PATTERNS, *MAPPED):
        kept, mine = getattr(keeper, name, None), found.inputs if name in PATTERNS else found.Z
        if kept is not None and len(kept) == found.n_rows and kept.shape[1] == mine.shape[1]:
            return bool(np.allclose(kept[found.rows], mine))
    return False


def _voters(found, keeper):
    """Which of the rows shown vote, and by which weights: of copies, one does for all."""
    patterns, weights = (getattr(keeper, name, None) for name in ("_patterns", "_weights"))
    if patterns is None:
        return
    votes = np.zeros(found.n_rows)
    votes[patterns] = 1 if weights is None else weights
    votes = votes[found.rows]
    found.voters = np.flatnonzero(votes)
    if weights is not None and np.ptp(weights) > 0:
        found.vote_weights = votes
