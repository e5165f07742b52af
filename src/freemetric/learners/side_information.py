"""Pairs, triplets, quadruplets and chunklets instead of labels.

They are checked, or drawn from labels; and the bases of the learners that take them.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import inv
from scipy.sparse import issparse
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array

from ..exceptions import warn_of_data
from ..sklearn_compat import generator
from .base import MetricLearner
from .linear_algebra import covariance
from .validation import canonical_order

COPY = 1e-20  # relative to the largest squared difference
PAIRS_PER_CLASS_PAIR = 20
FEWEST_PAIRS = 1000
MOST_PAIRS = 10_000


def check_chunks(chunks: ArrayLike, n_samples: int) -> NDArray:
    """Chunk indices 0..C-1 of the samples, -1 where a sample belongs to none."""
    chunks = np.asarray(chunks)
    if chunks.shape != (n_samples,) or not np.issubdtype(chunks.dtype, np.integer):
        expected = f"{n_samples} integers, one per row of X"
        raise ValueError(f"chunks must be {expected}; got {_kind_of(chunks)}.")
    is_grouped = chunks >= 0
    if not is_grouped.any():
        raise ValueError("chunks has no chunk: every entry is negative.")
    result = np.full(n_samples, -1)
    result[is_grouped] = np.unique(chunks[is_grouped], return_inverse=True)[1]
    return result


def check_pairs(
    pairs: ArrayLike | None, pair_labels: ArrayLike | None, n_samples: int
) -> tuple[NDArray, NDArray[np.bool_]]:
    """Index pairs (n, 2) and whether each is similar; labels are +1 and -1."""
    if pairs is None or pair_labels is None:
        present = "pairs" if pair_labels is None else "pair_labels"
        missing = "pair_labels" if pair_labels is None else "pairs"
        raise ValueError(f"{present} needs {missing}: both are given, or none.")
    indices = check_tuples(pairs, 2, n_samples, "pairs")
    labels = np.asarray(pair_labels)
    if labels.shape != (len(indices),) or not np.isin(labels, (-1, 1)).all():
        expected = f"{len(indices)} values of +1 or -1"
        raise ValueError(f"pair_labels must be {expected}; got {_kind_of(labels)}.")
    return indices, labels == 1


def check_tuples(
    tuples: ArrayLike, width: int, n_samples: int, name: str, source: str = "X"
) -> NDArray:
    """Tuples (n, width) of row indices of ``source``."""
    indices = np.asarray(tuples)
    is_one = indices.ndim == 2 and indices.shape[1] == width and len(indices) > 0
    if not is_one or not np.issubdtype(indices.dtype, np.integer):
        expected = f"integers of shape (n, {width}), indices into {source}"
        raise ValueError(f"{name} must be {expected}; got {_kind_of(indices)}.")
    outside = (indices < 0) | (indices >= n_samples)
    if outside.any():
        row = int(outside.any(axis=1).argmax())
        where = f"points outside {source}, which has {n_samples} rows"
        raise ValueError(f"{name}[{row}] = {indices[row].tolist()} {where}.")
    return indices


def refuse_tuples(learner: Any, X: Any, y: Any, name: str, width: int) -> None:
    """Say so where X of ``fit`` looks like tuples instead of samples.

    Tuples of samples are an error. Index pairs with labels +1 and -1 have the shape of
    samples with two features, and give a warning.
    """
    samples = X if issparse(X) else np.asarray(X)
    who = type(learner).__name__
    if samples.ndim == 3:
        classifier = f"{name.removesuffix('s').capitalize()}Classifier({who}())"
        what = f"{who}.fit takes samples (n, d), and {name} as indices into them"
        raise ValueError(f"{what}; {classifier}.fit takes {name} of samples.")
    if width != 2 or samples.shape[1:] != (2,) or samples.dtype.kind not in "iu":
        return
    if y is not None and np.isin(y, (-1, 1)).all():
        what = "X has integers in two columns and y is +1 or -1, as index pairs have"
        remedy = "pairs are given as fit(samples, pairs=X, pair_labels=y)"
        warn_of_data(f"{what}; they are taken as samples: {remedy}.")


def check_tuple_weights(
    weights: ArrayLike | None, n_tuples: int
) -> NDArray[np.float64]:
    """Weights (n,) of tuples, ones for None."""
    if weights is None:
        return np.ones(n_tuples)
    values = np.asarray(weights, dtype=np.float64)
    are_weights = np.isfinite(values).all() and (values >= 0).all() and values.any()
    if values.shape != (n_tuples,) or not are_weights:
        expected = f"{n_tuples} numbers, none negative, not all zero"
        raise ValueError(f"weights must be {expected}; got {_kind_of(values)}.")
    return values


def _kind_of(array):
    return f"{array.dtype} of shape {array.shape}"


# Drawing from labels


def usual_number_of_pairs(y: NDArray) -> int:
    """Default number of pairs: 20 n_classes^2, never more than exist."""
    n_classes = len(np.bincount(y))
    wanted = np.clip(PAIRS_PER_CLASS_PAIR * n_classes**2, FEWEST_PAIRS, MOST_PAIRS)
    return min(int(wanted), 2 * min(count_pairs(y)))


def count_pairs(y: NDArray) -> tuple[int, int]:
    """How many pairs of rows there are within classes, and between them."""
    counts = np.bincount(y)
    within = int((counts * (counts - 1) // 2).sum())
    return within, len(y) * (len(y) - 1) // 2 - within


def draw_pairs(
    rng: np.random.Generator, X: NDArray, y: NDArray, n_pairs: int | None
) -> tuple[NDArray, NDArray[np.bool_]]:
    """Distinct pairs (n, 2) of rows with a label, and which are similar: half of them.

    They do not depend on the order of the rows; there may be fewer, with a warning.
    """
    rows = np.flatnonzero(y >= 0)
    labels = y[rows]
    wanted = (usual_number_of_pairs(labels) if n_pairs is None else n_pairs) // 2
    within, between = count_pairs(labels)
    if wanted > min(within, between):
        wanted = min(within, between)
        what = f"Only {within} similar and {between} dissimilar pairs exist"
        warn_of_data(f"{what}; {wanted} of each are used.")
    order = canonical_order(X[rows], labels)
    similar = draw_similar(rng, labels[order], wanted)
    dissimilar = draw_dissimilar(rng, labels[order], wanted)
    pairs = rows[order[np.vstack([similar, dissimilar])]]
    return np.sort(pairs, axis=1), np.arange(2 * wanted) < wanted


def draw_similar(rng: np.random.Generator, y: NDArray, n_pairs: int) -> NDArray:
    """Distinct pairs (n_pairs, 2) of one class each, if there are so many."""
    order = np.argsort(y, kind="stable")
    counts = np.bincount(y)
    begin = np.cumsum(counts) - counts
    n_each = counts * (counts - 1)

    def propose(n):  # a class by its number of pairs, then two of its members
        c = rng.choice(len(counts), size=n, p=n_each / n_each.sum())
        first = rng.integers(counts[c])
        second = (first + rng.integers(1, counts[c])) % counts[c]
        return order[begin[c, None] + np.column_stack([first, second])]

    return _distinct(y, n_pairs, propose)


def draw_dissimilar(rng: np.random.Generator, y: NDArray, n_pairs: int) -> NDArray:
    """Distinct pairs (n_pairs, 2) of two classes each, if there are so many."""

    def propose(n):
        pairs = rng.integers(len(y), size=(2 * n, 2))
        return pairs[y[pairs[:, 0]] != y[pairs[:, 1]]]

    return _distinct(y, n_pairs, propose)


def _distinct(y, wanted, propose):
    """Distinct unordered pairs out of a proposal that may repeat itself."""
    keys = np.empty(0, dtype=np.int64)
    while len(keys) < wanted:
        pairs = np.sort(propose(2 * (wanted - len(keys)) + 8), axis=1)
        keys = np.append(keys, pairs[:, 0] * len(y) + pairs[:, 1])
        keys = keys[np.sort(np.unique(keys, return_index=True)[1])]  # as drawn
    keys = keys[:wanted]
    return np.column_stack([keys // len(y), keys % len(y)])


def are_different(V: NDArray) -> NDArray[np.bool_]:
    """Which differences (n, d) of pairs are more than rounding."""
    squared = np.einsum("ni,ni->n", V, V)
    return squared > COPY * squared.max(initial=0.0)


def class_neighbors(
    X: NDArray, y: NDArray, n_own: int, n_other: int
) -> tuple[NDArray, NDArray]:
    """Nearest samples of the own class (N, n_own) and of others (N, n_other).

    Indices, filled up by -1.
    """
    own = np.full((len(X), n_own), -1)
    other = np.full((len(X), n_other), -1)
    for c in np.unique(y):
        inside = np.flatnonzero(y == c)
        k = min(n_own, len(inside) - 1)
        if k > 0:  # without queries a sample is not its own neighbour
            search = NearestNeighbors(n_neighbors=k).fit(X[inside])
            own[inside, :k] = inside[search.kneighbors(return_distance=False)]
        outside = np.flatnonzero(y != c)
        k = min(n_other, len(outside))
        if k > 0:
            search = NearestNeighbors(n_neighbors=k).fit(X[outside])
            nearest = search.kneighbors(X[inside], return_distance=False)
            other[inside, :k] = outside[nearest]
    return own, other


# A prior metric


def prior_matrix(prior: Any, X: NDArray, unit: float = 1.0) -> NDArray:
    """M_0 (d, d) of X / unit, symmetric and positive definite.

    ``prior`` is "identity", "covariance", of all rows, or a matrix in the units of X.
    """
    d = X.shape[1]
    if isinstance(prior, str):
        if prior == "identity":
            return np.eye(d)
        X = X / unit
        return inv(covariance(X - X.mean(axis=0)))
    M = check_array(prior, dtype=np.float64)
    if M.shape != (d, d):
        raise ValueError(f"prior has shape {M.shape}; expected ({d}, {d}).")
    if not np.allclose(M, M.T) or np.linalg.eigvalsh(M)[0] <= 0:
        raise ValueError("prior must be symmetric and positive definite.")
    return unit**2 * (M + M.T) / 2


def departure(A: NDArray, M0: NDArray, cost: float) -> tuple[float, NDArray]:
    """cost |A^T A - M_0|^2 and its gradient by A."""
    off = A.T @ A - M0
    return cost * float((off**2).sum()), 4 * cost * np.dot(A, off)


# Bases of learners


class TripletLearner(MetricLearner):
    """Subclasses implement ``_learn(X, y, triplets=None)``; y or triplets is None."""

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        triplets: ArrayLike | None = None,
    ) -> Self:
        """Learn the metric from labels or from triplets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Class labels; not used with ``triplets``.
        triplets : array-like of shape (n_triplets, 3), default=None
            Indices into X: the first sample is nearer to the second than to the third.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        refuse_tuples(self, X, y, "triplets", 3)
        return self._fit(X, y, triplets=triplets)


