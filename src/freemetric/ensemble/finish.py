"""The end of a fit: the fitted attributes of a finished search, the same for one process and for Dask."""

from typing import Any, NamedTuple, Protocol

import numpy as np

from ..learners.base import one_blas_thread
from ..metrics import (
    BaseCommittee,
    Committee,
    Ensemble,
    Mixture,
    NumberCommittee,
    NumberVoters,
    Scale,
    Trend,
    View,
    Voters,
)
from .oob import Jury, left_out_of
from .population import Population, allowed_neighbors, trusted_learners
from .search import Search
from .tasks.classification import Verdict, verdict_on
from .tasks.decisions import Decision
from .tasks.intervals import NumberScore
from .tasks.regression import NumberVerdict, number_verdict_on, read_as_asked

SHORTLISTS = (128, 256, 512, 1024)  # at most: longer ones cost more than they change
ROWS_ASKED = 128  # to find out how many votes a shortlist changes
ALL_ASKED = 20_000  # voters; of more the longest shortlist stands for all of them


def rows_asked(shortlist: int | str | None, chosen: int, committee: BaseCommittee) -> int | None:
    """How many training samples a prediction asks in every space, None for all.

    ``shortlist`` is the parameter of the model, and ``chosen`` its fitted ``shortlist_``. As many as there are
    neighbours that vote are always asked.
    """
    if shortlist is None:
        return None
    return max(committee.n_neighbors, chosen if isinstance(shortlist, str) else shortlist)


def describe(search: Search, verdict: Verdict, voters: Voters) -> dict[str, Any]:
    """The committee of these voters, what was tried, and what it weighs."""
    committee = Committee(*chosen(search, verdict), voters, verdict.basins)
    return {
        **describe_search(search, verdict, committee),
        "oob_score_": verdict.score,
        "class_weight_": verdict.class_weights,
    }


def chosen(search: Search, verdict: Verdict | NumberVerdict) -> tuple[dict[str, View], list[Ensemble], Mixture]:
    """Views, metrics and weights of those candidates that vote."""
    ensembles = [search.population.entrants[number].ensemble() for number in verdict.asked]
    used = {ensemble.candidate.view for ensemble in ensembles}
    views = {name: view for name, view in search.views.items() if name in used}
    return views, ensembles, verdict.mixture.restricted(verdict.asked)


def describe_search(search: Search, verdict: Verdict | NumberVerdict, committee: BaseCommittee) -> dict[str, Any]:
    """The committee, and how it was found."""
    population = search.population
    return {
        **describe_committee(committee),
        "jury_": _jury(search, verdict),
        "n_searched_": len(committee.voters),
        "selection_": _selection(population, verdict),
        "n_neighbors_": int(verdict.mixture.weights.sum(axis=0).argmax()) + 1,
        "trace_": population.trace(),
        **_walk(search),
    }


def describe_committee(committee: BaseCommittee) -> dict[str, Any]:
    """What follows from the committee alone."""
    weights, spread = committee.feature_shares()
    return {
        "committee_": committee,
        "distance_weights_": weights,
        "distance_weights_std_": spread,
        **_shortlist(committee),
    }


def describe_judges(population: Population, verdict: Verdict, n_rows: int) -> dict[str, Any]:
    """Out-of-bag probabilities of every row given to fit; NaN where a row did not judge every candidate."""
    probabilities = np.full((n_rows, population.voters.n_classes), np.nan)
    probabilities[population.voters.rows[population.judges]] = verdict.probabilities
    return {"oob_decision_function_": probabilities}


def _jury(search, verdict):
    """The rows that judged every candidate, and what the replicas that vote have left out of their bags."""
    population = search.population
    entrants = [population.entrants[number] for number in verdict.asked]
    rows = population.voters.rows[population.judges]
    bags = [search.bags_of(e.candidate.bag_size).first(len(e.maps)) for e in entrants if e.candidate.learns]
    return Jury.of(rows, [left_out_of(rows, population.voters, some) for some in bags])


def _shortlist(committee):
    """The smallest shortlist that hardly changes the votes, and how many of the neighbours that vote are on it.

    Where voters are dense, any of many neighbours may vote in the place of another: then the votes are the same, though
    many neighbours are not.
    """
    n_places = len(committee.voters.places.rows)
    sizes = [size for size in SHORTLISTS if 2 * size < n_places]
    if not sizes:
        return {"shortlist_": n_places, "shortlist_recall_": 1.0}
    rows = committee.voters.X[np.linspace(0, len(committee.voters) - 1, ROWS_ASKED).astype(int)]
    poll, longest = committee.poll(), None if n_places <= ALL_ASKED else sizes[-1]
    votes = poll.shares(rows, longest, "cpu")
    for size in sizes:
        changed = np.abs(poll.shares(rows, size, "cpu") - votes).sum(axis=1).mean() / 2
        if changed <= committee.most_changed:
            break
    return {"shortlist_": size, "shortlist_recall_": poll.recall(rows[::2], size)}


