"""What the out-of-bag votes say in the end: weights of the candidates, the calibration of their mixture, the score."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...metrics import Basins, Calibration, Mixture
from ...metrics.mixture import mixed_shares
from .crossing import crossed_basins
from .decision import Decision, favouring
from .population import Population
from .recipe import Recipe
from .trust import allowed_neighbors, best_pair, trusted


class Verdict(NamedTuple):
    """Arrays over (n_candidates, K)."""

    mixture: Mixture
    basins: list[Basins]  # the classes as wholes, where that helps
    asked: NDArray[np.intp]  # numbers of the candidates that it asks
    scores: NDArray
    errors: NDArray
    probabilities: NDArray  # (n_judges, C)
    class_weights: NDArray  # (C,) that they are multiplied by
    score: float  # of the decisions out of bag; NaN where no row could judge


def verdict_on(population: Population, recipe: Recipe, decision: Decision) -> Verdict:
    """Weigh the candidates, calibrate their mixture beside the basins, and weigh the classes."""
    y, w, scores = population.truth, population.judges_weights, population.scores()
    shares = population.shares()  # empty where no row could judge; nothing is calibrated then
    errors = population.errors()
    neighbors = allowed_neighbors(recipe.neighbors, population.n_neighbors)
    names = recipe.basins if recipe.calibration != "none" else ()
    basins, energies = crossed_basins(names, population.voters, population.judges)

    mixture = _mixture(population, recipe, trusted(scores, population.error_of, neighbors, recipe), shares, energies)
    probabilities = mixture(shares, energies)
    plain = _better_plain_neighbors(probabilities, population, shares, scores, neighbors, recipe.plain_margin)
    if plain is not None:
        mixture = _mixture(population, recipe, plain, shares, energies[:0], with_bias=False)
        probabilities = mixture(shares, energies[:0])
    class_weights = decision.class_weights(probabilities, y, w)
    mixture, basins = _without_idle(mixture, basins, class_weights)
    probabilities = favouring(probabilities, class_weights)
    score = decision.score(probabilities, y, w) if len(y) else np.nan
    asked = np.flatnonzero(mixture.weights.any(axis=1))
    return Verdict(mixture, basins, asked, scores, errors, probabilities, class_weights, score)


def _mixture(population, recipe, weights, shares, energies, with_bias=True):
    mixed = mixed_shares(weights, shares)
    if recipe.calibration == "none":
        return Mixture(weights, Calibration(1.0, np.zeros(mixed.shape[1]), recipe.share_floor))
    calibration = population.target.calibrated(
        mixed,
        population.truth,
        population.judges_weights,
        energies,
        with_bias=with_bias and recipe.calibration == "full",
        prior=recipe.calibration_prior,
        basin_prior=recipe.basin_prior,
        floor=recipe.share_floor,
    )
    return Mixture(weights, calibration)


def _without_idle(mixture, basins, class_weights):
    """The mixture that favours classes by these weights, and the basins; those without any strength are left out."""
    calibration = mixture.calibration.favouring(class_weights)
    used = np.flatnonzero(calibration.strengths)
    calibration.strengths = calibration.strengths[used]
    return Mixture(mixture.weights, calibration), [basins[number] for number in used]


def _better_plain_neighbors(probabilities, population, shares, scores, neighbors, margin):
    """Weights of plain k-NN alone, if that is better than the mixture by more than a margin of standard errors."""
    y, w, columns = population.truth, population.judges_weights, np.array(neighbors) - 1
    if not len(y) or population.learns.all():
        return None
    number, column = best_pair(np.where(population.learns[:, None], np.inf, scores[:, columns]))
    pair = number, columns[column]
    deviations = population.target.deviations
    excess = deviations(probabilities, y) - deviations(shares[pair], y)
    mean = np.average(excess, weights=w)
    if mean <= margin * np.sqrt(np.average((excess - mean) ** 2, weights=w) / population.n_judges):
        return None
    plain = np.zeros(scores.shape)
    plain[pair] = 1.0
    return plain