class PairLearner(MetricLearner):
    """Subclasses implement ``_learn(X, y, pairs=None, pair_labels=None)``.

    One of y and pairs is None.
    """

    _needs_similar = False
    _needs_dissimilar = False
    random_state: Any
    n_constraints: int | None

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        pairs: ArrayLike | None = None,
        pair_labels: ArrayLike | None = None,
    ) -> Self:
        """Learn the metric from labels, or from similar and dissimilar pairs.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Class labels; not used with ``pairs``.
        pairs : array-like of shape (n_pairs, 2), default=None
            Indices into X.
        pair_labels : array-like of shape (n_pairs,), default=None
            +1 for similar, -1 for dissimilar pairs.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        refuse_tuples(self, X, y, "pairs", 2)
        return self._fit(X, y, pairs=pairs, pair_labels=pair_labels)

    def _checked_pairs(self, X, pairs, pair_labels):
        """Pairs (n, 2) of a user, and which of them are similar."""
        pairs, similar = check_pairs(pairs, pair_labels, len(X))
        if self._needs_similar and not similar.any():
            raise ValueError("pair_labels has no similar pair to pull together.")
        if (self._needs_similar or self._needs_dissimilar) and similar.all():
            raise ValueError("pair_labels has no dissimilar pair to push apart.")
        return pairs, similar

    def _pairs(self, X, y, pairs, pair_labels):
        """Pairs that were given or drawn from the labels, and which are similar."""
        if y is None:
            return self._checked_pairs(X, pairs, pair_labels)
        return draw_pairs(generator(self.random_state), X, y, self.n_constraints)
