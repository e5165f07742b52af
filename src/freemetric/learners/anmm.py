"""ANMM: directions in which neighbours of other classes are farther away than neighbours of the own class."""

from dataclasses import KW_ONLY

import numpy as np
from scipy.linalg import eigh

from .base import MetricLearner
from .parameters import Count, estimator
from .side_information import class_neighbors

BLOCK = 8192  # samples whose differences are held at once


@estimator
class ANMM(MetricLearner):
    r"""Average neighbourhood margin maximisation, in closed form.

    The margin of a sample is the mean squared distance to its nearest samples of other classes less that to its
    nearest samples of its own class. Their average in the learned space is largest for the leading eigenvectors of
    S - C,

    .. math:: \max_{A A^T = I} \operatorname{tr}\left(A (S - C) A^T\right), \quad
        S = \frac1N \sum_i \frac{1}{|O_i|} \sum_{j \in O_i} (x_i - x_j)(x_i - x_j)^T,

    where O_i are the nearest of other classes, and C alike with the nearest of the own class. The rows of A are
    orthonormal: a projection that leaves out what speaks against the classes, and changes no other distance. Nothing is
    inverted, so it does not mind fewer samples than features. Neighbours are those of the space as it is. Costs two
    neighbour searches and O(N k d^2 + d^3).

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep; None keeps all of positive margin, for which the sum of margins is largest.
    n_neighbors : int, default=10
        Nearest of the own class, as many as there are in a smaller one.
    n_others : int, default=10
        Nearest of other classes, as many as there are.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A, with orthonormal rows.
    margins_ : ndarray of shape (n_components,)
        The average margin along every row, the eigenvalue of S - C; falling.
    {classes} {features}

    See Also
    --------
    DMLMJ : The same neighbours, and their ratio instead of their difference.
    LMNN : A margin that every sample has to keep.

    References
    ----------
    F. Wang, C. Zhang, Feature extraction by maximizing the average neighborhood margin, CVPR 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from freemetric import ANMM
    >>> X, y = load_wine(return_X_y=True)
    >>> model = ANMM().fit(minmax_scale(X), y)
    >>> bool((model.margins_ > 0).all())
    True
    >>> ANMM(n_components=2).fit(minmax_scale(X), y).components_.shape
    (2, 13)
    """

    n_components: int | None = None
    _: KW_ONLY
    n_neighbors: int = 10
    n_others: Count = 10

    def _learn(self, X, y):
        counts = np.bincount(y)
        most = max(counts.max() - 1, 1), len(y) - counts.min()
        own, other = class_neighbors(X, y, min(self.n_neighbors, most[0]), min(self.n_others, most[1]))
        margins, directions = eigh(_scatter(X, other) - _scatter(X, own))
        margins, directions = margins[::-1], directions[:, ::-1].T
        p = max(int((margins > 0).sum()), 1) if self.n_components is None else self.n_components
        self.margins_ = margins[:p]
        return directions[:p]


def _scatter(X, neighbors):
    """The mean over samples of the mean of (x_i - x_j)(x_i - x_j)^T over their neighbours j; -1 is no neighbour."""
    N, d = X.shape
    share = 1 / np.maximum((neighbors >= 0).sum(axis=1), 1)
    total = np.zeros((d, d))
    for start in range(0, N, BLOCK):
        i, which = np.nonzero(neighbors[start : start + BLOCK] >= 0)
        V = X[start + i] - X[neighbors[start + i, which]]
        total += V.T @ (V * share[start + i, None])
    return total / N
