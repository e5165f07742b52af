"""Regression: strata, scores and the head that turns votes into a target and its spread."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, nnls

from ...files.checks import check_array, is_number, require
from ...learners.training_rows import TrainingRows
from ...magnitudes import enlarged
from ...metrics import TRENDS, TargetEncoding, TrainingSet, Trend
from ...metrics.trends import crossed_trend
from ..model import Ensemble
from ..oob import OOBIndices, OOBPredictor
from ..population import Population, allowed_neighbors, mixed_shares, selection_weights
from ..settings import Recipe
from ..task import Head, OOBResult, Task
from .intervals import interval_chances
from .scales import RegressionScore, Scale, encoded_target

QUARTERS = 4  # strata of the samples, by their targets
SMALLEST_STRATUM = 6  # samples
LEAST_ERROR = 1e-12
BEYOND = 0.1  # of the range of the target: so far may predictions leave it
LEAST_VARIANCE = 1e-4  # among neighbours, in units of the target's
MANY_ERRORS = 256  # that stand for all of them where a mean is taken over them
EXPONENTS = (0.0, 1.5)  # of everything that the spread may follow
LEAST_SQUARE = 1e-4  # of the mean squared error: the logarithm of a lucky hit says nothing


class Prediction(NamedTuple):
    """Location and spread of the target on its scale, (n,) each."""

    location: NDArray[np.float64]
    spread: NDArray[np.float64]


class RegressionHead(Head):
    r"""What votes and trends say together.

    With m(x) the mean of the target among the neighbours that vote, f_t(x) the trends and :math:`\bar f_t(x)` their
    means among the same neighbours,

    .. math:: z(x) = c + s (m - c) + \sum_t a_t (f_t - m) + \sum_t b_t (f_t - \bar f_t).

    The last term carries the targets of neighbours over the distance to x, along the trend: what local regression does.
    All coefficients are not negative. The spread,

    .. math:: \log \sigma(x) = \alpha + \tfrac12 \beta \log v(x) + \tfrac12 \sum_t \gamma_t h_t(x),

    follows the variance v of the target among neighbours, since predictions are far off where they disagree, and the
    noises h, trends of the logarithm of squared errors: noise may grow along a feature that says nothing else.

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

    def __init__(
        self,
        encoding: TargetEncoding,
        centre: float,
        strengths: NDArray,
        spread: NDArray,
        errors: NDArray,
        trends: Sequence[Trend],
        noises: Sequence[Trend],
        seen: NDArray,
        scale: Scale,
    ) -> None:
        self.encoding, self.centre, self.strengths = encoding, centre, strengths
        self.spread, self.errors = spread, errors
        self.trends, self.noises, self.seen, self.scale = list(trends), list(noises), seen, scale

    def __call__(self, shares: NDArray, wholes: NDArray) -> Prediction:
        """Location and spread of shares (n, n_cells) and wholes (n_trends + n_noises, n)."""
        terms, variance = self.terms(shares, wholes)
        location = np.clip(self.centre + terms @ self.strengths, *self._limits)
        noises = np.clip(wholes[len(self.trends) :], self.seen[:, :1], self.seen[:, 1:])
        logs = self.spread[1] * np.log(variance) + self.spread[2:] @ noises
        return Prediction(location, np.exp(self.spread[0] + logs / 2))

    def terms(self, shares: NDArray, wholes: NDArray) -> tuple[NDArray, NDArray]:
        """What strengths are multiplied with, (n, 1 + 2 n_trends), and the variance (n,) among neighbours."""
        mean, square, *means = np.moveaxis(self.encoding.means(shares), -1, 0)
        inside = np.clip(wholes[: len(self.trends)], *self._limits)
        beside = [f - mean for f in inside]
        along = [f - over for f, over in zip(inside, means, strict=True)]
        variance = np.maximum(square - mean**2, LEAST_VARIANCE)
        return np.stack([mean - self.centre, *beside, *along], axis=1), variance

    @property
    def _limits(self):
        low, high = self.encoding.low[0], self.encoding.high[0]
        return low - BEYOND * (high - low), high + BEYOND * (high - low)

    def wholes(self, X: NDArray) -> NDArray[np.float64]:
        """What every trend and every noise says of samples X (n, d), (n_trends + n_noises, n)."""
        return trend_values([*self.trends, *self.noises], X)

    def wholes_of(self, training_set: TrainingSet, numbers: NDArray) -> NDArray[np.float64]:
        """The same of training samples ``numbers`` (n,), trends without their own part in them."""
        return self.known_wholes(training_set.values[:, numbers], training_set.X[numbers])

    def known_wholes(self, values: NDArray, X: NDArray) -> NDArray[np.float64]:
        """The same of training samples X (n, d) with values (2 + n_trends, n)."""
        return np.vstack([values[2:], trend_values(self.noises, X)])

    def truth(self, training_set: TrainingSet) -> NDArray[np.float64]:
        """The targets (N,) as they were given."""
        return self.scale.back(training_set.y)

    def left_out(self, training_set: TrainingSet) -> Callable[[NDArray, NDArray], NDArray]:
        """``wholes``: a single sample hardly moves a trend."""
        return lambda X, numbers: self.wholes(X)

    def answers(self, shares: NDArray, wholes: NDArray) -> NDArray[np.float64]:
        """Expected targets (n, 1) of mixed votes (n, n_cells)."""
        return self.means(self(shares, wholes))[:, None]

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
        errors = np.quantile(self.errors, chances)
        return self.scale.back(prediction.location[:, None] + prediction.spread[:, None] * errors)

    def interval(self, prediction: Prediction, alpha: float) -> NDArray[np.float64]:
        """Ends (n, 2) of intervals that miss a share alpha."""
        return self.quantiles(prediction, interval_chances(len(self.errors), alpha))

    def named_strengths(self) -> dict[str, float]:
        """How far votes count, and every trend, beside them and along the way from neighbours to a sample."""
        names = [name for trend in self.trends for name, kind in TRENDS.items() if kind is type(trend)]
        labels = ["votes", *(f"{name} beside" for name in names), *(f"{name} along" for name in names)]
        return dict(zip(labels, self.strengths.tolist(), strict=True))

    def with_spread(
        self, spread: NDArray, errors: NDArray, noises: Sequence[Trend] = (), seen: NDArray | None = None
    ) -> "RegressionHead":
        """The same locations with another spread and distribution of errors."""
        seen = np.empty((0, 2)) if seen is None else seen
        return RegressionHead(
            self.encoding, self.centre, self.strengths, spread, errors, self.trends, noises, seen, self.scale
        )

    def check(self, training_set: TrainingSet) -> None:
        """ValueError unless it belongs to this training set."""
        other = training_set.encoding
        if not isinstance(other, TargetEncoding):
            raise ValueError("head of Ensemble is of something else")
        same = np.array_equal(self.encoding.low, other.low) and np.array_equal(self.encoding.high, other.high)
        require(same, "head of Ensemble", "reads other values than the training set has")
        fit = all(trend.n_features == training_set.X.shape[1] for trend in [*self.trends, *self.noises])
        require(fit, "trends of Ensemble", "are of other features")

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "RegressionHead":
        encoding, centre, strengths, spread, errors = (
            state[name] for name in ("encoding", "centre", "strengths", "spread", "errors")
        )
        trends, noises, seen, scale = (state[name] for name in ("trends", "noises", "seen", "scale"))
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
        return cls(encoding, centre, strengths, spread, errors, trends, noises, seen, scale)


