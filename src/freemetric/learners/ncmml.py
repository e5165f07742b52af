"""NCMML: the metric in which the nearest class mean predicts best."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from .base import generator
from .descent import Array, SmoothDescent
from .linear_algebra import group_means
from .parameters import Count, NotNegative, estimator, parameter


@estimator
class NCMML(SmoothDescent):
    r"""Nearest class mean metric learning: class probabilities by the distance to class means.

    .. math:: E(A) = -\frac1N \sum_i \log p(y_i | x_i) + r |A - A_0|^2, \qquad
        p(c | x) = \frac{\exp(-|A x - A m_c|^2 / 2)}{\sum_{c'} \exp(-|A x - A m_{c'}|^2 / 2)},

    by L-BFGS from A_0 on. The means m_c are those of the samples: new classes can be added later by their means alone.
    With several centroids per class p(c | x) is the sum over those of c, found by k-means in every class.

    Attributes
    ----------
    {map}
    centroids_ : ndarray of shape (n_centroids in all, n_features)
        The means of the classes, or their centroids, in the space of X.
    centroid_classes_ : ndarray of shape (n_centroids in all,)
        The class of each centroid, as an index into ``classes_``.
    energy_ : float
        E(A).
    {n_iter} {classes} {features}

    References
    ----------
    T. Mensink, J. Verbeek, F. Perronnin, G. Csurka, Distance-based image classification: generalizing to new classes
    at near-zero cost, IEEE Transactions on Pattern Analysis and Machine Intelligence 35, 2013.

    {knn_on_wine}
    """

    n_components: int | None = None
    n_centroids: Count = parameter(1, "Centroids of a class, at most its distinct samples. One is the mean.")
    regularization: NotNegative = parameter(
        1e-3, "r, the cost of leaving A_0, what ``init`` names; 0 in the reference."
    )
    init: Any = "auto"
    max_iter: int = 200
    tol: float = 1e-6
    warm_start: bool = parameter(False, "Start from the last fit's map; A_0 stays what ``init`` names.")
    verbose: bool = False
    random_state: Any = None

    def _learn(self, X, y):
        X = X / self._unit
        centroids, owners = self._centroids(X, y)
        A0, is_own = self._first_map(X, y), owners == y[:, None]

        def objective(A):
            value, gradient = mean_loss(A, X, centroids, is_own)
            value += self.regularization * float(((A - A0) ** 2).sum())
            return value, gradient + 2 * self.regularization * (A - A0)

        start = self._previous(A0.shape[1], len(A0))
        self.energy_, A = self._descend(objective, A0 if start is None else start)
        self.centroids_, self.centroid_classes_ = centroids * self._unit, owners
        return A

    def _centroids(self, X, y):
        """Centroids (K, d) of all classes and their class indices (K,)."""
        if self.n_centroids == 1:
            return group_means(X, y), np.arange(y.max() + 1)
        seed, found = int(generator(self.random_state).integers(2**31)), []
        for members in (X[y == c] for c in range(y.max() + 1)):
            k = min(self.n_centroids, len(np.unique(members, axis=0)))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # fewer clusters of near copies are fine
                found.append(KMeans(k, n_init=4, random_state=seed).fit(members).cluster_centers_)
        return np.vstack(found), np.repeat(np.arange(len(found)), list(map(len, found)))


def mean_loss(A: Array, X: Array, centroids: Array, is_own: NDArray[np.bool_]) -> tuple[float, Array]:
    """-log p(y_i | x_i), its mean, and the gradient by A; ``is_own`` (N, K) marks centroids of the own class."""
    Z, M = X @ A.T, centroids @ A.T
    scores = Z @ M.T - 0.5 * (M**2).sum(axis=1)  # -|z - m|^2 / 2 without what all centroids have in common
    own = np.where(is_own, scores, -np.inf)
    every, ours = logsumexp(scores, axis=1, keepdims=True), logsumexp(own, axis=1, keepdims=True)
    pull = (np.exp(scores - every) - np.exp(own - ours)) / len(X)  # d loss / d scores: every row sums to zero
    gradient = M.T @ (pull.T @ X) + (pull.T @ Z - pull.sum(axis=0)[:, None] * M).T @ centroids
    return float((every - ours).mean()), gradient
