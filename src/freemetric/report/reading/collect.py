"""Findings about a fitted model, asked for one after another."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from ...ensemble.tasks.classification import ClassificationHead
from ...learners.learned_space import LearnedSpace
from ...printable import counted
from ..about import parameters, versions
from ..encode import clipped
from ..findings import Findings
from .importances import ask_importances
from .kept import kept_by
from .metric import weigh
from .numbers import judge_numbers
from .parts import find
from .rows import show_given_rows, show_kept_rows
from .run import follow
from .user_columns import UserColumns
from .verdicts import judge_rows


def collect(
    model: Any,
    X: Any = None,
    y: ArrayLike | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    most_rows: int = 10_000,
    columns: UserColumns | None = None,
) -> Findings:
    """Findings about a fitted model and, where given or kept by it, about patterns."""
    check_is_fitted(model)
    space, kept = LearnedSpace(model), kept_by(model)
    findings = Findings(type(model).__name__, type(space.learner).__name__, [])
    findings.parameters, findings.versions = parameters(model), versions()
    findings.of_numbers = is_regressor(model) or is_regressor(space.learner)
    _neighbors(findings, model)
    if X is not None:
        show_given_rows(findings, space, kept, X, y, most_rows, columns)
    elif kept is not None:
        show_kept_rows(findings, space, kept, most_rows, columns)
    _name_features(findings, space, feature_names)
    if columns is None and findings.owner is not None:
        findings.columns = [
            (name, cells) for name, (_, cells) in zip(findings.feature_names, findings.columns, strict=True)
        ]
    weigh(findings, space)
    ask_importances(findings, space.learner)
    follow(findings, model, space)
    if findings.y is not None and findings.Z is not None:
        judge_rows(findings, model, kept, X)
    if findings.numbers is not None:
        judge_numbers(findings, model, kept, X)
    _name_classes(findings, class_names)
    return findings


def _neighbors(findings, model):
    """How many neighbours vote, what counts beside them, and what else was tried."""
    chooser = find(model, "n_neighbors_", "n_neighbors")
    if chooser is not None:
        k = getattr(chooser, "n_neighbors_", getattr(chooser, "n_neighbors", None))
        findings.n_neighbors = int(k) if isinstance(k, int | np.integer) else None
    chooser = find(model, "ensemble_")
    if chooser is not None:
        findings.beside_votes = _beside_votes(chooser.ensemble_.head)
    chooser = find(model, "selection_")
    if chooser is not None:
        findings.selection = {str(name): np.asarray(values) for name, values in chooser.selection_.items()}


def _beside_votes(head):
    """What else decides, in words, and how far it counts."""
    strengths = head.strengths.tolist()
    if isinstance(head, ClassificationHead):
        return [(density.words, strength) for density, strength in zip(head.densities, strengths, strict=True)]
    n = len(head.trends)
    both = zip(strengths[1 : n + 1], strengths[n + 1 :], strict=True)
    return [(trend.words, sum(two)) for trend, two in zip(head.trends, both, strict=True) if any(two)]


def _name_features(findings, space, given):
    names = space.feature_names() if given is None else given
    d = findings.inputs.shape[1] if findings.inputs is not None else getattr(space.learner, "n_features_in_", 0)
    if given is not None and len(given) != d:
        raise ValueError(f"feature_names must name {counted(d, 'feature')}, got {len(given)}.")
    findings.feature_names = [clipped(name) for name in names] if names is not None else [f"x{i}" for i in range(d)]


def _name_classes(findings, given):
    names = findings.class_names if given is None else given
    if len(names) != len(findings.class_names):
        raise ValueError(
            f"class_names must name {counted(len(findings.class_names), 'class', 'classes')}, got {len(names)}."
        )
    findings.class_names = [clipped(name) for name in names]
