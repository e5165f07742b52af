"""Scores of predicted numbers: how far they are off, and what their quantiles and intervals are worth."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import get_scorer, get_scorer_names

from .. import magnitudes
from .number_answers import CHANCES, LEVELS, NumberAnswers
from .scores import OF_NUMBERS, Score
from .table import InputError


def rmse(answers: NumberAnswers) -> float:
    """Root of the mean squared error."""
    return magnitudes.rmse(answers.truth, answers.told)


def mae(answers: NumberAnswers) -> float:
    """Mean absolute error."""
    return magnitudes.mae(answers.truth, answers.told)


def r2(answers: NumberAnswers) -> float:
    """Share of the variance of the test rows that is explained; NaN where they have none."""
    varies = answers.truth.min() < answers.truth.max()
    return magnitudes.r2(answers.truth, answers.told) if varies else np.nan


def pinball(answers: NumberAnswers, place: int) -> float:
    r"""Mean of :math:`\max(q (y - Q), (q - 1) (y - Q))` of the quantile Q of chance q; NaN without quantiles."""
    if answers.quantiles is None:
        return np.nan
    truth, quantile, q = answers.truth, answers.quantiles[:, place], CHANCES[place]
    exponent = magnitudes.exponent_of(truth, quantile)
    over = magnitudes.reduced(truth, exponent) - magnitudes.reduced(quantile, exponent)
    return float(magnitudes.enlarged(np.maximum(q * over, (q - 1) * over).mean(), exponent))


def mean_pinball(answers: NumberAnswers) -> float:
    """Mean pinball loss over all chances."""
    return float(np.mean([pinball(answers, place) for place in range(len(CHANCES))]))


def coverage(answers: NumberAnswers, place: int) -> float:
    """Share of rows whose interval holds their number; NaN without intervals."""
    if answers.ends is None:
        return np.nan
    low, high = answers.ends[:, place].T
    return float(np.mean((low <= answers.truth) & (answers.truth <= high)))


def width(answers: NumberAnswers, place: int) -> float:
    """Mean width of intervals; NaN where there are none."""
    return np.nan if answers.ends is None else magnitudes.mae(*answers.ends[:, place].T)


def _of(score, place):
    return lambda answers: score(answers, place)


def _scores():
    yield Score("r2", "R\u00b2", r2)
    yield Score("mae", "MAE", mae, higher_is_better=False, in_units=True)
    yield Score("rmse", "RMSE", rmse, higher_is_better=False, in_units=True)
    yield Score("pinball", "Pinball", mean_pinball, higher_is_better=False, in_units=True)
    for place, q in enumerate(CHANCES):
        name, title = f"pinball_{q}", f"Pinball {q}"
        yield Score(name, title, _of(pinball, place), higher_is_better=False, in_units=True, aside=True)
    for place, level in enumerate(LEVELS):
        n = f"{100 * level:g}"
        yield Score(f"coverage_{n}", f"Coverage ({n})", _of(coverage, place), in_percent=True, aside=True)
        yield Score(f"width_{n}", f"Width ({n})", _of(width, place), higher_is_better=False, in_units=True, aside=True)


NUMBER_SCORES: dict[str, Score] = {score.name: score for score in _scores()}
"""What every comparison of numbers tells."""


def number_scores_named(names: Sequence[str]) -> dict[str, Score]:
    """All of NUMBER_SCORES, and scikit-learn's scorers of numbers of these names."""
    known = [name for name in get_scorer_names() if name.startswith(OF_NUMBERS)]
    for name in names:
        if name not in NUMBER_SCORES and name not in known:
            raise InputError(f"unknown score of numbers {name!r}; known: {', '.join([*NUMBER_SCORES, *known])}")
    return NUMBER_SCORES | {name: Score(name, name, _scorer(name)) for name in names if name not in NUMBER_SCORES}


def check_number_scores(scores: dict[str, Score], y: NDArray, source: str) -> None:
    """InputError where a score is not one of these numbers."""
    right = NumberAnswers(np.arange(len(y)), y, y, 1.0)
    for name in scores:
        try:
            if name not in NUMBER_SCORES:
                get_scorer(name)(KnownNumbers(right), np.zeros((len(y), 1)), y)
        except (ValueError, TypeError) as problem:
            why = " ".join(str(problem).split())
            raise InputError(f"{source}: score {name!r} cannot judge these numbers: {why}") from problem


class KnownNumbers(RegressorMixin, BaseEstimator):
    """A regressor for scorers that has answered already."""

    def __init__(self, answers: NumberAnswers):
        self.answers = answers

    def fit(self, X: Any, y: Any) -> "KnownNumbers":
        """Nothing to learn."""
        return self

    def predict(self, X: Any) -> NDArray:
        """What was predicted."""
        return self.answers.told


def _scorer(name):
    def score(answers):
        try:
            return float(get_scorer(name)(KnownNumbers(answers), np.zeros((len(answers.truth), 1)), answers.truth))
        except ValueError:  # predictions that it cannot judge
            return np.nan

    return score
