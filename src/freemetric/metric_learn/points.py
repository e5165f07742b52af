"""Estimators of metric-learn's names that learn from points: from their labels, from chunks, or without either."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..learners import chunklets, discriminants, lmnn, nca, unsupervised
from ..learners.validation import warn_of_data
from .base import DEPRECATED, LAST, PointsLearner, renamed, translated
from .constraints import Constraints, partial_labels
from .starts import check_n_components, start

TOL_OF_NCA = 1e-7  # where metric-learn goes on as far as scipy does


@translated(preprocessor=None)
class Covariance(PointsLearner):
    """The Mahalanobis distance proper: M is the inverse covariance of the points.

    A singular covariance is shrunk by :class:`freemetric.Covariance`, where metric-learn takes the pseudo-inverse.

    Examples
    --------
    {iris}
    >>> from freemetric.metric_learn import Covariance
    >>> Covariance().fit(X).transform(X).shape
    (150, 4)
    """

    _needs_labels = False
    _found = ()

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Take the covariance of the points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : ignored
            For pipelines.

        Returns
        -------
        self : object
        """
        return self._learn_by(unsupervised.Covariance(), self._points(X))


@translated(n_components=None, k=None, embedding_type="weighted", preprocessor=None)
class LFDA(PointsLearner):
    """Local Fisher discriminant analysis, by :class:`freemetric.LFDA`.

    Parameters
    ----------
    k : int or None, default=None
        Neighbour that sets the scale of a point: at most one less than there are features, and that, or 7, by default.
    embedding_type : {"weighted", "orthonormalized", "plain"}, default="weighted"
        Directions times the root of their eigenvalue, an orthonormal basis of their span, or as they are.

    Examples
    --------
    {iris}
    >>> from freemetric.metric_learn import LFDA
    >>> LFDA(k=2, n_components=2).fit(X, y).transform(X).shape
    (150, 2)
    """

    _names = {"n_neighbors": "k", "embedding": "embedding_type"}
    _found = ()

    def _learn_points(self, X, y):
        check_n_components(self.n_components, X.shape[1])
        k = self._n_neighbors(max(X.shape[1] - 1, 1))
        return self._learn_by(self._translate(discriminants.LFDA, n_neighbors=k, embedding=self.embedding_type), X, y)

    def _n_neighbors(self, most):
        """metric-learn limits them by the number of features."""
        if self.k is not None and self.k > most:
            warn_of_data(f"Chosen k ({self.k}) too large, using {most} instead.")
        return min(7 if self.k is None else self.k, most)


@translated(
    init="auto",
    n_neighbors=3,
    min_iter=50,
    max_iter=1000,
    learn_rate=1e-7,
    regularization=0.5,
    convergence_tol=0.001,
    verbose=False,
    preprocessor=None,
    n_components=None,
    random_state=None,
    k=DEPRECATED,
)
class LMNN(PointsLearner):
    """Large margin nearest neighbours, by :class:`freemetric.LMNN`.

    Parameters
    ----------
    n_neighbors : int, default=3
        Target neighbours of each point.
    min_iter : int, default=50
        Not used: L-BFGS needs no least number of iterations.
    learn_rate : float, default=1e-7
        Not used: L-BFGS finds the length of its steps.
    regularization : float in [0, 1), default=0.5
        Weight of the pull towards the targets against the push of the impostors.
    convergence_tol : float, default=0.001
        Stop when an iteration lowers the mean loss of a point by less than a tenth of this.
    k : int, default="deprecated"
        The old name of ``n_neighbors``.

    Examples
    --------
    {iris}
    >>> from freemetric.metric_learn import LMNN
    >>> LMNN(n_neighbors=5, learn_rate=1e-6).fit(X, y).components_.shape
    (4, 4)
    """

    _names = {"tol": "convergence_tol"}

    def _learn_points(self, X, y):
        learner = self._translate(
            lmnn.LMNN,
            n_neighbors=renamed(self.k, self.n_neighbors, "k", "n_neighbors"),
            init=start(self.init, X, self.n_components, len(np.unique(y))),
            tol=self.convergence_tol / 10,
        )
        return self._learn_by(learner, X, y)


