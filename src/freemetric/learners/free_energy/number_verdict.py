"""What out-of-bag votes say of numbers in the end: weights of the candidates, the reading of their mixture, errors."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, nnls

from ...metrics import Mixture, NumberVoters, Outlook, Reading, Told
from ...metrics.mixture import mixed_shares
from ...metrics.reading import terms_of
from .population import Population
from .recipe import Recipe
from .trust import allowed_neighbors, trusted

MOST_ERRORS = 4000
EXPONENTS = (0.0, 1.5)  # of the spread, as a function of the spread among neighbours


class NumberVerdict(NamedTuple):
    """Arrays over (n_candidates, K)."""

    mixture: Mixture
    asked: NDArray[np.intp]  # numbers of the candidates that it asks
    scores: NDArray
    errors: NDArray
    outlook: Outlook  # of the judges


def number_verdict_on(population: Population, recipe: Recipe) -> NumberVerdict:
    """Weigh the candidates, and find how their votes are to be read beside the trends."""
    voters = population.voters
    assert isinstance(voters, NumberVoters)
    scores, errors, shares = population.scores(), population.errors(), population.shares()
    neighbors = allowed_neighbors(recipe.neighbors, population.n_neighbors)
    weights = trusted(scores, population.error_of, neighbors, recipe)
    mixed, trends = mixed_shares(weights, shares), voters.numbers[2:, population.judges]
    reading = read(voters.told, mixed, trends, population.truth, population.judges_weights, recipe.reading_prior)
    asked = np.flatnonzero(weights.any(axis=1))
    return NumberVerdict(Mixture(weights, reading), asked, scores, errors, reading(mixed, trends))


def read(
    told: Told, shares: NDArray, trends: NDArray, y: NDArray, weights: NDArray | None = None, prior: float = 0.05
) -> Reading:
    """The reading of mixed shares (n, n_cells) and trends (n_trends, n) that has the least squared errors.

    Strengths are not negative; a prior worth a share of the rows holds those of trends near 0. Where nobody judges,
    votes are read as they are.
    """
    n_terms, n = 2 * len(told) - 3, len(y)
    strengths, spread = np.eye(n_terms)[0], np.zeros(2)
    if n < 2:
        return Reading(told, float(y.mean()) if n else 0.0, strengths, spread, np.array([-1.0, 0.0, 1.0]))
    w = np.ones(n) if weights is None else weights
    centre = float(np.average(y, weights=w))
    terms, variance = terms_of(told, shares, trends, centre)
    strengths = _strengths(terms, y - centre, w, prior)
    plain = Reading(told, centre, strengths, spread, np.zeros(1))(shares, trends).place
    spread = spread_of(y - plain, variance, w)
    law = (y - plain) / np.exp(spread[0] + spread[1] * np.log(variance) / 2)
    return Reading(told, centre, strengths, spread, _law(law, w))


def _strengths(terms, y, w, prior):
    """Least squares with a ridge towards the votes alone; no strength is negative."""
    root, usual = np.sqrt(w)[:, None], np.eye(terms.shape[1])[0]
    ridge = np.sqrt(prior * np.maximum((terms**2 * w[:, None]).sum(axis=0), 1e-9))
    A = np.vstack([terms * root, np.diag(ridge)])
    return nnls(A, np.concatenate([y * root[:, 0], ridge * usual]))[0]


def spread_of(errors: NDArray, variance: NDArray, weights: NDArray) -> NDArray[np.float64]:
    """alpha and beta of log sigma = alpha + beta log(variance) / 2 by maximum likelihood of normal errors."""
    log, squares = np.log(variance) / 2, np.maximum(errors**2, 1e-12)

    def cost(beta):
        alpha = np.log(np.average(squares * np.exp(-2 * beta[0] * log), weights=weights)) / 2
        return alpha + beta[0] * np.average(log, weights=weights)

    beta = minimize(cost, [0.5], bounds=[EXPONENTS]).x[0]
    alpha = np.log(np.average(squares * np.exp(-2 * beta * log), weights=weights)) / 2
    return np.array([alpha, beta])


def _law(errors, weights):
    """Sorted errors; with weights, as many as there are rows, each as often as it weighs."""
    order = np.argsort(errors, kind="stable")
    if np.ptp(weights) == 0 and len(errors) <= MOST_ERRORS:
        return errors[order]
    reached = np.cumsum(weights[order])
    n = min(len(errors), MOST_ERRORS)
    wanted = (np.arange(n) + 0.5) / n * reached[-1]
    return errors[order][np.searchsorted(reached, wanted).clip(max=len(errors) - 1)]
