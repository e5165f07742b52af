"""How probabilities become decisions: weights of the classes, given or found, and the score that is reported."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...metrics import Voters
from .class_weights import best_weights, class_weights
from .scoring import Score


class Decision:
    """What is to be made of calibrated probabilities.

    The Brier score, which is proper, tells good probabilities from bad ones whatever they are used for. What they are
    used for comes last: class c counts w_c, and the class of the largest w_c P(c|x) has the least expected loss.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        Weights of the classes.
    scoring : str, callable or None
        What is reported, and where it is about labels and no weights are given, what the weights are found for.
    classes : ndarray of shape (n_classes,)
        Labels.
    voters : Voters
        All training samples, of which only the classes ``y`` and the ``weights`` are looked at.
    """

    def __init__(
        self,
        class_weight: Mapping[Any, float] | str | None,
        scoring: str | Callable[..., float] | None,
        classes: NDArray,
        voters: Voters,
    ):
        self.score = Score(scoring, classes)
        self.sizes = np.bincount(voters.y, voters.weights, len(classes)).astype(np.float64)
        self.given = class_weights(class_weight, classes, self.sizes)
        self.finds_weights = self.score.is_of_labels(voters.y) and class_weight is None

    def class_weights(self, probabilities: NDArray, y: NDArray, weights: NDArray | None) -> NDArray[np.float64]:
        """Weights (C,) of the classes, from out-of-bag probabilities (n, C) of judges of classes y and weights (n,)."""
        if not (self.finds_weights and len(y)):
            return self.given
        return best_weights(lambda factors: self.score(favouring(probabilities, factors), y, weights), self.sizes)


def favouring(probabilities: NDArray, factors: NDArray) -> NDArray:
    """Probabilities (n, C) times factors (C,), normalised again."""
    weighed = probabilities * factors
    return weighed / weighed.sum(axis=1, keepdims=True)
