"""Classifiers of comparisons: whether one distance is smaller than another."""

from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..parameters import estimator
from .base import TupleClassifier, check_takes, signs_of, takes

MEANING = "as they are, or the other way round"


class ComparisonClassifier(TupleClassifier):
    """A tuple states that the points ``_near`` are nearer to each other than ``_far``; y = -1 reverses it."""

    _near: tuple[int, int]
    _far: tuple[int, int]
    _swapped: tuple[int, ...]  # the order of the opposite tuple

    def _fit(self, tuples, y, weights=None):
        X, indices = self._formed(tuples)
        if y is not None:
            signs = signs_of(y, len(indices), self._name, MEANING)
            indices = np.where(signs[:, None] > 0, indices, indices[:, self._swapped])
        kind = check_takes(self.learner, self._kinds)
        knowledge = {kind: indices[:, (*self._near, *self._far)] if kind == "quadruplets" else indices}
        if weights is not None:
            if not takes(self.learner, "weights"):
                raise ValueError(f"weights were given, but {type(self.learner).__name__} cannot weigh {self._name}.")
            knowledge["weights"] = np.asarray(weights)
        self._fit_learner(X, **knowledge)
        return self

    def decision_function(self, tuples: ArrayLike) -> NDArray:
        """By how much the second pair of points is farther apart than the first, (n_tuples,)."""
        near, far = self._near, self._far
        return self._measured(tuples, lambda P: self._distances(P, *far) - self._distances(P, *near))

    def predict(self, tuples: ArrayLike) -> NDArray:
        """+1 where the first pair of points is nearer than the second, -1 elsewhere, (n_tuples,)."""
        return np.where(self.decision_function(tuples) > 0, 1, -1)

    def score(self, tuples: ArrayLike, y: ArrayLike | None = None) -> float:
        """Share of the tuples that are predicted right; y is +1 for all if it is None."""
        found = self.predict(tuples)
        return float(np.mean(found == (1 if y is None else signs_of(y, len(found), self._name, MEANING))))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


@estimator
class TripletClassifier(ComparisonClassifier):
    """Predicts whether the first of three samples is nearer to the second or to the third.

    Triplets are samples, (n_triplets, 3, n_features), or indices into the rows of ``preprocessor``, (n_triplets, 3).

    Parameters
    ----------
    learner : estimator with fit and transform
        Its ``fit`` takes ``triplets`` or ``quadruplets``: SCML, LMNN, LSML, :class:`Kernelized` around one of them, or
        a pipeline that ends with one.
    {preprocessor}

    Attributes
    ----------
    {learner} {signs} {features}

    Examples
    --------
    >>> import numpy as np
    {wine}
    >>> from freemetric import SCML, TripletClassifier
    >>> rows = np.random.default_rng(0).integers(len(X), size=(9000, 3))
    >>> a, b, c = y[rows.T]
    >>> triplets = X[rows[(a == b) & (a != c)]]
    >>> model = TripletClassifier(SCML(random_state=0)).fit(triplets[:1000])
    >>> model.score(triplets[1000:]) > 0.9  # accuracy
    True
    """

    learner: Any
    _: KW_ONLY
    preprocessor: Any = None

    _width, _name, _kinds = 3, "triplets", ("triplets", "quadruplets")
    _near, _far, _swapped = (0, 1), (0, 2), (0, 2, 1)

    def fit(self, triplets: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        triplets : array-like of shape (n_triplets, 3, n_features) or (n_triplets, 3)
            The first sample is nearer to the second than to the third; or rows of the preprocessor.
        y : array-like of shape (n_triplets,) or None, default=None
            -1 where it is nearer to the third; None: +1 for all.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        return self._fit(triplets, y)


@estimator
class QuadrupletClassifier(ComparisonClassifier):
    """Predicts which of two pairs of samples is the nearer one.

    Quadruplets are samples, (n_quadruplets, 4, n_features), or indices into the rows of ``preprocessor``,
    (n_quadruplets, 4).

    Parameters
    ----------
    learner : estimator with fit and transform
        Its ``fit`` takes ``quadruplets``: LSML, :class:`Kernelized` around it, or a pipeline that ends with it.
    {preprocessor}

    Attributes
    ----------
    {learner} {signs} {features}

    Examples
    --------
    >>> import numpy as np
    {wine}
    >>> from freemetric import LSML, QuadrupletClassifier
    >>> rows = np.random.default_rng(0).integers(len(X), size=(9000, 4))
    >>> a, b, c, d = y[rows.T]
    >>> quadruplets = rows[(a == b) & (c != d)]
    >>> model = QuadrupletClassifier(LSML(), preprocessor=X).fit(quadruplets[:1000])
    >>> model.score(quadruplets[1000:]) > 0.9  # accuracy
    True
    """

    learner: Any
    _: KW_ONLY
    preprocessor: Any = None

    _width, _name, _kinds = 4, "quadruplets", ("quadruplets",)
    _near, _far, _swapped = (0, 1), (2, 3), (2, 3, 0, 1)

    def fit(self, quadruplets: ArrayLike, y: ArrayLike | None = None, *, weights: ArrayLike | None = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        quadruplets : array-like of shape (n_quadruplets, 4, n_features) or (n_quadruplets, 4)
            The first two samples are nearer to each other than the last two; or rows of the preprocessor.
        y : array-like of shape (n_quadruplets,) or None, default=None
            -1 where the last two are nearer; None: +1 for all.
        weights : array-like of shape (n_quadruplets,), default=None
            What each of them is worth, where the learner can tell.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        return self._fit(quadruplets, y, weights)
