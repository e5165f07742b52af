"""Estimators of metric-learn's names that learn from pairs: ITML, MMC, SDML."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.base import ClassifierMixin
from sklearn.metrics import roc_auc_score
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.validation import check_is_fitted

from .. import learners
from ..learners.tuples.classifiers import STRATEGIES, best_threshold
from ..learners.validation import check_samples_and_targets, unit_of
from ..sklearn_compat import dense
from .base import Mahalanobis
from .constraints import drawn
from .points import PointsLearner
from .starts import metric_matrix

MOST_COMPARED = 2000  # points whose distances give the default bounds
SMALLEST_BOUND = 1e-9
LARGEST_GAMMA = 1e6  # what metric-learn writes as infinity
SMALLEST_GAP = 1e-9
SHARE_OF_START = 0.01  # of similar pairs' squared distances: the scale of MMC's result
TOL_OF_SDML = 1e-6  # of the objective, for each feature; Newton's last steps are cheap


class PairsClassifier(ClassifierMixin, Mahalanobis):
    """Subclasses implement ``_learn_pairs(points, pairs, signs)``.

    ``pairs`` are rows of the points.
    """

    classes_ = np.array([-1, 1])
    threshold_: float

    def fit(
        self,
        pairs: ArrayLike,
        y: ArrayLike,
        calibration_params: dict[str, Any] | None = None,
    ) -> Self:
        """Learn the metric and a threshold from pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of points, or of indicators.
        y : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        calibration_params : dict or None, default=None
            Parameters of ``calibrate_threshold``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit_pairs(pairs, y, calibration_params)

    def _fit_pairs(self, pairs, y, calibration_params, **options):
        calibration = calibration_params or {}
        self._validate_calibration_params(**calibration)
        points, indices = self._distinct(pairs, 2)
        signs = _checked_signs(pairs, y)
        self._learn_pairs(points, indices, signs, **options)
        return self._calibrate(points[indices], signs, **calibration)

    def decision_function(self, pairs: ArrayLike) -> NDArray:
        """Return minus the learned distances of pairs, as ``pair_score``."""
        return self.pair_score(pairs)

    def predict(self, pairs: ArrayLike) -> NDArray:
        """Predict +1 for pairs at most ``threshold_`` apart, -1 for others."""
        check_is_fitted(self)
        if not hasattr(self, "threshold_"):
            raise AttributeError(
                "A threshold for this estimator has not been set, call its "
                "set_threshold or calibrate_threshold method."
            )
        return np.where(-self.decision_function(pairs) <= self.threshold_, 1, -1)

    def score(self, pairs: ArrayLike, y: ArrayLike) -> float:
        """Return the area under the ROC curve of pairs with labels y, +1 and -1."""
        return roc_auc_score(y, self.decision_function(pairs))

    def set_threshold(self, threshold: float) -> Self:
        """Set the largest distance of pairs that are predicted to be similar."""
        check_is_fitted(self)
        try:
            self.threshold_ = float(threshold)
        except (TypeError, ValueError):
            what = "Parameter threshold must be a real number"
            raise ValueError(f"{what}. Got {type(threshold)} instead.") from None
        return self

    def calibrate_threshold(
        self,
        pairs_valid: ArrayLike,
        y_valid: ArrayLike,
        strategy: str = "accuracy",
        min_rate: float | None = None,
        beta: float = 1.0,
    ) -> Self:
        """Choose the threshold that classifies pairs best.

        Parameters
        ----------
        pairs_valid : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of points, or of indicators.
        y_valid : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        strategy : {"accuracy", "f_beta", "max_tpr", "max_tnr"}, default="accuracy"
            What to maximize: the accuracy; the F score; the true positive rate, while
            the true negative rate is at least ``min_rate``; or the other way round.
        min_rate : float in [0, 1] or None, default=None
            Needed for "max_tpr" and "max_tnr".
        beta : float, default=1.0
            Weight of recall against precision in the F score.

        Returns
        -------
        self : object
            With the new ``threshold_``.
        """
        check_is_fitted(self)
        self._validate_calibration_params(strategy, min_rate, beta)
        signs = _checked_signs(pairs_valid, y_valid)
        pairs = self._formed(pairs_valid, 2)
        return self._calibrate(pairs, signs, strategy, min_rate, beta)

    @staticmethod
    def _validate_calibration_params(strategy="accuracy", min_rate=None, beta=1.0):
        """The messages are metric-learn's."""
        if strategy not in STRATEGIES:
            expected = (
                'Strategy can either be "accuracy", "f_beta" or "max_tpr" or "max_tnr"'
            )
            raise ValueError(f'{expected}. Got "{strategy}" instead.')
        is_rate = isinstance(min_rate, int | float) and 0 <= min_rate <= 1
        if strategy in ("max_tpr", "max_tnr") and not is_rate:
            what = "Parameter min_rate must be a number in[0, 1]"
            raise ValueError(f"{what}. Got {min_rate} instead.")
        if strategy == "f_beta" and not isinstance(beta, int | float):
            what = "Parameter beta must be a real number"
            raise ValueError(f"{what}. Got {type(beta)} instead.")

    def _calibrate(self, pairs, signs, strategy="accuracy", min_rate=None, beta=1.0):
        scores = self.decision_function(pairs)
        self.threshold_ = -best_threshold(scores, signs == 1, strategy, min_rate, beta)
        return self


