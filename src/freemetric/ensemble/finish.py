"""The end of a fit: the fitted attributes of a finished search, the same for one process and for Dask.

A fitted ensemble can also get more samples: they vote at once, and the oldest metrics are sampled anew.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..learners.base import one_blas_thread
from ..learners.fitting import FitSteps
from ..metrics import Member, TrainingSet
from .model import Ensemble
from .oob import OOBIndices, left_out_of
from .population import CandidateResult, Population, allowed_neighbors, learner_weights
from .running import Progress, SearchStopped, given_recipe, runner
from .search import Search, Wanted
from .settings import Recipe


def finish_fit(search: Search, training_set: TrainingSet, n_rows: int | None, n_shortlists: int = 1) -> dict[str, Any]:
    """Fitted attributes of a model, by name.

    A pure function: a search that has ended can be finished with the samples that it has seen, and with all of them.
    ``n_rows`` were given to fit; None leaves out attributes with an entry for each. A prediction looks at
    ``n_shortlists``, one of every partition.
    """
    with one_blas_thread():  # many small problems, for which threads only wait
        population, task = search.population, search.problem.task
        result = task.result(population, search.recipe, n_rows)
        used = np.flatnonzero(result.weights.any(axis=1))
        members = [population.results[number].member() for number in used]
        views = {name: view for name, view in search.views.items() if name in {m.candidate.view for m in members}}
        weights = result.weights[used] / result.weights[used].sum()
        ensemble = Ensemble(views, members, weights, training_set, result.head)
        attributes = {
            **describe(ensemble, search.recipe, search.problem.device),
            **result.attributes,
            **_search_attributes(search, result.weights, used),
            "n_searched_": len(training_set),
        }
        size = samples_looked_at(search.recipe, attributes["shortlist_"], ensemble)
        size = None if size is None else size * n_shortlists
        attributes["ensemble_"] = task.recalibrated(ensemble, attributes["oob_indices_"], size, search.recipe)
        return attributes


def samples_looked_at(recipe: Recipe, chosen: int, ensemble: Ensemble) -> int | None:
    """Number of training samples that a prediction looks at in every space, None for all; at least all that vote.

    ``chosen`` is the fitted ``shortlist_`` of a model with this recipe.
    """
    if not recipe.shortlists:
        return None
    return max(ensemble.n_neighbors, chosen if len(recipe.shortlists) > 1 else recipe.shortlists[0])


def describe(ensemble: Ensemble, recipe: Recipe, device: str = "cpu") -> dict[str, Any]:
    """Fitted attributes that follow from the ensemble alone."""
    weights, spread = ensemble.feature_shares()
    return {
        "ensemble_": ensemble,
        "distance_weights_": weights,
        "distance_weights_std_": spread,
        **_shortlist(ensemble, recipe, device),
    }


def _shortlist(ensemble, recipe, device="cpu"):
    """The smallest shortlist that hardly changes the votes, and its recall of the neighbours that vote."""
    training_set, index = ensemble.training_set, ensemble.index()
    n_places = len(training_set.places.rows)
    sizes = [size for size in recipe.shortlists if 2 * size < n_places]
    if not sizes:
        return {"shortlist_": n_places, "shortlist_recall_": 1.0}
    X = training_set.X[np.linspace(0, len(training_set) - 1, recipe.shortlist_samples).astype(int)]
    votes = index.shares(X, None if n_places <= recipe.shortlist_all else sizes[-1], device)
    for size in sizes:
        changed = np.abs(index.shares(X, size, device) - votes).sum(axis=1).mean() / 2
        if changed <= ensemble.head.most_changed:
            break
    return {"shortlist_": size, "shortlist_recall_": index.recall(X[::2], size)}


def _search_attributes(search, weights, used):
    """Attributes that describe the search: selection, out-of-bag samples, and the walk of the best candidate."""
    population = search.population
    return {
        "oob_indices_": _oob_indices(search, used),
        "selection_": selection_table(population, weights),
        "n_neighbors_": int(weights.sum(axis=0).argmax()) + 1,
        "trace_": population.trace(),
        **_best_walk(search),
    }


def _oob_indices(search, used):
    """The samples that every candidate left out, and what the replicas that vote have left out of their bags."""
    population = search.population
    rows = population.training_set.rows[population.oob_samples]
    results = [population.results[number] for number in used]
    return OOBIndices.of(rows, [search.left_out(result) for result in results if result.candidate.learns])


def selection_table(population: Population, weights: NDArray) -> dict[str, NDArray]:
    """What was tried, a row for each candidate and number of neighbours, by column."""
    K, results, (error, score) = population.n_neighbors, population.results, population.task.columns
    names = ("view", "form", "energy", "temperature", "confinement", "bag_size")
    return {
        **{name: np.repeat([getattr(result.candidate, name) for result in results], K) for name in names},
        "n_replicas": np.repeat([len(result.maps) for result in results], K),
        "n_neighbors": np.tile(np.arange(1, K + 1), len(results)),
        error: population.errors().ravel(),
        score: population.scores().ravel(),
        "weight": weights.ravel(),
    }


def _best_walk(search):
    """Of the best candidate that learns: temperature, confinement, and the first replica along its walk."""
    population, recipe = search.population, search.recipe
    if not population.learns.any():
        return {"snapshots_": None, "temperature_": np.nan, "confinement_": np.nan}
    neighbors = allowed_neighbors(recipe.neighbors, population.n_neighbors)
    best = population.results[int(learner_weights(population, neighbors, recipe).argmax())]
    candidate, temperature = best.candidate, best.traces[0]["temperature"]
    return {
        "snapshots_": {"view": candidate.view, "form": candidate.form, **best.snapshots},
        "confinement_": float(candidate.confinement),
        "temperature_": float(temperature[-1, 0]),
    }


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
        grow([(result, n) for result, n in wanted if n])
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
