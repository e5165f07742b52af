"""Estimators of metric-learn's names that learn from comparisons: LSML and SCML."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import learners
from ..exceptions import warn_once
from ..learners.validation import unit_of
from ..sklearn_compat import dense
from .base import Mahalanobis
from .constraints import drawn, partial_labels, warn_of_few
from .points import PointsLearner
from .starts import metric_matrix

PER_FEATURE = 80  # bases of SCML by default
STEP = 60  # our steps of SCML are in other units; metric-learn's default becomes ours


class ComparisonsClassifier(ClassifierMixin, Mahalanobis):
    """Subclasses define the number of points in a tuple, and its two pairs."""

    classes_ = np.array([-1, 1])
    _size: int
    _near: list[int]
    _far: list[int]

    def decision_function(self, tuples: ArrayLike) -> NDArray:
        """Compute how much farther apart the second pair of every tuple is."""
        check_is_fitted(self)
        formed = self._formed(tuples, self._size)
        near = self.pair_score(formed[:, self._near])
        return near - self.pair_score(formed[:, self._far])

    def predict(self, tuples: ArrayLike) -> NDArray:
        """Predict +1 where the first pair is the nearer one, -1 elsewhere."""
        return np.where(self.decision_function(tuples) > 0, 1, -1)

    def score(self, tuples: ArrayLike, y: Any = None) -> float:
        """Return the share of tuples whose first pair is the nearer one."""
        return float(np.mean(self.predict(tuples) == 1))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


class BaseLSML(Mahalanobis):
    """How both LSML learn from quadruplets."""

    def _learn_quadruplets(self, points, quadruplets, weights):
        X = np.asarray(dense(points), dtype=np.float64)
        learner = learners.LSML(
            prior=metric_matrix(self.prior, X, "prior", self.random_state),
            max_iter=self.max_iter,
            tol=self.tol**2,  # the gap is of second order in the error of M
        )
        if weights is None:
            weights = np.ones(len(quadruplets))
        weights = np.asarray(weights, dtype=np.float64) / np.sum(weights)
        learner.fit(points, quadruplets=quadruplets, weights=weights)
        return self._keep(learner)


class LSML(BaseLSML, ComparisonsClassifier):
    """Least squared-residual metric learning from quadruplets, by
    :class:`freemetric.LSML`.

    Parameters
    ----------
    tol : float, default=0.001
        Stop when the objective is within the square of this, relative to itself, of the
        optimum.
    max_iter : int, default=1000
        Maximum number of iterations, or of mini-batches.
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
    n_iter_ : int
        Number of iterations.
    n_features_in_ : int
        Number of features of the training samples.

    Examples
    --------
    >>> from freemetric.metric_learn import LSML
    >>> quadruplets = [[[1.2, 7.5], [1.3, 1.5], [6.4, 2.6], [6.2, 9.7]],
    ...                [[1.3, 4.5], [3.2, 4.6], [6.2, 5.5], [5.4, 5.4]]]
    >>> LSML().fit(quadruplets).score(quadruplets)
    0.5
    """

    _size = 4
    _near = [0, 1]
    _far = [2, 3]

    def __init__(
        self,
        tol=0.001,
        max_iter=1000,
        prior="identity",
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
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
        quadruplets : array-like of shape (n, 4, n_features) or (n, 4)
            Quadruplets of points or of indicators: the first two are nearer to each
            other than the last two.
        weights : array-like of shape (n,) or None, default=None
            Relative weights.

        Returns
        -------
        self : LSML
            The fitted estimator.
        """
        points, indices = self._distinct(quadruplets, 4)
        return self._learn_quadruplets(points, indices, weights)