@translated(init="auto", n_components=None, max_iter=100, tol=None, **LAST)
class NCA(PointsLearner):
    """Neighbourhood components analysis, by :class:`freemetric.NCA`.

    Parameters
    ----------
    tol : float or None, default=None
        Stop when an iteration lowers the expected error by less; None: 1e-7, about where metric-learn's ends.

    Examples
    --------
    {iris}
    >>> from freemetric.metric_learn import NCA
    >>> NCA(n_components=2).fit(X, y).get_mahalanobis_matrix().shape
    (4, 4)
    """

    def _learn_points(self, X, y):
        init = start(self.init, X, self.n_components, len(np.unique(y)))
        tol = TOL_OF_NCA if self.tol is None else self.tol
        return self._learn_by(self._translate(nca.NCA, init=init, tol=tol), X, y)


@translated(n_components=None, init="auto", tol=None, max_iter=1000, **LAST)
class MLKR(PointsLearner):
    """Metric learning for kernel regression, by :class:`freemetric.MLKR`.

    Parameters
    ----------
    init : {"auto", "pca", "identity", "random"} or array of shape (n_components, n_features), default="auto"
        Where the search begins. "auto": "pca" where there are fewer components than features and points, else
        "identity".
    tol : float or None, default=None
        Stop when an iteration lowers the error, a share of the variance of y, by less; None: as
        :class:`freemetric.MLKR`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric.metric_learn import MLKR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> MLKR(n_components=2).fit(X[:100], y[:100]).transform(X).shape
    (442, 2)
    """

    _options = {"y_numeric": True}

    def _learn_points(self, X, y):
        tol = nca.MLKR().tol if self.tol is None else self.tol
        learner = self._translate(nca.MLKR, init=start(self.init, X, self.n_components), tol=tol)
        return self._learn_by(learner, X, y)


@translated(n_components=None, preprocessor=None)
class RCA(PointsLearner):
    """Relevant component analysis from chunks, by :class:`freemetric.RCA`.

    Examples
    --------
    >>> from freemetric.metric_learn import RCA
    >>> X = [[-0.05, 3.0], [0.05, -3.0], [0.1, -3.55], [-0.1, 3.55], [-0.95, -0.05], [0.95, 0.05]]
    >>> RCA().fit(X, [0, 0, 1, 1, 2, 2]).components_.shape
    (2, 2)
    """

    _found = ()

    def fit(self, X: ArrayLike, chunks: ArrayLike) -> Self:
        """Learn the map from chunks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        chunks : array-like of int of shape (n_samples,)
            The chunk of each point, -1 where it is in none.

        Returns
        -------
        self : object
        """
        points, numbers = self._points(X, chunks)
        return self._learn_chunks(points, np.asarray(numbers, dtype=int))

    def _learn_chunks(self, X, chunks):
        check_n_components(self.n_components, X.shape[1])
        return self._learn_by(chunklets.RCA(self.n_components), X, chunks=chunks)


@translated(n_components=None, n_chunks=100, chunk_size=2, preprocessor=None, random_state=None, num_chunks=DEPRECATED)
class RCA_Supervised(RCA):  # noqa: N801 - metric-learn's name
    """Relevant component analysis from labels: chunks are drawn from them.

    Parameters
    ----------
    n_chunks : int, default=100
        Chunks to draw.
    chunk_size : int, default=2
        Points of each.
    num_chunks : int, default="deprecated"
        The old name of ``n_chunks``.

    Examples
    --------
    {iris}
    >>> from freemetric.metric_learn import RCA_Supervised
    >>> RCA_Supervised(n_chunks=30, chunk_size=2, random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """

    fit = PointsLearner.fit  # type: ignore[assignment]  # from labels, not from chunks

    def _learn_points(self, X, y):
        n_chunks = renamed(self.num_chunks, self.n_chunks, "num_chunks", "n_chunks")
        drawn = Constraints(partial_labels(y)).chunks(n_chunks, self.chunk_size, self.random_state)
        return self._learn_chunks(X, drawn)
