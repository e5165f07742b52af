"""Predictions for held-out rows, the data of their figures, and scores: scikit-learn's, where they are defined."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.utils.metaestimators import available_if

from .. import magnitudes
from ..magnitudes import exponent_of, reduced
from .table import InputError, quoted

QUANTILES = (0.1, 0.5, 0.9)  # probabilities whose quantiles are predicted
LEVELS = (0.8, 0.9, 0.95)  # probabilities with which prediction intervals hold the target
MOST_BINS = 10
MOST_POINTS = 200  # of a curve
MOST_PREDICTIONS = 1000
MOST_CLASSES = 100  # whose confusion is shown in full
Z = 1.96  # of a 95 % interval
OF_NUMBERS = ("d2_absolute", "explained", "max_error", "neg_max", "neg_mean", "neg_median", "neg_root", "r2")
OF_CLUSTERS = ("adjusted", "completeness", "fowlkes", "homogeneity", "mutual", "normalized", "rand_score", "v_measure")


@dataclass(frozen=True, eq=False)
class ClassPredictions:
    """Predicted classes of n rows; the C classes are encoded as 0, 1, ..."""

    classes: tuple[str, ...]  # names
    rows: NDArray[np.intp]  # (n,) indices among the rows that have a class
    truth: NDArray[np.intp]  # (n,)
    predicted: NDArray[np.intp]  # (n,)
    probabilities: NDArray | None = None  # (n, C), None where the classifier gives none
    ranking: NDArray | None = None  # (n, C) probabilities, or values of a decision function

    undefined = "lack classes"
    unsure = "gives no probabilities, so that it has no log loss, Brier score, calibration or ROC curve"

    @classmethod
    def of(cls, model: Any, X: Any, rows: NDArray[np.intp], truth: NDArray, classes: Sequence[str]) -> Self:
        """Predictions of a classifier of encoded classes; a class that it has not seen has a probability of zero."""
        seen, predicted = np.asarray(model.classes_), np.asarray(model.predict(X))
        probabilities = ranking = None
        if hasattr(model, "predict_proba"):
            probabilities = ranking = _for_all(model.predict_proba(X), seen, len(classes))
        elif hasattr(model, "decision_function"):
            values = np.asarray(model.decision_function(X), dtype=np.float64)
            ranking = _for_all(np.stack([-values, values], axis=1) if values.ndim == 1 else values, seen, len(classes))
        return cls(tuple(classes), rows, truth, predicted, probabilities, ranking)

    @classmethod
    def constant(cls, train: NDArray, rows: NDArray[np.intp], truth: NDArray, classes: Sequence[str]) -> Self:
        """The most frequent class, and the shares of the classes."""
        model = DummyClassifier(strategy="prior").fit(np.zeros((len(train), 1)), train)
        return cls.of(model, np.zeros((len(rows), 1)), rows, truth, classes)

    @classmethod
    def perfect(cls, y: NDArray, classes: Sequence[str]) -> Self:
        """Correct predictions, two of every class."""
        truth = np.repeat(np.arange(len(classes)), 2)
        return cls(tuple(classes), np.arange(len(truth)), truth, truth, np.eye(len(classes))[truth])

    @property
    def most_frequent(self) -> str:
        """The prediction made most often."""
        return quoted(self.classes[np.bincount(self.predicted).argmax()])

    @property
    def is_sure(self) -> bool:
        """Whether there are probabilities."""
        return self.probabilities is not None

    def losses(self) -> NDArray[np.float64]:
        """One (n,) where the prediction is wrong."""
        return (self.predicted != self.truth).astype(np.float64)

    def error(self) -> float:
        """Share of wrong predictions in %."""
        return 100 * float(self.losses().mean())

    def compact(self) -> Self:
        """A copy that takes less memory: probabilities in float32, and no other ranking."""
        P = None if self.probabilities is None else self.probabilities.astype(np.float32)
        return replace(self, probabilities=P, ranking=None)

    def pooled(self, parts: Sequence["ClassPredictions"]) -> "ClassPredictions":
        """Predictions of several splits as one; without probabilities where one of them has none."""
        known = [part.probabilities for part in parts if part.probabilities is not None]
        P = np.concatenate(known) if len(known) == len(parts) else None
        return ClassPredictions(self.classes, **_together(parts), probabilities=P)

    def confusion(self) -> NDArray[np.int64]:
        """Confusion matrix (C, C)."""
        return metrics.confusion_matrix(self.truth, self.predicted, labels=np.arange(len(self.classes)))

    def by_class(self) -> tuple[NDArray, NDArray, NDArray]:
        """Precision, recall and F1 (C,) of every class; NaN where they are not defined."""
        options = {"labels": np.arange(len(self.classes)), "zero_division": np.nan}
        return metrics.precision_recall_fscore_support(self.truth, self.predicted, **options)[:3]

    def details(self, repeats: int) -> dict[str, Any]:
        """Data of the figures: classes, confusion, calibration and ROC curve."""
        confusion = self.confusion().tolist() if len(self.classes) <= MOST_CLASSES else None
        figures = {"confusion": confusion, "calibration": calibration(self, repeats), "roc": roc(self)}
        return {"classes": class_details(self, repeats), **figures}


@dataclass(frozen=True, eq=False)
class NumberPredictions:
    """Predictions of a regression for n rows."""

    rows: NDArray[np.intp]  # (n,) indices among the rows that have a target
    truth: NDArray[np.float64]  # (n,)
    predicted: NDArray[np.float64]  # (n,)
    scale: float  # standard deviation of the target of all rows, in which errors are counted
    quantiles: NDArray | None = None  # (n, 3) of QUANTILES, None where the regressor predicts none
    intervals: NDArray | None = None  # (n, 3, 2) ends of intervals of LEVELS

    most_frequent = "the mean"
    undefined = "have one number alone"
    unsure = "gives no quantiles, so that it has no pinball loss and no intervals"

    @classmethod
    def of(cls, model: Any, X: Any, rows: NDArray[np.intp], truth: NDArray, scale: float) -> Self:
        """Predictions of a pipeline that ends with a regressor; quantiles and intervals where it has them."""
        features, last = model[:-1].transform(X), model[-1]
        predicted = np.asarray(last.predict(features), dtype=np.float64)
        if not hasattr(last, "predict_quantiles"):
            return cls(rows, truth, predicted, scale)
        intervals = np.stack([last.predict_interval(features, 1 - level) for level in LEVELS], axis=1)
        return cls(rows, truth, predicted, scale, last.predict_quantiles(features, QUANTILES), intervals)

    @classmethod
    def constant(cls, train: NDArray, rows: NDArray[np.intp], truth: NDArray, scale: float) -> Self:
        """The mean of the training targets, with their quantiles for quantiles and intervals."""
        n, tails = len(rows), np.array([[(1 - level) / 2, (1 + level) / 2] for level in LEVELS])
        quantiles = np.broadcast_to(np.quantile(train, QUANTILES), (n, len(QUANTILES)))
        intervals = np.broadcast_to(np.quantile(train, tails), (n, *tails.shape))
        return cls(rows, truth, np.full(n, train.mean()), scale, quantiles, intervals)

    @property
    def is_sure(self) -> bool:
        """Whether there are quantiles."""
        return self.quantiles is not None

    def losses(self) -> NDArray[np.float64]:
        """Squared errors (n,) in units of the target's variance."""
        e = exponent_of(self.predicted, self.truth)
        return ((reduced(self.predicted, e) - reduced(self.truth, e)) / reduced(self.scale, e)) ** 2

    def error(self) -> float:
        """Root of the mean squared error in % of the target's standard deviation."""
        return 100 * float(np.sqrt(self.losses().mean()))

    @classmethod
    def perfect(cls, y: NDArray, scale: float) -> Self:
        """Correct predictions of all rows."""
        return cls(np.arange(len(y)), y, y, 1.0)

    def compact(self) -> Self:
        """Itself."""
        return self

    def pooled(self, parts: Sequence["NumberPredictions"]) -> "NumberPredictions":
        """Predictions of several splits as one, without intervals."""
        return NumberPredictions(**_together(parts), scale=self.scale)

    def details(self, repeats: int) -> dict[str, Any]:
        """Data of the figures: predictions beside the truth, and residuals."""
        return {"predictions": beside_the_truth(self, repeats), "residuals": residuals(self)}


