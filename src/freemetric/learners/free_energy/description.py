"""The fitted attributes of a free-energy classifier, from a search and its verdict."""

from typing import Any

import numpy as np

from ...metrics import BaseCommittee, Committee, Ensemble, Mixture, View, Voters
from .jury import Jury, left_out_of
from .number_verdict import NumberVerdict
from .population import Population
from .search import Search
from .trust import allowed_neighbors, trusted_learners
from .verdict import Verdict

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
