"""What out-of-bag votes say of numbers in the end: weights of the candidates, the reading of their mixture, errors."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from ...metrics import Mixture, NumberVoters, Outlook, Reading, Told, Trend
from ...metrics.mixture import mixed_shares
from ...metrics.reading import terms_of
from .noise import noise_trends, spread_of
from .population import Population
from .recipe import Recipe
from .trust import allowed_neighbors, trusted

MOST_ERRORS = 4000


class NumberVerdict(NamedTuple):
    """Arrays over (n_candidates, K)."""

    mixture: Mixture
    asked: NDArray[np.intp]  # numbers of the candidates that it asks
    scores: NDArray
    errors: NDArray
    outlook: Outlook  # of the judges
    noises: list[Trend]


def number_verdict_on(population: Population, recipe: Recipe) -> NumberVerdict:
    """Weigh the candidates, and find how their votes are to be read beside the trends."""
    voters = population.voters
    assert isinstance(voters, NumberVoters)
    scores, errors, shares = population.scores(), population.errors(), population.shares()
    neighbors = allowed_neighbors(recipe.neighbors, population.n_neighbors)
    weights = trusted(scores, population.error_of, neighbors, recipe)
    mixed, trends = mixed_shares(weights, shares), voters.numbers[2:, population.judges]
    judges = Judged(mixed, trends, population.truth, population.judges_weights)
    plain = read(voters.told, judges, recipe.reading_prior)
    X = voters.X[population.judges].astype(np.float64)
    reading, noises, outlook = with_noises(plain, judges, X, recipe.noises)
    asked = np.flatnonzero(weights.any(axis=1))
    return NumberVerdict(Mixture(weights, reading), asked, scores, errors, outlook, noises)


class Judged(NamedTuple):
    """What is known of the rows that judge."""

    shares: NDArray  # (n, n_cells), mixed
    trends: NDArray  # (n_trends, n), of the others
    y: NDArray  # (n,)
    weights: NDArray | None = None

    @property
    def heavy(self) -> NDArray:
        """Weights (n,), one where there are none."""
        return np.ones(len(self.y)) if self.weights is None else self.weights


def read(told: Told, judged: Judged, prior: float = 0.05) -> Reading:
    """The reading of votes and trends that has the least squared errors, and one spread for all.

    Strengths are not negative; a prior worth a share of the rows holds those of trends near 0. Where nobody judges,
    votes are read as they are.
    """
    n, w = len(judged.y), judged.heavy
    strengths, spread, seen = np.eye(2 * len(told) - 3)[0], np.zeros(2), np.empty((0, 2))
    centre = float(np.average(judged.y, weights=w)) if n else 0.0
    if n > 1:
        terms, _ = terms_of(told, judged.shares, judged.trends, centre)
        strengths = _strengths(terms, judged.y - centre, w, prior)
    return Reading(told, centre, strengths, spread, np.array([-1.0, 0.0, 1.0]), seen)


def with_noises(
    plain: Reading, judged: Judged, X: NDArray, names: Sequence[str]
) -> tuple[Reading, list[Trend], Outlook]:
    """The same with a spread that follows neighbours and noises, these noises, and the outlook of the judges X (n, d).

    The law of errors is that of the judges.
    """
    outlook = plain(judged.shares, judged.trends)
    if len(judged.y) < 2:
        return plain, [], outlook
    w, errors = judged.heavy, judged.y - outlook.place
    noises, logs = noise_trends(errors, X, names, w)
    _, variance = terms_of(plain.told, judged.shares, judged.trends, plain.centre)
    spread = spread_of(errors, np.vstack([np.log(variance), logs]), w)
    seen = np.column_stack([logs.min(axis=1), logs.max(axis=1)])
    reading = Reading(plain.told, plain.centre, plain.strengths, spread, np.zeros(1), seen)
    outlook = reading(judged.shares, np.vstack([judged.trends, logs]))
    reading.errors = _law(errors / outlook.spread, w)
    return reading, noises, outlook


def _strengths(terms, y, w, prior):
    """Least squares with a ridge towards the votes alone; no strength is negative."""
    root, usual = np.sqrt(w)[:, None], np.eye(terms.shape[1])[0]
    ridge = np.sqrt(prior * np.maximum((terms**2 * w[:, None]).sum(axis=0), 1e-9))
    A = np.vstack([terms * root, np.diag(ridge)])
    return nnls(A, np.concatenate([y * root[:, 0], ridge * usual]))[0]


def _law(errors, weights):
    """Sorted errors; with weights, as many as there are rows, each as often as it weighs."""
    order = np.argsort(errors, kind="stable")
    if np.ptp(weights) == 0 and len(errors) <= MOST_ERRORS:
        return errors[order]
    reached = np.cumsum(weights[order])
    n = min(len(errors), MOST_ERRORS)
    wanted = (np.arange(n) + 0.5) / n * reached[-1]
    return errors[order][np.searchsorted(reached, wanted).clip(max=len(errors) - 1)]
