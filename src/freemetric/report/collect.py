"""Findings about a fitted model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from ..ensemble.settings import recipe_of
from ..ensemble.tasks.classification import ClassificationHead
from ..ensemble.tasks.decisions import score_name
from ..ensemble.tasks.intervals import check_one_target
from ..learners.learned_space import LearnedSpace
from ..mc import Annealing
from ..metrics import FORMS
from ..metrics.forms import LinearForm
from ..printable import counted
from .document import clipped, parameters, versions
from .findings import Findings, Snapshots
from .predictions import predict_rows
from .shown_rows import describe_columns, find, kept_by, mapped, show_given_rows, show_kept_rows

MOST_PERMUTED = 500  # columns: more would take minutes, and single ones of them hardly matter


@dataclass(frozen=True)
class ReportOptions:
    """Options of a report.

    Parameters
    ----------
    feature_names : sequence of str or None, default=None
        Names of the features that the map takes; None takes those of fit.
    class_names : sequence of str or None, default=None
        Names of the sorted labels; None takes the labels.
    most_rows : int, default=10_000
        Largest number of rows to show. Of more rows a random sample is shown, and the page says so.
    columns : object or None, default=None
        The user's columns behind the features, where the caller knows more about them than X, as
        ``TableModel.originals()`` of models of tables.
    """

    feature_names: Sequence[str] | None = None
    class_names: Sequence[str] | None = None
    most_rows: int = 10_000
    columns: Any = None


def collect(model: Any, X: Any = None, y: ArrayLike | None = None, **options: Any) -> Findings:
    """Findings about a fitted model and its rows, given or kept by it; options are those of ``ReportOptions``."""
    wanted = ReportOptions(**options)
    check_is_fitted(model)
    space, kept = LearnedSpace(model), kept_by(model)
    check_one_target(space.learner, "The report is about predictions")
    findings, shown = _of_the_fit(model, space), None
    findings.parameters, findings.versions = parameters(model), versions()
    if X is not None:
        shown = show_given_rows(findings, space, kept, X, y, wanted.most_rows)
    elif kept is not None:
        show_kept_rows(findings, kept, wanted.most_rows)
    _name_features(findings, space, wanted.feature_names)
    describe_columns(findings, space.front, shown, wanted.columns)
    _weights(findings, space)
    _importances(findings, space.learner)
    _run(findings, model, space)
    predict_rows(findings, model, kept, X)
    if X is not None and not findings.learned_from and hasattr(space.learner, "ensemble_"):
        ensemble = space.learner.ensemble_
        findings.p_values = ensemble.p_values(ensemble.filled(findings.inputs))
    names = findings.class_names if wanted.class_names is None else wanted.class_names
    if len(names) != len(findings.class_names):
        count = counted(len(findings.class_names), "class", "classes")
        raise ValueError(f"class_names must name {count}, got {len(names)}.")
    findings.class_names = [clipped(name) for name in names]
    return findings


def collect_model(model: Any, importances: bool) -> Findings:
    """Findings that need no rows, for a quick look; with the importances or without."""
    space = LearnedSpace(model)
    findings = _of_the_fit(model, space)
    _name_features(findings, space, None)
    _weights(findings, space)
    if importances:
        _importances(findings, space.learner)
    _run(findings, model, space)
    return findings


def _of_the_fit(model, space):
    """Names, the number of neighbours, candidates that were tried, and what decides beside the votes."""
    findings = Findings(type(model).__name__, type(space.learner).__name__)
    findings.is_regression = is_regressor(model) or is_regressor(space.learner)
    if hasattr(space.learner, "recipe"):
        findings.score_name = score_name(recipe_of(space.learner).scoring, findings.is_regression)
    chooser = find(model, "n_neighbors_", "n_neighbors")
    k = getattr(chooser, "n_neighbors_", getattr(chooser, "n_neighbors", None))
    findings.n_neighbors = int(k) if isinstance(k, int | np.integer) else None
    if (chooser := find(model, "selection_")) is not None:
        findings.selection = {str(name): np.asarray(values) for name, values in chooser.selection_.items()}
    head: Any = getattr(getattr(find(model, "ensemble_"), "ensemble_", None), "head", None)
    if isinstance(head, ClassificationHead):
        findings.beside_votes = [(d.words, float(s)) for d, s in zip(head.densities, head.strengths, strict=True)]
    elif trends := getattr(head, "trends", ()):  # none with several targets, where each has its own
        both = head.strengths[1:].reshape(2, len(trends)).T.tolist()
        findings.beside_votes = [(trend.words, sum(two)) for trend, two in zip(trends, both, strict=True) if any(two)]
    return findings


def _name_features(findings, space, given):
    names = space.feature_names() if given is None else given
    d = findings.inputs.shape[1] if findings.inputs is not None else getattr(space.learner, "n_features_in_", 0)
    if given is not None and len(given) != d:
        raise ValueError(f"feature_names must name {counted(d, 'feature')}, got {len(given)}.")
    findings.feature_names = [clipped(name) for name in names] if names is not None else [f"x{i}" for i in range(d)]


def _importances(findings, learner):
    """Importances of the columns, or of the features where their columns are unknown."""
    if not hasattr(learner, "permutation_importances") or len(findings.names) > MOST_PERMUTED:
        return
    if findings.owner is None or len(findings.columns) == len(findings.owner):  # Every column is one feature.
        order = np.arange(learner.n_features_in_) if findings.owner is None else np.argsort(findings.owner)
        mean, error = learner.feature_importances_[order], learner.feature_importances_error_[order]
    else:
        found = learner.permutation_importances(findings.owner)
        order = np.argsort(found.names)
        mean, error = found.mean[order], found.error[order]
    if np.isfinite(mean).all():  # No row was out of bag otherwise.
        findings.importances, findings.importance_errors = mean, error


def _weights(findings, space):
    """M, and the weights of the features."""

    def shares(weights):
        total = weights.sum(axis=-1, keepdims=True)
        return findings.by_name(weights / np.where(total > 0, total, 1))

    findings.embed = partial(mapped, space.learner)
    if findings.inputs is not None:
        findings.spread = findings.finite_inputs.std(axis=0)
    if hasattr(space.learner, "components_"):
        findings.matrix = space.matrix()
    elif findings.inputs is not None and findings.Z is not None:
        findings.matrix, findings.linear_share = nearest_matrix(findings.finite_inputs, findings.Z)
    if hasattr(space.learner, "distance_weights_"):
        learner, owner = space.learner, findings.owner
        known = learner.distance_weights_, learner.distance_weights_std_
        findings.weights, error = known if owner is None else learner.ensemble_.feature_shares(owner)
        findings.weight_range = np.maximum(findings.weights - error, 0), findings.weights + error
        findings.weight_words = "one standard deviation over replicas"
    elif findings.matrix is not None:
        replicas, units = space.replica_weights(), 1 if findings.spread is None else findings.spread**2
        findings.weights = shares(np.diag(findings.scaled_matrix))
        if replicas is not None:  # (R, d), the diagonals of M
            findings.weight_range = tuple(np.quantile(shares(replicas * units), [0.05, 0.95], axis=0))
            findings.weight_words = "the middle 90 % of the replicas"


def nearest_matrix(X: NDArray, Z: NDArray) -> tuple[NDArray, float]:
    """M of the linear map that gives Z best from X, and the share of Z's variance that it gives."""
    X, Z = X - X.mean(axis=0), Z - Z.mean(axis=0)
    A = np.linalg.lstsq(X, Z, rcond=None)[0]
    total = (Z**2).sum()
    return A @ A.T, float(1 - ((Z - X @ A) ** 2).sum() / total) if total > 0 else 1.0


