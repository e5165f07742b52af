"""Data values: what every training sample is worth to the votes, by exact Shapley values of k nearest neighbours."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from ..learners.base import one_blas_thread
from ..learners.parameters import documented
from ..metrics import Member, TrainingSet
from ..metrics.index import mapped, seen_in
from .fitted import FittedEnsemble
from .model import Ensemble
from .oob import OOBIndices, left_out_by_all, numbers_of

AFFORDABLE = 1e9  # distances that are sorted, of about 0.2 microseconds each
BLOCK = 1 << 21  # distances at a time

SHARED = {
    "neighbors": """Parameters
    ----------
    targets : ndarray of shape (n_samples, n_neighbors)
        Labels or targets of all neighbours of every sample, the nearest first.
    truth : ndarray of shape (n_samples,)
        Those of the samples.
    weights : ndarray of shape (most,)
        w, of votes of k = 1, 2, ... nearest neighbours, or of means over them.

    Returns
    -------
    s : ndarray of shape (n_samples, n_neighbors)
        Values, in the order of the neighbours.

    References
    ----------
    .. [1] R. Jia, D. Dao, B. Wang et al., "Efficient Task-Specific Data Valuation for Nearest Neighbor
       Algorithms", Proceedings of the VLDB Endowment 12, 2019.""",
}
"""Descriptions that several docstrings below share."""


@documented(SHARED)
def class_shapley(targets: NDArray, truth: NDArray, weights: NDArray) -> NDArray[np.float64]:
    r"""Shapley values of the neighbours of samples whose class is known.

    The worth of a set S of neighbours is the share of its votes for the true class y,
    :math:`v(S) = \sum_k \frac{w_k}{k} \#\{j \le \min(k, |S|): y_{(j)} = y\}`, where :math:`y_{(j)}` is the label of the
    j-th nearest of S. With :math:`c_i = \sum_k w_k \min(k, i) / (k i)` the i-th nearest of N has the value

    .. math:: s_i = c_i [y_i = y] + \sum_{j > i} (c_j - c_{j - 1}) [y_j = y].

    Costs O(N) for each sample, once its neighbours are sorted.

    {neighbors}

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.ensemble.data_values import class_shapley
    >>> class_shapley(np.array([[1, 0]]), np.array([1]), np.array([1.0]))
    array([[1., 0.]])
    """
    agrees = (targets == truth[:, None]).astype(np.float64)
    c = _reached(weights, targets.shape[1])
    steps = agrees * np.diff(c, prepend=0.0)
    return agrees * c + _sums_behind(steps)


@documented(SHARED)
def regression_shapley(targets: NDArray, truth: NDArray, weights: NDArray) -> NDArray[np.float64]:
    r"""Shapley values of the neighbours of samples whose target is known.

    The worth of a set S of neighbours is minus its squared error,
    :math:`v(S) = -\sum_k w_k (\frac1k \sum_{j \le \min(k, |S|)} z_{(j)} - z)^2`. An empty set predicts zero, so that
    targets should be centred. Of neighbours i and i + 1, with :math:`p_i = \min(k, i) / i` and
    :math:`b_i = \min(k, i) \min(k - 1, i - 1) / (2 i (i - 1))`,

    .. math:: s_i - s_{i+1} = \frac{z_{i+1} - z_i}{k} \left\{p_i \left(\frac{z_i + z_{i+1}}{k} - 2 z\right)
        + \frac2k \left(b_i \sum_{l < i} z_l + \sum_{l > i + 1} b_{l - 1} z_l\right)\right\},

    summed over k by w, and all values add up to v of all neighbours less v of none. Costs O(N) for each sample, once
    its neighbours are sorted.

    {neighbors}

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.ensemble.data_values import regression_shapley
    >>> float(regression_shapley(np.array([[2.0, 5.0]]), np.array([2.0]), np.array([1.0])).sum())
    4.0
    """
    z, N = targets.astype(np.float64), targets.shape[1]
    k, i = np.arange(1, len(weights) + 1), np.arange(1, N + 1)[:, None]
    first, both = _reached(weights, N), _reached(weights / k, N)
    pairs = np.minimum(k, i) * np.minimum(k - 1, i - 1) / np.maximum(2 * i * (i - 1), 1) @ (weights / k**2)
    ahead = np.cumsum(z, axis=1)[:, :-1] - z[:, :-1]  # sums over l < i
    behind = _sums_behind(z[:, 1:] * pairs[:-1])  # over l > i + 1, of which b has the number l - 1
    sums = both[:-1] * (z[:, :-1] + z[:, 1:]) - 2 * first[:-1] * truth[:, None] + 2 * (pairs[:-1] * ahead + behind)
    s = np.zeros(z.shape)
    s[:, :-1] = np.cumsum((np.diff(z, axis=1) * sums)[:, ::-1], axis=1)[:, ::-1]
    means = np.cumsum(z, axis=1)[:, np.minimum(k, N) - 1] / k
    whole = ((truth**2)[:, None] - (means - truth[:, None]) ** 2) @ weights
    return s + ((whole - s.sum(axis=1)) / N)[:, None]


