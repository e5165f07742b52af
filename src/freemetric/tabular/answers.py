"""What a fitted classifier says of rows that it has never seen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .table import quoted


@dataclass(frozen=True, eq=False)
class Answers:
    """Decisions about n rows of C classes, which go by their number.

    Attributes
    ----------
    classes : tuple of str
        Names of the C classes.
    rows : ndarray of shape (n,)
        Numbers of the rows among all that have a class.
    truth, judged : ndarray of shape (n,)
        The class of every row, and the one that was decided for.
    chances : ndarray of shape (n, C) or None
        Probabilities; None where the classifier gives none.
    ranking : ndarray of shape (n, C) or None
        What grows with the belief in a class: probabilities, or values of a decision function.
    """

    classes: tuple[str, ...]
    rows: NDArray[np.intp]
    truth: NDArray[np.intp]
    judged: NDArray[np.intp]
    chances: NDArray | None = None
    ranking: NDArray | None = None

    undefined = "lack classes"
    unsure = "gives no probabilities, so that it has no log loss, Brier score, calibration or ROC curve"

    @property
    def constant(self) -> str:
        """What is said most often, for somebody who always says it."""
        return quoted(self.classes[np.bincount(self.judged).argmax()])

    @property
    def is_sure(self) -> bool:
        """Whether it is known how sure they are."""
        return self.chances is not None

    def losses(self) -> NDArray[np.float64]:
        """One (n,) where the decision is wrong."""
        return (self.judged != self.truth).astype(np.float64)

    def error(self) -> float:
        """Share of wrong decisions in %."""
        return 100 * float(np.mean(self.judged != self.truth))

    def compact(self) -> "Answers":
        """To be kept in numbers: probabilities in float32, and no other ranking."""
        chances = None if self.chances is None else self.chances.astype(np.float32)
        return replace(self, chances=chances, ranking=None)

    def pooled(self, parts: Sequence[Any]) -> "Answers":
        """Answers of several splits as one; without probabilities where one of them has none."""
        known = all(part.chances is not None for part in parts)
        of = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ("rows", "truth", "judged")}
        chances = np.concatenate([np.asarray(part.chances) for part in parts]) if known else None
        return Answers(self.classes, **of, chances=chances)


def asked(model: Any, X: Any, rows: NDArray[np.intp], truth: NDArray[np.intp], classes: Sequence[str]) -> Answers:
    """The answers of a classifier that was fitted on numbers of classes, perhaps not on all of them.

    Parameters
    ----------
    model : classifier
        Fitted on numbers from 0 to C - 1.
    X : array-like of n rows
        As the classifier takes them.
    rows : ndarray of shape (n,)
        Which rows these are.
    truth : ndarray of shape (n,)
        Their classes.
    classes : sequence of str
        Names of all C classes.

    Returns
    -------
    Answers
        A class that the classifier has not met has a probability of zero.
    """
    seen, C = np.asarray(model.classes_), len(classes)
    judged = np.asarray(model.predict(X))
    chances = ranking = None
    if hasattr(model, "predict_proba"):
        chances = ranking = _for_all(np.asarray(model.predict_proba(X), dtype=np.float64), seen, C)
    elif hasattr(model, "decision_function"):
        values = np.asarray(model.decision_function(X), dtype=np.float64)
        ranking = _for_all(np.stack([-values, values], axis=1) if values.ndim == 1 else values, seen, C)
    return Answers(tuple(classes), rows, truth, judged, chances, ranking)


def _for_all(values, seen, n_classes):
    full = np.zeros((len(values), n_classes))
    full[:, seen] = values
    return full
