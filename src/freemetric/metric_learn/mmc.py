"""MMC under metric-learn's names: from pairs, and from labels that pairs are drawn from."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .. import learners
from .mahalanobis import Mahalanobis
from .matrices import metric_matrix
from .pairs import PairsClassifier
from .points import PointsLearner
from .renamed import DEPRECATED, renamed
from .supervised import drawn_pairs

SMALLEST_GAP = 1e-9
SHARE_OF_START = 0.01  # of the similar pairs' squared distances, which sets the scale of the result


class _MMC(Mahalanobis):
    """The translation that both have in common."""

    _found = ("n_iter_",)

    max_iter: Any
    tol: Any
    init: Any
    diagonal: Any
    diagonal_c: Any
    verbose: Any
    random_state: Any
    convergence_threshold: Any

    def _learn_pairs(self, X, pairs, pair_labels):
        start = metric_matrix(self.init, X, "init", self.random_state, definite=False)
        tol = renamed(self.convergence_threshold, self.tol, "convergence_threshold", "tol")
        learner = learners.MMC(
            diagonal=self.diagonal,
            max_iter=self.max_iter,
            tol=max(tol**2, SMALLEST_GAP),  # a gap is of second order in what M lacks
            verbose=self.verbose,
            random_state=self.random_state,
        )
        self._learn_by(learner, X, pairs=pairs, pair_labels=pair_labels)
        a, b = pairs[pair_labels == 1].T
        self._rescale(X[a] - X[b], start)
        return self

    def _rescale(self, V, start):
        """Give the metric metric-learn's scale: our learner finds its shape, on which scale has no influence.

        Squared distances of the similar differences V sum up to a hundredth of those under the start; of a diagonal
        metric, to where they less ``diagonal_c`` times the logarithm of the dissimilar distances are least.
        """
        wanted = self.diagonal_c / 2 if self.diagonal else SHARE_OF_START * np.sum((V @ start) * V)
        found = np.sum((V @ self.components_.T) ** 2)
        if found > 0 and wanted > 0:
            self.components_ *= np.sqrt(wanted / found)


class MMC(_MMC, PairsClassifier):
    """Mahalanobis metric for clustering from pairs, by :class:`freemetric.MMC`.

    Parameters
    ----------
    max_iter : int, default=100
        Most iterations.
    max_proj : int, default=10000
        Not used: there are no projections.
    tol : float, default=1e-3
        Stop when the mean distance of dissimilar pairs is at most the square of this share of itself below its maximum.
    init : {"identity", "covariance", "random"} or array of shape (n_features, n_features), default="identity"
        Sets the scale of the result and nothing else: there is one maximum, whatever the start.
    diagonal : bool, default=False
        Learn weights of the features.
    diagonal_c : float, default=1.0
        The scale of a diagonal metric: squared distances of similar pairs sum up to half of it.
    verbose : bool, default=False
        Log every iteration.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.
    random_state : int, RandomState or None, default=None
        Seed of a random start.
    convergence_threshold : float, default="deprecated"
        The old name of ``tol``.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map L, with M = L^T L.
    threshold_ : float
        Pairs at most this far apart are predicted to be similar.
    n_iter_ : int
        Iterations.
    n_features_in_ : int
        Features seen in fit.

    Examples
    --------
    >>> from freemetric.metric_learn import MMC
    >>> pairs = [[[1.2, 7.5], [1.3, 1.5]], [[6.4, 2.6], [6.2, 9.7]], [[1.3, 4.5], [3.2, 4.6]], [[6.2, 5.5], [5.4, 5.4]]]
    >>> MMC().fit(pairs, [1, 1, -1, -1]).predict(pairs)
    array([ 1,  1, -1, -1])
    """

    def __init__(
        self,
        max_iter=100,
        max_proj=10000,
        tol=1e-3,
        init="identity",
        diagonal=False,
        diagonal_c=1.0,
        verbose=False,
        preprocessor=None,
        random_state=None,
        convergence_threshold=DEPRECATED,
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
        self.convergence_threshold = convergence_threshold

    def fit(self, pairs: ArrayLike, y: ArrayLike, calibration_params: dict[str, Any] | None = None) -> Self:
        """Learn the metric and a threshold from pairs.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features) or (n_pairs, 2)
            Pairs of points, or of indicators.
        y : array-like of shape (n_pairs,)
            +1 for similar, -1 for dissimilar pairs.
        calibration_params : dict or None, default=None
            What ``calibrate_threshold`` takes.

        Returns
        -------
        self : object
        """
        return self._fit_and_calibrate(pairs, y, calibration_params)


class MMC_Supervised(_MMC, PointsLearner):  # noqa: N801 - metric-learn's name
    """Mahalanobis metric for clustering from labels: pairs are drawn from them.

    Parameters
    ----------
    max_iter : int, default=100
        Most iterations.
    max_proj : int, default=10000
        Not used: there are no projections.
    tol : float, default=1e-6
        Stop when the mean distance of dissimilar pairs is at most the square of this share of itself below its maximum.
    n_constraints : int or None, default=None
        Similar pairs to draw, and dissimilar ones; None: 20 times the number of classes squared.
    init : {"identity", "covariance", "random"} or array of shape (n_features, n_features), default="identity"
        Sets the scale of the result and nothing else: there is one maximum, whatever the start.
    diagonal : bool, default=False
        Learn weights of the features.
    diagonal_c : float, default=1.0
        The scale of a diagonal metric: squared distances of similar pairs sum up to half of it.
    verbose : bool, default=False
        Log every iteration.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.
    random_state : int, RandomState or None, default=None
        Seed of the pairs and of a random start.
    num_constraints : int, default="deprecated"
        The old name of ``n_constraints``.
    convergence_threshold : float, default="deprecated"
        The old name of ``tol``.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map L, with M = L^T L.
    n_iter_ : int
        Iterations.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

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
        tol=1e-6,
        n_constraints=None,
        init="identity",
        diagonal=False,
        diagonal_c=1.0,
        verbose=False,
        preprocessor=None,
        random_state=None,
        num_constraints=DEPRECATED,
        convergence_threshold=DEPRECATED,
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
        self.num_constraints = num_constraints
        self.convergence_threshold = convergence_threshold

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Draw pairs and learn the metric from them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : array-like of shape (n_samples,)
            Class labels; negative numbers are unknown ones.

        Returns
        -------
        self : object
        """
        points, labels = self._points(X, y)
        n = renamed(self.num_constraints, self.n_constraints, "num_constraints", "n_constraints")
        return self._learn_pairs(points, *drawn_pairs(labels, n, self.random_state))