def _checked_signs(pairs, y):
    labels = column_or_1d(y, warn=True)
    check_consistent_length(pairs, labels)
    # scikit-learn's cross_val_predict counts classes from 0 on
    if not (np.isin(labels, (-1, 1)).all() or np.isin(labels, (0, 1)).all()):
        raise ValueError("y must be +1 for similar and -1 for dissimilar pairs.")
    return np.where(labels == 1, 1, -1)


class PairsOfLabels(PointsLearner):
    """Estimators that draw pairs from labels."""

    def _fit_points(self, points, X, y, **options):
        a, b, c, d = drawn(y, self.n_constraints, self.random_state)
        pairs = np.column_stack([np.append(a, c), np.append(b, d)])
        signs = np.repeat([1, -1], [len(a), len(c)])
        return self._learn_pairs(points, pairs, signs, **options)


class BaseITML(Mahalanobis):
    """How both ITML learn from pairs."""

    def _learn_pairs(self, points, pairs, signs, bounds=None):
        X = np.asarray(dense(points), dtype=np.float64)
        bounds = self._bounds(X, bounds)
        # the gap is of second order in the error of M; the solution does not depend on
        # the order of pairs, so that the same pairs give the same M
        learner = learners.ITML(
            gamma=min(self.gamma, LARGEST_GAMMA),
            prior=metric_matrix(self.prior, X, "prior", self.random_state),
            bounds=bounds,
            max_iter=self.max_iter,
            tol=self.tol**2,
            random_state=0,
        )
        learner.fit(points, pairs=pairs, pair_labels=signs)
        return self._keep(learner, bounds_=bounds)

    def _bounds(self, X, bounds):
        """Two bounds; by default a small and a large distance of the points.

        metric-learn, too, compares these distances with squared ones.
        """
        if bounds is None:
            if len(X) > MOST_COMPARED:
                rng = check_random_state(self.random_state)
                X = X[rng.choice(len(X), MOST_COMPARED, replace=False)]
            bounds = np.percentile(cdist(X, X), (5, 95))
        found = np.asarray(bounds, dtype=np.float64).ravel()
        if found.shape != (2,) or not (found >= 0).all():
            raise ValueError(f"bounds must be two numbers of at least 0; got {bounds}.")
        return np.maximum(found, SMALLEST_BOUND)


