"""What triplets and quadruplets share: one distance is smaller than another, and y turns it round."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .base import TupleClassifier
from .forming import signs_of
from .teaching import check_takes, takes

MEANING = "as they are, or the other way round"


class ComparisonClassifier(TupleClassifier):
    """Subclasses have ``fit``, ``predict`` and ``score`` of their own words."""

    _swapped: tuple[int, ...]  # the tuple that says the opposite
    _as_quadruplet: tuple[int, ...] = (0, 1, 2, 3)

    def __init__(self, learner: Any, *, preprocessor: Any = None) -> None:
        self.learner = learner
        self.preprocessor = preprocessor

    def predict(self, tuples: ArrayLike) -> NDArray:
        raise NotImplementedError

    def _fit(self, tuples, y, weights=None):
        X, indices = self._formed(tuples)
        if y is not None:
            signs = signs_of(y, len(indices), self._name, MEANING)
            indices = np.where(signs[:, None] > 0, indices, indices[:, self._swapped])
        kind = check_takes(self.learner, self._told)
        knowledge = {kind: indices[:, self._as_quadruplet] if kind == "quadruplets" else indices}
        if weights is not None:
            if not takes(self.learner, "weights"):
                raise ValueError(f"weights were given, but {type(self.learner).__name__} cannot weigh {self._name}.")
            knowledge["weights"] = np.asarray(weights)
        self._teach(X, **knowledge)
        return self

    def _score(self, tuples, y):
        found = self.predict(tuples)
        truth = 1 if y is None else signs_of(y, len(found), self._name, MEANING)
        return float(np.mean(found == truth))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags
