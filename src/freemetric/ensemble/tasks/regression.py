"""Regression: strata, scores and the head that turns votes into a target and its spread."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, nnls

from ...files.checks import check_array, is_number, require
from ...learners.training_rows import TrainingRows
from ...magnitudes import enlarged
from ...metrics import TRENDS, TargetEncoding, TrainingSet, Trend
from ...metrics.trends import crossed_trend
from ..oob import OOBPredictor
from ..population import allowed_neighbors, mixed_shares, selection_weights
from ..settings import Recipe
from ..task import EnsembleTask, Head, OOBResult
from .intervals import interval_chances, sorted_errors
from .scales import RegressionScore, Scale, encoded_target

QUARTERS = 4  # strata of the samples, by their targets
SMALLEST_STRATUM = 6  # samples
LEAST_ERROR = 1e-12
BEYOND = 0.1  # of the range of the target: so far may predictions leave it
LEAST_VARIANCE = 1e-4  # among neighbours, in units of the target's
MANY_ERRORS = 256  # that stand for all of them where a mean is taken over them
EXPONENTS = (0.0, 1.5)  # of everything that the spread may follow
MOST_SPREAD = 1.0  # on a curved scale, whose means grow exponentially with it: that of all targets, of no features
LEAST_SQUARE = 1e-4  # of the mean squared error, added before logarithms are taken


class Prediction(NamedTuple):
    """Location and spread of the target on its scale, (n,) each."""

    location: NDArray[np.float64]
    spread: NDArray[np.float64]


class TargetHead(Head):
    """Makes predictions of one target or of several; subclasses have a ``scale``, and give a ``Prediction``."""

    scale: Any
    __call__: Callable[..., Prediction]  # of shares and wholes
    means: Callable[[Prediction], NDArray[np.float64]]  # expected targets

    def answers(self, shares: NDArray, wholes: NDArray) -> NDArray[np.float64]:
        """Expected targets (n, m) of mixed votes (n, n_cells)."""
        return self.means(self(shares, wholes)).reshape(len(shares), -1)

    def truth(self, training_set: TrainingSet) -> NDArray[np.float64]:
        """The targets (N,) or (N, m) as they were given."""
        return self.scale.back(training_set.y)

    def left_out(self, training_set: TrainingSet) -> Callable[[NDArray, NDArray], NDArray]:
        return lambda X, numbers: self.wholes(X)  # a single sample hardly moves a trend


@dataclass(frozen=True, eq=False)
class RegressionHead(TargetHead):
    r"""Location and spread of the target from votes and trends.

    With m(x) the mean of the target among the neighbours that vote, f_t(x) the trends and :math:`\bar f_t(x)` their
    means among the same neighbours,

    .. math:: z(x) = c + s (m - c) + \sum_t a_t (f_t - m) + \sum_t b_t (f_t - \bar f_t).

    The last term carries the targets of neighbours over the distance to x, along the trend: what local regression does.
    All coefficients are not negative. The spread,

    .. math:: \log \sigma(x) = \alpha + \tfrac12 \beta \log v(x) + \tfrac12 \sum_t \gamma_t h_t(x),

    follows the variance v of the target among neighbours and the noises h, trends of the logarithm of squared errors.

    Parameters
    ----------
    encoding : TargetEncoding
        Of the target, its square, and every trend.
    centre : float
        c.
    strengths : ndarray of shape (1 + 2 n_trends,)
        s, all a and all b.
    spread : ndarray of shape (2 + n_noises,)
        alpha, beta and all gamma.
    errors : ndarray of shape (n,)
        Out-of-bag errors in units of the spread, sorted: the distribution of prediction errors.
    trends, noises : list of Trend
        f and h.
    seen : ndarray of shape (n_noises, 2)
        Least and largest of every noise among the samples scored; it is not followed beyond.
    scale : Scale
        On which z is the target.
    """

    most_changed = 0.002  # of a range, a tenth of a standard deviation or less

    encoding: TargetEncoding
    centre: float
    strengths: NDArray
    spread: NDArray
    errors: NDArray
    trends: list[Trend]
    noises: list[Trend]
    seen: NDArray
    scale: Scale

    def __call__(self, shares: NDArray, wholes: NDArray) -> Prediction:
        """Location and spread of shares (n, n_cells) and wholes (n_trends + n_noises, n)."""
        terms, variance = self.terms(shares, wholes)
        location = np.clip(self.centre + terms @ self.strengths, *self._limits)
        noises = np.clip(wholes[len(self.trends) :], self.seen[:, :1], self.seen[:, 1:])
        logs = self.spread[1] * np.log(variance) + self.spread[2:] @ noises
        return Prediction(location, np.minimum(np.exp(self.spread[0] + logs / 2), self.most_spread))

    def terms(self, shares: NDArray, wholes: NDArray) -> tuple[NDArray, NDArray]:
        """Terms (n, 1 + 2 n_trends) that strengths multiply, and the variance (n,) among neighbours."""
        mean, square, *means = np.moveaxis(self.encoding.means(shares), -1, 0)
        inside = np.clip(wholes[: len(self.trends)], *self._limits)
        beside, along = inside - mean, (f - over for f, over in zip(inside, means, strict=True))
        variance = np.maximum(square - mean**2, LEAST_VARIANCE)
        return np.stack([mean - self.centre, *beside, *along], axis=1), variance

    @property
    def most_spread(self) -> float:
        """Most that the spread may be, however much neighbours differ."""
        return np.inf if self.scale.name == "linear" else MOST_SPREAD

    @property
    def _limits(self):
        low, high = self.encoding.low[0], self.encoding.high[0]
        return low - BEYOND * (high - low), high + BEYOND * (high - low)

    def wholes(self, X: NDArray) -> NDArray[np.float64]:
        """Values (n_trends + n_noises, n) of every trend and every noise for samples X (n, d)."""
        return trend_values([*self.trends, *self.noises], X)

    def wholes_of(self, training_set: TrainingSet, numbers: NDArray) -> NDArray[np.float64]:
        """The same of training samples ``numbers`` (n,), trends without their own part in them."""
        return np.vstack([training_set.values[2:, numbers], trend_values(self.noises, training_set.X[numbers])])

    def means(self, prediction: Prediction) -> NDArray[np.float64]:
        """Expected targets (n,)."""
        errors, total = self.mean_errors(), np.zeros(len(prediction.location))
        for error in errors:
            total += self.scale.reduced_back(prediction.location + error * prediction.spread)
        return enlarged(total / len(errors), self.scale.exponent)

    def mean_errors(self) -> NDArray[np.float64]:
        """Errors over which means are taken: their mean where the scale is linear."""
        if self.scale.name == "linear":
            return np.array([self.errors.mean()])
        return np.quantile(self.errors, (np.arange(MANY_ERRORS) + 0.5) / MANY_ERRORS)

    def quantiles(self, prediction: Prediction, chances: NDArray) -> NDArray[np.float64]:
        """Values (n, q) that the target is below with these chances (q,)."""
        return self._at(prediction, np.quantile(self.errors, chances))

    def interval(self, prediction: Prediction, alpha: float) -> NDArray[np.float64]:
        """Ends (n, 2) of intervals that miss a share alpha."""
        return self.quantiles(prediction, interval_chances(len(self.errors), alpha))

    def between(self, prediction: Prediction, limits: NDArray) -> NDArray[np.float64]:
        """Ends (n, 2) of intervals whose errors are between these limits (n, 2), infinite where a limit is."""
        is_known = np.isfinite(limits)
        return np.where(is_known, self._at(prediction, np.where(is_known, limits, 0.0)), limits)

    def _at(self, prediction, errors):
        """Targets (n, q) with these errors (q,) or (n, q) in units of the spread."""
        return self.scale.back(prediction.location[:, None] + prediction.spread[:, None] * errors)

    def named_strengths(self) -> dict[str, float]:
        """Strengths of the votes, and of every trend beside them and along the way from neighbours to a sample."""
        names = [name for trend in self.trends for name, kind in TRENDS.items() if kind is type(trend)]
        labels = ["votes", *(f"{name} beside" for name in names), *(f"{name} along" for name in names)]
        return dict(zip(labels, self.strengths.tolist(), strict=True))

    def with_one_spread(self) -> "RegressionHead":
        """The same locations with one spread for all samples."""
        return replace(self, spread=np.zeros(2), errors=np.array([-1.0, 0.0, 1.0]), noises=[], seen=np.empty((0, 2)))

    def check(self, training_set: TrainingSet) -> None:
        other: Any = training_set.encoding
        require(isinstance(other, TargetEncoding), "head of Ensemble", "is of something else")
        same = np.array_equal(self.encoding.low, other.low) and np.array_equal(self.encoding.high, other.high)
        require(same, "head of Ensemble", "reads other values than the training set has")
        fit = all(trend.n_features == training_set.X.shape[1] for trend in [*self.trends, *self.noises])
        require(fit, "trends of Ensemble", "are of other features")

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "RegressionHead":
        values = [state[field.name] for field in fields(cls)]
        encoding, centre, strengths, spread, errors, trends, noises, seen, scale = values
        require(type(encoding) is TargetEncoding, "encoding of RegressionHead", "is something else")
        require(is_number(centre), "centre of RegressionHead", "is no number")
        known = type(trends) is type(noises) is list and {type(t) for t in [*trends, *noises]} <= set(TRENDS.values())
        require(known and len(trends) == len(encoding) - 2, "trends of RegressionHead", "are something else")
        check_array(strengths, "strengths of RegressionHead", 1, (2 * len(encoding) - 3,))
        check_array(seen, "seen of RegressionHead", 2, (len(noises), 2))
        require((seen[:, 0] <= seen[:, 1]).all(), "seen of RegressionHead", "are no ranges")
        check_array(spread, "spread of RegressionHead", 1, (2 + len(seen),))
        check_array(errors, "errors of RegressionHead", 1)
        require(len(errors) and (np.diff(errors) >= 0).all(), "errors of RegressionHead", "are not sorted")
        require(type(scale) is Scale, "scale of RegressionHead", "is something else")
        return cls(*values)


def trend_values(trends: Sequence[Trend], X: NDArray) -> NDArray[np.float64]:
    """Values (n_trends, n) of the trends for samples X (n, d)."""
    return np.array([trend(X) for trend in trends]).reshape(len(trends), len(X))


class Scored(NamedTuple):
    """Samples that are scored out of bag, with their votes, trends and targets."""

    X: NDArray  # (n, d)
    shares: NDArray  # (n, n_cells), mixed
    trends: NDArray  # (n_trends, n), of the others
    y: NDArray  # (n,)
    weights: NDArray  # (n,)

    @classmethod
    def of(cls, X: NDArray, shares: NDArray, trends: NDArray, y: NDArray, weights: NDArray | None) -> "Scored":
        """The same with weights of one where there are none."""
        return cls(X, shares, trends, y, np.ones(len(y)) if weights is None else weights)


class RegressionTask(EnsembleTask):
    """Targets of variance one; shares (..., n_cells) are those of the cells of their encoding.

    The encoding holds the target, its square, and every trend. Scale and score are None in a search without a result.
    """

    energy = "neighbor-likelihood"
    score_words = "squared error"
    columns = "oob_absolute", "oob_squared"
    saved = {"target-encoding": TargetEncoding, "scale": Scale, "regression-head": RegressionHead}

    @classmethod
    def takes(cls, y: NDArray) -> bool:
        return y.ndim == 1

    @classmethod
    def of(cls, rows: TrainingRows, recipe: Recipe, scale: str) -> tuple["RegressionTask", TrainingSet]:
        values, trends, on = encoded_target(rows, recipe.trends, scale)
        encoding = TargetEncoding.of(values)
        training_set = TrainingSet(rows.X, values, encoding, rows.weights, rows.rows)
        return cls(encoding, trends, on, RegressionScore(recipe.scoring, on)), training_set

    def __init__(self, encoding: TargetEncoding, trends: Sequence[Trend] = (), scale: Any = None, score: Any = None):
        self.encoding, self.trends, self.scale, self.score = encoding, trends, scale, score

    def strata(self, y: NDArray) -> list[NDArray]:
        n = int(np.clip(len(y) // SMALLEST_STRATUM, 1, QUARTERS))
        return [np.sort(part) for part in np.array_split(np.argsort(y, kind="stable"), n)]

    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """Squared errors (..., N) of shares (..., N, n_cells)."""
        return (self.encoding.mean(shares) - y) ** 2

    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Mean absolute errors (...)."""
        return np.average(np.sqrt(self.deviations(shares, y)), axis=-1, weights=weights)

    def error_of(self, score: float, n_scored: float) -> float:
        """The standard error of a mean squared error of so many samples, if errors are normal."""
        return float(score * np.sqrt(2 / n_scored) + LEAST_ERROR)

    def result(self, population, recipe, n_rows):
        training_set, numbers, weights = population.training_set, population.oob_samples, population.oob_weights
        neighbors = allowed_neighbors(recipe.neighbors, population.n_neighbors)
        of_candidates = selection_weights(population.scores(), population.error_of, neighbors, recipe)
        shares = mixed_shares(of_candidates, population.shares())
        X = training_set.X[numbers].astype(np.float64)
        head, prediction = self.fitted_head(X, shares, training_set.values[:, numbers], weights, recipe)
        known = head.means(prediction)
        everyone = np.full((n_rows, *known.shape[1:]), np.nan)
        everyone[training_set.rows[numbers]] = known
        score = self.score(known if known.ndim == 2 else known[:, None], population.truth, weights)
        return OOBResult(of_candidates, head, {"oob_prediction_": everyone, "oob_score_": score})

    def fitted_head(
        self, X: NDArray, shares: NDArray, values: NDArray, weights: NDArray | None, recipe: Recipe, known: Any = None
    ) -> tuple[Any, Prediction]:
        """The head for out-of-bag votes (n, n_cells) of samples X with values (n_values, n), and what it predicts.

        Of a ``known`` head only the spread is found anew.
        """
        scored = Scored.of(X, shares, values[2:], values[0], weights)
        plain = self.head(scored, recipe.trend_prior) if known is None else known.with_one_spread()
        return with_noises(plain, scored, recipe)

    def head(self, scored: Scored, prior: float) -> RegressionHead:
        """The head of least squared errors, with one spread for all samples.

        Strengths are not negative; a prior worth a share of the samples holds those of trends near 0. Where no sample
        was out of bag, votes are read as they are.
        """
        n, strengths, none = len(scored.y), np.eye(2 * len(self.encoding) - 3)[0], np.empty(0)
        centre = float(np.average(scored.y, weights=scored.weights)) if n else 0.0
        plain = RegressionHead(self.encoding, centre, strengths, none, none, list(self.trends), [], none, self.scale)
        head = plain.with_one_spread()
        if n < 2:
            return head
        terms, _ = head.terms(scored.shares, scored.trends)
        return replace(head, strengths=_strengths(terms, scored.y - centre, scored.weights, prior))

    def recalibrated(self, ensemble, oob_indices, shortlist, recipe):
        """The ensemble with a spread for predictions that look at a shortlist, where the search looked at all samples.

        The nearest in the averaged metric agree more than the nearest in every single metric, and a spread learned from
        all training samples would be too small.
        """
        if shortlist is None or shortlist + 1 >= len(ensemble.training_set.places.rows):
            return ensemble
        predictor = OOBPredictor(ensemble, oob_indices, shortlist, len(oob_indices), max(map(len, ensemble.members)))
        n = len(predictor.oob_samples)
        if n < recipe.fewest_errors:
            return ensemble
        scored = predictor.X, predictor.shares(predictor.X, np.arange(n))
        values = predictor.training_set.values[:, predictor.oob_samples]
        head, _ = self.fitted_head(*scored, values, predictor.weights, recipe, ensemble.head)
        return ensemble.changed(head=head)