class ITML(BaseITML, PairsClassifier):
    """Information-theoretic metric learning from pairs, by :class:`freemetric.ITML`.

    Parameters
    ----------
    gamma : float, default=1.0
        Weight of the pairs against the prior.
    max_iter : int, default=1000
        Maximum number of iterations, or of mini-batches.
    tol : float, default=0.001
        Stop when the objective is within the square of this, relative to itself, of the
        optimum.
    prior : str or array-like of shape (n_features, n_features), default="identity"
        "identity", "covariance", "random" or a matrix.
        The metric to stay close to, positive definite.
    verbose : bool, default=False
        Not used: progress is logged by the logger "freemetric".
    preprocessor : array-like, callable or None, default=None
        Turns indicators into points: the array that they index, or a function of them.
    random_state : int, RandomState or None, default=None
        Seed of drawn constraints, and of a random start or prior.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map L, with M = L^T L.
    bounds_ : ndarray of shape (2,)
        Upper bound of the squared distances of similar pairs, lower bound of those of
        dissimilar pairs.
    threshold_ : float
        Pairs at most this far apart are predicted to be similar.
    n_iter_ : int
        Number of iterations.
    n_features_in_ : int
        Number of features of the training samples.

    Examples
    --------
    >>> from freemetric.metric_learn import ITML
    >>> near, far = [[1.2, 7.5], [1.3, 1.5]], [[1.3, 4.5], [3.2, 4.6]]
    >>> pairs = [near, [[6.4, 2.6], [6.2, 9.7]], far, [[6.2, 5.5], [5.4, 5.4]]]
    >>> ITML().fit(pairs, [1, 1, -1, -1]).predict(pairs)
    array([ 1,  1, -1, -1])
    """

    def __init__(
        self,
        gamma=1.0,
        max_iter=1000,
        tol=0.001,
        prior="identity",
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol
        self.prior = prior
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state

    def fit(  # type: ignore[override]  # metric-learn's order
        self,
        pairs: ArrayLike,
        y: ArrayLike,
        bounds: ArrayLike | None = None,
        calibration_params: dict[str, Any] | None = None,
    ) -> Self:
        """Learn the metric and a threshold from pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of points, or of indicators.
        y : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        bounds : array-like of shape (2,) or None, default=None
            ``bounds_``; None: the 5th and the 95th percentile of the distances.
        calibration_params : dict or None, default=None
            Parameters of ``calibrate_threshold``.

        Returns
        -------
        self : ITML
            The fitted estimator.
        """
        return self._fit_pairs(pairs, y, calibration_params, bounds=bounds)


class ITML_Supervised(BaseITML, PairsOfLabels):  # noqa: N801 - metric-learn's name
    """Information-theoretic metric learning from labels: pairs are drawn from them.

    Parameters
    ----------
    gamma : float, default=1.0
        Weight of the pairs against the prior.
    max_iter : int, default=1000
        Maximum number of iterations, or of mini-batches.
    tol : float, default=0.001
        Stop when the objective is within the square of this, relative to itself, of the
        optimum.
    n_constraints : int or None, default=None
        Similar and dissimilar pairs to draw, or quadruplets; None: 20 n_classes^2.
    prior : str or array-like of shape (n_features, n_features), default="identity"
        "identity", "covariance", "random" or a matrix.
        The metric to stay close to, positive definite.
    verbose : bool, default=False
        Not used: progress is logged by the logger "freemetric".
    preprocessor : array-like, callable or None, default=None
        Turns indicators into points: the array that they index, or a function of them.
    random_state : int, RandomState or None, default=None
        Seed of drawn constraints, and of a random start or prior.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map L, with M = L^T L.
    bounds_ : ndarray of shape (2,)
        Upper bound of the squared distances of similar pairs, lower bound of those of
        dissimilar pairs.
    n_iter_ : int
        Number of iterations.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.metric_learn import ITML_Supervised
    >>> X, y = load_iris(return_X_y=True)
    >>> ITML_Supervised(n_constraints=200, random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self,
        gamma=1.0,
        max_iter=1000,
        tol=0.001,
        n_constraints=None,
        prior="identity",
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol
        self.n_constraints = n_constraints
        self.prior = prior
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, bounds: ArrayLike | None = None) -> Self:
        """Draw pairs from labels and learn the metric from them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : array-like of shape (n_samples,)
            Class labels; negative ones are unknown.
        bounds : array-like of shape (2,) or None, default=None
            As in ``ITML.fit``.

        Returns
        -------
        self : ITML_Supervised
            The fitted estimator.
        """
        points = self._formed_points(X)
        samples, labels = check_samples_and_targets(self, points, y)
        return self._fit_points(points, samples, labels, bounds=bounds)


class BaseMMC(Mahalanobis):
    """How both MMC learn from pairs."""

    def _learn_pairs(self, points, pairs, signs):
        X = np.asarray(dense(points), dtype=np.float64)
        start = metric_matrix(self.init, X, "init", self.random_state, definite=False)
        learner = learners.MMC(
            diagonal=self.diagonal,
            max_iter=self.max_iter,
            tol=max(self.tol**2, SMALLEST_GAP),  # of second order in the error of M
        )
        learner.fit(points, pairs=pairs, pair_labels=signs)
        V = X[pairs[signs == 1, 0]] - X[pairs[signs == 1, 1]]
        # Give the metric metric-learn's scale; our learner finds its shape. Squared
        # distances of similar pairs sum to a hundredth of those under the start; of a
        # diagonal metric, to where they less diagonal_c times the logarithm of the
        # dissimilar distances are least.
        wanted = SHARE_OF_START * np.sum((V @ start) * V)
        if self.diagonal:
            wanted = self.diagonal_c / 2
        found = np.sum((V @ learner.components_.T) ** 2)
        scale = np.sqrt(wanted / found) if found > 0 and wanted > 0 else 1.0
        return self._keep(learner, components_=scale * learner.components_)


class MMC(BaseMMC, PairsClassifier):
    """Mahalanobis metric for clustering from pairs, by :class:`freemetric.MMC`.

    Parameters
    ----------
    max_iter : int, default=100
        Maximum number of iterations, or of mini-batches.
    max_proj : int, default=10000
        Not used: there are no projections.
    tol : float, default=0.001
        Stop when the objective is within the square of this, relative to itself, of the
        optimum.
    init : str or array-like of shape (n_features, n_features), default="identity"
        "identity", "covariance", "random" or a matrix.
        Sets the scale of the result only: the maximum does not depend on the start.
    diagonal : bool, default=False
        Learn a diagonal metric, weights of the features.
    diagonal_c : float, default=1.0
        Scale of a diagonal metric: squared distances of similar pairs sum to half of
        it.
    verbose : bool, default=False
        Not used: progress is logged by the logger "freemetric".
    preprocessor : array-like, callable or None, default=None
        Turns indicators into points: the array that they index, or a function of them.
    random_state : int, RandomState or None, default=None
        Seed of drawn constraints, and of a random start or prior.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map L, with M = L^T L.
    threshold_ : float
        Pairs at most this far apart are predicted to be similar.
    n_iter_ : int
        Number of iterations.
    n_features_in_ : int
        Number of features of the training samples.

    Examples
    --------
    >>> from freemetric.metric_learn import MMC
    >>> near, far = [[1.2, 7.5], [1.3, 1.5]], [[1.3, 4.5], [3.2, 4.6]]
    >>> pairs = [near, [[6.4, 2.6], [6.2, 9.7]], far, [[6.2, 5.5], [5.4, 5.4]]]
    >>> MMC().fit(pairs, [1, 1, -1, -1]).predict(pairs)
    array([ 1,  1, -1, -1])
    """

    def __init__(
        self,
        max_iter=100,
        max_proj=10000,
        tol=0.001,
        init="identity",
        diagonal=False,
        diagonal_c=1.0,
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.max_iter = max_iter
        self.max_proj = max_proj
        self.tol = tol
        self.init = init
        self.diagonal = diagonal
        self.diagonal_c = diagonal_c
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state


class MMC_Supervised(BaseMMC, PairsOfLabels):  # noqa: N801 - metric-learn's name
    """Mahalanobis metric for clustering from labels: pairs are drawn from them.

    Parameters
    ----------
    max_iter : int, default=100
        Maximum number of iterations, or of mini-batches.
    max_proj : int, default=10000
        Not used: there are no projections.
    tol : float, default=1e-06
        Stop when the objective is within the square of this, relative to itself, of the
        optimum.
    n_constraints : int or None, default=None
        Similar and dissimilar pairs to draw, or quadruplets; None: 20 n_classes^2.
    init : str or array-like of shape (n_features, n_features), default="identity"
        "identity", "covariance", "random" or a matrix.
        Sets the scale of the result only: the maximum does not depend on the start.
    diagonal : bool, default=False
        Learn a diagonal metric, weights of the features.
    diagonal_c : float, default=1.0
        Scale of a diagonal metric: squared distances of similar pairs sum to half of
        it.
    verbose : bool, default=False
        Not used: progress is logged by the logger "freemetric".
    preprocessor : array-like, callable or None, default=None
        Turns indicators into points: the array that they index, or a function of them.
    random_state : int, RandomState or None, default=None
        Seed of drawn constraints, and of a random start or prior.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map L, with M = L^T L.
    n_iter_ : int
        Number of iterations.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.metric_learn import MMC_Supervised
    >>> X, y = load_iris(return_X_y=True)
    >>> MMC_Supervised(n_constraints=200, random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self,
        max_iter=100,
        max_proj=10000,
        tol=1e-06,
        n_constraints=None,
        init="identity",
        diagonal=False,
        diagonal_c=1.0,
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.max_iter = max_iter
        self.max_proj = max_proj
        self.tol = tol
        self.n_constraints = n_constraints
        self.init = init
        self.diagonal = diagonal
        self.diagonal_c = diagonal_c
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state


class BaseSDML(Mahalanobis):
    """How both SDML learn from pairs."""

    def _learn_pairs(self, points, pairs, signs):
        X = np.asarray(dense(points), dtype=np.float64)
        learner = learners.SDML(
            balance=self.balance_param,
            # of a metric in units of X, where metric-learn's is of X itself
            sparsity=self.sparsity_param / unit_of(X) ** 2,
            prior=metric_matrix(self.prior, X, "prior", self.random_state),
            tol=TOL_OF_SDML,
        )
        return self._keep(learner.fit(points, pairs=pairs, pair_labels=signs))


class SDML(BaseSDML, PairsClassifier):
    """Sparse determinant metric learning from pairs, by :class:`freemetric.SDML`.

    Parameters
    ----------
    balance_param : float or "auto", default=0.5
        Weight of a pair against the prior; lowered, with a warning, if there would be
        no minimum. "auto" (not in metric- learn) finds one that needs no warning.
    sparsity_param : float, default=0.01
        Penalty of the off-diagonal elements of M.
    prior : str or array-like of shape (n_features, n_features), default="identity"
        "identity", "covariance", "random" or a matrix.
        The metric to stay close to, positive definite.
    verbose : bool, default=False
        Not used: progress is logged by the logger "freemetric".
    preprocessor : array-like, callable or None, default=None
        Turns indicators into points: the array that they index, or a function of them.
    random_state : int, RandomState or None, default=None
        Seed of drawn constraints, and of a random start or prior.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map L, with M = L^T L.
    threshold_ : float
        Pairs at most this far apart are predicted to be similar.
    n_features_in_ : int
        Number of features of the training samples.

    Examples
    --------
    >>> from freemetric.metric_learn import SDML
    >>> near, far = [[1.2, 7.5], [1.3, 1.5]], [[1.3, 4.5], [3.2, 4.6]]
    >>> pairs = [near, [[6.4, 2.6], [6.2, 9.7]], far, [[6.2, 5.5], [5.4, 5.4]]]
    >>> SDML(balance_param=0.2).fit(pairs, [1, 1, -1, -1]).predict(pairs)
    array([ 1,  1, -1, -1])
    """

    def __init__(
        self,
        balance_param=0.5,
        sparsity_param=0.01,
        prior="identity",
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.balance_param = balance_param
        self.sparsity_param = sparsity_param
        self.prior = prior
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state


class SDML_Supervised(BaseSDML, PairsOfLabels):  # noqa: N801 - metric-learn's name
    """Sparse determinant metric learning from labels: pairs are drawn from them.

    Parameters
    ----------
    balance_param : float or "auto", default=0.5
        Weight of a pair against the prior; lowered, with a warning, if there would be
        no minimum. "auto" (not in metric- learn) finds one that needs no warning.
    sparsity_param : float, default=0.01
        Penalty of the off-diagonal elements of M.
    prior : str or array-like of shape (n_features, n_features), default="identity"
        "identity", "covariance", "random" or a matrix.
        The metric to stay close to, positive definite.
    n_constraints : int or None, default=None
        Similar and dissimilar pairs to draw, or quadruplets; None: 20 n_classes^2.
    verbose : bool, default=False
        Not used: progress is logged by the logger "freemetric".
    preprocessor : array-like, callable or None, default=None
        Turns indicators into points: the array that they index, or a function of them.
    random_state : int, RandomState or None, default=None
        Seed of drawn constraints, and of a random start or prior.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map L, with M = L^T L.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.metric_learn import SDML_Supervised
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SDML_Supervised(balance_param=1e-5, random_state=0)
    >>> model.fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self,
        balance_param=0.5,
        sparsity_param=0.01,
        prior="identity",
        n_constraints=None,
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.balance_param = balance_param
        self.sparsity_param = sparsity_param
        self.prior = prior
        self.n_constraints = n_constraints
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state
