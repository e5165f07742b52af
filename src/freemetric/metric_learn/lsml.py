"""LSML under metric-learn's names: from quadruplets, and from labels that quadruplets are drawn from."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .. import learners
from .comparisons import QuadrupletsClassifier
from .mahalanobis import Mahalanobis
from .matrices import metric_matrix
from .points import PointsLearner
from .renamed import DEPRECATED, renamed
from .supervised import drawn_quadruplets


class _LSML(Mahalanobis):
    """The translation that both have in common."""

    _found = ("n_iter_",)

    tol: Any
    max_iter: Any
    prior: Any
    verbose: Any
    random_state: Any

    def _learn_quadruplets(self, X, quadruplets, weights):
        learner = learners.LSML(
            prior=metric_matrix(self.prior, X, "prior", self.random_state),
            max_iter=self.max_iter,
            tol=self.tol**2,  # a gap is of second order in what M lacks
            verbose=self.verbose,
            random_state=self.random_state,
        )
        given = np.ones(len(quadruplets)) if weights is None else np.asarray(weights, dtype=np.float64)
        return self._learn_by(learner, X, quadruplets=quadruplets, weights=given / given.sum())


class LSML(_LSML, QuadrupletsClassifier):
    """Least squared-residual metric learning from quadruplets, by :class:`freemetric.LSML`.

    Parameters
    ----------
    tol : float, default=1e-3
        Stop when the objective is at most the square of this share of itself above its minimum; M is then about as near
        to the solution as this.
    max_iter : int, default=1000
        Most iterations.
    prior : {"identity", "covariance", "random"} or array of shape (n_features, n_features), default="identity"
        The metric to stay close to, positive definite.
    verbose : bool, default=False
        Log every iteration.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.
    random_state : int, RandomState or None, default=None
        Seed of a random prior.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map L, with M = L^T L.
    n_iter_ : int
        Iterations.
    n_features_in_ : int
        Features seen in fit.

    Examples
    --------
    >>> from freemetric.metric_learn import LSML
    >>> quadruplets = [[[1.2, 7.5], [1.3, 1.5], [6.4, 2.6], [6.2, 9.7]],
    ...                [[1.3, 4.5], [3.2, 4.6], [6.2, 5.5], [5.4, 5.4]]]
    >>> LSML().fit(quadruplets).score(quadruplets)
    0.5
    """

    def __init__(self, tol=1e-3, max_iter=1000, prior="identity", verbose=False, preprocessor=None, random_state=None):
        self.tol = tol
        self.max_iter = max_iter
        self.prior = prior
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state

    def fit(self, quadruplets: ArrayLike, weights: ArrayLike | None = None) -> Self:
        """Learn the metric from quadruplets.

        Parameters
        ----------
        quadruplets : array-like of shape (n_quadruplets, 4, n_features) or (n_quadruplets, 4)
            Quadruplets of points, or of indicators: the first two are nearer to each other than the last two.
        weights : array-like of shape (n_quadruplets,), default=None
            What they are worth, relative to each other.

        Returns
        -------
        self : object
        """
        X, indices = self._distinct(quadruplets)
        return self._learn_quadruplets(X, indices, weights)


class LSML_Supervised(_LSML, PointsLearner):  # noqa: N801 - metric-learn's name
    """Least squared-residual metric learning from labels: quadruplets are drawn from them.

    Parameters
    ----------
    tol : float, default=1e-3
        Stop when the objective is at most the square of this share of itself above its minimum; M is then about as near
        to the solution as this.
    max_iter : int, default=1000
        Most iterations.
    prior : {"identity", "covariance", "random"} or array of shape (n_features, n_features), default="identity"
        The metric to stay close to, positive definite.
    n_constraints : int or None, default=None
        Quadruplets to draw; None: 20 times the number of classes squared.
    weights : array-like of shape (n_constraints,), default=None
        What they are worth, relative to each other.
    verbose : bool, default=False
        Log every iteration.
    preprocessor : array-like of shape (n_points, n_features), callable or None, default=None
        What turns indicators into points.
    random_state : int, RandomState or None, default=None
        Seed of the quadruplets and of a random prior.
    num_constraints : int, default="deprecated"
        The old name of ``n_constraints``.

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
    >>> from freemetric.metric_learn import LSML_Supervised
    >>> X, y = load_iris(return_X_y=True)
    >>> LSML_Supervised(n_constraints=200, random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self,
        tol=1e-3,
        max_iter=1000,
        prior="identity",
        n_constraints=None,
        weights=None,
        verbose=False,
        preprocessor=None,
        random_state=None,
        num_constraints=DEPRECATED,
    ):
        self.tol = tol
        self.max_iter = max_iter
        self.prior = prior
        self.n_constraints = n_constraints
        self.weights = weights
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state
        self.num_constraints = num_constraints

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Draw quadruplets and learn the metric from them.

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
        return self._learn_quadruplets(points, drawn_quadruplets(labels, n, self.random_state), self.weights)
