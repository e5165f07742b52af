"""Estimators of metric-learn's names that learn from points and labels or chunks."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from .. import learners
from ..exceptions import warn_of_data
from ..learners.validation import check_samples_and_targets
from .base import Mahalanobis
from .constraints import Constraints, partial_labels
from .starts import check_n_components, start

TOL_OF_NCA = 1e-7  # where metric-learn goes on as far as scipy does


class PointsLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Mahalanobis):
    """Transformers that learn from points and labels.

    Subclasses have ``_learner(X, y)``, a learner of ours, or ``_fit_points(X, y)``.
    """

    _needs_labels = True

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the metric from labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : array-like of shape (n_samples,)
            Class labels, or a numeric target for MLKR. If pairs, triplets or chunks are
            drawn from labels, negative ones are unknown.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        points = self._formed_points(X)
        samples, labels = check_samples_and_targets(
            self, points, y, is_regression=isinstance(self, MLKR)
        )
        return self._fit_points(points, samples, labels)

    def _fit_points(self, points, X, y):
        """Learn from checked samples and labels; names of features are in points."""
        return self._keep(self._learner(X, y).fit(points, y))

    def _learner(self, X, y):
        raise NotImplementedError

    def transform(self, X: ArrayLike) -> Any:
        """Map points or indicators to the learned space, (n_samples, n_components)."""
        return super().transform(X)  # here, so that set_output finds it

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_labels
        tags.input_tags.sparse = True
        return tags


class Covariance(PointsLearner):
    """The Mahalanobis distance proper: M is the inverse covariance of the points.

    A singular covariance is shrunk by :class:`freemetric.Covariance`, where
    metric-learn takes the pseudo-inverse.

    Parameters
    ----------
    preprocessor : array-like, callable or None, default=None
        Turns indicators into points: the array that they index, or a function of them.

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
    >>> from freemetric.metric_learn import Covariance
    >>> X, y = load_iris(return_X_y=True)
    >>> Covariance().fit(X, y).transform(X).shape
    (150, 4)
    """

    _needs_labels = False

    def __init__(
        self,
        preprocessor=None,
    ):
        self.preprocessor = preprocessor

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Learn from the covariance of points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : Ignored
            Not used.

        Returns
        -------
        self : Covariance
            The fitted estimator.
        """
        return self._keep(learners.Covariance().fit(self._formed_points(X)))


class LFDA(PointsLearner):
    """Local Fisher discriminant analysis, by :class:`freemetric.LFDA`.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features.
    k : int or None, default=None
        Neighbour that sets the scale of a point, at most n_features - 1; None: 7 or
        that.
    embedding_type : {"weighted", "orthonormalized", "plain"}, default="weighted"
        Directions times the root of their eigenvalues, an orthonormal basis of their
        span, or the directions alone.
    preprocessor : array-like, callable or None, default=None
        Turns indicators into points: the array that they index, or a function of them.

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
    >>> from freemetric.metric_learn import LFDA
    >>> X, y = load_iris(return_X_y=True)
    >>> LFDA(k=2).fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self,
        n_components=None,
        k=None,
        embedding_type="weighted",
        preprocessor=None,
    ):
        self.n_components = n_components
        self.k = k
        self.embedding_type = embedding_type
        self.preprocessor = preprocessor

    def _learner(self, X, y):
        d = X.shape[1]
        most = max(d - 1, 1)  # metric-learn limits k by the number of features
        k = min(7, most) if self.k is None else self.k
        if k > most:
            warn_of_data(f"Chosen k ({k}) too large, using {most} instead.")
        return learners.LFDA(
            check_n_components(self.n_components, d),
            n_neighbors=min(k, most),
            embedding=self.embedding_type,
        )


class LMNN(PointsLearner):
    """Large margin nearest neighbours, by :class:`freemetric.LMNN`.

    Parameters
    ----------
    init : str or array-like of shape (n_components, n_features), default="auto"
        "auto", "pca", "lda", "identity", "random" or a map.
        Where the search begins. "auto": "lda" if there are more classes than
        components, else "pca" if there are fewer components than features and points,
        else "identity".
    n_neighbors : int, default=3
        Number of target neighbours of each point.
    min_iter : int, default=50
        Not used: L-BFGS needs no minimum number of iterations.
    max_iter : int, default=1000
        Maximum number of iterations, or of mini-batches.
    learn_rate : float, default=1e-07
        Not used: L-BFGS chooses its step sizes.
    regularization : float in [0, 1), default=0.5
        Weight of the pull towards targets against the push of impostors.
    convergence_tol : float, default=0.001
        Stop when an iteration lowers the mean loss of a point by less than a tenth of
        it.
    verbose : bool, default=False
        Not used: progress is logged by the logger "freemetric".
    preprocessor : array-like, callable or None, default=None
        Turns indicators into points: the array that they index, or a function of them.
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features.
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
    >>> from freemetric.metric_learn import LMNN
    >>> X, y = load_iris(return_X_y=True)
    >>> LMNN(n_neighbors=5, learn_rate=1e-6).fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self,
        init="auto",
        n_neighbors=3,
        min_iter=50,
        max_iter=1000,
        learn_rate=1e-07,
        regularization=0.5,
        convergence_tol=0.001,
        verbose=False,
        preprocessor=None,
        n_components=None,
        random_state=None,
    ):
        self.init = init
        self.n_neighbors = n_neighbors
        self.min_iter = min_iter
        self.max_iter = max_iter
        self.learn_rate = learn_rate
        self.regularization = regularization
        self.convergence_tol = convergence_tol
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.n_components = n_components
        self.random_state = random_state

    def _learner(self, X, y):
        return learners.LMNN(
            self.n_components,
            n_neighbors=self.n_neighbors,
            init=start(self.init, X, self.n_components, len(np.unique(y))),
            regularization=self.regularization,
            max_iter=self.max_iter,
            tol=self.convergence_tol / 10,
            random_state=self.random_state,
        )


