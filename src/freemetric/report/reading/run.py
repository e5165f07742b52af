"""The Monte Carlo run: its trace, and one replica's map along it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...learners.learned_space import LearnedSpace
from ...mc import Annealing
from ...metrics import FORMS
from ...metrics.forms import LinearForm
from ..findings import Findings, Snapshots
from .parts import find


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
