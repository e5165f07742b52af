"""Nearest neighbours, each sample left out: errors and F-scores of their votes, and scores of their lists."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels import cpu_kernels, kernels_for
from .base import ENERGIES, Array, Energy
from .soft_neighbors import checked_weights

SPARE = 8  # candidates beyond those wanted: float32 finds them, float64 orders them
AT_A_TIME = 1 << 20  # numbers of a block


def nearest_others(Z: Array, n_neighbors: int, device: str = "cpu") -> NDArray[np.intp]:
    """Rows (R, N, K) of the samples nearest to every sample but itself in spaces Z (R, N, p), nearest first.

    Of samples at equal distances the first rows come first, as long as no more than eight compete for the last place.
    A search costs O(R N^2 p) time and O(R N p) memory. It runs on the CPU.
    """
    if device == "reference":
        return kernels_for(device).others_nearest(Z, n_neighbors)
    R, N, p = Z.shape
    largest = np.abs(Z).max(axis=(1, 2), keepdims=True)
    Z = Z / np.where(largest > 0, largest, 1)  # distances neither over- nor underflow, and their order stays
    candidates = cpu_kernels().others_nearest(Z.astype(np.float32), min(n_neighbors + SPARE, N - 1))
    candidates.sort(axis=2)
    candidates += N * np.arange(R, dtype=candidates.dtype)[:, None, None]  # rows of all spaces, one after another
    Z, rows = Z.reshape(R * N, p), candidates.reshape(R * N, -1)
    found, step = np.empty((R * N, n_neighbors), dtype=np.intp), max(1, AT_A_TIME // (rows.shape[1] * p))
    for start in range(0, R * N, step):
        some = rows[start : start + step]
        apart = Z[some]
        apart -= Z[start : start + step, None]
        order = np.einsum("nkp,nkp->nk", apart, apart).argsort(axis=1, kind="stable")[:, :n_neighbors]
        found[start : start + step] = np.take_along_axis(some, order, axis=1)
    return found.reshape(R, N, n_neighbors) % N


class BoundNearest:
    """A loss of the nearest neighbours of every sample in the spaces of maps, which the energy makes of them.

    The data are one data set or one for each replica, all with the same classes.
    """

    def __init__(self, energy: Any, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, device: str) -> None:
        if not isinstance(energy.n_neighbors, Integral) or energy.n_neighbors < 1:
            raise ValueError(f"n_neighbors of an energy must be a positive integer; got {energy.n_neighbors!r}.")
        data = np.asarray(X, dtype=np.float64)
        stack: Array = data[None] if data.ndim == 2 else data  # (B, N, d)
        self.n_samples: int = stack.shape[1]
        if self.n_samples < 2:
            raise ValueError("Leave-one-out needs at least two samples; X has 1.")
        self.energy, self.device = energy, device
        self.X: Array = stack - stack.mean(axis=1, keepdims=True)
        _, self.y, self.sizes = np.unique(y, return_inverse=True, return_counts=True)
        given = checked_weights(sample_weight, stack)
        weights: Array = np.ones(stack.shape[:2]) if given is None else given
        self.weights: Array = weights / weights.mean(axis=1, keepdims=True)  # ones are summed without rounding
        self.n_neighbors: int = min(int(energy.n_neighbors), self.n_samples - 1)

    def __call__(self, A: Array) -> Array:
        rows = nearest_others(self.X @ np.swapaxes(A, 1, 2), self.n_neighbors, self.device)
        return self.energy._of_rows(rows, np.broadcast_to(self.weights, rows.shape[:2]), self.y, self.sizes)


class VotingEnergy(Energy):
    """An energy of leave-one-out votes; subclasses have ``loss(confusion)``, (R, C, C) to (R,)."""

    def __init__(self, n_neighbors=3):
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        return BoundNearest(self, X, y, sample_weight, device)

    def _of_rows(self, rows: NDArray[np.intp], weights: Array, y: NDArray, sizes: NDArray) -> Array:
        """Energies (R,) of neighbours (R, N, K) and weights (R, N) of mean one: of the confusion of predictions."""
        (R, N), C = weights.shape, len(sizes)
        votes, replica, sample = np.zeros((R, N, C)), np.arange(R)[:, None], np.arange(N)
        for nearest in np.moveaxis(rows, 2, 0):
            votes[replica, sample, y[nearest]] += weights[replica, nearest]
        # Sums that are equal on paper differ by rounding where their terms come in another order.
        predicted = (votes >= votes.max(axis=2, keepdims=True) * (1 - 1e-12)).argmax(axis=2)
        cells = (replica * C + y) * C + predicted
        return self.loss(np.bincount(cells.ravel(), weights.ravel(), minlength=R * C * C).reshape(R, C, C))

    def loss(self, confusion: NDArray) -> Array:
        """Energies (R,) of confusion matrices (R, C, C): weights of the samples by true and predicted class."""
        raise NotImplementedError


class KNNErrorEnergy(VotingEnergy):
    """The leave-one-out error of k nearest neighbours: the share of samples that the others misclassify.

    E(A) = 1/N sum_i [class of i != most frequent class of the k samples nearest to i under A, without i]. Of classes
    with equally many votes the first one wins, as in scikit-learn. With weights the mean and the votes are weighted.

    E is piecewise constant: it has no gradient, and it does not change with the scale of A. Use element or matrix
    moves. An evaluation costs O(N^2 p) time and O(N p) memory.

    Parameters
    ----------
    n_neighbors : int, default=3
        k; all other samples vote where there are fewer.

    References
    ----------
    E. Fix, J. L. Hodges, Discriminatory analysis, nonparametric discrimination: consistency properties, USAF School of
    Aviation Medicine, 1951.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import KNNErrorEnergy
    >>> X, y = load_iris(return_X_y=True)
    >>> KNNErrorEnergy(5).bind(X, y)(np.eye(4)[None]).round(3)
    array([0.033])
    """

    def loss(self, confusion):
        return 1 - np.trace(confusion, axis1=1, axis2=2) / confusion.sum(axis=(1, 2))


class BalancedErrorEnergy(VotingEnergy):
    """One minus the balanced accuracy of leave-one-out votes: the mean over classes of their errors.

    A class counts as much as any other, however few samples it has. Votes are those of :class:`KNNErrorEnergy`.

    Parameters
    ----------
    n_neighbors : int, default=3
        Neighbours that vote.

    References
    ----------
    K. H. Brodersen, C. S. Ong, K. E. Stephan, J. M. Buhmann, The balanced accuracy and its posterior distribution,
    ICPR 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.energies import BalancedErrorEnergy
    >>> X, y = np.array([[0.0], [1.0], [2.0], [2.5], [9.0]]), np.array([0, 0, 0, 1, 1])
    >>> BalancedErrorEnergy(1).bind(X, y)(np.ones((1, 1, 1))).round(3)  # a third of class 0, half of class 1
    array([0.417])
    """

    def loss(self, confusion):
        hits = np.diagonal(confusion, axis1=1, axis2=2)
        return 1 - (hits / confusion.sum(axis=2)).mean(axis=1)


class FBetaEnergy(VotingEnergy):
    r"""One minus the F-score of leave-one-out votes.

    .. math:: F_\beta = \frac{(1 + \beta^2) TP}{(1 + \beta^2) TP + \beta^2 FN + FP}

    of one class, or its mean over all classes. Recall counts beta times as much as precision. Votes are those of
    :class:`KNNErrorEnergy`.

    Parameters
    ----------
    beta : float, default=1.0
        Positive.
    n_neighbors : int, default=3
        Neighbours that vote.
    positive : int or None, default=None
        Number of the class whose score it is, in sorted order; None is the mean over all classes.

    References
    ----------
    C. J. van Rijsbergen, Information Retrieval, Butterworths, 1979.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.energies import FBetaEnergy
    >>> X, y = np.array([[0.0], [1.0], [2.0], [2.5], [9.0]]), np.array([0, 0, 0, 1, 1])
    >>> FBetaEnergy(n_neighbors=1, positive=1).bind(X, y)(np.ones((1, 1, 1)))  # one hit, one miss, one false alarm
    array([0.5])
    """

    def __init__(self, beta=1.0, n_neighbors=3, *, positive=None):
        self.beta = beta
        self.n_neighbors = n_neighbors
        self.positive = positive

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        if not self.beta > 0:
            raise ValueError(f"beta must be positive; got {self.beta!r}.")
        n_classes = len(np.unique(y))
        if self.positive is not None and self.positive not in range(n_classes):
            raise ValueError(f"positive is None or the number of a class, 0 to {n_classes - 1}; got {self.positive!r}.")
        return super().bind(X, y, sample_weight=sample_weight, device=device)

    def loss(self, confusion):
        hits, square = np.diagonal(confusion, axis1=1, axis2=2), self.beta**2
        scores = (1 + square) * hits / (square * confusion.sum(axis=2) + confusion.sum(axis=1))
        return 1 - (scores.mean(axis=1) if self.positive is None else scores[:, self.positive])


class RankingEnergy(Energy):
    r"""One minus the mean quality of the lists of the k nearest samples, each sample being a query to all others.

    Samples of the query's class are relevant, :math:`r_j = 1` at rank j, others are not. A list scores

    - "precision": the share of relevant samples, :math:`\frac1k \sum_j r_j`;
    - "reciprocal_rank": one over the rank of the first relevant one, 0 where none is listed;
    - "ndcg": :math:`\sum_j r_j / \log_2(j + 1)`, divided by what the best list has.

    Queries that are alone in their class have nothing to find and do not count. With weights the mean over queries is
    weighted. E has no gradient. An evaluation costs O(N^2 p) time and O(N (p + k)) memory.

    Parameters
    ----------
    score : {"precision", "reciprocal_rank", "ndcg"}, default="precision"
        The score of a list.
    n_neighbors : int, default=10
        k, the length of the lists.

    References
    ----------
    K. Järvelin, J. Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import RankingEnergy
    >>> X, y = load_iris(return_X_y=True)
    >>> RankingEnergy("precision", 10).bind(X, y)(np.eye(4)[None]).round(3)
    array([0.062])
    """

    def __init__(self, score="precision", n_neighbors=10):
        self.score = score
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        if self.score not in SCORES:
            raise ValueError(f"Unknown score {self.score!r}; known scores: {', '.join(map(repr, SCORES))}.")
        bound = BoundNearest(self, X, y, sample_weight, device)
        if bound.sizes.max() < 2:
            raise ValueError("A ranking needs a class of at least two samples; every class has one.")
        return bound

    def _of_rows(self, rows, weights, y, sizes):
        """Energies (R,): one minus the mean score of lists."""
        others = sizes[y] - 1  # relevant samples of every query
        weights = weights * (others > 0)
        scores = SCORES[self.score](y[rows] == y[:, None], others)
        return 1 - (weights * scores).sum(axis=1) / weights.sum(axis=1)


def _normalised_gain(relevant, others):
    gains = 1 / np.log2(np.arange(relevant.shape[2]) + 2)
    best = np.append(0, gains.cumsum())[np.minimum(others, len(gains))]
    return relevant @ gains / np.where(best > 0, best, 1)


SCORES: dict[str, Callable[[NDArray, NDArray], NDArray]] = {
    "precision": lambda relevant, others: relevant.mean(axis=2),
    "reciprocal_rank": lambda relevant, others: np.where(relevant.any(axis=2), 1 / (1 + relevant.argmax(axis=2)), 0.0),
    "ndcg": _normalised_gain,
}
"""Scores (R, N) of lists by name, from what is relevant in them (R, N, K) and how much is in all (N,)."""

ENERGIES |= {
    "knn-error": KNNErrorEnergy,
    "balanced-error": BalancedErrorEnergy,
    "f-beta": FBetaEnergy,
    "ranking": RankingEnergy,
}
