"""How far to trust candidates: Boltzmann's weights of their out-of-bag scores."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .population import Population
from .recipe import Recipe


def boltzmann_weights(scores: NDArray, error: float, temperature: float) -> NDArray:
    """exp(-score / T), normalised; T is the temperature in units of the error of the best score.

    Candidates that are clearly worse get nothing, and those that differ by chance share the weight: their average is
    better than the one that happens to have the best score.
    """
    weights = np.exp(-(scores - scores.min()) / (temperature * error))
    return weights / weights.sum()


def trusted(scores: NDArray, error_of: Callable[[float], float], neighbors: Sequence[int], recipe: Recipe) -> NDArray:
    """Weights (n_candidates, K) by Boltzmann's law over all candidates with any of the ``neighbors``; nothing else.

    ``error_of`` says how large the error of a score is.
    """
    columns = np.asarray(neighbors) - 1
    weights, some = np.zeros(scores.shape), scores[:, columns]
    weights[:, columns] = boltzmann_weights(some, error_of(some.min()), recipe.selection_temperature)
    weights[weights.sum(axis=1) < recipe.negligible] = 0.0
    return weights / weights.sum()


def trusted_learners(population: Population, neighbors: Sequence[int], recipe: Recipe) -> NDArray:
    """Trust in every candidate that learns; nothing for the others."""
    weights = trusted(population.scores(), population.error_of, neighbors, recipe).sum(axis=1)
    weights *= population.learns
    return weights if weights.any() else population.learns.astype(float)


def allowed_neighbors(neighbors: Sequence[int], most: int) -> list[int]:
    """Those numbers of neighbours that there can be; the most there can be where all are larger."""
    return [k for k in neighbors if k <= most] or [most]


def best_pair(scores: NDArray) -> tuple[np.intp, ...]:
    """Row and column of the lowest score; the first of equals, which is the simplest candidate."""
    return np.unravel_index(scores.argmin(), scores.shape)
