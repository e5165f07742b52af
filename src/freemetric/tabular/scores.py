"""Scores of held-out predictions: scikit-learn's, where they are defined, for classification and regression."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from .. import magnitudes
from .held_out import LEVELS, QUANTILES, ClassPredictions, HeldOut, NumberPredictions
from .table import InputError

OF_NUMBERS = ("d2_absolute", "explained", "max_error", "neg_max", "neg_mean", "neg_median", "neg_root", "r2")
OF_CLUSTERS = ("adjusted", "completeness", "fowlkes", "homogeneity", "mutual", "normalized", "rand_score", "v_measure")


@dataclass(frozen=True)
class Score:
    """A score by name: its value for predictions, NaN where it is not defined, and whether more is better."""

    name: str
    title: str
    of: Callable[[Any], float]
    higher_is_better: bool = True
    in_percent: bool = False
    in_units: bool = False  # of the target
    aside: bool = False  # not in the table of scores: something else there shows it


def accuracy(found: ClassPredictions) -> float:
    """Share of correct predictions."""
    return float(np.mean(found.predicted == found.truth))


def balanced_accuracy(found: ClassPredictions) -> float:
    """Mean recall of the classes that have test rows."""
    return _mean(found.by_class()[1])


def f1_macro(found: ClassPredictions) -> float:
    """Mean F1 of the classes that have test rows or predictions."""
    return _mean(found.by_class()[2])


def roc_auc(found: ClassPredictions) -> float:
    """Area under the ROC curve; NaN where all test rows are of one class, or without a ranking.

    Of more than two classes it is the mean over those that have test rows, each against the rest.
    """
    if found.ranking is None:
        return np.nan
    some = [1] if len(found.classes) == 2 else range(len(found.classes))
    present = [c for c in some if 0 < np.sum(found.truth == c) < len(found.truth)]
    return _mean([metrics.roc_auc_score(found.truth == c, found.ranking[:, c]) for c in present])


def log_loss(found: ClassPredictions) -> float:
    """Mean of minus the logarithm of the true class's probability; NaN without probabilities."""
    if found.probabilities is None:
        return np.nan
    return float(metrics.log_loss(found.truth, found.probabilities, labels=np.arange(len(found.classes))))


def brier(found: ClassPredictions) -> float:
    """Half the mean squared distance between the probabilities and the truth: the usual one of two classes."""
    if found.probabilities is None:
        return np.nan
    truth = np.eye(len(found.classes))[found.truth]
    return float(((found.probabilities - truth) ** 2).sum(axis=1).mean() / 2)


def r2(found: NumberPredictions) -> float:
    """Share of the variance of the test rows that is explained; NaN where they have none."""
    varies = found.truth.min() < found.truth.max()
    return magnitudes.r2(found.truth, found.predicted) if varies else np.nan


def pinball(found: NumberPredictions, place: int) -> float:
    r"""Mean of :math:`\max(q (y - Q), (q - 1) (y - Q))` of the quantile Q of probability q; NaN without quantiles."""
    if found.quantiles is None:
        return np.nan
    quantile, q = found.quantiles[:, place], QUANTILES[place]
    exponent = magnitudes.exponent_of(found.truth, quantile)
    over = magnitudes.reduced(found.truth, exponent) - magnitudes.reduced(quantile, exponent)
    return float(magnitudes.enlarged(np.maximum(q * over, (q - 1) * over).mean(), exponent))


def mean_pinball(found: NumberPredictions) -> float:
    """Mean pinball loss over all quantiles."""
    return float(np.mean([pinball(found, place) for place in range(len(QUANTILES))]))


def coverage(found: NumberPredictions, place: int) -> float:
    """Share of rows whose interval holds their target; NaN without intervals."""
    if found.intervals is None:
        return np.nan
    low, high = found.intervals[:, place].T
    return float(np.mean((low <= found.truth) & (found.truth <= high)))


def width(found: NumberPredictions, place: int) -> float:
    """Mean width of intervals; NaN where there are none."""
    return np.nan if found.intervals is None else magnitudes.mae(*found.intervals[:, place].T)


