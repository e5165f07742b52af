"""Estimators of metric-learn's names that learn from points: from their labels, from chunks, or without either."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from .. import learners
from ..exceptions import warn_of_data
from ..learners.base import MetricLearner
from ..learners.validation import check_magnitude, check_samples
from .base import DEPRECATED, LAST, Mahalanobis, translated
from .constraints import Constraints, partial_labels
from .starts import check_n_components, start

TOL_OF_NCA = 1e-7  # where metric-learn goes on as far as scipy does


class PointsLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Mahalanobis):
    """Transformers that learn from points and labels; subclasses have ``_learn_points(X, y)`` or ``_learner(X, y)``."""

    _fitted_on = "points"
    _needs_labels = True
    _options: dict[str, Any] = {}  # of the validation
    _learner: Callable[..., MetricLearner]  # of ours, for points X (N, d) and labels y (N,)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the metric from labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples,)
            Points, or indicators of points.
        y : array-like of shape (n_samples,)
            Class labels, or a numeric target for MLKR. If pairs, triplets or chunks are drawn from labels, negative
            ones are unknown.
        """
        return self._learn_points(*self._points(X, y))

    def _learn_points(self, X, y):
        return self._learn_by(self._learner(X, y), X, y)

    def transform(self, X: ArrayLike) -> NDArray:
        return super().transform(X)  # here, so that set_output finds it

    def _points(self, X: Any, *y: Any) -> Any:
        """Points (N, d) and labels, checked; the number and names of features are learned."""
        options = {"dtype": np.float64, "order": "C", "ensure_min_samples": 2} | self._options
        checked = check_samples(self, self._formed_points(X), *y, **options)
        check_magnitude(checked[0] if y else checked)
        return checked

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_labels
        tags.input_tags.sparse = True
        return tags


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
