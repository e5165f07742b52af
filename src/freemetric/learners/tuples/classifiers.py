"""Classifiers of tuples: pairs by a threshold of their distance, triplets and quadruplets by the smaller distance."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from ...files.checks import require
from ..parameters import TwoOrMoreOrNone, estimator, parameter
from .base import TupleClassifier, check_takes, fitted, signs_of, takes

STRATEGIES = ("accuracy", "f_beta", "max_tpr", "max_tnr")
ALIKE, ORDER = "similar or dissimilar", "as they are, or the other way round"  # what +1 and -1 mean


def best_threshold(
    scores: ArrayLike, similar: ArrayLike, strategy: str = "accuracy", min_rate: float | None = None, beta: float = 1.0
) -> float:
    """The score from which on pairs are predicted similar that is best by a strategy, the highest of equals.

    Scores (n,) are larger for more similar pairs. The strategies are those of ``PairClassifier.calibrate_threshold``.

    >>> best_threshold([-1.0, -2.0, -3.0], [True, True, False])
    -2.0
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"Unknown strategy {strategy!r}; known: {', '.join(map(repr, STRATEGIES))}.")
    order = np.argsort(-np.asarray(scores, np.float64), kind="stable")
    falling, similar = np.asarray(scores, np.float64)[order], np.asarray(similar, dtype=bool)[order]
    last = np.append(falling[1:] != falling[:-1], True)  # of equal ones
    reached = np.append(0, np.flatnonzero(last) + 1)  # pairs from each threshold on; the first is above all scores
    found = np.append(0, np.cumsum(similar))[reached]
    thresholds = np.append(np.nextafter(falling[0] + 1, np.inf), falling[last])
    return float(thresholds[np.argmax(_worth(found, reached - found, strategy, min_rate or 0.0, beta))])


def _worth(true_positives, false_positives, strategy, min_rate, beta):
    """The value of every threshold by a strategy."""
    positives, negatives = true_positives[-1], false_positives[-1]
    if strategy == "accuracy":
        return true_positives - false_positives
    if strategy == "f_beta":
        found = (1 + beta**2) * true_positives
        missed = beta**2 * (positives - true_positives) + false_positives
        return found / np.maximum(found + missed, np.finfo(np.float64).tiny)
    # of no pairs every share is found
    sensitivity = true_positives / positives if positives else np.ones(len(true_positives))
    specificity = (negatives - false_positives) / negatives if negatives else np.ones(len(true_positives))
    rate, other = (sensitivity, specificity) if strategy == "max_tpr" else (specificity, sensitivity)
    return np.where(other >= min_rate, rate, -1)


@estimator
class PairClassifier(TupleClassifier):
    """Any learner from pairs, and the distance up to which pairs are predicted similar.

    Pairs are samples, (n_pairs, 2, n_features), or indices into the rows of ``preprocessor``, (n_pairs, 2). A threshold
    found on the pairs that the metric was learned from may be too small: ``n_folds`` finds it on held-out pairs,
    ``calibrate_threshold`` on others.

    Attributes
    ----------
    {fitted_learner}
    threshold_ : float
        Largest distance of pairs predicted similar; absent with ``calibrate=None``.
    {signs} {features}

    Examples
    --------
    >>> import numpy as np
    {wine}
    >>> from freemetric import ITML, PairClassifier
    >>> pairs = np.random.default_rng(0).integers(len(X), size=(600, 2))
    >>> alike = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
    >>> model = PairClassifier(ITML(random_state=0), preprocessor=X).fit(pairs[:300], alike[:300])
    >>> model.score(pairs[300:], alike[300:]) > 0.9  # area under the ROC curve
    True
    >>> model.predict(X[[[0, 1], [0, 177]]])  # samples instead of indices
    array([ 1, -1])
    """

    learner: Any = parameter(
        ...,
        "Its ``fit`` takes ``pairs`` and ``pair_labels``: ITML, MMC, SDML, DMLeig, GMML, LDML, :class:`Kernelized` "
        "around one of them, or a pipeline that ends with one.",
    )
    preprocessor: Any = None
    n_folds: TwoOrMoreOrNone = parameter(
        None, "Folds of the pairs for a threshold on held-out pairs, at as many more fits. None: on training pairs."
    )

    _width, _name, _kinds = 2, "pairs", ("pairs",)

    def fit(self, pairs: ArrayLike, y: ArrayLike, *, calibrate: str | Mapping[str, Any] | None = "accuracy") -> Self:
        """Learn the metric, then find the threshold.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of samples, or of rows of the preprocessor.
        y : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        calibrate : str, dict or None, default="accuracy"
            The strategy of ``calibrate_threshold``, or a dict of its parameters ``strategy``, ``beta`` and
            ``min_rate``. None finds no threshold.
        """
        wanted = _calibration(calibrate)
        X, indices = self._formed(pairs)
        signs = signs_of(y, len(indices), "pairs", ALIKE)
        self.__dict__.pop("threshold_", None)  # of an earlier fit
        self._fit_learner(X, pairs=indices, pair_labels=signs)
        if wanted is not None:
            self.threshold_ = -best_threshold(self._training_scores(X, indices, signs), signs > 0, **wanted)
        return self

    def _training_scores(self, X, indices, signs):
        """Scores of the training pairs, by the learner or by learners of other folds."""
        if self.n_folds is None:
            return -self._distances(X[indices], 0, 1)
        scores, learner = np.empty(len(signs)), self.learner_
        for seen, left_out in StratifiedKFold(self.n_folds).split(indices, signs):
            self.learner_ = fitted(self.learner, X, {"pairs": indices[seen], "pair_labels": signs[seen]})
            scores[left_out] = -self._distances(X[indices[left_out]], 0, 1)
        self.learner_ = learner
        return scores

    def decision_function(self, pairs: ArrayLike) -> NDArray:
        """Minus the learned distance of every pair, (n_pairs,); similar are those of at least ``-threshold_``."""
        return self.pair_score(pairs)

    def predict(self, pairs: ArrayLike) -> NDArray:
        """+1 for pairs up to ``threshold_`` apart, -1 for others, (n_pairs,)."""
        scores = self.decision_function(pairs)
        if not hasattr(self, "threshold_"):
            raise NotFittedError("There is no threshold yet: call calibrate_threshold or set_threshold.")
        return np.where(scores >= -self.threshold_, 1, -1)

    def score(self, pairs: ArrayLike, y: ArrayLike) -> float:
        """The area under the ROC curve."""
        scores = self.decision_function(pairs)
        return float(roc_auc_score(signs_of(y, len(scores), "pairs", ALIKE), scores))

    def set_threshold(self, threshold: float) -> Self:
        """Predict pairs similar up to this learned distance."""
        check_is_fitted(self)
        if not _lies_within(threshold, -np.inf, np.inf):
            raise ValueError(f"threshold must be a number, the largest distance of similar pairs; got {threshold!r}.")
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
        """Choose the threshold on pairs of known labels, preferably new ones.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs.
        y : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        strategy : {"accuracy", "f_beta", "max_tpr", "max_tnr"}, default="accuracy"
            What to maximise: the accuracy; F_beta of precision and recall; the true positive rate while the true
            negative rate is at least ``min_rate``; or the other way round.
        beta : float, default=1.0
            Weight of recall against precision in "f_beta".
        min_rate : float or None, default=None
            Between 0 and 1; needed by "max_tpr" and "max_tnr".

        Returns
        -------
        self : object
            With ``threshold_``, the smallest of equally good ones.
        """
        wanted = _calibration({"strategy": strategy, "beta": beta, "min_rate": min_rate})
        scores = self.decision_function(pairs)
        self.threshold_ = -best_threshold(scores, signs_of(y, len(scores), "pairs", ALIKE) > 0, **wanted)
        return self

    def check_state(self) -> None:
        super().check_state()
        kept = getattr(self, "threshold_", 0.0)
        require(isinstance(kept, float) and not np.isnan(kept), "threshold_ of PairClassifier", "is no number")