def with_noises(plain: RegressionHead, scored: Scored, recipe: Recipe) -> tuple[RegressionHead, Prediction]:
    """The same with a spread that follows neighbours and noises; predictions of the samples scored.

    The distribution of errors is that of these samples.
    """
    prediction = plain(scored.shares, scored.trends)
    if len(scored.y) < 2:
        return plain, prediction
    errors = scored.y - prediction.location
    noises, logs = noise_trends(errors, scored.X, recipe.noises, scored.weights)
    _, variance = plain.terms(scored.shares, scored.trends)
    spread = spread_of(errors, np.vstack([np.log(variance), logs]), scored.weights, recipe.noise_prior)
    seen = np.column_stack([logs.min(axis=1), logs.max(axis=1)])
    head = replace(plain, spread=spread, noises=noises, seen=seen)
    prediction = head(scored.shares, np.vstack([scored.trends, logs]))
    errors = sorted_errors(errors / prediction.spread, scored.weights, recipe.most_errors)
    return replace(head, errors=errors), prediction


def noise_trends(
    errors: NDArray, X: NDArray, names: Iterable[str], weights: NDArray
) -> tuple[list[Trend], NDArray[np.float64]]:
    """Trends of the logarithm of squared errors (n,) of X (n, d); of each sample those of the others, (m, n)."""
    squares = errors**2
    logs = np.log(squares + LEAST_SQUARE * max(np.average(squares, weights=weights), np.finfo(float).tiny))
    both = [crossed_trend(TRENDS[name], X, logs, weights) for name in names]
    found = [some for some in both if some is not None and np.ptp(some[1]) > 0]
    return [trend for trend, _ in found], np.array([values for _, values in found]).reshape(-1, len(errors))


