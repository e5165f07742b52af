"""Smooth objectives that L-BFGS lowers over the map: NCMML, and near a prior metric LDML and MCML."""

import warnings
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from ..kernels import cpu_kernels
from .base import generator, one_blas_thread
from .descent import Array, Descent, MapSearch
from .linear_algebra import group_means, map_of
from .parameters import Count, NotNegative, estimator
from .side_information import PairLearner, PriorLearner

KEPT_BYTES = 32 * 2**20  # of MCML's tiles between the two passes


class SmoothDescent(MapSearch):
    """Subclasses call ``_descend`` with their objective in ``_learn``; lengths are in units of X's own."""

    _has_units = True

    def _first_map(self, X, y):
        with one_blas_thread():
            return self._initial(generator(self.random_state), X, y)

    def _previous_of(self, shape):
        """The last fit's map for a warm start where it has this shape; else None."""
        previous = self._previous(shape[1])
        return previous if previous is not None and previous.shape == shape else None

    def _descend(self, objective, start):
        """Lowest value and the array there, from an objective that returns value and gradient."""
        search = Descent(type(self).__name__, objective, start)
        self._run(search)
        return search.best.value, search.best.item


class ConvexDescent(SmoothDescent, PriorLearner):
    """A learner whose objective is convex in M = A^T A and stays near a prior; it descends over the map A."""

    def _beginning(self, X, y, M0):
        """Start of the descent: the last fit's map, the prior's, or the one that ``init`` names."""
        at_prior = isinstance(self.init, str) and self.init == "auto" and self.n_components in (None, len(M0))
        A = map_of(M0) if at_prior else self._first_map(X, y)
        previous = self._previous_of(A.shape)
        return A if previous is None else previous


def departure(A: Array, M0: Array, cost: float) -> tuple[float, Array]:
    """cost |A^T A - M_0|^2 and its gradient by A."""
    off = A.T @ A - M0
    return cost * float((off**2).sum()), 4 * cost * np.dot(A, off)


@estimator
class NCMML(SmoothDescent):
    r"""Nearest class mean metric learning: class probabilities by the distance to class means.

    .. math:: E(A) = -\frac1N \sum_i \log p(y_i | x_i) + r |A - A_0|^2, \qquad
        p(c | x) = \frac{\exp(-|A x - A m_c|^2 / 2)}{\sum_{c'} \exp(-|A x - A m_{c'}|^2 / 2)},

    by L-BFGS from A_0 on. The means m_c are those of the samples: new classes can be added later by their means alone.
    With several centroids per class p(c | x) is the sum over those of c, found by k-means in every class.

    Parameters
    ----------
    {dimensions}
    n_centroids : int, default=1
        Centroids of every class, at most its number of distinct samples. One is the mean.
    regularization : float, default=0.001
        r, the cost of leaving A_0, the map that ``init`` names; 0 in the reference.
    {init} {max_iter} {tol}
    warm_start : bool, default=False
        Start from the last fit's map; A_0 stays what ``init`` names.
    {verbose} {random_state}

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

    Examples
    --------
    {knn_on_wine}
    """

    n_components: int | None = None
    _: KW_ONLY
    n_centroids: Count = 1
    regularization: NotNegative = 1e-3
    init: Any = "auto"
    max_iter: int = 200
    tol: float = 1e-6
    warm_start: bool = False
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

        start = self._previous_of(A0.shape)
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


@estimator
class LDML(ConvexDescent, PairLearner):
    r"""Logistic discriminant metric learning: logistic regression on the distances of pairs.

    .. math:: \min_{M \succeq 0,\, b}\; \left\langle \log\left(1 + \exp(-s_n (b - v_n^T M v_n))\right) \right\rangle_n
        + r |M - M_0|^2,

    where v_n is the difference of the two samples of pair n, s_n = 1 for similar and -1 for dissimilar pairs, and b the
    squared distance at which both are equally likely, :math:`p_n = \sigma(b - v_n^T M v_n)`. The objective is convex in
    M and b; L-BFGS minimises it over the map A, M = A^T A. With all components every minimum is the global one.

    Parameters
    ----------
    {rank}
    regularization : float, default=1e-4
        r, the cost of leaving the prior, with features in units of their largest range. With 0 there is no minimum for
        separable pairs.
    {n_constraints} {prior} {init_at_prior} {max_iter} {tol} {warm_start} {verbose} {random_state}

    Attributes
    ----------
    {map}
    threshold_ : float
        b: pairs of a smaller squared distance are more likely similar than not.
    {objective} {pairs} {n_iter} {classes} {features}

    References
    ----------
    M. Guillaumin, J. Verbeek, C. Schmid, Is that you? Metric learning approaches for face identification, ICCV 2009.

    Examples
    --------
    {wine}
    >>> from freemetric import LDML
    >>> model = LDML(random_state=0).fit(X, y)
    >>> near = model.pair_distance(X[model.pairs_]) ** 2 < model.threshold_
    >>> bool((near == (model.pair_labels_ == 1)).mean() > 0.9)
    True

    {pairs_on_wine}
    """

    n_components: int | None = None
    _: KW_ONLY
    regularization: NotNegative = 1e-4
    n_constraints: int | None = None
    prior: Any = "identity"
    init: Any = "auto"
    max_iter: int = 500
    tol: float = 1e-6
    warm_start: bool = False
    verbose: bool = False
    random_state: Any = None

    _needs_similar = True

    def _learn(self, X, y, pairs=None, pair_labels=None, all_rows=None):
        pairs, similar = self._pairs(X, y, pairs, pair_labels)
        if not len(pairs):
            raise ValueError("LDML learns from similar pairs, too; every class has a single sample.")
        signs = np.where(similar, 1.0, -1.0)
        M0, X = self._prior(X, all_rows), X / self._unit
        V = X[pairs[:, 0]] - X[pairs[:, 1]]
        A = self._beginning(X, y, M0)
        is_warm = self._previous_of(A.shape) is not None
        b = vars(self)["threshold_"] if is_warm else np.median(((V @ A.T) ** 2).sum(axis=1))

        def objective(flat):
            return pair_loss(flat[:-1].reshape(A.shape), flat[-1], V, signs, M0, self.regularization)

        self.objective_, flat = self._descend(objective, np.append(A, b))
        self.threshold_ = float(flat[-1])
        return flat[:-1].reshape(A.shape)


