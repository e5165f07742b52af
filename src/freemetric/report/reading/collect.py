"""Findings about a fitted model, collected one after another."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from ...ensemble.tasks.classification import ClassificationHead
from ...ensemble.tasks.decisions import score_name
from ...learners.learned_space import LearnedSpace
from ...mc import Annealing
from ...metrics import FORMS
from ...metrics.forms import LinearForm
from ...printable import counted
from ...sklearn_compat import safe_indexing
from ..document import parameters, versions
from ..encode import clipped
from ..findings import Findings, Snapshots
from ..judge import confusion, leave_one_out
from .kept import KeptRows, find, kept_by, mapped
from .numbers import judge_numbers
from .rows import show_given_rows, show_kept_rows
from .user_columns import UserColumns

MOST_ASKED = 500  # columns: to ask about more takes minutes, and single ones of them hardly matter


def ask_importances(findings: Findings, learner: Any) -> None:
    """Importances of the columns, or of the features where it is unknown what these are of."""
    if not hasattr(learner, "permutation_importances") or len(findings.names) > MOST_ASKED:
        return
    if findings.owner is None or len(findings.columns) == len(findings.owner):  # every feature on its own
        order = np.arange(learner.n_features_in_) if findings.owner is None else np.argsort(findings.owner)
        mean, error = learner.feature_importances_[order], learner.feature_importances_error_[order]
    else:
        found = learner.permutation_importances(findings.owner)
        order = np.argsort(found.names)
        mean, error = found.mean[order], found.error[order]
    if np.isfinite(mean).all():  # nobody was out of bag otherwise
        findings.importances, findings.importance_errors = mean, error
        findings.importance_score = score_name(learner.scoring, is_regressor(learner))


def weigh(findings: Findings, space: LearnedSpace) -> None:
    """M, and the weights of the features."""
    findings.embed = partial(mapped, space.learner)
    if findings.inputs is not None:
        findings.spread = findings.inputs.std(axis=0)
    if hasattr(space.learner, "components_"):
        findings.matrix = space.matrix()
    elif findings.inputs is not None and findings.Z is not None:
        findings.matrix, findings.linear_share = nearest_matrix(findings.inputs, findings.Z)
    if hasattr(space.learner, "distance_weights_"):
        _own_weights(findings, space.learner)
    elif findings.matrix is not None:
        _diagonal_weights(findings, space.replica_weights())


def nearest_matrix(X: NDArray, Z: NDArray) -> tuple[NDArray, float]:
    """M of the linear map that gives Z best from X, and the share of Z's variance that it gives."""
    X, Z = X - X.mean(axis=0), Z - Z.mean(axis=0)
    A = np.linalg.lstsq(X, Z, rcond=None)[0]
    total = (Z**2).sum()
    return A @ A.T, float(1 - ((Z - X @ A) ** 2).sum() / total) if total > 0 else 1.0


def _own_weights(findings, learner):
    findings.weights, error = learner.ensemble_.feature_shares(findings.owner)
    findings.weight_range = np.maximum(findings.weights - error, 0), findings.weights + error
    findings.weight_words = "one standard deviation over replicas"


def _diagonal_weights(findings, replicas):
    """Shares of the trace of M; replicas (R, d) hold the diagonals of each."""
    findings.weights = findings.by_name(_shares(np.diag(findings.scaled_matrix)))
    if replicas is not None:
        units = 1 if findings.spread is None else findings.spread**2
        findings.weight_range = tuple(np.quantile(findings.by_name(_shares(replicas * units)), [0.05, 0.95], axis=0))
        findings.weight_words = "the middle 90 % of the replicas"


def _shares(weights):
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total > 0, total, 1)


def follow(findings: Findings, model: Any, space: LearnedSpace) -> None:
    """Trace and snapshots, where the model has walked."""
    walker = find(model, "trace_")
    if walker is not None and isinstance(walker.trace_, dict) and walker.trace_:
        findings.trace = {name: np.asarray(values, dtype=np.float64) for name, values in walker.trace_.items()}
        sampler = getattr(walker, "sampler", None)
        findings.burn_in = float(getattr(Annealing() if sampler is None else sampler, "burn_in", 0.5))
        T = findings.trace["temperature"]
        # replicas that learn on bags of their own, or at temperatures of their own, need not agree
        findings.one_target = not hasattr(walker, "oob_score_") and bool((T[:, :1] == T).all())
    shots = getattr(space.learner, "snapshots_", None)
    if shots and findings.inputs is not None:
        in_view = "view" in shots
        findings.snapshots = _in_view(space.learner, shots, findings) if in_view else _plain(shots, findings)