def _run(findings, model, space):
    """Trace and snapshots of a Monte Carlo run."""
    walker = find(model, "trace_")
    if walker is not None and isinstance(walker.trace_, dict) and walker.trace_:
        findings.trace = {name: np.asarray(values, dtype=np.float64) for name, values in walker.trace_.items()}
        sampler = recipe_of(walker).sampler if hasattr(walker, "recipe") else getattr(walker, "sampler", None)
        findings.burn_in = float(getattr(Annealing() if sampler is None else sampler, "burn_in", 0.5))
        T = findings.trace["temperature"]
        # replicas that learn on bags of their own, or at temperatures of their own, need not agree
        findings.one_target = not hasattr(walker, "oob_score_") and bool((T[:, :1] == T).all())
    shots = getattr(space.learner, "snapshots_", None)
    if shots and findings.inputs is not None:
        findings.snapshots = _snapshots(space.learner, shots, findings)


def _snapshots(learner, shots, findings):
    """Maps of the features or, in an ensemble, of the view of one candidate; None where the view is unknown."""
    steps, maps = np.asarray(shots["step"]), np.asarray(shots["map"])
    if "view" not in shots:
        fits = findings.before is not None and findings.before.shape[1] == maps.shape[2]
        return Snapshots(steps, maps, LinearForm(), findings.before, 0, "the first replica") if fits else None
    name, form = shots["view"], shots["form"]
    view = learner.ensemble_.views.get(name)
    if view is None:  # No member of the ensemble has it.
        return None
    whose = f"one replica of the heaviest candidate that learns ({name}, {form})"
    samples = np.asarray(view(learner.ensemble_.filled(findings.inputs)), dtype=np.float64)
    return Snapshots(steps, maps, FORMS[form], samples, _column(learner, name, form), whose)


def _column(learner, view, form):
    """The column of the trace with the first replica of that candidate: replicas are sorted by candidate."""
    tried = learner.selection_
    first = np.flatnonzero(tried["n_neighbors"] == 1)  # a row for every k, candidate by candidate
    fits = (tried["view"][first] == view) & (tried["form"][first] == form)
    fits &= tried["confinement"][first] == learner.confinement_
    error = np.minimum.reduceat(tried["oob_brier" if "oob_brier" in tried else "oob_squared"], first)
    weight = np.add.reduceat(tried["weight"], first)
    elsewhere = tried["temperature"][first] != learner.temperature_  # all are, where the sampler was given
    heaviest = np.lexsort([error, -weight, elsewhere, ~fits])[0]
    return int(tried["n_replicas"][first[:heaviest]].sum())