def _selection(population, verdict):
    K, entrants, (error, score) = population.n_neighbors, population.entrants, population.target.columns
    names = ("view", "form", "energy", "temperature", "confinement", "bag_size")
    return {
        **{name: np.repeat([getattr(entrant.candidate, name) for entrant in entrants], K) for name in names},
        "n_replicas": np.repeat([len(entrant.maps) for entrant in entrants], K),
        "n_neighbors": np.tile(np.arange(1, K + 1), len(entrants)),
        error: verdict.errors.ravel(),
        score: verdict.scores.ravel(),
        "weight": verdict.mixture.weights.ravel(),
    }


def _walk(search):
    """Of the best candidate that learns: temperature, confinement, and the first replica along its walk."""
    population, recipe = search.population, search.recipe
    if not population.learns.any():
        return {"snapshots_": None, "temperature_": np.nan, "confinement_": np.nan}
    neighbors = allowed_neighbors(recipe.neighbors, population.n_neighbors)
    best = population.entrants[int(trusted_learners(population, neighbors, recipe).argmax())]
    candidate, temperature = best.candidate, best.traces[0]["temperature"]
    return {
        "snapshots_": {"view": candidate.view, "form": candidate.form, **best.snapshots},
        "confinement_": float(candidate.confinement),
        "temperature_": float(temperature[-1, 0]),
    }


def describe_numbers(
    search: Search, verdict: NumberVerdict, voters: NumberVoters, trends: list[Trend], scale: Scale
) -> dict[str, Any]:
    """The committee of these voters, what was tried, and what it weighs."""
    committee = NumberCommittee(*chosen(search, verdict), voters, trends, scale, verdict.noises)
    return describe_search(search, verdict, committee)


def describe_predictions(
    search: Search, verdict: NumberVerdict, committee: NumberCommittee, score: NumberScore, n_rows: int
) -> dict[str, Any]:
    """Out-of-bag predictions of every row given to fit, NaN where a row did not judge every candidate; their score."""
    population, predictions = search.population, np.full(n_rows, np.nan)
    known = committee.means(verdict.outlook)
    predictions[population.voters.rows[population.judges]] = known
    return {
        "oob_prediction_": predictions,
        "oob_score_": score(known[:, None], population.truth, population.judges_weights),
    }


class Task(Protocol):
    """What a target asks of the end of a fit."""

    def attributes(self, search: Search, voters: Any) -> dict[str, Any]:
        """Fitted attributes of a model that predicts with these training samples."""


def finish_fit(search: Search, task: Task, voters: Voters) -> dict[str, Any]:
    """Fitted attributes of a model, by name.

    The search chooses the metrics; it may have seen a part of the training samples only. A pure function: the same
    search can be finished with the samples that it has seen, and with all of them.

    Parameters
    ----------
    search : Search
        A search that has ended.
    task : Task
        Classification or regression.
    voters : Voters
        The training samples among which predictions look for neighbours.
    """
    with one_blas_thread():  # many small problems, for which threads only wait
        return task.attributes(search, voters)


class ClassificationTask(NamedTuple):
    """Calibrated votes of classes."""

    decision: Decision
    n_rows: int | None  # given to fit; None leaves out the attribute with out-of-bag probabilities of each

    def attributes(self, search: Search, voters: Voters) -> dict[str, Any]:
        """Fitted attributes of a classifier that predicts with these training samples."""
        verdict = verdict_on(search.population, search.recipe, self.decision)
        attributes = describe(search, verdict, voters)
        if self.n_rows is None:
            return attributes
        return attributes | describe_judges(search.population, verdict, self.n_rows)


class RegressionTask(NamedTuple):
    """Means of the target among neighbours beside trends, with a spread."""

    trends: list[Trend]
    scale: Scale
    score: NumberScore
    shortlist: int | str | None  # the parameter
    n_rows: int  # given to fit
    n_shortlists: int = 1  # that a prediction asks: one of every partition

    def attributes(self, search: Search, voters: NumberVoters) -> dict[str, Any]:
        """Fitted attributes of a regressor that predicts with these training samples."""
        verdict = number_verdict_on(search.population, search.recipe)
        attributes = describe_numbers(search, verdict, voters, self.trends, self.scale)
        committee = attributes["committee_"]
        attributes |= describe_predictions(search, verdict, committee, self.score, self.n_rows)
        size = rows_asked(self.shortlist, attributes["shortlist_"], committee)
        n_asked = None if size is None else size * self.n_shortlists
        attributes["committee_"] = read_as_asked(committee, attributes["jury_"], n_asked, search.recipe)
        return attributes
