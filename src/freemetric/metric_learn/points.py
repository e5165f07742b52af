"""Estimators of metric-learn's names that learn from points: from their labels, from chunks, or without either."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .. import learners
from ..exceptions import warn_of_data
from .base import DEPRECATED, LAST, PointsLearner, translated
from .constraints import Constraints, partial_labels
from .starts import check_n_components, start

TOL_OF_NCA = 1e-7  # where metric-learn goes on as far as scipy does


@translated(preprocessor=None)
class Covariance(PointsLearner):
    """The Mahalanobis distance proper: M is the inverse covariance of the points.

    A singular covariance is shrunk by :class:`freemetric.Covariance`, where metric-learn takes the pseudo-inverse.
    """

    _needs_labels = False
    _found = ()

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Learn from the covariance of points X, or of points that X indicates; y is ignored."""
        return self._learn_by(learners.Covariance(), self._points(X))


@translated(n_components=None, k=None, embedding_type="weighted", preprocessor=None)
class LFDA(PointsLearner):
    """Local Fisher discriminant analysis, by :class:`freemetric.LFDA`."""

    _names = {"n_neighbors": "k", "embedding": "embedding_type"}
    _found = ()
    _example = "k=2"

    def _learner(self, X, y):
        check_n_components(self.n_components, X.shape[1])
        most = max(X.shape[1] - 1, 1)  # metric-learn limits k by the number of features
        if self.k is not None and self.k > most:
            warn_of_data(f"Chosen k ({self.k}) too large, using {most} instead.")
        n_neighbors = min(7 if self.k is None else self.k, most)
        return self._translate(learners.LFDA, n_neighbors=n_neighbors, embedding=self.embedding_type)


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
    """Large margin nearest neighbours, by :class:`freemetric.LMNN`."""

    _names = {"tol": "convergence_tol"}
    _example = "n_neighbors=5, learn_rate=1e-6"

    def _learner(self, X, y):
        init, tol = start(self.init, X, self.n_components, len(np.unique(y))), self.convergence_tol / 10
        return self._translate(learners.LMNN, n_neighbors=self._given("n_neighbors"), init=init, tol=tol)


@translated(init="auto", n_components=None, max_iter=100, tol=None, **LAST)
class NCA(PointsLearner):
    """Neighbourhood components analysis, by :class:`freemetric.NCA`."""

    def _learner(self, X, y):
        init = start(self.init, X, self.n_components, len(np.unique(y)))
        return self._translate(learners.NCA, init=init, tol=TOL_OF_NCA if self.tol is None else self.tol)


@translated(n_components=None, init="auto", tol=None, max_iter=1000, **LAST)
class MLKR(PointsLearner):
    """Metric learning for kernel regression, by :class:`freemetric.MLKR`."""

    _options = {"y_numeric": True}

    def _learner(self, X, y):
        tol = learners.MLKR().tol if self.tol is None else self.tol
        return self._translate(learners.MLKR, init=start(self.init, X, self.n_components), tol=tol)


@translated(n_components=None, preprocessor=None)
class RCA(PointsLearner):
    """Relevant component analysis from chunks, by :class:`freemetric.RCA`."""

    _found = ()

    def fit(self, X: ArrayLike, chunks: ArrayLike) -> Self:
        """Learn the map from points X and the numbers of their chunks, (n_samples,); -1 for points in no chunk."""
        points, numbers = self._points(X, chunks)
        return self._learn_chunks(points, np.asarray(numbers, dtype=int))

    def _learn_chunks(self, X, chunks):
        check_n_components(self.n_components, X.shape[1])
        return self._learn_by(learners.RCA(self.n_components), X, chunks=chunks)


@translated(n_components=None, n_chunks=100, chunk_size=2, preprocessor=None, random_state=None, num_chunks=DEPRECATED)
class RCA_Supervised(RCA):  # noqa: N801 - metric-learn's name
    """Relevant component analysis from labels: chunks are drawn from them."""

    _example = "n_chunks=30, chunk_size=2, random_state=0"
    fit = PointsLearner.fit  # type: ignore[assignment]  # from labels, not from chunks

    def _learn_points(self, X, y):
        drawn = Constraints(partial_labels(y)).chunks(self._given("n_chunks"), self.chunk_size, self.random_state)
        return self._learn_chunks(X, drawn)
