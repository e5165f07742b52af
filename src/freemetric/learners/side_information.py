"""Pairs, triplets, quadruplets and chunklets instead of labels: checked, drawn from labels, and bases of learners."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import inv
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array

from ..energies.large_margin import targets_of
from ..exceptions import warn_of_data
from ..printable import counted
from .base import MetricLearner, generator
from .linear_algebra import covariance
from .training_rows import canonical_order

COPY = 1e-20  # relative to the largest squared difference
PAIRS_PER_CLASS_PAIR = 20
FEWEST_PAIRS, MOST_PAIRS = 1000, 10_000
Given = ArrayLike | None


def check_chunks(chunks: ArrayLike, n_samples: int) -> NDArray:
    """Chunk indices 0..C-1 of the samples, -1 where a sample belongs to none."""
    chunks = np.asarray(chunks)
    if chunks.shape != (n_samples,) or not np.issubdtype(chunks.dtype, np.integer):
        raise ValueError(f"chunks must be {n_samples} integers, one per row of X; got {_shape_of(chunks)}.")
    known, dense = np.unique(chunks[chunks >= 0], return_inverse=True)
    if not len(known):
        raise ValueError("chunks has no chunk: every entry is negative.")
    result = np.full(n_samples, -1)
    result[chunks >= 0] = dense
    return result


def check_pairs(pairs: Given, pair_labels: Given, n_samples: int) -> tuple[NDArray, NDArray[np.bool_]]:
    """Index pairs (n, 2) and whether each is similar; ``pair_labels`` are +1 and -1."""
    if pairs is None:
        raise ValueError("pair_labels needs pairs: indices into X.")
    if pair_labels is None:
        raise ValueError("pairs needs pair_labels: +1 for similar, -1 for dissimilar pairs.")
    indices, labels = check_tuples(pairs, 2, n_samples, "pairs"), np.asarray(pair_labels)
    if labels.shape != (len(indices),) or not np.isin(labels, (-1, 1)).all():
        raise ValueError(f"pair_labels must be {counted(len(indices), 'value')} of +1 or -1; got {_shape_of(labels)}.")
    return indices, labels == 1


def check_tuples(tuples: ArrayLike, width: int, n_samples: int, name: str, source: str = "X") -> NDArray:
    """Tuples (n, width) of row indices of ``source``; ValueError where they are none."""
    indices = np.asarray(tuples)
    is_one = indices.ndim == 2 and indices.shape[1] == width and len(indices) > 0
    if not is_one or not np.issubdtype(indices.dtype, np.integer):
        what = f"{name} must be integers of shape (n, {width}), indices into {source}"
        raise ValueError(f"{what}; got {_shape_of(indices)}.")
    outside = (indices < 0) | (indices >= n_samples)
    if outside.any():
        row = int(outside.any(axis=1).argmax())
        where = f"points outside {source}, which has {counted(n_samples, 'row')}"
        raise ValueError(f"{name}[{row}] = {indices[row].tolist()} {where}.")
    return indices


def check_tuple_weights(weights: Given, n_tuples: int) -> NDArray[np.float64]:
    """Weights (n,) of tuples, ones for None."""
    if weights is None:
        return np.ones(n_tuples)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (n_tuples,) or not (np.isfinite(given) & (given >= 0)).all() or not given.any():
        what = f"weights must be {counted(n_tuples, 'number')}, none below 0 and some above"
        raise ValueError(f"{what}; got {_shape_of(given)}.")
    return given


def usual_number_of_pairs(y: NDArray) -> int:
    """Default number of pairs: proportional to the squared number of classes, never more than exist."""
    wanted = int(np.clip(PAIRS_PER_CLASS_PAIR * len(np.bincount(y)) ** 2, FEWEST_PAIRS, MOST_PAIRS))
    return min(wanted, *(2 * count for count in count_pairs(y)))


def count_pairs(y: NDArray) -> tuple[int, int]:
    """How many pairs of rows there are within classes, and between them."""
    counts = np.bincount(y)
    within = int((counts * (counts - 1) // 2).sum())
    return within, len(y) * (len(y) - 1) // 2 - within


def draw_pairs(rng: np.random.Generator, X: NDArray, y: NDArray, n_pairs: int) -> tuple[NDArray, NDArray[np.bool_]]:
    """Distinct pairs (n, 2), half of them similar, independent of the order of rows; fewer with a warning."""
    (within, between), wanted = count_pairs(y), n_pairs // 2
    if wanted > min(within, between):
        wanted = min(within, between)
        warn_of_data(f"Only {within} similar and {between} dissimilar pairs exist; {wanted} of each are used.")
    order = canonical_order(X, y, np.ones(len(y)))
    pairs = np.vstack([draw_similar(rng, y[order], wanted), draw_dissimilar(rng, y[order], wanted)])
    return np.sort(order[pairs], axis=1), np.arange(2 * wanted) < wanted


def draw_similar(rng: np.random.Generator, y: NDArray, n_pairs: int) -> NDArray:
    """``n_pairs`` distinct pairs (n, 2) of one class each, if there are so many."""
    order, counts = np.argsort(y, kind="stable"), np.bincount(y)
    begin, n_each = np.cumsum(counts) - counts, counts * (counts - 1)

    def propose(n):  # a class by its number of pairs, then two of its members
        c = rng.choice(len(counts), size=n, p=n_each / n_each.sum())
        first = rng.integers(counts[c])
        second = (first + rng.integers(1, counts[c])) % counts[c]
        return order[begin[c, None] + np.column_stack([first, second])]

    return _draw(y, n_pairs, propose)


def draw_dissimilar(rng: np.random.Generator, y: NDArray, n_pairs: int) -> NDArray:
    """``n_pairs`` distinct pairs (n, 2) of two classes each, if there are so many."""

    def propose(n):
        pairs = rng.integers(len(y), size=(2 * n, 2))
        return pairs[y[pairs[:, 0]] != y[pairs[:, 1]]]

    return _draw(y, n_pairs, propose)


def differ(V: NDArray) -> NDArray[np.bool_]:
    """Which differences (n, d) of pairs are more than rounding."""
    squared = np.einsum("ni,ni->n", V, V)
    return squared > COPY * squared.max(initial=0.0)


def _draw(y, wanted, propose):
    """``wanted`` distinct unordered pairs out of a proposal that may repeat itself."""
    keys = np.empty(0, dtype=np.int64)
    while len(keys) < wanted:
        pairs = np.sort(propose(2 * (wanted - len(keys)) + 8), axis=1)
        fresh = pairs[:, 0] * len(y) + pairs[:, 1]
        fresh = fresh[np.sort(np.unique(fresh, return_index=True)[1])]  # first occurrences, in the order drawn
        keys = np.concatenate([keys, fresh[~np.isin(fresh, keys)]])
    keys = keys[:wanted]
    return np.column_stack([keys // len(y), keys % len(y)])


def _shape_of(array):
    return f"{array.dtype} of shape {array.shape}"


def class_neighbors(X: NDArray, y: NDArray, n_own: int, n_other: int) -> tuple[NDArray, NDArray]:
    """Indices of the nearest samples of the own class (N, n_own) and of others (N, n_other), filled up by -1."""
    other = np.full((len(X), n_other), -1)
    for c in np.unique(y):
        inside, outside = np.flatnonzero(y == c), np.flatnonzero(y != c)
        k = min(n_other, len(outside))
        if k > 0:
            search = NearestNeighbors(n_neighbors=k).fit(X[outside])
            other[inside, :k] = outside[search.kneighbors(X[inside], return_distance=False)]
    return targets_of(X, y, n_own), other


class TripletLearner(MetricLearner):
    """Subclasses implement ``_learn(X, y, triplets=None)``, where one of y and triplets is None."""

    def fit(self, X: ArrayLike, y: Given = None, *, triplets: Given = None) -> Self:
        """Learn the metric from labels or from triplets.

        ``triplets`` (n_triplets, 3) are indices into X: the first sample is nearer to the second than to the third.
        They replace y.
        """
        return self._fit(X, y, triplets=triplets)


class PairLearner(MetricLearner):
    """Subclasses implement ``_learn(X, y, pairs=None, pair_labels=None)``, where one of y and pairs is None."""

    _needs_similar = _needs_dissimilar = False

    def fit(self, X: ArrayLike, y: Given = None, *, pairs: Given = None, pair_labels: Given = None) -> Self:
        """Learn the metric from labels, or from pairs known to be similar or dissimilar.

        ``pairs`` (n_pairs, 2) are indices into X; ``pair_labels`` (n_pairs,) are +1 for similar, -1 for dissimilar
        pairs. They replace y.
        """
        return self._fit(X, y, pairs=pairs, pair_labels=pair_labels)

    def _given_pairs(self, X, pairs, pair_labels):
        """Pairs (n, 2) that were given, and which of them are similar."""
        pairs, similar = check_pairs(pairs, pair_labels, len(X))
        if self._needs_similar and (similar.all() or not similar.any()):
            name = type(self).__name__
            raise ValueError(f"{name} learns from similar and dissimilar pairs; all of pair_labels are the same.")
        if self._needs_dissimilar and similar.all():
            raise ValueError("pair_labels has no dissimilar pair: there is nothing to push apart.")
        return pairs, similar

    def _pairs(self, X, y, pairs, pair_labels):
        """Given pairs (n, 2), or pairs drawn from the labels, and which are similar; stores both."""
        if y is None:
            pairs, similar = self._given_pairs(X, pairs, pair_labels)
        else:
            pairs, similar = draw_pairs(generator(self.random_state), X, y, self._n_pairs(y))
        self.pairs_, self.pair_labels_ = self._as_given(pairs), np.where(similar, 1, -1)
        return pairs, similar

    def _n_pairs(self, y):
        return usual_number_of_pairs(y) if self.n_constraints is None else self.n_constraints


class PriorLearner(MetricLearner):
    """A learner with a prior metric, which may be the covariance of all rows."""

    _others_help = property(lambda self: isinstance(self.prior, str) and self.prior == "covariance")

    def _prior(self, X, all_rows=None):
        """M_0 (d, d) of X in its own unit, symmetric and positive definite."""
        X, d = (X if all_rows is None else all_rows) / self._unit, X.shape[1]
        if isinstance(self.prior, str):
            return np.eye(d) if self.prior == "identity" else inv(covariance(X - X.mean(axis=0)))
        M = check_array(self.prior, dtype=np.float64)
        if M.shape != (d, d):
            raise ValueError(f"prior has shape {M.shape}; expected ({d}, {d}).")
        if not np.allclose(M, M.T) or np.linalg.eigvalsh(M)[0] <= 0:
            raise ValueError("prior must be symmetric and positive definite.")
        return self._unit**2 * (M + M.T) / 2