HeldOut = ClassPredictions | NumberPredictions


def _together(parts):
    return {name: np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", "truth", "predicted")}


def _for_all(values, seen, n_classes):
    full = np.zeros((len(values), n_classes))
    full[:, seen] = np.asarray(values, dtype=np.float64)
    return full


def beside_the_truth(found: NumberPredictions, repeats: int) -> dict[str, Any]:
    """Targets and predictions of the first repeat, sorted by the target; a part of very many rows."""
    n = len(found.truth) // repeats
    order = np.argsort(found.truth[:n], kind="stable")[_thinned(n, MOST_PREDICTIONS)]
    return {"rows": n, "truth": found.truth[order].tolist(), "predicted": found.predicted[order].tolist()}


def residuals(found: NumberPredictions) -> dict[str, float]:
    """Mean of the residuals, and quantiles 0.5, 0.9 and 1 of their absolute values, over all repeats."""
    left = found.truth - found.predicted
    half, most, largest = np.quantile(np.abs(left), (0.5, 0.9, 1))
    return {"mean": float(left.mean()), "half": float(half), "nine_in_ten": float(most), "largest": float(largest)}


def class_details(found: ClassPredictions, repeats: int) -> list[dict[str, Any]]:
    """Rows, precision, recall and F1 of every class, and its most frequent confusion."""
    details, counts = [], found.confusion()
    mistakes = counts - np.diag(np.diag(counts))
    for c, (name, *scores) in enumerate(zip(found.classes, *found.by_class(), strict=True)):
        known = {"class": name, "rows": round(counts[c].sum() / repeats)}
        values = (None if np.isnan(score) else float(score) for score in scores)
        known |= dict(zip(("precision", "recall", "f1"), values, strict=True))
        often = int(mistakes[c].max())
        known |= {"taken_for": found.classes[mistakes[c].argmax()] if often else None, "how_often": often}
        details.append(known)
    return details


def calibration(found: ClassPredictions, repeats: int) -> dict[str, Any] | None:
    """Calibration curve in bins of about as many rows each, with Wilson's 95 % intervals.

    Of two classes it is the probability of the second, of more that of the predicted class.
    """
    if found.probabilities is None:
        return None
    two = len(found.classes) == 2
    predicted = np.ones(len(found.truth), dtype=int) if two else found.predicted
    chance = found.probabilities[np.arange(len(predicted)), predicted].astype(np.float64)
    came_true = found.truth == predicted
    edges = np.unique(np.quantile(chance, np.linspace(0, 1, MOST_BINS + 1)[1:-1]))
    bin_of = np.searchsorted(edges, chance, side="left")
    bins = []
    for b in np.unique(bin_of):
        share, n = float(came_true[bin_of == b].mean()), np.sum(bin_of == b) / repeats
        middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
        reach = Z * np.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
        ends = {"low": float(min(middle - reach, share)), "high": float(max(middle + reach, share))}
        bins.append({"chance": float(chance[bin_of == b].mean()), "share": share, **ends, "rows": round(n)})
    return {"of": found.classes[1] if two else None, "bins": bins}


def roc(found: ClassPredictions) -> dict[str, list[float]] | None:
    """False and true positive rates by the probability of the second of two classes."""
    if found.probabilities is None or len(found.classes) != 2 or len(np.unique(found.truth)) < 2:
        return None
    false, true, _ = metrics.roc_curve(found.truth, found.probabilities[:, 1])
    some = _thinned(len(false), MOST_POINTS)
    return {"false": false[some].tolist(), "true": true[some].tolist()}


def _thinned(n: int, most: int) -> NDArray[np.intp]:
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))


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
        exponent = exponent_of(found.truth, quantiles[:, place])
        truth, predicted = (reduced(y, exponent) for y in (found.truth, quantiles[:, place]))
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
