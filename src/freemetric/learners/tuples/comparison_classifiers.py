"""Which of two samples is nearer to a third, and which of two pairs is nearer: one distance is smaller than another."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .base import TupleClassifier, check_takes, takes
from .forming import signs_of

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


class TripletClassifier(ComparisonClassifier):
    """Any learner that takes triplets, which then says whether the first sample is nearer to the second or the third.

    Triplets are samples, an array of shape (n_triplets, 3, n_features), or indices of shape (n_triplets, 3) into the
    rows of ``preprocessor``. A learner of quadruplets learns from triplets, too: (a, b, c) says what (a, b, a, c) does.

    Parameters
    ----------
    learner : estimator with fit and transform
        Its ``fit`` takes ``triplets`` or ``quadruplets``: SCML, LMNN, LSML, :class:`Kernelized` around one of them, or
        a pipeline that ends with one.
    preprocessor : array-like of shape (n_samples, n_features), callable or None, default=None
        The samples that indices are rows of, all of which the learner sees; or a function that gives samples
        (n, n_features) for keys (n,) of any kind, such as names of files.

    Attributes
    ----------
    learner_ : estimator
        The learner, fitted.
    classes_ : ndarray of shape (2,)
        -1 and 1.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if the preprocessor has any.

    See Also
    --------
    PairClassifier : Whether two samples are alike.
    QuadrupletClassifier : Which of two pairs is nearer.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from freemetric import SCML, TripletClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> rows = np.random.default_rng(0).integers(len(X), size=(9000, 3))
    >>> a, b, c = y[rows.T]
    >>> triplets = X[rows[(a == b) & (a != c)]]
    >>> model = TripletClassifier(SCML(random_state=0)).fit(triplets[:1000])
    >>> model.score(triplets[1000:]) > 0.9  # accuracy
    True
    """

    _width, _name, _told = 3, "triplets", ("triplets", "quadruplets")
    _swapped = (0, 2, 1)
    _as_quadruplet = (0, 1, 0, 2)

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

    def decision_function(self, triplets: ArrayLike) -> NDArray:
        """By how much the third sample is farther from the first than the second is, (n_triplets,)."""
        return self._measured(triplets, lambda P: self._distances(P, 0, 2) - self._distances(P, 0, 1))

    def predict(self, triplets: ArrayLike) -> NDArray:
        """+1 where the second sample is nearer to the first than the third, -1 elsewhere, (n_triplets,)."""
        return np.where(self.decision_function(triplets) > 0, 1, -1)

    def score(self, triplets: ArrayLike, y: ArrayLike | None = None) -> float:
        """Share of the triplets that are told right; y is +1 for all if it is None."""
        return self._score(triplets, y)


class QuadrupletClassifier(ComparisonClassifier):
    """Any learner that takes quadruplets, which then says which of two pairs of samples is the nearer one.

    Quadruplets are samples, an array of shape (n_quadruplets, 4, n_features), or indices of shape (n_quadruplets, 4)
    into the rows of ``preprocessor``.

    Parameters
    ----------
    learner : estimator with fit and transform
        Its ``fit`` takes ``quadruplets``: LSML, :class:`Kernelized` around it, or a pipeline that ends with it.
    preprocessor : array-like of shape (n_samples, n_features), callable or None, default=None
        The samples that indices are rows of, all of which the learner sees; or a function that gives samples
        (n, n_features) for keys (n,) of any kind, such as names of files.

    Attributes
    ----------
    learner_ : estimator
        The learner, fitted.
    classes_ : ndarray of shape (2,)
        -1 and 1.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if the preprocessor has any.

    See Also
    --------
    PairClassifier : Whether two samples are alike.
    TripletClassifier : Which of two samples is nearer to a third.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from freemetric import LSML, QuadrupletClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> rows = np.random.default_rng(0).integers(len(X), size=(9000, 4))
    >>> a, b, c, d = y[rows.T]
    >>> quadruplets = rows[(a == b) & (c != d)]
    >>> model = QuadrupletClassifier(LSML(), preprocessor=X).fit(quadruplets[:1000])
    >>> model.score(quadruplets[1000:]) > 0.9  # accuracy
    True
    """

    _width, _name, _told = 4, "quadruplets", ("quadruplets",)
    _swapped = (2, 3, 0, 1)

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

    def decision_function(self, quadruplets: ArrayLike) -> NDArray:
        """By how much the last two samples are farther apart than the first two, (n_quadruplets,)."""
        return self._measured(quadruplets, lambda P: self._distances(P, 2, 3) - self._distances(P, 0, 1))

    def predict(self, quadruplets: ArrayLike) -> NDArray:
        """+1 where the first two samples are nearer to each other than the last two, -1 elsewhere."""
        return np.where(self.decision_function(quadruplets) > 0, 1, -1)

    def score(self, quadruplets: ArrayLike, y: ArrayLike | None = None) -> float:
        """Share of the quadruplets that are told right; y is +1 for all if it is None."""
        return self._score(quadruplets, y)
