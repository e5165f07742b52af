"""A committee that gets more rows: they vote at once, and the oldest metrics are drawn anew on old and new rows."""

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...metrics import Committee, Ensemble, Voters
from ..base import one_blas_thread
from ..callbacks import FitSteps
from ..training_rows import TrainingRows
from .description import describe_committee
from .running import SearchStopped, TaskRunner
from .search import Search


def learn_more(model: Any, rows: TrainingRows, n_given: int) -> None:
    """Let a fitted FreeEnergyClassifier learn from more rows, of so many given."""
    old, judged = model.committee_.voters, model.oob_decision_function_
    voters = together(old, Voters(rows.X, rows.y, old.n_classes, rows.weights, len(judged) + rows.rows))
    if len(voters) >= 2 * model.n_searched_:
        return model._learn(voters, len(judged) + n_given)
    search, steps = model._search(voters, judges=False), FitSteps(model, voters.X, voters.y)
    search.run = TaskRunner(model._n_tasks, steps, None, model.verbose)
    with one_blas_thread():
        attributes = describe_committee(renewed(model.committee_, voters, search, len(rows.y) / len(voters)))
    steps.close()
    unjudged = np.full((n_given, old.n_classes), np.nan)
    model.__dict__.update(attributes, oob_decision_function_=np.concatenate([judged, unjudged]))


def together(old: Voters, new: Voters) -> Voters:
    """The rows of both; the new ones are numbered after all that were given before."""
    weights = None
    if old.weights is not None or new.weights is not None:
        weights = np.concatenate([_weights(old), _weights(new)])
    X, y = np.concatenate([old.X, new.X]), np.concatenate([old.y, new.y])
    return Voters(X, y, old.n_classes, weights, np.concatenate([old.rows, new.rows]))


def renewed(committee: Committee, voters: Voters, search: Search, share: float) -> Committee:
    """The committee with these voters, whose search draws this share of every ensemble's replicas anew."""
    search.look_through(committee.views)
    (size,) = search.bag_sizes()[-1:]
    wanted = []
    for ensemble in committee.ensembles:
        candidate, n = ensemble.candidate, int(np.ceil(share * len(ensemble.maps)))
        wanted.append((search.enter(candidate.on_bags_of(size)), n))
    with suppress(SearchStopped):  # somebody wants to stop: as many are replaced as were drawn
        search.grow((entrant, n) for entrant, n in wanted if n)
    ensembles = [
        Ensemble(entrant.candidate, np.concatenate([ensemble.maps[len(entrant.maps) :], entrant.maps]))
        if len(entrant.maps)
        else ensemble
        for ensemble, (entrant, _) in zip(committee.ensembles, wanted, strict=True)
    ]
    return Committee(committee.views, ensembles, committee.mixture, voters, committee.basins)


def _weights(voters: Voters) -> NDArray:
    return np.ones(len(voters)) if voters.weights is None else voters.weights
