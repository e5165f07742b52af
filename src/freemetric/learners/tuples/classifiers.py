"""Classifiers of pairs by a threshold, of triplets and quadruplets by comparison."""

from numbers import Real
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from ..constraints import LEARNER, PREPROCESSOR, TWO_OR_MORE_OR_NONE
from .base import TupleClassifier, check_signs, fitted, takes

STRATEGIES = ("accuracy", "f_beta", "max_tpr", "max_tnr")


def best_threshold(
    scores: ArrayLike,
    similar: ArrayLike,
    strategy: str = "accuracy",
    min_rate: float | None = None,
    beta: float = 1.0,
) -> float:
    """Find the score from which on pairs are best predicted similar.

    Parameters
    ----------
    scores : array-like of shape (n,)
        Larger for more similar pairs.
    similar : array-like of shape (n,)
        Whether they are similar.
    strategy, min_rate, beta : str, float, float
        As in ``PairClassifier.calibrate_threshold``.

    Returns
    -------
    threshold : float
        The highest of equally good ones.

    Examples
    --------
    >>> from freemetric.learners.tuples.classifiers import best_threshold
    >>> best_threshold([-1.0, -2.0, -3.0], [True, True, False])
    -2.0
    """
    order = np.argsort(-np.asarray(scores, np.float64), kind="stable")
    falling = np.asarray(scores, np.float64)[order]
    is_last = np.append(falling[1:] != falling[:-1], True)  # of equal scores
    # predicted similar from each threshold on; the first is above all scores
    n_predicted = np.append(0, np.flatnonzero(is_last) + 1)
    hits = np.append(0, np.cumsum(np.asarray(similar, dtype=bool)[order]))[n_predicted]
    above = np.nextafter(falling[0] + 1, np.inf)
    thresholds = np.append(above, falling[is_last])
    worth = _worth(hits, n_predicted - hits, strategy, min_rate or 0.0, beta)
    return float(thresholds[np.argmax(worth)])


def _worth(hits, false_alarms, strategy, min_rate, beta):
    """The value of every threshold by a strategy."""
    positives = hits[-1]
    negatives = false_alarms[-1]
    if strategy == "accuracy":
        return hits - false_alarms
    if strategy == "f_beta":
        weighted = (1 + beta**2) * hits
        wrong = beta**2 * (positives - hits) + false_alarms
        return weighted / np.maximum(weighted + wrong, np.finfo(np.float64).tiny)
    # of no pairs every share is found
    sensitivity = hits / positives if positives else np.ones(len(hits))
    rejected = negatives - false_alarms
    specificity = rejected / negatives if negatives else np.ones(len(hits))
    if strategy == "max_tpr":
        return np.where(specificity >= min_rate, sensitivity, -1)
    return np.where(sensitivity >= min_rate, specificity, -1)


def check_strategy(strategy, min_rate=None, beta=1.0):
    """ValueError where these are no strategy and its parameters."""
    if strategy not in STRATEGIES:
        names = ", ".join(map(repr, STRATEGIES))
        raise ValueError(f"strategy must be one of {names}; got {strategy!r}.")
    if not (isinstance(beta, Real) and beta >= 0):
        raise ValueError(f"beta must be a number of at least 0; got {beta!r}.")
    is_rate = isinstance(min_rate, Real) and 0 <= min_rate <= 1
    if strategy.startswith("max_") and not is_rate:
        needed = "a number between 0 and 1"
        raise ValueError(f"{strategy!r} needs min_rate, {needed}; got {min_rate!r}.")


