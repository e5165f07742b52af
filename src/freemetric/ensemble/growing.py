"""An ensemble that gets more samples: they vote at once, and the oldest metrics are sampled anew."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..learners.base import one_blas_thread
from ..learners.callbacks import FitSteps
from ..learners.training_rows import TrainingRows
from ..metrics import Committee, Ensemble, Voters
from .finish import describe_committee
from .oob import Jury, left_out_of
from .population import Entrant
from .running import SearchStopped, TaskRunner
from .search import Search


def learn_more(model: Any, rows: TrainingRows, n_given: int) -> None:
    """Let a fitted FreeEnergyClassifier learn from more rows, of so many given."""
    old, judged = model.committee_.voters, model.oob_decision_function_
    voters = together(old, Voters(rows.X, rows.y, old.n_classes, rows.weights, len(judged) + rows.rows))
    if len(voters) >= 2 * model.n_searched_:
        return model._learn(voters, len(judged) + n_given)
    search, steps = model._search(voters, judges=False), FitSteps(model, voters.X, voters.y)
    search.run = TaskRunner(model._n_tasks, steps, None)
    with one_blas_thread():
        drawn = drawn_anew(model.committee_, search, len(rows.y) / len(voters))
        attributes = describe_committee(renewed(model.committee_, voters, drawn))
        attributes["jury_"] = rejudged(model.jury_, model.committee_, search, drawn)
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


def drawn_anew(committee: Committee, search: Search, share: float) -> list[Entrant]:
    """For every ensemble this share of its replicas, drawn anew by the search; fewer where somebody stops it."""
    search.look_through(committee.views)
    (size,) = search.bag_sizes()[-1:]
    wanted = []
    for ensemble in committee.ensembles:
        candidate, n = ensemble.candidate, int(np.ceil(share * len(ensemble.maps)))
        wanted.append((search.enter(candidate.on_bags_of(size)), n))
    with suppress(SearchStopped):  # somebody wants to stop: as many are replaced as were drawn
        search.grow((entrant, n) for entrant, n in wanted if n)
    return [entrant for entrant, _ in wanted]


def renewed(committee: Committee, voters: Voters, drawn: Sequence[Entrant]) -> Committee:
    """The committee with these voters and new replicas in the place of the oldest."""
    ensembles = [
        Ensemble(entrant.candidate, np.concatenate([ensemble.maps[len(entrant.maps) :], entrant.maps]))
        if len(entrant.maps)
        else ensemble
        for ensemble, entrant in zip(committee.ensembles, drawn, strict=True)
    ]
    return committee.with_voters(ensembles, voters)


def rejudged(jury: Jury, committee: Committee, search: Search, drawn: Sequence[Entrant]) -> Jury:
    """The same judges, and what the new replicas have left out of their bags."""
    left_out = []
    for ensemble, old, entrant in zip(committee.ensembles, jury.left_out(committee.ensembles), drawn, strict=True):
        if ensemble.form.learns:
            bags = search.bags_of(entrant.candidate.bag_size).first(len(entrant.maps))
            left_out += [old[len(bags) :], left_out_of(jury.rows, search.problem.voters, bags)]
    return Jury.of(jury.rows, left_out)


def _weights(voters: Voters) -> NDArray:
    return np.ones(len(voters)) if voters.weights is None else voters.weights
