"""From class probabilities to decisions: class weights and scores."""

import warnings
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer

from ...metrics import TrainingSet

STEPS_OF_TWO = np.linspace(-5, 5, 41)  # of the logarithm of one class's weight against the other's: any threshold
POWERS = np.linspace(-0.5, 1.5, 21)  # of one over the size of a class: 0 as the classes are, 1 balanced
BESIDE = 2  # steps on both sides that are averaged: a peak of one step is luck


def class_weights(
    class_weight: Mapping[Any, float] | str | None, classes: NDArray, sizes: NDArray
) -> NDArray[np.float64]:
    """Weights (C,) of classes of these sizes (C,), from scikit-learn's ``class_weight``."""
    weights = np.ones(len(classes))
    if class_weight is None:
        return weights
    if isinstance(class_weight, str):  # "balanced"
        there = sizes > 0
        weights[there] = sizes[there].sum() / (there.sum() * sizes[there])
        return weights
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown and set(labels) - set(class_weight):  # else they are classes of other rows, as in a fold without them
        raise ValueError(f"class_weight has labels that are not among the classes: {unknown!r}.")
    for label, weight in class_weight.items():
        if not isinstance(weight, Real) or isinstance(weight, bool) or not 0 < weight < np.inf:
            raise ValueError(f"class_weight of {label!r} is no positive number: {weight!r}.")
        if label in labels:
            weights[labels.index(label)] = weight
    return weights


def best_weights(score: Callable[[NDArray], float], sizes: NDArray) -> NDArray[np.float64]:
    """The weights (C,) of classes of these sizes whose score is the largest; of equals those nearest to no weights.

    They have one parameter, so that few samples suffice: the threshold between two classes, or the power g of
    1 / size for more.
    """
    if len(sizes) == 2:
        steps, direction = STEPS_OF_TWO, np.array([-0.5, 0.5])
    else:
        steps, direction = POWERS, -np.log(np.where(sizes > 0, sizes / sizes.mean(), 1.0))
    scores = np.array([score(np.exp(step * direction)) for step in steps])
    scores = np.where(np.isfinite(scores), scores, np.min(scores, where=np.isfinite(scores), initial=0.0))
    width = 2 * BESIDE + 1
    smooth = np.convolve(np.pad(scores, BESIDE, mode="edge"), np.full(width, 1 / width), mode="valid")
    best = np.flatnonzero(smooth >= smooth.max() - 1e-9)
    return np.exp(steps[best[np.abs(steps[best]).argmin()]] * direction)


class KnownProbabilities(ClassifierMixin, BaseEstimator):
    """A classifier whose samples are class probabilities, for scorers; it notes calls of ``predict``."""

    def __init__(self, classes: NDArray):
        self.classes = classes
        self.classes_ = classes
        self.gave_labels_ = False

    def predict_proba(self, X: NDArray) -> NDArray:
        """What was given."""
        return X

    def predict(self, X: NDArray) -> NDArray:
        """The classes of the largest probabilities."""
        self.gave_labels_ = True
        return self.classes_[X.argmax(axis=1)]


class ProbabilityScore:
    """A score of class probabilities, the larger the better; ``scoring`` is a scorer or its name, None is accuracy."""

    def __init__(self, scoring: str | Callable[..., float] | None, classes: NDArray):
        self.scorer: Any = None if scoring is None else get_scorer(scoring)
        self.classes = classes

    def __call__(
        self, probabilities: NDArray, y: NDArray, weights: NDArray | None = None, classifier: Any = None
    ) -> float:
        """The score of probabilities (n, C) of rows of classes number y (n,), which a classifier gives to a scorer."""
        if self.scorer is None:
            return float(np.average(probabilities.argmax(axis=1) == y, weights=weights))
        known = KnownProbabilities(self.classes) if classifier is None else classifier
        options = {} if weights is None else {"sample_weight": weights}
        with warnings.catch_warnings():  # of classes that are never predicted: such weights are tried, not taken
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return float(self.scorer(known, probabilities, self.classes[y], **options))

    def is_of_labels(self, y: NDArray) -> bool:
        """Whether labels are scored, which could be others for the same probabilities.

        A scorer that cannot score these classes raises its error here, before a search begins.
        """
        classifier, C = KnownProbabilities(self.classes), len(self.classes)
        self((np.eye(C)[y] + 1 / C) / 2, y, classifier=classifier)
        return classifier.gave_labels_


def score_name(scoring: str | Callable[..., float] | None, is_regression: bool = False) -> str:
    """What to call the score in a sentence."""
    if scoring is None:
        return "R²" if is_regression else "accuracy"
    return scoring.replace("_", " ") if isinstance(scoring, str) else "score"


def favouring(probabilities: NDArray, factors: NDArray) -> NDArray:
    """Probabilities (n, C) times factors (C,), normalised again."""
    weighed = probabilities * factors
    return weighed / weighed.sum(axis=1, keepdims=True)


def conformity(probabilities: NDArray, y: NDArray) -> NDArray[np.float64]:
    """Class numbers y (n,) and their probabilities among (n, C), as rows (n, 2), sorted: what prediction sets need."""
    rows = np.column_stack([y, probabilities[np.arange(len(y)), y]])
    return rows[np.lexsort(rows.T[::-1])]


class Decision:
    """Weights of the classes: the class of the largest w_c P(c|x) has the least expected loss.

    They are given by ``class_weight``. Where that is None and ``scoring`` is a score of labels, they are found for it.
    """

    favouring, conformity = staticmethod(favouring), staticmethod(conformity)

    def __init__(
        self,
        class_weight: Mapping[Any, float] | str | None,
        scoring: str | Callable[..., float] | None,
        classes: NDArray,
        training_set: TrainingSet,
    ):
        self.score = ProbabilityScore(scoring, classes)
        self.sizes = np.bincount(training_set.y, training_set.weights, len(classes)).astype(np.float64)
        self.given = class_weights(class_weight, classes, self.sizes)
        self.finds_weights = self.score.is_of_labels(training_set.y) and class_weight is None

    def class_weights(self, probabilities: NDArray, y: NDArray, weights: NDArray | None) -> NDArray[np.float64]:
        """Weights (C,) of the classes, from out-of-bag probabilities (n, C) of samples with classes y and weights."""
        if not (self.finds_weights and len(y)):
            return self.given
        return best_weights(lambda factors: self.score(favouring(probabilities, factors), y, weights), self.sizes)
