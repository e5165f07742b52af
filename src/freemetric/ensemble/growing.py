"""An ensemble that gets more samples: they vote at once, and the oldest metrics are sampled anew."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..learners.base import one_blas_thread
from ..learners.fitting import FitSteps
from ..metrics import Member, TrainingSet
from .finish import describe
from .model import Ensemble
from .oob import OOBIndices, left_out_of
from .population import CandidateResult
from .running import Progress, SearchStopped, given_recipe, runner
from .search import Search

Wanted = Iterable[tuple[CandidateResult, int]]  # candidates, and how many replicas each gets


def learn_more(model: Any, training_set: TrainingSet, n_new: int, n_given: int) -> dict[str, Any]:
    """Attributes of a fitted FreeEnergyClassifier with more samples, so many of them new, of so many rows given."""
    search = model._search(training_set, model._task(training_set), scores=False)
    steps = FitSteps(model, training_set.X, training_set.y)
    grow = partial(search.grow, run=runner(model), note=Progress(steps, None))
    with one_blas_thread():
        drawn = drawn_anew(model.ensemble_, search, n_new / len(training_set), grow)
        recipe = given_recipe(model, len(training_set))
        attributes = describe(renewed(model.ensemble_, training_set, drawn), recipe, model.device)
        attributes["oob_indices_"] = oob_indices_with(model.oob_indices_, model.ensemble_, search, drawn)
    steps.close()
    scored = model.oob_decision_function_
    unknown = np.full((n_given - len(scored), scored.shape[1]), np.nan)
    return {**attributes, "oob_decision_function_": np.concatenate([scored, unknown])}


def together(old: TrainingSet, new: TrainingSet) -> TrainingSet:
    """The rows of both; the new ones are numbered after all that were given before."""
    weights = None
    if old.weights is not None or new.weights is not None:
        weights = np.concatenate([_weights(old), _weights(new)])
    X, values = np.concatenate([old.X, new.X]), np.concatenate([old.values, new.values], axis=-1)
    return TrainingSet(X, values, old.encoding, weights, np.concatenate([old.rows, new.rows])).with_gaps(old.gaps)


def drawn_anew(
    ensemble: Ensemble, search: Search, share: float, grow: Callable[[Wanted], None]
) -> list[CandidateResult]:
    """For every member this share of its replicas, sampled anew; fewer where a callback stops the search."""
    search.look_through(ensemble.views)
    (size,) = search.bag_sizes()[-1:]
    wanted = []
    for member in ensemble.members:
        candidate, n = member.candidate, int(np.ceil(share * len(member.maps)))
        wanted.append((search.enter(candidate.on_bags_of(size)), n))
    with suppress(SearchStopped):  # as many are replaced as were drawn
        grow((result, n) for result, n in wanted if n)
    return [result for result, _ in wanted]


def renewed(ensemble: Ensemble, training_set: TrainingSet, drawn: Sequence[CandidateResult]) -> Ensemble:
    """The ensemble with these training samples, and new replicas instead of the oldest."""
    members = [
        Member(result.candidate, np.concatenate([member.maps[len(result.maps) :], result.maps]))
        if len(result.maps)
        else member
        for member, result in zip(ensemble.members, drawn, strict=True)
    ]
    return ensemble.with_training_set(members, training_set)


def oob_indices_with(
    oob_indices: OOBIndices, ensemble: Ensemble, search: Search, drawn: Sequence[CandidateResult]
) -> OOBIndices:
    """The same samples, and which of them the new replicas have left out."""
    left_out = []
    for member, old, result in zip(ensemble.members, oob_indices.left_out(ensemble.members), drawn, strict=True):
        if member.form.learns:
            bags = search.bags_of(result.candidate.bag_size).first(len(result.maps))
            left_out += [old[len(bags) :], left_out_of(oob_indices.rows, search.problem.training_set, bags)]
    return OOBIndices.of(oob_indices.rows, left_out)


def _weights(training_set: TrainingSet) -> NDArray:
    return np.ones(len(training_set)) if training_set.weights is None else training_set.weights