CLASSIFICATION_SCORES: dict[str, Score] = {
    score.name: score
    for score in (
        Score("accuracy", "Accuracy", accuracy, in_percent=True, aside=True),
        Score("balanced_accuracy", "Balanced accuracy", balanced_accuracy, in_percent=True),
        Score("f1_macro", "F1", f1_macro),
        Score("roc_auc", "AUC", roc_auc),
        Score("log_loss", "Log loss", log_loss, higher_is_better=False),
        Score("brier", "Brier", brier, higher_is_better=False),
    )
}
"""Scores of every classification."""


def _regression_scores():
    cost: dict[str, bool] = {"higher_is_better": False, "in_units": True}
    yield Score("r2", "R\u00b2", r2)
    yield Score("mae", "MAE", lambda found: magnitudes.mae(found.truth, found.predicted), **cost)
    yield Score("rmse", "RMSE", lambda found: magnitudes.rmse(found.truth, found.predicted), **cost)
    yield Score("pinball", "Pinball", mean_pinball, **cost)
    for place, q in enumerate(QUANTILES):
        yield Score(f"pinball_{q}", f"Pinball {q}", partial(pinball, place=place), **cost, aside=True)
    for place, level in enumerate(LEVELS):
        n = f"{100 * level:g}"
        yield Score(f"coverage_{n}", f"Coverage ({n})", partial(coverage, place=place), in_percent=True, aside=True)
        yield Score(f"width_{n}", f"Width ({n})", partial(width, place=place), **cost, aside=True)


REGRESSION_SCORES: dict[str, Score] = {score.name: score for score in _regression_scores()}
"""Scores of every regression."""


def scores_named(names: Sequence[str], regression: bool = False) -> dict[str, Score]:
    """All scores of a task, and scikit-learn's scorers of these names.

    For these the second of two classes is the positive one.

    Examples
    --------
    >>> list(scores_named(["average_precision"]))[-1]
    'average_precision'
    """
    own = REGRESSION_SCORES if regression else CLASSIFICATION_SCORES
    known = [
        name
        for name in metrics.get_scorer_names()
        if name.startswith(OF_NUMBERS) == regression and not name.startswith(OF_CLUSTERS)
    ]
    for name in names:
        if name not in own and name not in known:
            what = "unknown regression score" if regression else "unknown score"
            raise InputError(f"{what} {name!r}; known: {', '.join([*own, *known])}")
    return own | {name: Score(name, name, partial(_tried, name)) for name in names if name not in own}


def check_scores(scores: dict[str, Score], perfect: HeldOut, source: str) -> None:
    """InputError where one of scikit-learn's scores is not defined even for perfect predictions of a target."""
    for name in scores:
        try:
            if name not in CLASSIFICATION_SCORES | REGRESSION_SCORES:
                _by_scorer(name, perfect)
        except (ValueError, AttributeError, TypeError) as problem:
            why = " ".join(str(problem).split())
            raise InputError(f"{source}: score {name!r} is not defined for this target: {why}") from problem


class _Known(BaseEstimator):
    """An estimator for scorers that has predicted already."""

    def __init__(self, found: Any):
        self.found = found

    def fit(self, X: Any, y: Any) -> "_Known":
        return self

    def predict(self, X: Any) -> NDArray:
        return self.found.predicted


class _KnownNumbers(RegressorMixin, _Known):
    pass


class _KnownClasses(ClassifierMixin, _Known):
    @property
    def classes_(self) -> NDArray:
        return np.arange(len(self.found.classes))

    @available_if(lambda self: self.found.probabilities is not None)
    def predict_proba(self, X: Any) -> NDArray:
        return self.found.probabilities


def _by_scorer(name: str, found: HeldOut) -> float:
    known = _KnownClasses(found) if isinstance(found, ClassPredictions) else _KnownNumbers(found)
    return float(metrics.get_scorer(name)(known, np.zeros((len(found.truth), 1)), found.truth))


def _tried(name: str, found: HeldOut) -> float:
    try:
        return _by_scorer(name, found)
    except (ValueError, AttributeError):  # test rows without a class, or no probabilities
        return np.nan


def _mean(values):
    """Of what is defined; NaN where nothing is."""
    there = np.asarray(values, dtype=np.float64)
    there = there[~np.isnan(there)]
    return float(there.mean()) if len(there) else np.nan
