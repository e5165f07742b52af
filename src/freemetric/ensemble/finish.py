"""The end of a fit: the fitted attributes of a finished search, the same for one process and for Dask.

A fitted ensemble can also get more samples: they vote at once, and the oldest metrics are sampled anew.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from ..learners.base import one_blas_thread
from ..learners.fitting import FitSteps
from ..metrics import Member, TrainingSet
from .model import Ensemble
from .oob import OOBIndices
from .population import CandidateResult, Population, allowed_neighbors, learner_weights
from .running import Progress, SearchStopped, given_recipe, runner
from .search import Search
from .settings import Recipe

FEW_PLACES = 256  # up to so many a prediction looks at all of them
LONG = 128  # samples; shorter shortlists must change less, since training samples are neighbours of themselves


def finish_fit(search: Search, training_set: TrainingSet, n_rows: int | None, n_shortlists: int = 1) -> dict[str, Any]:
    """Fitted attributes of a model, by name.

    A pure function: a search that has ended can be finished with the samples that it has seen, and with all of them.
    ``n_rows`` were given to fit; None leaves out attributes with an entry for each. A prediction looks at
    ``n_shortlists``, one of every partition.
    """
    population, recipe = search.population, search.recipe
    rows = population.training_set.rows[population.oob_samples]

    def indices(results):
        return OOBIndices.of(rows, [search.left_out(result) for result in results])

    with one_blas_thread():  # many small problems, for which threads only wait
        attributes = fitted_attributes(population, recipe, training_set, n_rows, indices, n_shortlists)
        walks: dict[str, Any] = {"snapshots_": None, "temperature_": np.nan, "confinement_": np.nan}
        if population.learns.any():
            neighbors = allowed_neighbors(recipe.neighbors, population.n_neighbors)
            best = population.results[int(learner_weights(population, neighbors, recipe).argmax())]
            walks = {
                "snapshots_": {"view": best.candidate.view, "form": best.candidate.form, **best.snapshots},
                "temperature_": float(best.traces[0]["temperature"][-1, 0]),
                "confinement_": float(best.candidate.confinement),
            }
        return {**attributes, "trace_": population.trace(), **walks, "n_searched_": len(training_set)}


def fitted_attributes(
    population: Population,
    recipe: Recipe,
    training_set: TrainingSet,
    n_rows: int | None,
    indices: Callable[[list[CandidateResult]], OOBIndices],
    n_shortlists: int,
) -> dict[str, Any]:
    """Attributes that follow from the candidates with their out-of-bag votes, where these samples vote in the end.

    ``indices`` of those that learn and vote become ``oob_indices_``. Without shortlists the head is not recalibrated.
    """
    task, spaces = population.task, population.spaces
    assert spaces is not None
    result = task.result(population, recipe, n_rows)
    used = np.flatnonzero(result.weights.any(axis=1))
    results = [population.results[number] for number in used]
    seen_in = {some.candidate.view for some in results}
    views = {name: view for name, view in spaces.views.items() if name in seen_in}
    weights = result.weights[used] / result.weights[used].sum()
    ensemble = Ensemble(views, [some.member() for some in results], weights, training_set, result.head)
    attributes = {
        **describe(ensemble, recipe, spaces.device),
        **result.attributes,
        "oob_indices_": indices([some for some in results if some.candidate.learns]),
        "selection_": _selection_table(population, result.weights),
        "n_neighbors_": int(result.weights.sum(axis=0).argmax()) + 1,
    }
    if n_shortlists:
        size = samples_looked_at(recipe, attributes["shortlist_"], ensemble)
        size = None if size is None else size * n_shortlists
        attributes["ensemble_"] = task.recalibrated(ensemble, attributes["oob_indices_"], size, recipe)
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
    of_features = {"distance_weights_": weights, "distance_weights_std_": spread}
    return {"ensemble_": ensemble, **of_features, **_shortlist(ensemble, recipe, device)}


def _shortlist(ensemble, recipe, device="cpu"):
    """The smallest shortlist that hardly changes the votes, and its recall of the neighbours that vote."""
    training_set, index = ensemble.training_set, ensemble.index()
    n_places = len(training_set.places.rows)
    sizes = [size for size in recipe.shortlists if 2 * size < n_places]
    if not sizes or n_places <= FEW_PLACES:
        return {"shortlist_": n_places, "shortlist_recall_": 1.0}
    X = training_set.X[np.linspace(0, len(training_set) - 1, recipe.shortlist_samples).astype(int)]
    votes = index.shares(X, None if n_places <= recipe.shortlist_all else sizes[-1], device)
    for size in sizes:
        changed = np.abs(index.shares(X, size, device) - votes).sum(axis=1).mean() / 2
        if changed <= min(1.0, size / LONG) * ensemble.head.most_changed:
            break
    return {"shortlist_": size, "shortlist_recall_": index.recall(X[::2], size)}


def _selection_table(population, weights):
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


def learn_more(model: Any, training_set: TrainingSet, n_new: int, n_given: int) -> dict[str, Any]:
    """Attributes of a fitted FreeEnergyClassifier with more samples, so many of them new, of so many rows given.

    Of every member's replicas as large a share is sampled anew, instead of the oldest; fewer where a callback stops it.
    """
    search = model._search(training_set, model._task(training_set), scores=False)
    steps, old, rows = FitSteps(model, training_set.X, training_set.y), model.ensemble_, model.oob_indices_.rows
    search.look_through(old.views)
    size = search.bag_sizes()[-1]
    drawn = [search.enter(member.candidate.on_bags_of(size)) for member in old.members]
    counts = [int(np.ceil(n_new / len(training_set) * len(member.maps))) for member in old.members]
    members, left_out = [], []
    with one_blas_thread():
        with suppress(SearchStopped):  # as many are replaced as were drawn
            wanted = [(result, n) for result, n in zip(drawn, counts, strict=True) if n]
            search.grow(wanted, run=runner(model), note=Progress(steps, None))
        for member, outside, result in zip(old.members, model.oob_indices_.left_out(old.members), drawn, strict=True):
            if n := len(result.maps):
                members.append(Member(result.candidate, np.concatenate([member.maps[n:], result.maps])))
            else:
                members.append(member)
            if member.form.learns:
                bags = search.bags_of(result.candidate.bag_size).first(n)
                left_out += [outside[n:], *(~np.isin(rows, training_set.rows[bag])[None] for bag in bags)]
        ensemble = old.changed(members=members, training_set=training_set)
        attributes = describe(ensemble, given_recipe(model, len(training_set)), model.device)
    steps.close()
    scored = model.oob_decision_function_
    unknown = np.full((n_given - len(scored), scored.shape[1]), np.nan)
    attributes["oob_decision_function_"] = np.concatenate([scored, unknown])
    return {**attributes, "oob_indices_": OOBIndices.of(rows, left_out)}


def together(old: TrainingSet, new: TrainingSet) -> TrainingSet:
    """The rows of both; the new ones are numbered after all that were given before."""
    weights = None
    if old.weights is not None or new.weights is not None:
        weights = np.concatenate([np.ones(len(s)) if s.weights is None else s.weights for s in (old, new)])
    X, values = np.concatenate([old.X, new.X]), np.concatenate([old.values, new.values], axis=-1)
    return TrainingSet(X, values, old.encoding, weights, np.concatenate([old.rows, new.rows])).with_gaps(old.gaps)