class PairClassifier(TupleClassifier):
    """Any learner from pairs, and the distance up to which pairs are predicted similar.

    Pairs are samples, (n_pairs, 2, n_features), or indices into the rows of
    ``preprocessor``, (n_pairs, 2). A threshold found on the pairs that the metric was
    learned from may be too small: ``n_folds`` finds it on held-out pairs,
    ``calibrate_threshold`` on others.

    Parameters
    ----------
    learner : estimator with fit and transform
        Its ``fit`` takes ``pairs`` and ``pair_labels``: ITML, MMC, SDML, DMLeig, GMML,
        LDML, :class:`Kernelized` around one of them, or a pipeline that ends with one.
    preprocessor : array-like, callable or None, default=None
        Samples that indices refer to, all of which the learner sees; or a function that
        returns samples (n, n_features) for keys (n,), such as file names.
    n_folds : int or None, default=None
        Folds of the pairs for a threshold on held-out pairs, at as many more fits.
        None: on training pairs.

    Attributes
    ----------
    learner_ : estimator
        The fitted learner.
    threshold_ : float
        Largest distance of pairs predicted similar; None with ``calibrate=None``.
    classes_ : ndarray of shape (2,)
        -1 and 1.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> from freemetric import ITML, PairClassifier
    >>> pairs = np.random.default_rng(0).integers(len(X), size=(600, 2))
    >>> alike = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
    >>> model = PairClassifier(ITML(random_state=0), preprocessor=X)
    >>> model = model.fit(pairs[:300], alike[:300])
    >>> model.score(pairs[300:], alike[300:]) > 0.9  # area under the ROC curve
    True
    >>> model.predict(X[[[0, 1], [0, 177]]])  # samples instead of indices
    array([ 1, -1])
    """

    _width = 2
    _name = "pairs"
    _parameter_constraints = {
        "learner": LEARNER,
        "preprocessor": PREPROCESSOR,
        "n_folds": TWO_OR_MORE_OR_NONE,
    }

    def __init__(
        self,
        learner,
        *,
        preprocessor=None,
        n_folds=None,
    ) -> None:
        self.learner = learner
        self.preprocessor = preprocessor
        self.n_folds = n_folds

    def fit(
        self, pairs: ArrayLike, y: ArrayLike, *, calibrate: str | None = "accuracy"
    ) -> Self:
        """Learn the metric, then find the threshold.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of samples, or of rows of the preprocessor.
        y : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        calibrate : {"accuracy", "f_beta"} or None, default="accuracy"
            Strategy of ``calibrate_threshold``; None finds no threshold.

        Returns
        -------
        self : PairClassifier
            The fitted estimator.
        """
        if calibrate is not None:
            check_strategy(calibrate)
        X, indices = self._points(pairs)
        signs = check_signs(y, len(indices), "pairs")
        learner = fitted(self.learner, X, pairs=indices, pair_labels=signs)
        threshold = None
        if calibrate is not None:
            scores = self._scores(learner, X, indices, signs)
            threshold = -best_threshold(scores, signs > 0, calibrate)
        self._store(learner, X)
        self.threshold_ = threshold
        return self

    def _scores(self, learner, X, indices, signs):
        """Scores of the training pairs, by the learner or by those of other folds."""
        if self.n_folds is None:
            return _pair_scores(learner, X, indices)
        scores = np.empty(len(signs))
        for train, held_out in StratifiedKFold(self.n_folds).split(indices, signs):
            other = fitted(
                self.learner, X, pairs=indices[train], pair_labels=signs[train]
            )
            scores[held_out] = _pair_scores(other, X, indices[held_out])
        return scores

    def decision_function(self, pairs: ArrayLike) -> NDArray:
        """Return minus the learned distances of pairs, as ``pair_score``."""
        return self.pair_score(pairs)

    def predict(self, pairs: ArrayLike) -> NDArray:
        """Predict +1 for pairs up to ``threshold_`` apart, -1 for others.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs.

        Returns
        -------
        y : ndarray of shape (n_pairs,)
            Signs.
        """
        scores = self.decision_function(pairs)
        if self.threshold_ is None:
            raise NotFittedError("There is no threshold: call calibrate_threshold.")
        return np.where(scores >= -self.threshold_, 1, -1)

    def score(self, pairs: ArrayLike, y: ArrayLike) -> float:
        """Return the area under the ROC curve of pairs with labels y."""
        scores = self.decision_function(pairs)
        return float(roc_auc_score(check_signs(y, len(scores), "pairs"), scores))

    def set_threshold(self, threshold: float) -> Self:
        """Predict pairs similar up to this learned distance."""
        check_is_fitted(self)
        if not isinstance(threshold, Real) or np.isnan(threshold):
            raise ValueError(f"threshold must be a number; got {threshold!r}.")
        self.threshold_ = float(threshold)
        return self

    def calibrate_threshold(
        self,
        pairs: ArrayLike,
        y: ArrayLike,
        strategy: str = "accuracy",
        *,
        beta: float = 1.0,
        min_rate: float | None = None,
    ) -> Self:
        """Choose the threshold on pairs with labels, preferably new ones.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs.
        y : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        strategy : {"accuracy", "f_beta", "max_tpr", "max_tnr"}, default="accuracy"
            What to maximise: the accuracy; F_beta of precision and recall; the true
            positive rate while the true negative rate is at least ``min_rate``; or the
            other way round.
        beta : float, default=1.0
            Weight of recall against precision in "f_beta".
        min_rate : float or None, default=None
            Between 0 and 1; needed by "max_tpr" and "max_tnr".

        Returns
        -------
        self : PairClassifier
            With ``threshold_``, the smallest of equally good ones.
        """
        check_strategy(strategy, min_rate, beta)
        scores = self.decision_function(pairs)
        similar = check_signs(y, len(scores), "pairs") > 0
        self.threshold_ = -best_threshold(scores, similar, strategy, min_rate, beta)
        return self


