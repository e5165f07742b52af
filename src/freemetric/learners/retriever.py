"""Search for the nearest items in a learned space."""

from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.preprocessing import Normalizer
from sklearn.utils import check_consistent_length, gen_batches
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from ..files.checks import require
from ..files.estimators import check_attributes
from ..metrics.retrieval_scores import map_at_r
from ..metrics.vector_index import INDEXES, VectorIndex, check_ids, package_of
from ..sklearn_compat import HasMethods, StrOptions, safe_indexing, validate_params
from .base import generator
from .discriminants import LFDA
from .fitting import KeptModel
from .itml import ITML
from .nca import MLKR
from .parallel import one_blas_thread
from .parameters import CountOrNone, estimator, parameter
from .side_information import Given, check_pairs
from .tuples.base import check_takes, fitted, formed, signs_of
from .unsupervised import Euclidean
from .validation import check_samples

BLOCK = 4096  # rows that are mapped at a time
NEIGHBORS = 1 << 22  # of a block of queries that are scored


@estimator
class MetricRetriever(KeptModel, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Finds the items nearest to a query under a learned metric.

    ``fit`` learns the metric from items with labels, grades or pairs, and keeps all items in an index. The distance is

    .. math:: d(q, x) = |f(q) - f(x)|

    with the map f of the learner, ``A x`` for a linear one. The items stay in memory in single precision,
    4 (p + 1) bytes each in a space of p dimensions. An exact search costs O(n p) a query.

    Attributes
    ----------
    {fitted_learner}
    index_ : VectorIndex
        The items in the learned space.
    {features}

    Examples
    --------
    {wine}
    >>> from freemetric import MetricRetriever
    >>> model = MetricRetriever().fit(X[::2], y[::2])
    >>> distances, ids = model.query(X[1::2], k=5)
    >>> ids.shape
    (89, 5)
    >>> bool((y[::2][ids[:, 0]] == y[1::2]).mean() > 0.9)
    True
    >>> len(model.partial_add(X[1::2]).remove([0, 1]).ids)
    176
    """

    learner: Annotated[Any, HasMethods(["fit", "transform"]), StrOptions({"auto", "cosine"}), None] = parameter(
        "auto",
        'The metric learner, or a pipeline that ends with one. "auto" takes `LFDA` for classes, `MLKR` for continuous '
        'targets, `ITML` for pairs, and the Euclidean distance without any. "cosine" takes the cosine distance of the '
        "samples as they are, None the Euclidean one.",
    )
    index: Annotated[str, StrOptions(set(INDEXES))] = parameter(
        "exact",
        "The search: exact, or a graph of one of these packages (extra ``search``), made by the first query. Fewer "
        "than 1000 items are searched exactly. Graphs are built in parallel, and may differ between runs.",
    )
    max_samples: CountOrNone = parameter(
        10_000,
        "Rows that the metric is learned from, drawn at random where there are more; None takes all. From pairs, the "
        "rows that they name. All rows are indexed.",
    )
    n_jobs: int | None = parameter(None, "Threads of the search.")
    random_state: Any = parameter(None, 'Seed of the rows that are drawn, and of the learner that "auto" takes.')

    def fit(
        self, X: ArrayLike, y: Given = None, *, pairs: Given = None, pair_labels: Given = None, ids: Given = None
    ) -> Self:
        """Learn the metric, and index the items.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features), or array-like of shape (n_pairs, 2, n_features)
            Items. A memory-mapped array is read in blocks. Of pairs of items, the distinct ones are the items, in the
            order in which they appear.
        y : array-like of shape (n_items,) or (n_pairs,), default=None
            Classes or grades, whatever the learner takes; for pairs of items +1 where they are similar, else -1.
        pairs : array-like of shape (n_pairs, 2), default=None
            Rows of X that are known to be similar or dissimilar; they replace y.
        pair_labels : array-like of shape (n_pairs,), default=None
            +1 for similar, -1 for dissimilar pairs.
        ids : array-like of shape (n_items,), default=None
            Integers or texts that ``query`` returns; None: rows of X.
        """
        validate_params(self)
        package_of(self.index)  # one that is missing is missed before the metric is learned
        items: Any = with_rows(X)
        if len(items.shape) == 3:
            n_pairs, (items, pairs) = len(items), formed(items, 2, "pairs", None)
            y, pair_labels = None, signs_of(y, n_pairs, "pairs", "similar or dissimilar")
        if pairs is not None or pair_labels is not None:
            self._learn_pairs(items, pairs, pair_labels)
        else:
            self._learn_items(items, y)
        keys = check_ids(ids, items.shape[0])
        self.index_ = VectorIndex.of(self._images(items), keys, self.index)
        self._n_features_out = len(self.index_.centre)
        return self

    def _learn_items(self, X, y):
        if y is not None:
            check_consistent_length(X, y)
        n = X.shape[0] if len(X.shape) else 0
        if self.max_samples is not None and n > self.max_samples:
            rows = np.sort(generator(self.random_state).choice(n, self.max_samples, replace=False))
            X, y = safe_indexing(X, rows), None if y is None else safe_indexing(y, rows)
        if y is None:
            samples = check_samples(self, X, dtype=np.float64)
        else:
            samples, y = check_samples(self, X, y, dtype=np.float64, multi_output=True)
        self.learner_ = fitted(self._chosen(y), samples, {}, y)

    def _learn_pairs(self, X, pairs, pair_labels):
        n = X.shape[0]
        pairs, similar = check_pairs(pairs, pair_labels, n)
        if self.max_samples is not None and n > self.max_samples:
            rows, pairs = (found.reshape(-1) for found in np.unique(pairs, return_inverse=True))
            X, pairs = safe_indexing(X, rows), pairs.reshape(-1, 2)
        samples = check_samples(self, X, dtype=np.float64)
        learner = self._chosen(None, from_pairs=True)
        check_takes(learner, ("pairs",))
        self.learner_ = fitted(learner, samples, {"pairs": pairs, "pair_labels": np.where(similar, 1, -1)})

    def _chosen(self, y, from_pairs=False):
        """The learner, not fitted."""
        if not isinstance(self.learner, str):
            return Euclidean() if self.learner is None else self.learner
        if self.learner == "cosine":
            return Normalizer()
        if from_pairs:
            return ITML(random_state=self.random_state)
        if y is None:
            return Euclidean()
        return MLKR(random_state=self.random_state) if "continuous" in type_of_target(y) else LFDA()

    def _images(self, X):
        """The items in the learned space, block by block."""
        if len(X.shape) != 2 or X.shape[0] <= BLOCK:
            yield self._image(X)
            return
        for rows in gen_batches(X.shape[0], BLOCK):
            yield self._image(safe_indexing(X, np.arange(rows.start, rows.stop)))

    def _image(self, X):
        samples = check_samples(self, X, dtype=np.float64, reset=False)
        return np.asarray(self.learner_.transform(samples), dtype=np.float64)

    def transform(self, X: ArrayLike) -> NDArray:
        """Vectors (n_samples, n_components) whose Euclidean distances are the learned ones, for any other index.

        For "cosine" they have length one, and the squared Euclidean distance is twice the cosine distance.
        """
        check_is_fitted(self)
        return self._image(X)

    @property
    def ids(self) -> NDArray:
        """Ids (n_items,) of all items in the index."""
        check_is_fitted(self)
        return self.index_.ids

    def partial_add(self, X: ArrayLike, ids: ArrayLike | None = None) -> Self:
        """Add items (n, n_features) to the index; the metric stays as it is.

        ``ids`` (n,) are integers or texts as before; None: the integers after the largest. The cost is O(n_items), so
        that many items are better added at once.
        """
        check_is_fitted(self)
        items: Any = with_rows(X)
        n = items.shape[0] if len(items.shape) else 0
        self.index_ = self.index_.added(self._images(items), check_ids(ids, n, self.index_.ids))
        return self

    def remove(self, ids: ArrayLike) -> Self:
        """Remove the items with these ids from the index."""
        check_is_fitted(self)
        self.index_ = self.index_.removed(ids)
        return self

    def query(self, X: ArrayLike, k: int = 10) -> tuple[NDArray[np.float64], NDArray]:
        """The nearest items.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_queries, n_features)
            Queries. An item that is a query itself is found, too.
        k : int, default=10
            Number of items to return.

        Returns
        -------
        distances : ndarray of shape (n_queries, k)
            Learned distances, the smallest first; 1 - cos for "cosine".
        ids : ndarray of shape (n_queries, k)
            Ids of the items.
        """
        check_is_fitted(self)
        check_count(k)
        Z = self._image(X)
        with one_blas_thread():  # products are small, and waiting for a second thread takes longer
            distances, rows = self.index_.search(Z, k, self.n_jobs)
        is_cosine = isinstance(self.learner, str) and self.learner == "cosine"
        return distances**2 / 2 if is_cosine else distances, self.index_.ids[rows]

    def recall(self, X: ArrayLike, k: int = 10) -> float:
        """Share of the k nearest items that ``query`` finds; 1 for an exact index. It costs an exact search."""
        check_is_fitted(self)
        check_count(k)
        Z = self._image(X)
        with one_blas_thread():
            return self.index_.recall(Z, k, self.n_jobs)

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Mean average precision at R of samples of known classes, each a query among all others.

        The items of the index play no part, so that samples of other classes than those of ``fit`` can be scored. It is
        the mean of :func:`freemetric.metrics.map_at_r`, without samples that are alone in their class. In searches over
        parameters, ``cv=StratifiedKFold()`` puts all classes into every fold.
        """
        check_is_fitted(self)
        check_classification_targets(y)
        check_consistent_length(X, y)
        Z, (classes, labels) = self._image(X), np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError("y has one class, so that everything is relevant: StratifiedKFold has all in every fold.")
        items = VectorIndex.of([Z], np.arange(len(Z)))
        k = min(int(np.bincount(labels).max()) + 1, len(Z))
        values = np.empty(len(Z))
        with one_blas_thread():
            for rows in gen_batches(len(Z), max(1, NEIGHBORS // k)):
                found, own = items.search(Z[rows], k, self.n_jobs)[1], np.arange(rows.start, rows.stop)
                values[rows] = map_at_r(found, labels, labels[rows], own)
        if np.isnan(values).all():
            raise ValueError("Every class of y has a single sample: there is nothing to find.")
        return float(np.nanmean(values))

    def check_state(self) -> None:
        """Check that the fitted attributes are consistent; called when a model is saved or loaded."""
        check_attributes(self, ("n_features_in_", "learner_", "index_", "_n_features_out"))
        if hasattr(self, "index_"):
            require(hasattr(self.learner_, "transform"), "learner_ of MetricRetriever", "maps nothing")
            require(type(self.index_) is VectorIndex, "index_ of MetricRetriever", "is something else")
            p = len(self.index_.centre)
            require(p == self._n_features_out, "index_ of MetricRetriever", "is of another space")
            out = getattr(self.learner_, "_n_features_out", p)
            require(out == p, "learner_ of MetricRetriever", "maps to another space")
            d = getattr(self.learner_, "n_features_in_", self.n_features_in_)
            require(d == self.n_features_in_, "learner_ of MetricRetriever", "is of other features")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def with_rows(X: Any) -> Any:
    """X as something whose rows can be taken."""
    if issparse(X):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)


def check_count(k: Any) -> None:
    """ValueError unless k is a positive integer."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(f"k must be a positive integer; got {k!r}.")