def _lies_within(value, least, most):
    return isinstance(value, Real) and least <= float(value) <= most


def _calibration(calibrate):
    """Strategy, beta and min_rate of a threshold, checked; None without calibration."""
    if calibrate is None:
        return None
    given = {"strategy": calibrate} if isinstance(calibrate, str) else calibrate
    if not isinstance(given, Mapping) or not set(given) <= {"strategy", "beta", "min_rate"}:
        raise ValueError(f"calibrate must be a strategy, or a dict of strategy, beta and min_rate; got {calibrate!r}.")
    wanted = {"strategy": "accuracy", "beta": 1.0, "min_rate": None, **given}
    strategy, beta, rate = wanted["strategy"], wanted["beta"], wanted["min_rate"]
    if strategy not in STRATEGIES:
        raise ValueError(f"strategy must be one of {', '.join(map(repr, STRATEGIES))}; got {strategy!r}.")
    if not _lies_within(beta, 0, np.inf):
        raise ValueError(f"beta must be a number of at least 0; got {beta!r}.")
    if strategy.startswith("max_") and not _lies_within(rate, 0, 1):
        raise ValueError(f"strategy={strategy!r} needs min_rate, a number between 0 and 1; got {rate!r}.")
    return wanted


class ComparisonClassifier(TupleClassifier):
    """A tuple states that the points ``_near`` are nearer to each other than ``_far``; y = -1 reverses it."""

    _near: tuple[int, int]
    _far: tuple[int, int]
    _swapped: tuple[int, ...]  # the order of the opposite tuple

    def _fit(self, tuples, y, weights=None):
        X, indices = self._formed(tuples)
        if y is not None:
            signs = signs_of(y, len(indices), self._name, ORDER)
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
        return float(np.mean(found == (1 if y is None else signs_of(y, len(found), self._name, ORDER))))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


@estimator
class TripletClassifier(ComparisonClassifier):
    """Predicts whether the first of three samples is nearer to the second or to the third.

    Triplets are samples, (n_triplets, 3, n_features), or indices into the rows of ``preprocessor``, (n_triplets, 3).

    {fitted_learner} {signs} {features}

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

    learner: Any = parameter(
        ...,
        "Its ``fit`` takes ``triplets`` or ``quadruplets``: SCML, LMNN, LSML, :class:`Kernelized` around one of them, "
        "or a pipeline that ends with one.",
    )
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
        """
        return self._fit(triplets, y)


@estimator
class QuadrupletClassifier(ComparisonClassifier):
    """Predicts which of two pairs of samples is the nearer one.

    Quadruplets are samples, (n_quadruplets, 4, n_features), or indices into the rows of ``preprocessor``,
    (n_quadruplets, 4).

    {fitted_learner} {signs} {features}

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

    learner: Any = parameter(
        ..., "Its ``fit`` takes ``quadruplets``: LSML, :class:`Kernelized` around it, or a pipeline that ends with it."
    )
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
        """
        return self._fit(quadruplets, y, weights)