class NCA(PointsLearner):
    """Neighbourhood components analysis, by :class:`freemetric.NCA`.

    Parameters
    ----------
    init : str or array-like of shape (n_components, n_features), default="auto"
        "auto", "pca", "lda", "identity", "random" or a map.
        Where the search begins. "auto": "lda" if there are more classes than
        components, else "pca" if there are fewer components than features and points,
        else "identity".
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features.
    max_iter : int, default=100
        Maximum number of iterations, or of mini-batches.
    tol : float or None, default=None
        Stop when an iteration lowers the expected error by less; None: 1e-7.
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
    >>> from freemetric.metric_learn import NCA
    >>> X, y = load_iris(return_X_y=True)
    >>> NCA().fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self,
        init="auto",
        n_components=None,
        max_iter=100,
        tol=None,
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.init = init
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state

    def _learner(self, X, y):
        return learners.NCA(
            self.n_components,
            init=start(self.init, X, self.n_components, len(np.unique(y))),
            max_iter=self.max_iter,
            tol=TOL_OF_NCA if self.tol is None else self.tol,
            random_state=self.random_state,
        )


class MLKR(PointsLearner):
    """Metric learning for kernel regression, by :class:`freemetric.MLKR`.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features.
    init : str or array-like of shape (n_components, n_features), default="auto"
        "auto", "pca", "identity", "random" or a map.
        Where the search begins. "auto": "pca" if there are fewer components than
        features and points, else "identity".
    tol : float or None, default=None
        Stop when an iteration lowers the error by less; None: as `freemetric.MLKR`.
    max_iter : int, default=1000
        Maximum number of iterations, or of mini-batches.
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
    >>> from freemetric.metric_learn import MLKR
    >>> X, y = load_iris(return_X_y=True)
    >>> MLKR().fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self,
        n_components=None,
        init="auto",
        tol=None,
        max_iter=1000,
        verbose=False,
        preprocessor=None,
        random_state=None,
    ):
        self.n_components = n_components
        self.init = init
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.preprocessor = preprocessor
        self.random_state = random_state

    def _learner(self, X, y):
        learner = learners.MLKR(
            self.n_components,
            init=start(self.init, X, self.n_components),
            max_iter=self.max_iter,
            random_state=self.random_state,
        )
        return learner if self.tol is None else learner.set_params(tol=self.tol)


class RCA(PointsLearner):
    """Relevant component analysis from chunks, by :class:`freemetric.RCA`.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features.
    preprocessor : array-like, callable or None, default=None
        Turns indicators into points: the array that they index, or a function of them.

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
    >>> from freemetric.metric_learn import RCA
    >>> X, y = load_iris(return_X_y=True)
    >>> RCA().fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self,
        n_components=None,
        preprocessor=None,
    ):
        self.n_components = n_components
        self.preprocessor = preprocessor

    def fit(self, X: ArrayLike, chunks: ArrayLike) -> Self:
        """Learn the map from points and their chunks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        chunks : array-like of shape (n_samples,)
            Numbers of their chunks; -1 for points in no chunk.

        Returns
        -------
        self : RCA
            The fitted estimator.
        """
        return super().fit(X, chunks)

    def _fit_points(self, points, X, y):
        return self._fit_chunks(points, np.asarray(y, dtype=int))

    def _fit_chunks(self, points, chunks):
        p = check_n_components(self.n_components, np.shape(points)[1])
        return self._keep(learners.RCA(p).fit(points, chunks=chunks))


class RCA_Supervised(RCA):  # noqa: N801 - metric-learn's name
    """Relevant component analysis from labels: chunks are drawn from them.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features.
    n_chunks : int, default=100
        Number of chunks to draw.
    chunk_size : int, default=2
        Number of points in a chunk.
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
    >>> from freemetric.metric_learn import RCA_Supervised
    >>> X, y = load_iris(return_X_y=True)
    >>> RCA_Supervised(n_chunks=30, random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """

    def __init__(
        self,
        n_components=None,
        n_chunks=100,
        chunk_size=2,
        preprocessor=None,
        random_state=None,
    ):
        self.n_components = n_components
        self.n_chunks = n_chunks
        self.chunk_size = chunk_size
        self.preprocessor = preprocessor
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Draw chunks from labels and learn the map from them; see ``RCA.fit``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : array-like of shape (n_samples,)
            Class labels; negative ones are unknown.

        Returns
        -------
        self : RCA_Supervised
            The fitted estimator.
        """
        return PointsLearner.fit(self, X, y)

    def _fit_points(self, points, X, y):
        constraints = Constraints(partial_labels(y))
        chunks = constraints.chunks(self.n_chunks, self.chunk_size, self.random_state)
        return self._fit_chunks(points, chunks)
