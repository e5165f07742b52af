"""Scores of answers: how often they are right, for every class alike, and what their probabilities are worth."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils.metaestimators import available_if

from .answers import Answers
from .table import InputError

OF_NUMBERS = ("d2_absolute", "explained", "max_error", "neg_max", "neg_mean", "neg_median", "neg_root", "r2")
OF_CLUSTERS = ("adjusted", "completeness", "fowlkes", "homogeneity", "mutual", "normalized", "rand_score", "v_measure")
SMALLEST = np.finfo(np.float64).eps  # probability that log loss counts, as scikit-learn's


@dataclass(frozen=True)
class Score:
    """A score by name: what it says of answers, NaN where it is not defined, and whether more is better."""

    name: str
    title: str
    of: Callable[[Any], float]
    higher_is_better: bool = True
    in_percent: bool = False
    in_units: bool = False  # of the target
    aside: bool = False  # not in the table of scores: something else there tells it


def confusion(answers: Answers) -> NDArray[np.int64]:
    """Counts (C, C): rows of class i that were judged j."""
    C = len(answers.classes)
    return np.bincount(C * answers.truth + answers.judged, minlength=C * C).reshape(C, C)


def recall(counts: NDArray) -> NDArray[np.float64]:
    """Share of every class that was recognised, (C,) from a confusion (C, C); NaN where it has no rows."""
    return _ratio(np.diag(counts), counts.sum(axis=1))


def precision(counts: NDArray) -> NDArray[np.float64]:
    """Share of the decisions for every class that were right; NaN where it was never decided for."""
    return _ratio(np.diag(counts), counts.sum(axis=0))


def f1(counts: NDArray) -> NDArray[np.float64]:
    """Harmonic mean of recall and precision of every class; NaN where it neither is nor was decided for."""
    return _ratio(2 * np.diag(counts), counts.sum(axis=0) + counts.sum(axis=1))


def accuracy(answers: Answers) -> float:
    """Share of rows that were judged right."""
    return float(np.mean(answers.judged == answers.truth))


def balanced_accuracy(answers: Answers) -> float:
    """Mean recall of the classes that have test rows."""
    return _mean(recall(confusion(answers)))


def f1_macro(answers: Answers) -> float:
    """Mean F1 of the classes that have test rows or decisions."""
    return _mean(f1(confusion(answers)))


def roc_auc(answers: Answers) -> float:
    r"""Chance that a row of a class is ranked before a row of others, by the belief in the class; ties count half.

    With ranks :math:`r_i` of the :math:`n_+` rows of a class among all rows,

    .. math:: \frac{\sum_i r_i - n_+(n_+ + 1)/2}{n_+ n_-}.

    Of more than two classes it is the mean over those that have test rows, each against the rest. NaN where all test
    rows are of one class, or without a ranking.
    """
    if answers.ranking is None:
        return np.nan
    some = [1] if len(answers.classes) == 2 else range(len(answers.classes))
    return _mean(np.array([_auc(answers.ranking[:, c], answers.truth == c) for c in some]))


def log_loss(answers: Answers) -> float:
    """Mean of minus the logarithm of the true class's probability; NaN without probabilities."""
    if answers.chances is None:
        return np.nan
    return float(-np.log(np.clip(_of_the_truth(answers), SMALLEST, 1)).mean())


def brier(answers: Answers) -> float:
    """Half the mean squared distance between the probabilities and the truth: the usual one of two classes."""
    if answers.chances is None:
        return np.nan
    P = answers.chances
    return float(((P**2).sum(axis=1) - 2 * _of_the_truth(answers) + 1).mean() / 2)


SCORES: dict[str, Score] = {
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
"""What every comparison tells."""


def scores_named(names: Sequence[str]) -> dict[str, Score]:
    """All of SCORES, and scikit-learn's scorers of these names, for which the second of two classes is the positive.

    Examples
    --------
    >>> list(scores_named(["average_precision"]))[-1]
    'average_precision'
    """
    known = [name for name in get_scorer_names() if not name.startswith(OF_NUMBERS + OF_CLUSTERS)]
    for name in names:
        if name not in SCORES and name not in known:
            raise InputError(f"unknown score {name!r}; known: {', '.join([*SCORES, *known])}")
    return SCORES | {name: Score(name, name, _scorer(name)) for name in names if name not in SCORES}


def check_scores(scores: dict[str, Score], classes: Sequence[str], source: str) -> None:
    """InputError where a score is not one of these classes."""
    numbers = np.repeat(np.arange(len(classes)), 2)
    right = Answers(tuple(classes), np.arange(len(numbers)), numbers, numbers, np.eye(len(classes))[numbers])
    for name, score in scores.items():
        try:
            if name not in SCORES:
                get_scorer(name)(Known(right), np.zeros((len(numbers), 1)), numbers)
        except (ValueError, AttributeError, TypeError) as problem:
            why = " ".join(str(problem).split())
            raise InputError(f"{source}: score {score.name!r} cannot judge these classes: {why}") from problem


class Known(ClassifierMixin, BaseEstimator):
    """A classifier for scorers that has answered already."""

    def __init__(self, answers: Answers):
        self.answers = answers
        self.classes_ = np.arange(len(answers.classes))

    def predict(self, X: Any) -> NDArray:
        """What was decided."""
        return self.answers.judged

    @available_if(lambda self: self.answers.chances is not None)
    def predict_proba(self, X: Any) -> NDArray:
        """The probabilities that were given."""
        return np.asarray(self.answers.chances)


def _scorer(name):
    def score(answers):
        try:
            return float(get_scorer(name)(Known(answers), np.zeros((len(answers.truth), 1)), answers.truth))
        except (ValueError, AttributeError):  # test rows without a class, or no probabilities
            return np.nan

    return score


def _of_the_truth(answers):
    return answers.chances[np.arange(len(answers.truth)), answers.truth]


def _auc(values, positive):
    n, n_positive = len(positive), int(positive.sum())
    if n_positive in (0, n):
        return np.nan
    return (rankdata(values)[positive].sum() - n_positive * (n_positive + 1) / 2) / (n_positive * (n - n_positive))


def _ratio(part, whole):
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)


def _mean(values):
    """Of what is defined; NaN where nothing is."""
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else np.nan