def _reached(weights, N):
    """sum_k w_k min(k, i) / (k i) of i = 1..N."""
    k, i = np.arange(1, len(weights) + 1), np.arange(1, N + 1)[:, None]
    return np.minimum(k, i) / i @ (weights / k)


def _sums_behind(terms):
    """Of every column the sum of those behind it."""
    return np.cumsum(terms[:, ::-1], axis=1)[:, ::-1] - terms


class Scored(NamedTuple):
    """Samples whose votes are scored."""

    X: NDArray  # (n, d)
    truth: NDArray  # (n,) class numbers, or (n, m) targets
    weights: NDArray  # (n,), of sum one
    numbers: NDArray[np.intp]  # (n,) which training samples they are, and do not vote for themselves; -1: none
    left_out: list[NDArray[np.bool_]]  # for every member (R, n): which replicas score them

    @classmethod
    def oob(cls, ensemble: Ensemble, oob_indices: OOBIndices) -> "Scored":
        """Out-of-bag samples, each by the replicas that left it out; fewer if that is too expensive."""
        training_set, left_out = ensemble.training_set, oob_indices.left_out(ensemble.members)
        able = left_out_by_all(left_out)
        if not len(able):
            raise ValueError("No training sample was out of bag for every candidate; give X and y to score by.")
        each = len(training_set) * np.mean([some[:, able].sum(axis=0) for some in left_out]) * len(left_out)
        most = max(1, int(min(len(able), AFFORDABLE / each)))
        taken = able[np.unique(np.linspace(0, len(able) - 1, most).astype(int))]
        numbers = numbers_of(oob_indices.rows[taken], training_set.rows)
        w = np.ones(len(taken)) if training_set.weights is None else training_set.weights[numbers]
        X, truth = training_set.X[numbers], training_set.y[numbers]
        return cls(X, truth, w / w.sum(), numbers, [replicas[:, taken] for replicas in left_out])


class Neighbors:
    """All training samples in the order of their distances, in any space.

    Samples at one place come in the order of their targets, and in a second one the other way round: equal samples have
    equal values.
    """

    def __init__(self, training_set: TrainingSet):
        self.places, y = training_set.places, training_set.y
        key = y if y.ndim == 1 else y[:, 0]
        self.starts = np.cumsum(self.places.counts) - self.places.counts
        keys = [key] if self.places.are_single else [key, -key.astype(np.float64)]
        self.by_place = [np.lexsort((some, self.places.of_row)) for some in keys]

    def orders(self, Z: NDArray, Q: NDArray, own: NDArray) -> Iterator[NDArray[np.intp]]:
        """Numbers (n, N) of the samples nearest to queries Q, all without the query's own where it has one (n,)."""
        nearest = np.argsort(cdist(Q, Z, "sqeuclidean"), axis=1)
        counts = self.places.counts[nearest.ravel()]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        at = np.repeat(self.starts[nearest.ravel()], counts) + within
        for by_place in self.by_place:
            rows = by_place[at].reshape(len(Q), -1)
            yield rows if (own < 0).all() else rows[rows != own[:, None]].reshape(len(Q), -1)


