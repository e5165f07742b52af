"""The end of a fit: the fitted attributes of a finished search, the same for one process and for Dask."""

from typing import Any, NamedTuple, Protocol

import numpy as np

from ..learners.base import one_blas_thread
from ..metrics import Member, Mixture, RegressionTrainingSet, Scale, TrainingSet, Trend, View
from .model import BaseEnsemble, Ensemble, RegressionEnsemble
from .oob import OOBIndices, left_out_of
from .population import Population, allowed_neighbors, learner_weights
from .search import Search
from .tasks.classification import ClassificationResult, classification_result
from .tasks.decisions import Decision
from .tasks.intervals import NumberScore
from .tasks.regression import RegressionResult, recalibrated, regression_result

SHORTLISTS = (128, 256, 512, 1024)  # at most: longer ones cost more than they change
ROWS_ASKED = 128  # to find out how many votes a shortlist changes
ALL_ASKED = 20_000  # voters; of more the longest shortlist stands for all of them


def rows_asked(shortlist: int | str | None, chosen: int, ensemble: BaseEnsemble) -> int | None:
    """How many training samples a prediction asks in every space, None for all.

    ``shortlist`` is the parameter of the model, and ``chosen`` its fitted ``shortlist_``. As many as there are
    neighbours that vote are always asked.
    """
    if shortlist is None:
        return None
    return max(ensemble.n_neighbors, chosen if isinstance(shortlist, str) else shortlist)


def describe(search: Search, outcome: ClassificationResult, training_set: TrainingSet) -> dict[str, Any]:
    """The committee of these voters, what was tried, and what it weighs."""
    ensemble = Ensemble(*chosen(search, outcome), training_set, outcome.densities)
    return {
        **describe_search(search, outcome, ensemble),
        "oob_score_": outcome.score,
        "class_weight_": outcome.class_weights,
    }


def chosen(
    search: Search, outcome: ClassificationResult | RegressionResult
) -> tuple[dict[str, View], list[Member], Mixture]:
    """Views, metrics and weights of those candidates that vote."""
    members = [search.population.results[number].member() for number in outcome.asked]
    used = {member.candidate.view for member in members}
    views = {name: view for name, view in search.views.items() if name in used}
    return views, members, outcome.mixture.restricted(outcome.asked)


def describe_search(
    search: Search, outcome: ClassificationResult | RegressionResult, ensemble: BaseEnsemble
) -> dict[str, Any]:
    """The committee, and how it was found."""
    population = search.population
    return {
        **describe_committee(ensemble),
        "oob_indices_": _oob_indices(search, outcome),
        "n_searched_": len(ensemble.training_set),
        "selection_": _selection(population, outcome),
        "n_neighbors_": int(outcome.mixture.weights.sum(axis=0).argmax()) + 1,
        "trace_": population.trace(),
        **_walk(search),
    }


def describe_committee(ensemble: BaseEnsemble) -> dict[str, Any]:
    """What follows from the committee alone."""
    weights, spread = ensemble.feature_shares()
    return {
        "ensemble_": ensemble,
        "distance_weights_": weights,
        "distance_weights_std_": spread,
        **_shortlist(ensemble),
    }


def describe_judges(population: Population, outcome: ClassificationResult, n_rows: int) -> dict[str, Any]:
    """Out-of-bag probabilities of every row given to fit; NaN where a row did not judge every candidate."""
    probabilities = np.full((n_rows, population.training_set.n_classes), np.nan)
    probabilities[population.training_set.rows[population.judges]] = outcome.probabilities
    return {"oob_decision_function_": probabilities}


def _oob_indices(search, outcome):
    """The rows that judged every candidate, and what the replicas that vote have left out of their bags."""
    population = search.population
    results = [population.results[number] for number in outcome.asked]
    rows = population.training_set.rows[population.judges]
    bags = [search.bags_of(e.candidate.bag_size).first(len(e.maps)) for e in results if e.candidate.learns]
    return OOBIndices.of(rows, [left_out_of(rows, population.training_set, some) for some in bags])


