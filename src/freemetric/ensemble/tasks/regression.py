"""Regression: strata, scores and the head that turns votes into a target and its spread."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, nnls

from ...learners.training_rows import TrainingRows
from ...magnitudes import reduced
from ...metrics import TRENDS, Mixture, Outlook, Reading, RegressionTrainingSet, Scale, TargetEncoding, Trend
from ...metrics.heads import mixed_shares, terms_of
from ...metrics.trends import crossed_trend
from ..model import RegressionEnsemble
from ..oob import OOBIndices, OOBPredictor
from ..population import Population, allowed_neighbors, selection_weights
from ..settings import Recipe

QUARTERS = 4  # strata of the rows, by their numbers
FEWEST = 6  # rows of a stratum
LEAST_ERROR = 1e-12


class Numbers:
    """Numbers of variance one, which voters tell; shares (..., C) are those of the cells of their ballots.

    Parameters
    ----------
    told : TargetEncoding
        What they tell; the target first.
    """

    energy = "likeness"
    score_words = "squared error"
    columns = "oob_absolute", "oob_squared"

    def __init__(self, told: TargetEncoding):
        self.told = told

    def strata(self, y: NDArray) -> list[NDArray]:
        """Rows that a bag must hold a part of each of: the quarters of y."""
        n = int(np.clip(len(y) // FEWEST, 1, QUARTERS))
        return [np.sort(part) for part in np.array_split(np.argsort(y, kind="stable"), n)]

    def scores(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Mean squared errors (...) of what neighbours tell on average."""
        return np.average(self.deviations(shares, y), axis=-1, weights=weights)

    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """Squared errors (..., N) of shares (..., N, C)."""
        return (self.told.mean(shares, 0) - y) ** 2

    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Mean absolute errors (...)."""
        return np.average(np.sqrt(self.deviations(shares, y)), axis=-1, weights=weights)

    def error_of(self, score: float, n_judges: float) -> float:
        """The standard error of a mean squared error of so many judges, if errors are normal."""
        return float(score * np.sqrt(2 / n_judges) + LEAST_ERROR)


EXPONENTS = (0.0, 1.5)  # of everything that the spread may follow
PRIOR = 2.0  # rows' worth that holds the exponents of noises near 0
LEAST = 1e-4  # of the mean squared error: the logarithm of a lucky hit says nothing


def noise_trends(
    errors: NDArray, X: NDArray, names: Iterable[str], weights: NDArray
) -> tuple[list[Trend], NDArray[np.float64]]:
    """Trends of the logarithm of squared errors (n,) of patterns X (n, d); of each row those of the others, (m, n)."""
    squares = errors**2
    logs = np.log(squares + LEAST * max(np.average(squares, weights=weights), np.finfo(float).tiny))
    both = [crossed_trend(TRENDS[name], X, logs, weights) for name in names]
    found = [some for some in both if some is not None and np.ptp(some[1]) > 0]
    return [trend for trend, _ in found], np.array([values for _, values in found]).reshape(-1, len(errors))


def spread_of(errors: NDArray, logs: NDArray, weights: NDArray) -> NDArray[np.float64]:
    """alpha and beta (m,) of log sigma = alpha + sum_t beta_t logs_t / 2, by maximum likelihood of normal errors.

    ``logs`` (m, n) begins with the logarithm of the variance among neighbours; noises follow.
    """
    squares, half = np.maximum(errors**2, 1e-12), logs / 2

    def level(beta):
        return np.log(np.average(squares * np.exp(-2 * beta @ half), weights=weights)) / 2

    def cost(beta):
        held = PRIOR * (beta[1:] ** 2).sum() / (2 * len(errors))
        return level(beta) + np.average(beta @ half, weights=weights) + held

    start = np.zeros(len(logs))
    start[0] = 0.5
    beta = minimize(cost, start, bounds=[EXPONENTS] * len(logs)).x
    return np.array([level(beta), *beta])


MANY_ERRORS = 64  # that stand for all
MOST_NEGATIVE = 0.01  # share of a target that grows and is below zero by noise alone


def trend_of(kind: type[Trend], rows: TrainingRows, scale: Scale) -> tuple[Trend, NDArray] | None:
    """The trend of these rows on a scale, and what those of others say of each row; None where it costs too much."""
    return crossed_trend(kind, rows.X, scale(rows.y), rows.weights)


def numbers_told(
    rows: TrainingRows, names: Sequence[str], scale: str, find: Callable[..., Any] = trend_of
) -> tuple[NDArray, list[Any], Scale]:
    """Numbers (2 + n_trends, N) of the rows, the trends as ``find`` gives them, and the scale they are on."""
    best, *others = [_on_scale(rows, names, name, find) for name in _scales(rows.y, scale)]
    for other in others:
        gains = best[0] - other[0]
        if gains.mean() > gains.std() / np.sqrt(len(gains)):
            best = other
    return best[1:]


def _scales(y, scale):
    """What to try: a logarithm of positive numbers that differ by more than a factor; asinh where few are not positive.

    One zero among many prices must not decide that they are averaged like temperatures.
    """
    if scale == "log" and not (y > 0).all():
        raise ValueError(f"scale='log' is for positive numbers; the smallest of y is {y.min():g}.")
    if scale != "auto":
        return [scale]
    if (y > 0).all():
        return ["linear", "log"] if y.max() / 2 > y.min() else ["linear"]
    return ["linear", "asinh"] if (y < 0).mean() <= MOST_NEGATIVE and (y > 0).any() else ["linear"]


def _on_scale(rows, names, scale_name, find):
    """Squared errors (N,) of the best trend for rows left out, in units that all scales share; and numbers_told."""
    scale = Scale.of(scale_name, rows.y, rows.weights)
    z = scale(rows.y)
    found = [both for name in names if (both := find(TRENDS[name], rows, scale)) is not None]
    trends, left_out = [trend for trend, _ in found], [values for _, values in found]
    errors = [_squared_errors(scale, values, rows) for values in left_out] or [np.zeros(len(z))]
    return min(errors, key=np.mean), np.array([z, z**2, *left_out]), trends, scale


def _squared_errors(scale, values, rows):
    """Of predictions by the mean over all errors, which a logarithm makes larger than the middle one."""
    errors = np.quantile(scale(rows.y) - values, (np.arange(MANY_ERRORS) + 0.5) / MANY_ERRORS)
    y = reduced(rows.y, scale.exponent)
    low, high = y.min(), y.max()
    mean = sum(np.clip(scale.reduced_back(values + error), low, high) for error in errors) / MANY_ERRORS  # saves memory
    squares = (y - mean) ** 2
    return squares if rows.weights is None else squares * rows.weights


MOST_ERRORS = 4000


class RegressionResult(NamedTuple):
    """Arrays over (n_candidates, K)."""

    mixture: Mixture
    asked: NDArray[np.intp]  # numbers of the candidates that it asks
    scores: NDArray
    errors: NDArray
    outlook: Outlook  # of the judges
    noises: list[Trend]


def regression_result(population: Population, recipe: Recipe) -> RegressionResult:
    """Weigh the candidates, and find how their votes are to be read beside the trends."""
    training_set = population.training_set
    assert isinstance(training_set, RegressionTrainingSet)
    scores, errors, shares = population.scores(), population.errors(), population.shares()
    neighbors = allowed_neighbors(recipe.neighbors, population.n_neighbors)
    weights = selection_weights(scores, population.error_of, neighbors, recipe)
    mixed, trends = mixed_shares(weights, shares), training_set.numbers[2:, population.judges]
    judges = Judged(mixed, trends, population.truth, population.judges_weights)
    plain = read(training_set.told, judges, recipe.reading_prior)
    X = training_set.X[population.judges].astype(np.float64)
    reading, noises, outlook = with_noises(plain, judges, X, recipe.noises)
    asked = np.flatnonzero(weights.any(axis=1))
    return RegressionResult(Mixture(weights, reading), asked, scores, errors, outlook, noises)


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


def read(told: TargetEncoding, judged: Judged, prior: float = 0.05) -> Reading:
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


FEWEST_JUDGES = 20  # of fewer, the spread that all voters gave is the better one


def recalibrated(
    ensemble: RegressionEnsemble, oob_indices: OOBIndices, asked: int | None, recipe: Recipe
) -> RegressionEnsemble:
    """The same committee with spreads and errors for predictions that ask so many voters; None: all of them."""
    if asked is None or asked + 1 >= len(ensemble.training_set.places.rows):
        return ensemble
    every = max(len(member) for member in ensemble.members)
    predictor = OOBPredictor(ensemble, oob_indices, asked, len(oob_indices), every)
    n = len(predictor.judges)
    if n < FEWEST_JUDGES:
        return ensemble
    assert isinstance(predictor.training_set, RegressionTrainingSet)
    trends = ensemble.wholes_of(predictor.training_set, predictor.judges)[: len(ensemble.trends)]
    judged = Judged(predictor.shares(predictor.X, np.arange(n)), trends, predictor.y, predictor.weights)
    reading, noises, _ = with_noises(ensemble.reading.without_spread(), judged, predictor.X, recipe.noises)
    mixture = Mixture(ensemble.mixture.weights, reading)
    return RegressionEnsemble(
        ensemble.views, ensemble.members, mixture, ensemble.training_set, ensemble.trends, ensemble.scale, noises
    )
