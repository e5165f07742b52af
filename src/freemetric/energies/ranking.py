"""Scores of the lists of nearest neighbours, each sample being a query."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .base import Energy
from .nearest import BoundNearest


class RankingEnergy(Energy):
    r"""One minus the mean quality of the lists of the k nearest samples, each sample
    being a query to all others.

    Samples of the query's class are relevant, :math:`r_j = 1` at rank j, others are
    not. A list scores

    - "precision": the share of relevant samples, :math:`\frac1k \sum_j r_j`;
    - "reciprocal_rank": one over the rank of the first relevant one, 0 where none is
      listed;
    - "ndcg": :math:`\sum_j r_j / \log_2(j + 1)`, divided by what the best list has.

    Queries that are alone in their class have nothing to find and do not count. With
    weights the mean over queries is weighted. E has no gradient. An evaluation costs
    O(N^2 p) time and O(N (p + k)) memory.

    Parameters
    ----------
    score : {"precision", "reciprocal_rank", "ndcg"}, default="precision"
        The score of a list.
    n_neighbors : int, default=10
        k, the length of the lists.

    References
    ----------
    K. Järvelin, J. Kekäläinen, Cumulated gain-based evaluation of IR
    techniques, ACM TOIS 20, 2002.

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
            raise ValueError(
                f"Unknown score {self.score!r}; "
                f"known scores: {', '.join(map(repr, SCORES))}."
            )
        bound = BoundNearest(self, X, y, sample_weight, device)
        if bound.sizes.max() < 2:
            raise ValueError(
                "A ranking needs a class of at least two samples; every class has one."
            )
        return bound

    def of_neighbors(self, rows, weights, y, sizes):
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
    "reciprocal_rank": lambda relevant, others: np.where(
        relevant.any(axis=2), 1 / (1 + relevant.argmax(axis=2)), 0.0
    ),
    "ndcg": _normalised_gain,
}
"""Scores (R, N) of lists by name, from what is relevant in them (R, N, K) and how much
is in all (N,).
"""