def _shortlist(ensemble):
    """The smallest shortlist that hardly changes the votes, and how many of the neighbours that vote are on it.

    Where voters are dense, any of many neighbours may vote in the place of another: then the votes are the same, though
    many neighbours are not.
    """
    n_places = len(ensemble.training_set.places.rows)
    sizes = [size for size in SHORTLISTS if 2 * size < n_places]
    if not sizes:
        return {"shortlist_": n_places, "shortlist_recall_": 1.0}
    rows = ensemble.training_set.X[np.linspace(0, len(ensemble.training_set) - 1, ROWS_ASKED).astype(int)]
    index, longest = ensemble.index(), None if n_places <= ALL_ASKED else sizes[-1]
    votes = index.shares(rows, longest, "cpu")
    for size in sizes:
        changed = np.abs(index.shares(rows, size, "cpu") - votes).sum(axis=1).mean() / 2
        if changed <= ensemble.most_changed:
            break
    return {"shortlist_": size, "shortlist_recall_": index.recall(rows[::2], size)}


def _selection(population, outcome):
    K, results, (error, score) = population.n_neighbors, population.results, population.target.columns
    names = ("view", "form", "energy", "temperature", "confinement", "bag_size")
    return {
        **{name: np.repeat([getattr(result.candidate, name) for result in results], K) for name in names},
        "n_replicas": np.repeat([len(result.maps) for result in results], K),
        "n_neighbors": np.tile(np.arange(1, K + 1), len(results)),
        error: outcome.errors.ravel(),
        score: outcome.scores.ravel(),
        "weight": outcome.mixture.weights.ravel(),
    }


def _walk(search):
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


def describe_numbers(
    search: Search, outcome: RegressionResult, training_set: RegressionTrainingSet, trends: list[Trend], scale: Scale
) -> dict[str, Any]:
    """The committee of these voters, what was tried, and what it weighs."""
    ensemble = RegressionEnsemble(*chosen(search, outcome), training_set, trends, scale, outcome.noises)
    return describe_search(search, outcome, ensemble)


def describe_predictions(
    search: Search, outcome: RegressionResult, ensemble: RegressionEnsemble, score: NumberScore, n_rows: int
) -> dict[str, Any]:
    """Out-of-bag predictions of every row given to fit, NaN where a row did not judge every candidate; their score."""
    population, predictions = search.population, np.full(n_rows, np.nan)
    known = ensemble.means(outcome.outlook)
    predictions[population.training_set.rows[population.judges]] = known
    return {
        "oob_prediction_": predictions,
        "oob_score_": score(known[:, None], population.truth, population.judges_weights),
    }


class Task(Protocol):
    """What a target asks of the end of a fit."""

    def attributes(self, search: Search, training_set: Any) -> dict[str, Any]:
        """Fitted attributes of a model that predicts with these training samples."""


def finish_fit(search: Search, task: Task, training_set: TrainingSet) -> dict[str, Any]:
    """Fitted attributes of a model, by name.

    The search chooses the metrics; it may have seen a part of the training samples only. A pure function: the same
    search can be finished with the samples that it has seen, and with all of them.

    Parameters
    ----------
    search : Search
        A search that has ended.
    task : Task
        Classification or regression.
    training_set : TrainingSet
        The training samples among which predictions look for neighbours.
    """
    with one_blas_thread():  # many small problems, for which threads only wait
        return task.attributes(search, training_set)


class ClassificationTask(NamedTuple):
    """Calibrated votes of classes."""

    decision: Decision
    n_rows: int | None  # given to fit; None leaves out the attribute with out-of-bag probabilities of each

    def attributes(self, search: Search, training_set: TrainingSet) -> dict[str, Any]:
        """Fitted attributes of a classifier that predicts with these training samples."""
        outcome = classification_result(search.population, search.recipe, self.decision)
        attributes = describe(search, outcome, training_set)
        if self.n_rows is None:
            return attributes
        return attributes | describe_judges(search.population, outcome, self.n_rows)


class RegressionTask(NamedTuple):
    """Means of the target among neighbours beside trends, with a spread."""

    trends: list[Trend]
    scale: Scale
    score: NumberScore
    shortlist: int | str | None  # the parameter
    n_rows: int  # given to fit
    n_shortlists: int = 1  # that a prediction asks: one of every partition

    def attributes(self, search: Search, training_set: RegressionTrainingSet) -> dict[str, Any]:
        """Fitted attributes of a regressor that predicts with these training samples."""
        outcome = regression_result(search.population, search.recipe)
        attributes = describe_numbers(search, outcome, training_set, self.trends, self.scale)
        ensemble = attributes["ensemble_"]
        attributes |= describe_predictions(search, outcome, ensemble, self.score, self.n_rows)
        size = rows_asked(self.shortlist, attributes["shortlist_"], ensemble)
        n_asked = None if size is None else size * self.n_shortlists
        attributes["ensemble_"] = recalibrated(ensemble, attributes["oob_indices_"], n_asked, search.recipe)
        return attributes