def _pair_scores(learner, X, pairs):
    Z = np.asarray(learner.transform(X))
    return -np.linalg.norm(Z[pairs[:, 0]] - Z[pairs[:, 1]], axis=1)


class ComparisonClassifier(TupleClassifier):
    """A tuple states that two of its points are nearer to each other than two others.

    ``_near`` and ``_far`` are their positions; y = -1 reverses it, as ``_reversed``.
    """

    _near: tuple[int, int]
    _far: tuple[int, int]
    _reversed: tuple[int, ...]

    def _fit(self, tuples, y, **weights):
        X, indices = self._points(tuples)
        if y is not None:
            signs = check_signs(y, len(indices), self._name)
            indices = np.where(signs[:, None] > 0, indices, indices[:, self._reversed])
        kind = self._name if takes(self.learner, self._name) else "quadruplets"
        if kind == "quadruplets":
            indices = indices[:, (*self._near, *self._far)]
        self._store(fitted(self.learner, X, **{kind: indices}, **weights), X)
        return self

    def decision_function(self, tuples: ArrayLike) -> NDArray:
        """Compute how much farther apart the far points are than the near ones.

        Parameters
        ----------
        tuples : array-like of shape (n_tuples, size, n_features) or (n_tuples, size)
            Tuples of samples, or of rows of the preprocessor.

        Returns
        -------
        differences : ndarray of shape (n_tuples,)
            The learned distance of the far points less that of the near ones.
        """
        near, far = self._distances(
            tuples, self._width, self._name, self._near, self._far
        )
        return far - near

    def predict(self, tuples: ArrayLike) -> NDArray:
        """Predict +1 where ``decision_function`` is positive, -1 elsewhere."""
        return np.where(self.decision_function(tuples) > 0, 1, -1)

    def score(self, tuples: ArrayLike, y: ArrayLike | None = None) -> float:
        """Return the share of tuples predicted right; y is +1 for all if None."""
        found = self.predict(tuples)
        signs = 1 if y is None else check_signs(y, len(found), self._name)
        return float(np.mean(found == signs))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


