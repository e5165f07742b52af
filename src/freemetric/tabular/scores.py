"""Scores of held-out predictions: scikit-learn's, where they are defined."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from .. import magnitudes
from .held_out import LEVELS, QUANTILES, ClassPredictions, HeldOut, NumberPredictions
from .table import InputError

OF_NUMBERS = ("d2_absolute", "explained", "max_error", "neg_max", "neg_mean", "neg_median", "neg_root", "r2")
OF_CLUSTERS = ("adjusted", "completeness", "fowlkes", "homogeneity", "mutual", "normalized", "rand_score", "v_measure")


@dataclass(frozen=True)
class HeldOutScore:
    """A score of held-out predictions by name, and whether more is better."""

    name: str
    title: str
    value: Callable[[Any, Any], Any]  # a float, of the predictions and what it needs of them
    needs: str = "predicted"  # an attribute, which may be None
    higher_is_better: bool = True
    in_percent: bool = False
    in_units: bool = False  # of the target
    aside: bool = False  # not in the table of scores: something else there shows it

    def of(self, found: HeldOut) -> float:
        needed = getattr(found, self.needs)
        return np.nan if needed is None else float(self.value(found, needed))


def roc_auc(found: ClassPredictions, ranking: NDArray) -> float:
    """Area under the ROC curve; NaN where all test rows are of one class.

    Of more than two classes it is the mean over those that have test rows, each against the rest.
    """
    some = [1] if len(found.classes) == 2 else range(len(found.classes))
    present = [c for c in some if 0 < np.sum(found.truth == c) < len(found.truth)]
    return _mean([metrics.roc_auc_score(found.truth == c, ranking[:, c]) for c in present])


def pinball(found: NumberPredictions, quantiles: NDArray, places: Sequence[int]) -> float:
    """Mean pinball loss of some of the quantiles, whatever the magnitude of the target."""
    losses = []
    for place in places:
        exponent = magnitudes.exponent_of(found.truth, quantiles[:, place])
        truth, predicted = (magnitudes.reduced(y, exponent) for y in (found.truth, quantiles[:, place]))
        loss = metrics.mean_pinball_loss(truth, predicted, alpha=QUANTILES[place])
        losses.append(magnitudes.enlarged(loss, exponent))
    return float(np.mean(losses))


def interval_score(found: NumberPredictions, intervals: NDArray, place: int, width: bool) -> float:
    """Mean width of the intervals of a level, or the share of rows whose interval holds their target."""
    low, high = intervals[:, place].T
    return magnitudes.mae(low, high) if width else np.mean((low <= found.truth) & (found.truth <= high))


def _classification_scores():
    percent: dict[str, Any] = {"in_percent": True}
    cost: dict[str, Any] = {"needs": "probabilities", "higher_is_better": False}

    def log_loss(found, P):
        return metrics.log_loss(found.truth, P, labels=np.arange(len(found.classes)))

    def brier(found, P):  # half the mean squared distance from the truth: the usual one of two classes
        return ((P - np.eye(len(found.classes))[found.truth]) ** 2).sum(axis=1).mean() / 2

    yield HeldOutScore("accuracy", "Accuracy", lambda found, said: np.mean(said == found.truth), **percent, aside=True)
    # the mean recall of the classes that have test rows, and the mean F1 of those that have test rows or predictions
    yield HeldOutScore("balanced_accuracy", "Balanced accuracy", lambda found, _: _mean(found.by_class()[1]), **percent)
    yield HeldOutScore("f1_macro", "F1", lambda found, _: _mean(found.by_class()[2]))
    yield HeldOutScore("roc_auc", "AUC", roc_auc, "ranking")
    yield HeldOutScore("log_loss", "Log loss", log_loss, **cost)
    yield HeldOutScore("brier", "Brier", brier, **cost)


def _regression_scores():
    cost: dict[str, Any] = {"higher_is_better": False, "in_units": True}

    def r2(found, predicted):
        return magnitudes.r2(found.truth, predicted) if found.truth.min() < found.truth.max() else np.nan

    yield HeldOutScore("r2", "R\u00b2", r2)
    yield HeldOutScore("mae", "MAE", lambda found, predicted: magnitudes.mae(found.truth, predicted), **cost)
    yield HeldOutScore("rmse", "RMSE", lambda found, predicted: magnitudes.rmse(found.truth, predicted), **cost)
    every = range(len(QUANTILES))
    yield HeldOutScore("pinball", "Pinball", partial(pinball, places=every), "quantiles", **cost)
    for i, q in enumerate(QUANTILES):
        loss = partial(pinball, places=[i])
        yield HeldOutScore(f"pinball_{q}", f"Pinball {q}", loss, "quantiles", **cost, aside=True)
    for i, level in enumerate(LEVELS):
        n, held, width = f"{100 * level:g}", *(partial(interval_score, place=i, width=width) for width in (False, True))
        yield HeldOutScore(f"coverage_{n}", f"Coverage ({n})", held, "intervals", in_percent=True, aside=True)
        yield HeldOutScore(f"width_{n}", f"Width ({n})", width, "intervals", **cost, aside=True)


CLASSIFICATION_SCORES: dict[str, HeldOutScore] = {score.name: score for score in _classification_scores()}
REGRESSION_SCORES: dict[str, HeldOutScore] = {score.name: score for score in _regression_scores()}


def scores_named(names: Sequence[str], regression: bool = False) -> dict[str, HeldOutScore]:
    """All scores of a task, and scikit-learn's scorers of these names.

    For these the second of two classes is the positive one.
    """
    own = REGRESSION_SCORES if regression else CLASSIFICATION_SCORES
    others = (name for name in metrics.get_scorer_names() if name.startswith(OF_NUMBERS) == regression)
    known = [*own, *(name for name in others if not name.startswith(OF_CLUSTERS))]
    if unknown := [name for name in names if name not in known]:
        what = "unknown regression score" if regression else "unknown score"
        raise InputError(f"{what} {unknown[0]!r}; known: {', '.join(known)}")
    return own | {name: HeldOutScore(name, name, partial(_tried, name)) for name in names if name not in own}


def check_scores(scores: dict[str, HeldOutScore], perfect: HeldOut, source: str) -> None:
    """InputError where one of scikit-learn's scores is not defined even for perfect predictions of a target."""
    for name in (name for name in scores if name not in CLASSIFICATION_SCORES | REGRESSION_SCORES):
        try:
            _by_scorer(name, perfect)
        except (ValueError, AttributeError, TypeError) as problem:
            why = " ".join(str(problem).split())
            raise InputError(f"{source}: score {name!r} is not defined for this target: {why}") from problem


class _Known(BaseEstimator):
    """Predictions as an estimator, for scikit-learn's scorers."""

    def __init__(self, found: Any):
        self.found = found
        self.classes_ = np.arange(len(getattr(found, "classes", ())))

    def predict(self, X: Any) -> NDArray:
        return self.found.predicted

    @available_if(lambda self: getattr(self.found, "probabilities", None) is not None)
    def predict_proba(self, X: Any) -> NDArray:
        return self.found.probabilities

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier" if hasattr(self.found, "classes") else "regressor"
        return tags


def _by_scorer(name: str, found: HeldOut) -> float:
    return float(metrics.get_scorer(name)(_Known(found), np.zeros((len(found.truth), 1)), found.truth))


def _tried(name: str, found: HeldOut, predicted: NDArray) -> float:
    try:
        return _by_scorer(name, found)
    except (ValueError, AttributeError):  # test rows without a class, or no probabilities
        return np.nan


def _mean(values):
    """Mean of the values that are not NaN; NaN where all are."""
    return float(np.nanmean(values)) if not np.isnan(values).all() else np.nan