def pair_loss(
    A: Array, b: float, V: Array, signs: NDArray, M0: Array, regularization: float
) -> tuple[float, NDArray[np.float64]]:
    """The objective and its gradient by A and b, flat; differences V (n, d) with signs (n,)."""
    Z, (cost, slope) = V @ A.T, departure(A, M0, regularization)
    margins = signs * (b - (Z**2).sum(axis=1))
    loss = float(np.logaddexp(0, -margins).mean())
    pull = signs * expit(-margins) / len(V)  # - d loss / d (b - D)
    return loss + cost, np.append(2 * (Z * pull[:, None]).T @ V + slope, -pull.sum())


@estimator
class MCML(ConvexDescent):
    r"""Maximally collapsing metric learning: all soft neighbours of the own class, and equally likely.

    .. math:: \min_{M \succeq 0}\; \frac1N \sum_i \mathrm{KL}(q_{i\cdot} \,|\, p_{i\cdot}) + r |M - M_0|^2, \qquad
        p_{ij} = \frac{\exp(-d_{ij})}{\sum_{k \ne i} \exp(-d_{ik})}, \quad d_{ij} = (x_i - x_j)^T M (x_i - x_j),

    where q_ij is the same for all j of the class of i, and 0 for others. The objective is convex in M; L-BFGS minimises
    it over the map A, M = A^T A. With all components every minimum is the global one. Samples alone in their class are
    neighbours of others only.

    Parameters
    ----------
    {rank}
    regularization : float, default=1e-4
        r, the cost of leaving the prior, with features in units of their largest range; 0 in the reference.
    {prior} {init_at_prior} {max_iter} {tol} {warm_start} {verbose} {random_state}

    Attributes
    ----------
    {map} {objective} {n_iter} {classes} {features}

    References
    ----------
    A. Globerson, S. Roweis, Metric learning by collapsing classes, NIPS 2005.

    Examples
    --------
    {knn_on_wine}
    """

    n_components: int | None = None
    _: KW_ONLY
    regularization: NotNegative = 1e-4
    prior: Any = "identity"
    init: Any = "auto"
    max_iter: int = 200
    tol: float = 1e-5
    warm_start: bool = False
    verbose: bool = False
    random_state: Any = None

    def _learn(self, X, y, all_rows=None):
        M0, X = self._prior(X, all_rows), X / self._unit
        collapse = Collapse(X, y)

        def objective(A):
            (value, slope), (cost, back) = collapse(A), departure(A, M0, self.regularization)
            return value + cost, slope + back

        self.objective_, A = self._descend(objective, self._beginning(X, y, M0))
        return A


class Collapse:
    """The mean divergence of samples (N, d) with class indices (N,), and its gradient by A (p, d).

    The mean distance within a class is twice its variance: only the sums over all samples need pairs.
    """

    def __init__(self, X, y):
        X, sizes = X - X.mean(axis=0), np.bincount(y)[y]
        self.X, self.counted = X.astype(np.float32), (sizes > 1).astype(np.float32)
        rows = X - group_means(X, y)[y]
        self.within = 2 * rows.T @ (rows * (sizes / np.maximum(sizes - 1, 1))[:, None]) / len(X)
        self.entropy = np.log(np.maximum(sizes - 1, 1)).mean()

    def __call__(self, A):
        gradient = np.empty(A.shape, np.float32)
        others = cpu_kernels().log_partition(self.X, A.astype(np.float32), self.counted, KEPT_BYTES, gradient)
        pull = A @ self.within
        return float((pull * A).sum() + others - self.entropy), gradient + 2 * pull