def trend_values(trends: Sequence[Trend], X: NDArray) -> NDArray[np.float64]:
    """What every trend says of samples X (n, d), (n_trends, n)."""
    return np.array([trend(X) for trend in trends]).reshape(len(trends), len(X))


class Scored(NamedTuple):
    """What is known of the samples that are scored out of bag."""

    X: NDArray  # (n, d)
    shares: NDArray  # (n, n_cells), mixed
    trends: NDArray  # (n_trends, n), of the others
    y: NDArray  # (n,)
    weights: NDArray  # (n,)

    @classmethod
    def of(cls, X: NDArray, shares: NDArray, trends: NDArray, y: NDArray, weights: NDArray | None) -> "Scored":
        """The same with weights of one where there are none."""
        return cls(X, shares, trends, y, np.ones(len(y)) if weights is None else weights)


class RegressionTask(Task):
    """Targets of variance one; shares (..., n_cells) are those of the cells of their encoding.

    Parameters
    ----------
    encoding : TargetEncoding
        Of the target, its square, and every trend.
    trends : list of Trend, default=()
        The target as a whole.
    scale : Scale or None, default=None
        On which the target has variance one; None in a search whose result is not asked for.
    score : RegressionScore or None, default=None
        What is reported.
    """

    energy = "neighbor-likelihood"
    score_words = "squared error"
    columns = "oob_absolute", "oob_squared"
    saved = {"target-encoding": TargetEncoding, "scale": Scale, "regression-head": RegressionHead}

    @classmethod
    def takes(cls, y: NDArray) -> bool:
        """Whether y is one target."""
        return y.ndim == 1

    @classmethod
    def of(cls, rows: TrainingRows, recipe: Recipe, scale: str, scoring: Any) -> tuple["RegressionTask", TrainingSet]:
        """The task of these rows, and what they vote for."""
        values, trends, on = encoded_target(rows, recipe.trends, scale)
        encoding = TargetEncoding.of(values)
        training_set = TrainingSet(rows.X, values, encoding, rows.weights, rows.rows)
        return cls(encoding, trends, on, RegressionScore(scoring, on)), training_set

    def __init__(
        self,
        encoding: TargetEncoding,
        trends: Sequence[Trend] = (),
        scale: Scale | None = None,
        score: RegressionScore | None = None,
    ):
        self.encoding, self.trends, self.scale, self.score = encoding, trends, scale, score

    def strata(self, y: NDArray) -> list[NDArray]:
        """The quarters of y."""
        n = int(np.clip(len(y) // SMALLEST_STRATUM, 1, QUARTERS))
        return [np.sort(part) for part in np.array_split(np.argsort(y, kind="stable"), n)]

    def scores(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Mean squared errors (...) of the mean among neighbours."""
        return np.average(self.deviations(shares, y), axis=-1, weights=weights)

    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """Squared errors (..., N) of shares (..., N, n_cells)."""
        return (self.encoding.mean(shares) - y) ** 2

    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Mean absolute errors (...)."""
        return np.average(np.sqrt(self.deviations(shares, y)), axis=-1, weights=weights)

    def error_of(self, score: float, n_scored: float) -> float:
        """The standard error of a mean squared error of so many samples, if errors are normal."""
        return float(score * np.sqrt(2 / n_scored) + LEAST_ERROR)

    def result(self, population: Population, recipe: Recipe, n_rows: int | None) -> OOBResult:
        """Weights of the candidates, and the head that reads their votes beside the trends."""
        assert self.score is not None
        assert n_rows is not None
        weights, shares = mixed_votes(population, recipe)
        head, known = self.fitted_head(population, shares, population.training_set.values, recipe)
        return OOBResult(weights, head, oob_attributes(known, population, self.score, n_rows))

    def fitted_head(
        self, population: Population, shares: NDArray, values: NDArray, recipe: Recipe
    ) -> tuple[RegressionHead, NDArray]:
        """The head for mixed votes (n, n_cells) of values (n_values, N), and its out-of-bag predictions (n,)."""
        numbers = population.oob_samples
        X, values = population.training_set.X[numbers].astype(np.float64), values[:, numbers]
        scored = Scored.of(X, shares, values[2:], values[0], population.oob_weights)
        head, prediction = with_noises(self.head(scored, recipe.trend_prior), scored, recipe)
        return head, head.means(prediction)

    def head(self, scored: Scored, prior: float) -> RegressionHead:
        """The head of least squared errors, with one spread for all samples.

        Strengths are not negative; a prior worth a share of the samples holds those of trends near 0. Where no sample
        was out of bag, votes are read as they are.
        """
        assert self.scale is not None
        n, strengths = len(scored.y), np.eye(2 * len(self.encoding) - 3)[0]
        centre = float(np.average(scored.y, weights=scored.weights)) if n else 0.0
        errors, none = np.array([-1.0, 0.0, 1.0]), np.empty((0, 2))
        head = RegressionHead(self.encoding, centre, strengths, np.zeros(2), errors, self.trends, [], none, self.scale)
        if n > 1:
            terms, _ = head.terms(scored.shares, scored.trends)
            head.strengths = _strengths(terms, scored.y - centre, scored.weights, prior)
        return head

    def recalibrated(
        self, ensemble: Ensemble, oob_indices: OOBIndices, shortlist: int | None, recipe: Recipe
    ) -> Ensemble:
        """The ensemble with a spread for predictions that look at a shortlist, where the search looked at all samples.

        On a shortlist stand the nearest in the averaged metric. They agree more than the nearest in every single metric
        do, and a spread learned from all training samples would be too small for what a few of them say.
        """
        predictor = shortlist_predictor(ensemble, oob_indices, shortlist, recipe.fewest_errors)
        if predictor is None:
            return ensemble
        shares = predictor.shares(predictor.X, np.arange(len(predictor.oob_samples)))
        values = predictor.training_set.values[:, predictor.oob_samples]
        return ensemble.with_head(with_spread_of(ensemble.head, predictor, shares, values, recipe))


def mixed_votes(population: Population, recipe: Recipe) -> tuple[NDArray, NDArray]:
    """Weights of all candidates and numbers of neighbours, and out-of-bag votes (n, n_cells) mixed by them."""
    neighbors = allowed_neighbors(recipe.neighbors, population.n_neighbors)
    weights = selection_weights(population.scores(), population.error_of, neighbors, recipe)
    return weights, mixed_shares(weights, population.shares())


def oob_attributes(known: NDArray, population: Population, score: RegressionScore, n_rows: int) -> dict[str, Any]:
    """Fitted attributes of out-of-bag predictions (n,) or (n, m)."""
    everyone = np.full((n_rows, *known.shape[1:]), np.nan)
    everyone[population.training_set.rows[population.oob_samples]] = known
    columns = known if known.ndim == 2 else known[:, None]
    value = score(columns, population.truth, population.oob_weights)
    return {"oob_prediction_": everyone, "oob_score_": value}


def shortlist_predictor(
    ensemble: Ensemble, oob_indices: OOBIndices, shortlist: int | None, fewest: int
) -> OOBPredictor | None:
    """Out-of-bag predictions that look at a shortlist; None where that is no change or too few samples tell."""
    if shortlist is None or shortlist + 1 >= len(ensemble.training_set.places.rows):
        return None
    every = max(len(member) for member in ensemble.members)
    predictor = OOBPredictor(ensemble, oob_indices, shortlist, len(oob_indices), every)
    return predictor if len(predictor.oob_samples) >= fewest else None


def with_spread_of(
    head: RegressionHead, predictor: OOBPredictor, shares: NDArray, values: NDArray, recipe: Recipe
) -> RegressionHead:
    """The head with a spread for these out-of-bag votes (n, n_cells) of samples with values (n_values, n)."""
    scored = Scored.of(predictor.X, shares, values[2:], values[0], predictor.weights)
    return with_noises(head.with_spread(np.zeros(2), np.array([-1.0, 0.0, 1.0])), scored, recipe)[0]


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
    wholes = np.vstack([scored.trends, logs])
    head = plain.with_spread(spread, np.zeros(1), noises, seen)
    prediction = head(scored.shares, wholes)
    errors = _sorted_errors(errors / prediction.spread, scored.weights, recipe.most_errors)
    return head.with_spread(spread, errors, noises, seen), prediction


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

    start = np.zeros(len(logs))
    start[0] = 0.5
    beta = minimize(cost, start, bounds=[EXPONENTS] * len(logs)).x
    return np.array([level(beta), *beta])


def _strengths(terms, y, w, prior):
    """Least squares with a ridge towards the votes alone; no strength is negative."""
    root, usual = np.sqrt(w)[:, None], np.eye(terms.shape[1])[0]
    ridge = np.sqrt(prior * np.maximum((terms**2 * w[:, None]).sum(axis=0), 1e-9))
    A = np.vstack([terms * root, np.diag(ridge)])
    return nnls(A, np.concatenate([y * root[:, 0], ridge * usual]))[0]


def _sorted_errors(errors, weights, most):
    """Sorted errors; with weights, as many as there are samples, each as often as it weighs."""
    order = np.argsort(errors, kind="stable")
    if np.ptp(weights) == 0 and len(errors) <= most:
        return errors[order]
    reached = np.cumsum(weights[order])
    n = min(len(errors), most)
    wanted = (np.arange(n) + 0.5) / n * reached[-1]
    return errors[order][np.searchsorted(reached, wanted).clip(max=len(errors) - 1)]