class TripletClassifier(ComparisonClassifier):
    """Predicts which of two samples is nearer to a third one.

    Triplets are samples, (n_triplets, 3, n_features), or indices into the rows of
    ``preprocessor``, (n_triplets, 3).

    Parameters
    ----------
    learner : estimator with fit and transform
        Its ``fit`` takes ``triplets`` or ``quadruplets``: SCML, LMNN, LSML or a
        pipeline that ends with one.
    preprocessor : array-like, callable or None, default=None
        Samples that indices refer to, all of which the learner sees; or a function that
        returns samples (n, n_features) for keys (n,), such as file names.

    Attributes
    ----------
    learner_ : estimator
        The fitted learner.
    classes_ : ndarray of shape (2,)
        -1 and 1.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> from freemetric import SCML, TripletClassifier
    >>> rows = np.random.default_rng(0).integers(len(X), size=(9000, 3))
    >>> a, b, c = y[rows.T]
    >>> triplets = X[rows[(a == b) & (a != c)]]
    >>> model = TripletClassifier(SCML(random_state=0)).fit(triplets[:1000])
    >>> model.score(triplets[1000:]) > 0.9  # accuracy
    True
    """

    _width = 3
    _name = "triplets"
    _near = (0, 1)
    _far = (0, 2)
    _reversed = (0, 2, 1)
    _parameter_constraints = {"learner": LEARNER, "preprocessor": PREPROCESSOR}

    def __init__(
        self,
        learner,
        *,
        preprocessor=None,
    ) -> None:
        self.learner = learner
        self.preprocessor = preprocessor

    def fit(self, triplets: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        triplets : array-like of shape (n_triplets, 3, n_features) or (n_triplets, 3)
            The first sample is nearer to the second than to the third; or rows of the
            preprocessor.
        y : array-like of shape (n_triplets,) or None, default=None
            -1 where it is nearer to the third; None: +1 for all.

        Returns
        -------
        self : TripletClassifier
            The fitted estimator.
        """
        return self._fit(triplets, y)


class QuadrupletClassifier(ComparisonClassifier):
    """Predicts which of two pairs of samples is the nearer one.

    Quadruplets are samples, (n_quadruplets, 4, n_features), or indices into the rows of
    ``preprocessor``, (n_quadruplets, 4).

    Parameters
    ----------
    learner : estimator with fit and transform
        Its ``fit`` takes ``quadruplets``: LSML or a pipeline that ends with it.
    preprocessor : array-like, callable or None, default=None
        Samples that indices refer to, all of which the learner sees; or a function that
        returns samples (n, n_features) for keys (n,), such as file names.

    Attributes
    ----------
    learner_ : estimator
        The fitted learner.
    classes_ : ndarray of shape (2,)
        -1 and 1.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> from freemetric import LSML, QuadrupletClassifier
    >>> rows = np.random.default_rng(0).integers(len(X), size=(9000, 4))
    >>> a, b, c, d = y[rows.T]
    >>> quadruplets = rows[(a == b) & (c != d)]
    >>> model = QuadrupletClassifier(LSML(), preprocessor=X).fit(quadruplets[:1000])
    >>> model.score(quadruplets[1000:]) > 0.9  # accuracy
    True
    """

    _width = 4
    _name = "quadruplets"
    _near = (0, 1)
    _far = (2, 3)
    _reversed = (2, 3, 0, 1)
    _parameter_constraints = TripletClassifier._parameter_constraints

    def __init__(
        self,
        learner,
        *,
        preprocessor=None,
    ) -> None:
        self.learner = learner
        self.preprocessor = preprocessor

    def fit(
        self,
        quadruplets: ArrayLike,
        y: ArrayLike | None = None,
        *,
        weights: ArrayLike | None = None,
    ) -> Self:
        """Learn the metric.

        Parameters
        ----------
        quadruplets : array-like of shape (n, 4, n_features) or (n, 4)
            The first two samples are nearer to each other than the last two; or rows of
            the preprocessor.
        y : array-like of shape (n,) or None, default=None
            -1 where the last two are nearer; None: +1 for all.
        weights : array-like of shape (n,), default=None
            Weights of the quadruplets.

        Returns
        -------
        self : QuadrupletClassifier
            The fitted estimator.
        """
        if weights is None:
            return self._fit(quadruplets, y)
        return self._fit(quadruplets, y, weights=weights)
