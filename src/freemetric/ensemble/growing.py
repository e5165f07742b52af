"""An ensemble that gets more samples: they vote at once, and the oldest metrics are sampled anew."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..learners.base import one_blas_thread
from ..learners.fitting import FitSteps
from ..learners.training_rows import TrainingRows
from ..metrics import Member, TrainingSet
from .finish import describe
from .model import Ensemble
from .oob import OOBIndices, left_out_of
from .population import CandidateResult
from .running import SearchStopped, TaskRunner, given_recipe
from .search import Search


def learn_more(model: Any, rows: TrainingRows, n_given: int) -> None:
    """Let a fitted FreeEnergyClassifier learn from more rows, of so many given."""
    old, judged = model.ensemble_.training_set, model.oob_decision_function_
    training_set = together(old, TrainingSet(rows.X, rows.y, old.encoding, rows.weights, len(judged) + rows.rows))
    if len(training_set) >= 2 * model.n_searched_:
        return model._learn(training_set, len(judged) + n_given)
    search = model._search(training_set, model._task(training_set), scores=False)
    steps = FitSteps(model, training_set.X, training_set.y)
    search.run = TaskRunner(model._n_tasks, steps, None)
    with one_blas_thread():
        drawn = drawn_anew(model.ensemble_, search, len(rows.y) / len(training_set))
        attributes = describe(renewed(model.ensemble_, training_set, drawn), given_recipe(model, len(training_set)))
        attributes["oob_indices_"] = rejudged(model.oob_indices_, model.ensemble_, search, drawn)
    steps.close()
    unjudged = np.full((n_given, old.n_cells), np.nan)
    model.__dict__.update(attributes, oob_decision_function_=np.concatenate([judged, unjudged]))


def together(old: TrainingSet, new: TrainingSet) -> TrainingSet:
    """The rows of both; the new ones are numbered after all that were given before."""
    weights = None
    if old.weights is not None or new.weights is not None:
        weights = np.concatenate([_weights(old), _weights(new)])
    X, values = np.concatenate([old.X, new.X]), np.concatenate([old.values, new.values], axis=-1)
    return TrainingSet(X, values, old.encoding, weights, np.concatenate([old.rows, new.rows]))


def drawn_anew(ensemble: Ensemble, search: Search, share: float) -> list[CandidateResult]:
    """For every ensemble this share of its replicas, drawn anew by the search; fewer where somebody stops it."""
    search.look_through(ensemble.views)
    (size,) = search.bag_sizes()[-1:]
    wanted = []
    for member in ensemble.members:
        candidate, n = member.candidate, int(np.ceil(share * len(member.maps)))
        wanted.append((search.enter(candidate.on_bags_of(size)), n))
    with suppress(SearchStopped):  # somebody wants to stop: as many are replaced as were drawn
        search.grow((result, n) for result, n in wanted if n)
    return [result for result, _ in wanted]


def renewed(ensemble: Ensemble, training_set: TrainingSet, drawn: Sequence[CandidateResult]) -> Ensemble:
    """The committee with these voters and new replicas in the place of the oldest."""
    members = [
        Member(result.candidate, np.concatenate([member.maps[len(result.maps) :], result.maps]))
        if len(result.maps)
        else member
        for member, result in zip(ensemble.members, drawn, strict=True)
    ]
    return ensemble.with_training_set(members, training_set)


def rejudged(
    oob_indices: OOBIndices, ensemble: Ensemble, search: Search, drawn: Sequence[CandidateResult]
) -> OOBIndices:
    """The same judges, and what the new replicas have left out of their bags."""
    left_out = []
    for member, old, result in zip(ensemble.members, oob_indices.left_out(ensemble.members), drawn, strict=True):
        if member.form.learns:
            bags = search.bags_of(result.candidate.bag_size).first(len(result.maps))
            left_out += [old[len(bags) :], left_out_of(oob_indices.rows, search.problem.training_set, bags)]
    return OOBIndices.of(oob_indices.rows, left_out)


def _weights(training_set: TrainingSet) -> NDArray:
    return np.ones(len(training_set)) if training_set.weights is None else training_set.weights
