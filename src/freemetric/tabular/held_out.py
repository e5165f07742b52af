"""Predictions for held-out rows, and the data of their figures."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support, roc_curve

from ..magnitudes import exponent_of, reduced
from .table import quoted

QUANTILES = (0.1, 0.5, 0.9)
"""Probabilities whose quantiles are predicted."""
LEVELS = (0.8, 0.9, 0.95)
"""Probabilities with which prediction intervals hold the target."""

MOST_BINS = 10
MOST_POINTS = 200  # of a curve
MOST_PREDICTIONS = 1000
MOST_CLASSES = 100  # whose confusion is shown in full
Z = 1.96  # of a 95 % interval


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
        model = DummyClassifier(strategy="prior").fit(np.zeros((len(train), 1)), train)
        return cls.of(model, np.zeros((len(rows), 1)), rows, truth, classes)

    @classmethod
    def perfect(cls, y: NDArray, classes: Sequence[str]) -> Self:
        """Correct predictions, two of every class."""
        truth = np.repeat(np.arange(len(classes)), 2)
        return cls(tuple(classes), np.arange(len(truth)), truth, truth, np.eye(len(classes))[truth])

    @property
    def most_frequent(self) -> str:
        return quoted(self.classes[np.bincount(self.predicted).argmax()])

    @property
    def is_sure(self) -> bool:
        return self.probabilities is not None

    def losses(self) -> NDArray[np.float64]:
        return (self.predicted != self.truth).astype(np.float64)

    def error(self) -> float:
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
        return confusion_matrix(self.truth, self.predicted, labels=np.arange(len(self.classes)))

    def by_class(self) -> tuple[NDArray, NDArray, NDArray]:
        """Precision, recall and F1 (C,) of every class; NaN where they are not defined."""
        labels = np.arange(len(self.classes))
        return precision_recall_fscore_support(self.truth, self.predicted, labels=labels, zero_division=np.nan)[:3]

    def details(self, repeats: int) -> dict[str, Any]:
        """Data of the figures: classes, confusion, calibration and ROC curve."""
        return {
            "classes": class_details(self, repeats),
            "confusion": self.confusion().tolist() if len(self.classes) <= MOST_CLASSES else None,
            "calibration": calibration(self, repeats),
            "roc": roc(self),
        }


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
        return cls(np.arange(len(y)), y, y, 1.0)

    def compact(self) -> Self:
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
    return {"rows": n, "truth": found.truth[order].tolist(), "told": found.predicted[order].tolist()}


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
    false, true, _ = roc_curve(found.truth, found.probabilities[:, 1])
    some = _thinned(len(false), MOST_POINTS)
    return {"false": false[some].tolist(), "true": true[some].tolist()}


def _thinned(n: int, most: int) -> NDArray[np.intp]:
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))
