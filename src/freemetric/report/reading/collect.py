"""Findings about a fitted model, asked for one after another."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...display.learned import LearnedSpace
from ..about import parameters, versions
from ..encode import clipped
from ..findings import Findings
from .metric import weigh
from .parts import find
from .rows import given_rows, kept_rows
from .run import follow
from .verdicts import judge_rows


def collect(model, X=None, y=None, *, feature_names=None, class_names=None, most_rows=10_000):
    """Findings about a fitted model and, where given or kept by it, about patterns."""
    check_is_fitted(model)
    space = LearnedSpace(model)
    found = Findings(type(model).__name__, type(space.learner).__name__, [])
    found.parameters, found.versions = parameters(model), versions()
    _neighbors(found, model)
    if X is not None:
        given_rows(found, model, space, X, y, most_rows)
    else:
        kept_rows(found, model, most_rows)
    _name_features(found, space, feature_names)
    weigh(found, space)
    follow(found, model, space)
    if found.y is not None and found.Z is not None:
        judge_rows(found, model, X)
    _name_classes(found, class_names)
    return found


def _neighbors(found, model):
    """How many neighbours vote, and what else was tried."""
    chooser = find(model, "n_neighbors_", "n_neighbors")
    if chooser is not None:
        k = getattr(chooser, "n_neighbors_", getattr(chooser, "n_neighbors", None))
        found.n_neighbors = int(k) if np.ndim(k) == 0 and isinstance(k, int | np.integer) else None
    chooser = find(model, "selection_")
    if chooser is not None:
        found.selection = {str(name): np.asarray(values) for name, values in chooser.selection_.items()}


def _name_features(found, space, given):
    names = space.feature_names() if given is None else given
    d = found.inputs.shape[1] if found.inputs is not None else getattr(space.learner, "n_features_in_", 0)
    if given is not None and len(given) != d:
        raise ValueError(f"feature_names must name {d} features, got {len(given)}.")
    found.feature_names = [clipped(name) for name in names] if names is not None else [f"x{i}" for i in range(d)]
    if found.aligned:
        values = [column for _, column in found.columns]
        found.columns = list(zip(found.feature_names, values, strict=True))


def _name_classes(found, given):
    names = found.class_names if given is None else given
    if len(names) != len(found.class_names):
        raise ValueError(f"class_names must name {len(found.class_names)} classes, got {len(names)}.")
    found.class_names = [clipped(name) for name in names]
