"""ITML under metric-learn's names: from pairs, and from labels that pairs are drawn from."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state

from .. import learners
from .mahalanobis import Mahalanobis
from .matrices import metric_matrix
from .pairs import PairsClassifier
from .points import PointsLearner
from .renamed import DEPRECATED, renamed
from .supervised import drawn_pairs

MOST_COMPARED = 2000  # points among which the usual distances are looked for
SMALLEST_BOUND = 1e-9
LARGEST_GAMMA = 1e6  # what metric-learn writes as infinity


class _ITML(Mahalanobis):
    """The translation that both have in common."""

    _found = ("n_iter_",)

    gamma: Any
    tol: Any
    max_iter: Any
    prior: Any
    verbose: Any
    random_state: Any
    convergence_threshold: Any

    def _learn_pairs(self, X, pairs, pair_labels, bounds):
        self.bounds_ = self._bounds(X, bounds)
        learner = learners.ITML(
            gamma=min(self.gamma, LARGEST_GAMMA),
            prior=metric_matrix(self.prior, X, "prior", self.random_state),
            bounds=self.bounds_,
            max_iter=self.max_iter,
            # a gap is of second order in what M lacks
            tol=renamed(self.convergence_threshold, self.tol, "convergence_threshold", "tol") ** 2,
            verbose=self.verbose,
            random_state=0,  # of the order of pairs, on which the solution does not depend: the same pairs, the same M
        )
        return self._learn_by(learner, X, pairs=pairs, pair_labels=pair_labels)

    def _bounds(self, X: NDArray, bounds: ArrayLike | None) -> NDArray:
        """Two bounds; by default distances that are small and large among the points, used as squared ones.

        So does metric-learn: its result depends on units, and its ``bounds_`` are compared with squared distances.
        """
        if bounds is not None:
            given = np.asarray(bounds, dtype=np.float64).ravel()
            if given.shape != (2,) or not (given >= 0).all():
                raise ValueError(f"bounds must be two numbers, none below 0; got {bounds!r}.")
            return np.maximum(given, SMALLEST_BOUND)
        if len(X) > MOST_COMPARED:
            X = X[check_random_state(self.random_state).choice(len(X), MOST_COMPARED, replace=False)]
        return np.maximum(np.percentile(cdist(X, X), (5, 95)), SMALLEST_BOUND)


class ITML(_ITML, PairsClassifier):
    """Information-theoretic metric learning from pairs, by :class:`freemetric.ITML`.

    Parameters
    ----------
    gamma : float, default=1.0
        Weight of the pairs against the prior.
    max_iter : int, default=1000
        Most cycles over the pairs.
    tol : float, default=1e-3
        Stop when the duality gap is at most the square of this, as a share of the objective; M is then about as near
        to the solution as this.
    prior : {"identity", "covariance", "random"} or array of shape (n_features, n_features), default="identity"
        The metric to stay close to, positive definite.
    verbose : bool, default=False
        Log every cycle.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.
    random_state : int, RandomState or None, default=None
        Seed of a random prior.
    convergence_threshold : float, default="deprecated"
        The old name of ``tol``.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map L, with M = L^T L.
    bounds_ : ndarray of shape (2,)
        What squared distances of similar pairs shall not exceed, and those of dissimilar ones not fall short of.
    threshold_ : float
        Pairs at most this far apart are predicted to be similar.
    n_iter_ : int
        Cycles.
    n_features_in_ : int
        Features seen in fit.

    Examples
    --------
    >>> from freemetric.metric_learn import ITML
    >>> pairs = [[[1.2, 7.5], [1.3, 1.5]], [[6.4, 2.6], [6.2, 9.7]], [[1.3, 4.5], [3.2, 4.6]], [[6.2, 5.5], [5.4, 5.4]]]
    >>> ITML().fit(pairs, [1, 1, -1, -1]).predict(pairs)
    array([ 1,  1, -1, -1])
    """

    def __init__(
        self,
        gamma=1.0,
        max_iter=1000,
        tol=1e-3,
        prior="identity",
        verbose=False,
        preprocessor=None,
        random_state=None,
        convergence_threshold=DEPRECATED,
    ):
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol
        self.prior = prior
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state
        self.convergence_threshold = convergence_threshold

    def fit(
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
        bounds : array-like of shape (2,), default=None
            See ``bounds_``; None: the 5th and the 95th percentile of the distances between points.
        calibration_params : dict or None, default=None
            What ``calibrate_threshold`` takes.

        Returns
        -------
        self : object
        """
        return self._fit_and_calibrate(pairs, y, calibration_params, bounds=bounds)


class ITML_Supervised(_ITML, PointsLearner):  # noqa: N801 - metric-learn's name
    """Information-theoretic metric learning from labels: pairs are drawn from them.

    Parameters
    ----------
    gamma : float, default=1.0
        Weight of the pairs against the prior.
    max_iter : int, default=1000
        Most cycles over the pairs.
    tol : float, default=1e-3
        Stop when the duality gap is at most the square of this, as a share of the objective; M is then about as near
        to the solution as this.
    n_constraints : int or None, default=None
        Similar pairs to draw, and dissimilar ones; None: 20 times the number of classes squared.
    prior : {"identity", "covariance", "random"} or array of shape (n_features, n_features), default="identity"
        The metric to stay close to, positive definite.
    verbose : bool, default=False
        Log every cycle.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.
    random_state : int, RandomState or None, default=None
        Seed of the pairs and of a random prior.
    num_constraints : int, default="deprecated"
        The old name of ``n_constraints``.
    convergence_threshold : float, default="deprecated"
        The old name of ``tol``.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map L, with M = L^T L.
    bounds_ : ndarray of shape (2,)
        What squared distances of similar pairs shall not exceed, and those of dissimilar ones not fall short of.
    n_iter_ : int
        Cycles.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

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
        tol=1e-3,
        n_constraints=None,
        prior="identity",
        verbose=False,
        preprocessor=None,
        random_state=None,
        num_constraints=DEPRECATED,
        convergence_threshold=DEPRECATED,
    ):
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol
        self.n_constraints = n_constraints
        self.prior = prior
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state
        self.num_constraints = num_constraints
        self.convergence_threshold = convergence_threshold

    def fit(self, X: ArrayLike, y: ArrayLike, bounds: ArrayLike | None = None) -> Self:
        """Draw pairs and learn the metric from them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : array-like of shape (n_samples,)
            Class labels; negative numbers are unknown ones.
        bounds : array-like of shape (2,), default=None
            See ``bounds_``; None: the 5th and the 95th percentile of the distances between points.

        Returns
        -------
        self : object
        """
        points, labels = self._points(X, y)
        n = renamed(self.num_constraints, self.n_constraints, "num_constraints", "n_constraints")
        return self._learn_pairs(points, *drawn_pairs(labels, n, self.random_state), bounds)
