"""Classification: strata, scores and calibration of class votes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from ...metrics import Calibration, ClassDensity, Mixture
from ...metrics.heads import mixed_shares
from ..oob import cross_fitted_densities
from ..population import Population, allowed_neighbors, best_pair, selection_weights
from ..settings import Recipe
from .decisions import Decision, favouring


class Classes:
    """Class numbers 0..C-1; shares (..., C) are those of the classes among neighbours.

    Parameters
    ----------
    n_classes : int
        C.
    """

    energy = "log-nca"
    score_words = "Brier score"
    columns = "oob_error", "oob_brier"

    def __init__(self, n_classes: int):
        self.n_classes = n_classes

    def strata(self, y: NDArray) -> list[NDArray]:
        """Rows that a bag must hold a part of each of, (n,) row numbers: the members of every class."""
        return [np.flatnonzero(y == c) for c in range(self.n_classes)]

    def scores(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Brier scores of shares (..., N, C): half the mean squared distance to the truth; 0 is perfect."""
        return np.average(self.deviations(shares, y), axis=-1, weights=weights)

    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """Half the squared distance (..., N) of shares (..., N, C) to the truth: 0 is right, 1 all wrong."""
        apart = shares.copy()
        apart[..., np.arange(len(y)), y] -= 1
        return (apart**2).sum(axis=-1) / 2

    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Errors (...) of deciding for the largest of shares (..., N, C)."""
        return np.average(shares.argmax(axis=-1) != y, axis=-1, weights=weights)

    def error_of(self, score: float, n_judges: float) -> float:
        """The standard error of a Brier score of so many judges, as if they were right or wrong altogether."""
        return float(np.sqrt(score * (1 - min(score, 0.99)) / n_judges) + 0.5 / n_judges)

    def calibrated(
        self,
        shares: NDArray,
        y: NDArray,
        weights: NDArray | None = None,
        energies: NDArray | None = None,
        *,
        with_bias: bool = True,
        prior: float = 5.0,
        basin_prior: float = 0.5,
        floor: float = 0.05,
    ) -> Calibration:
        """The calibration of lowest log loss on shares (N, C) and free energies (n_basins, N, C).

        Gaussian priors of these weights, in patterns, hold slope and bias near 1 and 0, and strengths near 0.
        """
        N, C = shares.shape
        energies = np.empty((0, N, C)) if energies is None else energies
        if N == 0:
            return Calibration(1.0, np.zeros(C), floor, np.zeros(len(energies)))
        terms, rows = np.concatenate([np.log(shares + floor)[None], -energies]), np.arange(N)
        weights, B = np.ones(N) if weights is None else weights, len(energies)
        priors = np.repeat([prior, basin_prior, prior], [1, B, C])

        def loss(parameters):
            slope = np.exp(parameters[0])
            Z = np.tensordot(np.append(slope, parameters[1 : B + 1]), terms, 1) + parameters[B + 1 :]
            excess = softmax(Z, axis=1)
            value = -weights @ log_softmax(Z, axis=1)[rows, y] + priors / 2 @ parameters**2
            excess[rows, y] -= 1
            excess *= weights[:, None]
            of_terms = np.tensordot(terms, excess, 2)
            of_terms[0] *= slope
            return value, np.append(of_terms, excess.sum(axis=0)) + priors * parameters

        bounds = [(-4, 3)] + [(0, None)] * B + [(-5, 5) if with_bias else (0, 0)] * C
        best = minimize(loss, np.zeros(1 + B + C), jac=True, method="L-BFGS-B", bounds=bounds).x
        return Calibration(float(np.exp(best[0])), best[B + 1 :], floor, best[1 : B + 1])


class ClassificationResult(NamedTuple):
    """Arrays over (n_candidates, K)."""

    mixture: Mixture
    densities: list[ClassDensity]  # the classes as wholes, where that helps
    asked: NDArray[np.intp]  # numbers of the candidates that it asks
    scores: NDArray
    errors: NDArray
    probabilities: NDArray  # (n_judges, C)
    class_weights: NDArray  # (C,) that they are multiplied by
    score: float  # of the decisions out of bag; NaN where no row could judge


def classification_result(population: Population, recipe: Recipe, decision: Decision) -> ClassificationResult:
    """Weigh the candidates, calibrate their mixture beside the basins, and weigh the classes."""
    y, w, scores = population.truth, population.judges_weights, population.scores()
    shares = population.shares()  # empty where no row could judge; nothing is calibrated then
    errors = population.errors()
    neighbors = allowed_neighbors(recipe.neighbors, population.n_neighbors)
    names = recipe.basins if recipe.calibration != "none" else ()
    densities, energies = cross_fitted_densities(names, population.training_set, population.judges)

    mixture = _mixture(
        population, recipe, selection_weights(scores, population.error_of, neighbors, recipe), shares, energies
    )
    probabilities = mixture(shares, energies)
    plain = _better_plain_neighbors(probabilities, population, shares, scores, neighbors, recipe.plain_margin)
    if plain is not None:
        mixture = _mixture(population, recipe, plain, shares, energies[:0], with_bias=False)
        probabilities = mixture(shares, energies[:0])
    class_weights = decision.class_weights(probabilities, y, w)
    mixture, densities = _without_idle(mixture, densities, class_weights)
    probabilities = favouring(probabilities, class_weights)
    score = decision.score(probabilities, y, w) if len(y) else np.nan
    asked = np.flatnonzero(mixture.weights.any(axis=1))
    return ClassificationResult(mixture, densities, asked, scores, errors, probabilities, class_weights, score)


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


def _without_idle(mixture, densities, class_weights):
    """The mixture that favours classes by these weights, and the basins; those without any strength are left out."""
    calibration = mixture.calibration.favouring(class_weights)
    used = np.flatnonzero(calibration.strengths)
    calibration.strengths = calibration.strengths[used]
    return Mixture(mixture.weights, calibration), [densities[number] for number in used]


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