def _plain(shots: Mapping[str, Any], findings: Findings) -> Snapshots | None:
    """A walk through maps of the features as they are."""
    maps = np.asarray(shots["map"])
    if findings.before is None or findings.before.shape[1] != maps.shape[2]:
        return None
    return Snapshots(np.asarray(shots["step"]), maps, LinearForm(), findings.before, 0, "the first replica")


def _in_view(learner: Any, shots: Mapping[str, Any], findings: Findings) -> Snapshots | None:
    """The walk of one candidate among many, through maps of its own view of the features; None if that is not kept."""
    name, form = shots["view"], shots["form"]
    view = learner.ensemble_.views.get(name)
    if view is None:  # no ensemble that votes has it
        return None
    maps, patterns = np.asarray(shots["map"]), np.asarray(view(findings.inputs), dtype=np.float64)
    whose = f"one replica of the heaviest candidate that learns ({name}, {form})"
    column = _column(learner, name, form)
    return Snapshots(np.asarray(shots["step"]), maps, FORMS[form], patterns, column, whose)


def _column(learner: Any, view: str, form: str) -> int:
    """Where the trace has the first replica of that candidate: replicas stand there candidate by candidate."""
    tried = learner.selection_
    first = np.flatnonzero(tried["n_neighbors"] == 1)  # a row for every k, candidate by candidate
    fits = (tried["view"][first] == view) & (tried["form"][first] == form)
    fits &= tried["confinement"][first] == learner.confinement_
    judge = "oob_brier" if "oob_brier" in tried else "oob_squared"
    error = np.minimum.reduceat(tried[judge], first)
    weight = np.add.reduceat(tried["weight"], first)
    elsewhere = tried["temperature"][first] != learner.temperature_  # all are, where the sampler was given
    heaviest = np.lexsort([error, -weight, elsewhere, ~fits])[0]
    return int(tried["n_replicas"][first[:heaviest]].sum())


USUAL_NEIGHBORS = 5


def judge_rows(findings: Findings, model: Any, kept: KeptRows | None, X: Any) -> None:
    """Predicted classes of the rows shown, and counts of true and predicted ones."""
    scores = kept.scores if kept is not None and findings.learned_from else None
    if kept is not None and scores is not None:
        _judge_out_of_bag(findings, kept if X is None else None, np.asarray(scores))
        return
    if findings.learned_from or not hasattr(model, "predict"):
        _judge_by_neighbors(findings)
    else:
        _judge_by_prediction(findings, model.predict(safe_indexing(X, findings.rows)))


def _judge_by_neighbors(findings):
    """By the nearest other rows that vote; rows that do not vote are not judged."""
    k = findings.n_neighbors or USUAL_NEIGHBORS
    training_set = np.arange(len(findings.y)) if findings.training_set is None else findings.training_set
    findings.predicted = np.full(len(findings.y), -1)
    findings.predicted[training_set] = leave_one_out(
        findings.Z[training_set], findings.y[training_set], len(findings.class_names), k
    )
    seen = "has" if findings.learned_from else "may have"
    findings.confusion = confusion(findings.y, findings.predicted, len(findings.class_names))
    findings.judged_by = f"the {k} nearest other rows; the metric {seen} learned from them all, so this flatters it"


def _judge_by_prediction(findings, predicted):
    labels = [str(label) for label in np.asarray(predicted).tolist()]
    if not set(labels) <= set(findings.class_names):
        raise ValueError("y has other labels than the model has learned.")
    findings.predicted = np.array([findings.class_names.index(label) for label in labels])
    findings.confusion = confusion(findings.y, findings.predicted, len(findings.class_names))
    findings.judged_by = "the model's own predictions; fair if it has not learned from these rows"


def _judge_out_of_bag(findings, kept, scores):
    """Of rows that the model has kept all are counted, also those that the page does not show."""
    judged = np.isfinite(scores).all(axis=1)
    decided = np.where(judged, np.where(judged[:, None], scores, 0).argmax(axis=1), -1)
    findings.predicted = decided[findings.rows]
    y, predicted = (findings.y, findings.predicted) if kept is None else (kept.y, decided[kept.rows])
    findings.confusion = confusion(y, predicted, len(findings.class_names))
    others = f"; not judged: {(predicted < 0).sum():,}" if (predicted < 0).any() else ""
    findings.judged_by = f"out-of-bag votes of replicas that have not seen the row{others}"


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