class LSML_Supervised(BaseLSML, PointsLearner):  # noqa: N801 - metric-learn's name
    """Least squared-residual metric learning from labels.

    Quadruplets are drawn from them.

    Parameters
    ----------
    tol : float, default=0.001
        Stop when the objective is within the square of this, relative to itself, of the
        optimum.
    max_iter : int, default=1000
        Maximum number of iterations, or of mini-batches.
    prior : str or array-like of shape (n_features, n_features), default="identity"
        "identity", "covariance", "random" or a matrix.
        The metric to stay close to, positive definite.
    n_constraints : int or None, default=None
        Similar and dissimilar pairs to draw, or quadruplets; None: 20 n_classes^2.
    weights : array-like of shape (n_constraints,) or None, default=None
        Relative weights of the quadruplets.
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
    >>> from freemetric.metric_learn import LSML_Supervised
    >>> X, y = load_iris(return_X_y=True)
    >>> LSML_Supervised(n_constraints=200, random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self,
        tol=0.001,
        max_iter=1000,
        prior="identity",
        n_constraints=None,
        weights=None,
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.tol = tol
        self.max_iter = max_iter
        self.prior = prior
        self.n_constraints = n_constraints
        self.weights = weights
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state

    def _fit_points(self, points, X, y):
        quadruplets = drawn(y, self.n_constraints, self.random_state, same_length=True)
        return self._learn_quadruplets(
            points, np.column_stack(quadruplets), self.weights
        )


class BaseSCML(Mahalanobis):
    """How both SCML learn; ``_drawn_basis`` is the name of the basis that is drawn."""

    _drawn_basis: str

    def _learn(self, X, y=None, triplets=None, **options):
        self._check_basis(X.shape[1])
        is_drawn = isinstance(self.basis, str)
        n_basis = self.n_basis
        if n_basis is None and is_drawn:
            n_basis = PER_FEATURE * X.shape[1]
            what = "As no value for `n_basis` was selected, the number of basis will"
            message = f"{what} be set to n_basis= {n_basis}"
            warn_once(message, UserWarning)
        learner = learners.SCML(
            n_basis=n_basis,
            basis=None if is_drawn else self.basis,
            # of weights in units of X, where metric-learn's are of X itself
            regularization=self.beta / unit_of(X) ** 2,
            gamma=STEP * self.gamma,
            max_iter=self.max_iter,
            batch_size=self.batch_size,
            random_state=self.random_state,
            **options,
        )
        with warnings.catch_warnings():  # ``max_iter`` alone ends the search here
            warnings.simplefilter("ignore", ConvergenceWarning)
            return self._keep(learner.fit(X, y, triplets=triplets))

    def _check_basis(self, d):
        if isinstance(self.basis, str) and self.basis == self._drawn_basis:
            return
        if isinstance(self.basis, str) or np.ndim(self.basis) != 2:
            options = f"`basis` must be one of the options '{self._drawn_basis}'"
            raise ValueError(f"{options} or an array of shape (n_basis, n_features).")
        found = np.shape(self.basis)[1]
        if found != d:
            what = f"The dimensionality ({found}) of the provided bases must match"
            raise ValueError(f"{what} the dimensionality of the data ({d}).")


class SCML(BaseSCML, ComparisonsClassifier):
    """Sparse compositional metric learning from triplets, by :class:`freemetric.SCML`.

    Parameters
    ----------
    beta : float, default=1e-05
        L1 penalty of the weights; a larger one leaves fewer positive weights.
    basis : str or array-like of shape (n_basis, n_features), default="triplet_diffs"
        Weighted directions: found in regions of the triplets, or given.
    n_basis : int or None, default=None
        Number of bases to find; None: 80 for every feature, with a warning.
    gamma : float, default=0.005
        Step size; 60 times this is the parameter of the same name of our SCML.
    max_iter : int, default=10000
        Maximum number of iterations, or of mini-batches.
    output_iter : int, default=500
        Not used: the objective is computed every 1000 mini-batches.
    batch_size : int, default=10
        Number of triplets in a mini-batch.
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

    Examples
    --------
    >>> from freemetric.metric_learn import SCML
    >>> triplets = [[[1.2, 7.5], [1.3, 1.5], [6.2, 9.7]],
    ...             [[1.3, 4.5], [3.2, 4.6], [5.4, 5.4]],
    ...             [[3.2, 7.5], [3.3, 1.5], [8.2, 9.7]],
    ...             [[3.3, 4.5], [5.2, 4.6], [7.4, 5.4]]]
    >>> SCML(n_basis=10, random_state=42).fit(triplets).score(triplets)
    1.0
    """

    _size = 3
    _near = [0, 1]
    _far = [0, 2]
    _drawn_basis = "triplet_diffs"

    def __init__(
        self,
        beta=1e-05,
        basis="triplet_diffs",
        n_basis=None,
        gamma=0.005,
        max_iter=10000,
        output_iter=500,
        batch_size=10,
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.beta = beta
        self.basis = basis
        self.n_basis = n_basis
        self.gamma = gamma
        self.max_iter = max_iter
        self.output_iter = output_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state

    def fit(self, triplets: ArrayLike) -> Self:
        """Learn the metric from triplets.

        Parameters
        ----------
        triplets : array-like of shape (n, 3, n_features) or (n, 3)
            Triplets of points or of indicators: the first is nearer to the second than
            to the third.

        Returns
        -------
        self : SCML
            The fitted estimator.
        """
        X, indices = self._distinct(triplets, 3)
        if isinstance(self.basis, str) and X.shape[1] > len(indices):
            raise ValueError(
                f"Number of features ({X.shape[1]}) is greater than the number of "
                f"triplets({len(indices)}).\nConsider using dimensionality reduction "
                "or using another basis generation scheme."
            )
        return self._learn(X, triplets=indices)


class SCML_Supervised(BaseSCML, PointsLearner):  # noqa: N801 - metric-learn's name
    """Sparse compositional metric learning from labels, by :class:`freemetric.SCML`.

    Parameters
    ----------
    k_genuine : int, default=3
        Number of nearest points of the same class in the triplets of a point.
    k_impostor : int, default=10
        Number of nearest points of other classes in the triplets of a point.
    beta : float, default=1e-05
        L1 penalty of the weights; a larger one leaves fewer positive weights.
    basis : "lda" or array-like of shape (n_basis, n_features), default="lda"
        Weighted directions: discriminants in regions of the points, or given.
    n_basis : int or None, default=None
        Number of bases to find; None: 80 for every feature, with a warning.
    gamma : float, default=0.005
        Step size; 60 times this is the parameter of the same name of our SCML.
    max_iter : int, default=10000
        Maximum number of iterations, or of mini-batches.
    output_iter : int, default=500
        Not used: the objective is computed every 1000 mini-batches.
    batch_size : int, default=10
        Number of triplets in a mini-batch.
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
    >>> from freemetric.metric_learn import SCML_Supervised
    >>> X, y = load_iris(return_X_y=True)
    >>> SCML_Supervised(n_basis=80, random_state=33).fit(X, y).transform(X).shape
    (150, 4)
    """

    _drawn_basis = "lda"

    def __init__(
        self,
        k_genuine=3,
        k_impostor=10,
        beta=1e-05,
        basis="lda",
        n_basis=None,
        gamma=0.005,
        max_iter=10000,
        output_iter=500,
        batch_size=10,
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.k_genuine = k_genuine
        self.k_impostor = k_impostor
        self.beta = beta
        self.basis = basis
        self.n_basis = n_basis
        self.gamma = gamma
        self.max_iter = max_iter
        self.output_iter = output_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state

    def _fit_points(self, points, X, y):
        labels = partial_labels(y)
        rows = labels >= 0
        warn_of_few(labels, self.k_genuine, self.k_impostor)
        self._learn(
            X[rows],
            labels[rows],
            n_neighbors=self.k_genuine,
            n_impostors=self.k_impostor,
        )
        validate_data(self, points, skip_check_array=True)  # rows of X have no names
        return self
