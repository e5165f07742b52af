"""The search of a free-energy classifier: which candidates get replicas, and what their judges make of them."""

from typing import NamedTuple

import numpy as np

from .calibration import brier_scores
from .candidates import first_candidates, spread
from .mixture import Mixture, best_pair, trusted
from .population import Population

USUAL_REPLICAS = 90
AFFORDABLE_BAG = 2000  # patterns; larger bags get fewer replicas, whose metrics vary less
FIRST_SHARE = 0.5  # of the replicas go evenly to all kinds
TRUSTED_NEIGHBORS = (1, 2, 3, 5, 8, 13, 20, 32)  # evenly on a logarithmic scale, so that large k do not outnumber small


def populate(population: Population, kinds: list[str]) -> None:
    """Replicas evenly to all kinds, then to other temperatures of the best kind, then to where votes were best."""
    settings = population.settings
    pool = first_candidates(kinds, settings.temperature, settings.confinement)
    left = total = _how_many(population)
    population.begin(total)
    each = max(2, round(FIRST_SHARE * left / max(1, sum(candidate.learns for candidate in pool))))
    for candidate in pool:
        n = min(each, left) * candidate.learns
        if n > 1 or n == total or not candidate.learns:  # two bags leave out everybody once
            population.add(candidate, n)
            left -= n
    weights = learned_weights(population)
    if settings.temperature == "auto" and settings.sampler is None and left >= 2 * each and weights.any():
        best = population.ensembles[weights.argmax()].candidate
        for candidate in best.other_temperatures(moves_trap=settings.confinement == "auto"):
            population.add(candidate, each)
            left -= each
        weights = learned_weights(population)
    if weights.any():
        for number, n in enumerate(spread(left, weights)):
            population.grow(number, n)


def learned_weights(population: Population) -> np.ndarray:
    """Trust in every candidate that learns; nothing for the others."""
    weights = trusted(population.scores(), population.n_judges, neighbors(population)).sum(axis=1)
    weights *= population.learns
    return weights if weights.any() else population.learns.astype(float)


def neighbors(population: Population) -> list[int]:
    """The numbers of neighbours that may vote."""
    k, most = population.settings.n_neighbors, population.most_neighbors
    return [k for k in TRUSTED_NEIGHBORS if k <= most] if k == "auto" else [min(k, most)]


class Verdict(NamedTuple):
    """What the out-of-bag votes say; arrays over (n_candidates, K)."""

    mixture: Mixture
    of_one_k: list[Mixture]  # for k = 1, 2, ..., of the candidates that the mixture asks
    asked: np.ndarray  # numbers of these
    scores: np.ndarray
    errors: np.ndarray
    probabilities: np.ndarray  # (n_judges, C)


def judge(population: Population) -> Verdict:
    """Weigh the candidates, calibrate their mixture, and every k alone beside it."""
    y, w, scores, n_judges = population.truth, population.judges_weights, population.scores(), population.n_judges
    shares = population.shares()  # empty where nobody could judge; nothing is calibrated then
    wrong = shares.argmax(axis=3) != y
    errors = np.average(wrong, axis=2, weights=w) if len(y) else np.full(scores.shape, np.nan)
    mixture = Mixture.fit(trusted(scores, n_judges, neighbors(population)), shares, y, w)
    mixture = _or_plain_neighbors(mixture, population, shares, scores)
    asked = np.flatnonzero(mixture.weights.any(axis=1))
    of_one_k = [
        Mixture.fit(trusted(scores[asked], n_judges, [k]), shares[asked], y, w)
        for k in range(1, population.most_neighbors + 1)
    ]
    return Verdict(mixture, of_one_k, asked, scores, errors, mixture(shares))


def _how_many(population):
    wanted = population.settings.n_replicas
    return min(USUAL_REPLICAS, USUAL_REPLICAS * AFFORDABLE_BAG // population.bags.size) if wanted == "auto" else wanted


def _or_plain_neighbors(mixture, population, shares, scores):
    """The mixture, unless plain k-NN is better by more than a standard error; then k-NN's decisions, calibrated."""
    y, w, columns = population.truth, population.judges_weights, np.array(neighbors(population)) - 1
    if not len(y) or population.learns.all():
        return mixture
    number, column = best_pair(np.where(population.learns[:, None], np.inf, scores[:, columns]))
    pair = number, columns[column]
    excess = brier_scores(mixture(shares)[:, None], y[:, None]) - brier_scores(shares[pair][:, None], y[:, None])
    mean = np.average(excess, weights=w)
    if mean <= np.sqrt(np.average((excess - mean) ** 2, weights=w) / population.n_judges):
        return mixture
    plain = np.zeros(scores.shape)
    plain[pair] = 1.0
    return Mixture.fit(plain, shares, y, w, with_bias=False)
