"""The Monte Carlo run: its trace, and one replica's map along it."""

import numpy as np

from ...mc import Annealing
from ..findings import Snapshots
from .parts import find


def follow(found, model, space):
    """Trace and snapshots, where the model has walked."""
    walker = find(model, "trace_")
    if walker is not None and isinstance(walker.trace_, dict) and walker.trace_:
        found.trace = {name: np.asarray(values, dtype=np.float64) for name, values in walker.trace_.items()}
        sampler = getattr(walker, "sampler", None)
        found.burn_in = float(getattr(Annealing() if sampler is None else sampler, "burn_in", 0.5))
        T = found.trace["temperature"]
        # replicas that learn on bags of their own, or at temperatures of their own, need not agree
        found.one_target = not hasattr(walker, "oob_score_") and bool((T[:, :1] == T).all())
    shots = getattr(space.learner, "snapshots_", None)
    if shots and found.inputs is not None:
        found.snapshots = _in_view(space.learner, shots, found) if "view" in shots else _plain(shots, found)


def _plain(shots, found):
    """A walk through maps of the features as they are."""
    maps = np.asarray(shots["map"])
    if found.before.shape[1] == maps.shape[2]:
        return Snapshots(np.asarray(shots["step"]), maps, found.before, 0, "the first replica")


def _in_view(learner, shots, found):
    """The walk of one candidate among many, through maps of its own view of the features; None if that is not kept."""
    view, form = shots["view"], shots["form"]
    if view not in learner.views_:  # nobody who votes looks at it
        return None
    maps, patterns = np.asarray(shots["map"]), np.asarray(learner.views_[view](found.inputs), dtype=np.float64)
    whose = f"one replica of the heaviest candidate that learns ({view}, {form})"
    column = _column(learner, view, form)
    return Snapshots(np.asarray(shots["step"]), maps, patterns, column, whose, diagonal=form == "diagonal")


def _column(learner, view, form):
    """Where the trace has the first replica of that candidate: replicas stand there candidate by candidate."""
    tried = learner.selection_
    first = np.flatnonzero(tried["n_neighbors"] == 1)  # a row for every k, candidate by candidate
    fits = (tried["view"][first] == view) & (tried["form"][first] == form)
    fits &= tried["confinement"][first] == learner.confinement_
    brier = np.minimum.reduceat(tried["oob_brier"], first)
    weight = np.add.reduceat(tried["weight"], first)
    heaviest = np.lexsort([brier, -weight, ~fits])[0]
    return int(tried["n_replicas"][first[:heaviest]].sum())