def mean_values(ensemble: Ensemble, scored: Scored, n_jobs: int | None = None) -> NDArray[np.float64]:
    """Values (N,) of the training samples: means over scored samples and replicas, of all members by their weights."""
    training_set, neighbors = ensemble.training_set, Neighbors(ensemble.training_set)
    seen = seen_in(ensemble.views, training_set.X[training_set.places.rows])
    queries, y = seen_in(ensemble.views, scored.X), training_set.y

    def values(rows, truth, weights):
        """Values (n, N) of neighbours ``rows`` (n, N); of several targets their mean."""
        if y.dtype.kind != "f":
            return class_shapley(y[rows], truth, weights)
        columns = zip(y.reshape(len(y), -1).T, truth.reshape(len(truth), -1).T, strict=True)
        return np.mean([regression_shapley(z[rows], t, weights) for z, t in columns], axis=0)

    def of_space(member: Member, weights, replica, fair, per_sample):
        Z, Q = (mapped(member, some, replica)[0].astype(np.float64) for some in (seen, queries))
        total, size = np.zeros(len(y)), max(1, BLOCK // len(y))
        for start in range(0, len(fair), size):
            part = fair[start : start + size]
            for rows in neighbors.orders(Z, Q[part], scored.numbers[part]):
                found = values(rows, scored.truth[part], weights) * per_sample[part, None]
                total += np.bincount(rows.ravel(), found.ravel(), len(total)) / len(neighbors.by_place)
        return total

    tasks = []
    for member, row, left_out in zip(ensemble.members, ensemble.weights, scored.left_out, strict=True):
        weights, per_sample = np.trim_zeros(row, "b"), scored.weights / left_out.sum(axis=0)
        tasks += [(member, weights, r, np.flatnonzero(fair), per_sample) for r, fair in enumerate(left_out)]
    return np.sum(Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(of_space)(*task) for task in tasks), axis=0)


class DataValuesMixin(FittedEnsemble):
    """Data values of an estimator with an ``ensemble_`` and its ``oob_indices_``."""

    def data_values(self, X: ArrayLike | None = None, y: ArrayLike | None = None) -> NDArray[np.float64]:
        r"""What every training sample is worth to the votes: exact Shapley values of k nearest neighbours.

        The worth of a set of training samples is what its votes alone achieve, without calibration, class densities and
        trends: the share of votes for the true class, or minus the squared error of the neighbours' mean in units of
        the target's variance. It is averaged over scored samples, over the spaces of all replicas, and over members and
        numbers of neighbours by their weights. A value is the mean gain of this worth when the sample joins a set of
        the others, over all sets:

        .. math:: s_i = \frac1N \sum_{S \not\ni i} \binom{N - 1}{|S|}^{-1} \{v(S \cup \{i\}) - v(S)\}.

        Values add up to the worth of all samples less that of none. A sample with a value below zero does harm: its
        label may be wrong, or it lies where classes overlap. A wrong label votes against its neighbours, which is what
        lowers its value. Metrics and weights of the model are taken as they are.

        Costs O(N log N) for each scored sample in every space. Beyond about 6,000 samples not all of them score, but
        all have values.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            Samples that score. None: the training samples, each without itself and by the replicas that left it out of
            their bags.
        y : array-like of shape (n_samples,) or (n_samples, n_targets) or None, default=None
            Their targets.

        Returns
        -------
        values : ndarray of shape (n_rows,)
            For every row given to fit; NaN where a row is not in the training set. A sample weight is that of a scored
            sample; every sample has one vote.

        References
        ----------
        .. [1] R. Jia, D. Dao, B. Wang et al., "Efficient Task-Specific Data Valuation for Nearest Neighbor
           Algorithms", Proceedings of the VLDB Endowment 12, 2019.

        Examples
        --------
        {wrong_label}
        >>> values = FreeEnergyClassifier(n_replicas=10, random_state=0).fit(X, y).data_values()
        >>> int(values.argmin()), bool(values[7] < 0)
        (7, True)
        """
        check_is_fitted(self)
        self._check_keeps_rows()
        ensemble = self.ensemble_
        if X is None and y is None:
            scored = Scored.oob(ensemble, self.oob_indices_)
        elif X is None or y is None:
            raise ValueError("data_values takes X and y together, or neither.")
        else:
            samples, truth = self._samples(X), self._known_targets(y)
            n = len(truth)
            if len(samples) != n:
                raise ValueError(f"X has {len(samples)} samples, and y has {n}.")
            by_all = [np.ones((len(member), n), dtype=bool) for member in ensemble.members]
            scored = Scored(samples, truth, np.full(n, 1 / n), np.full(n, -1), by_all)
        values = np.full(self._n_rows_given, np.nan)
        with one_blas_thread():
            values[ensemble.training_set.rows] = mean_values(ensemble, scored, self.n_jobs)
        return values