def spread_of(
    errors: NDArray, logs: NDArray, weights: NDArray, prior: float = Recipe.noise_prior
) -> NDArray[np.float64]:
    """alpha and beta (m,) of log sigma = alpha + sum_t beta_t logs_t / 2, by maximum likelihood of normal errors.

    ``logs`` (m, n) begins with the logarithm of the variance among neighbours; noises follow.
    """
    squares, half = np.maximum(errors**2, 1e-12), logs / 2

    def level(beta):
        return np.log(np.average(squares * np.exp(-2 * beta @ half), weights=weights)) / 2

    def cost(beta):
        held = prior * (beta[1:] ** 2).sum() / (2 * len(errors))
        return level(beta) + np.average(beta @ half, weights=weights) + held

    start = 0.5 * np.eye(len(logs))[0]
    beta = minimize(cost, start, bounds=[EXPONENTS] * len(logs)).x
    return np.array([level(beta), *beta])


def _strengths(terms, y, w, prior):
    """Least squares with a ridge towards the votes alone; no strength is negative."""
    root, usual = np.sqrt(w)[:, None], np.eye(terms.shape[1])[0]
    ridge = np.sqrt(prior * np.maximum((terms**2 * w[:, None]).sum(axis=0), 1e-9))
    A = np.vstack([terms * root, np.diag(ridge)])
    return nnls(A, np.concatenate([y * root[:, 0], ridge * usual]))[0]
