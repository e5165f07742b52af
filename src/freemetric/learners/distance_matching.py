"""A metric from given distances: least squares of squared distances."""

import numpy as np
from scipy.linalg import eigvalsh
from scipy.sparse import issparse
from sklearn.utils import check_array, column_or_1d

from ..sklearn_compat import generator
from .base import MetricLearner
from .constraints import COUNT_OR_NONE, SEARCH
from .descent import BoundedDescent, Descent
from .linear_algebra import map_of
from .side_information import check_tuple_weights, check_tuples
from .tuples.base import formed
from .validation import canonical_order, check_weights

MOST_NUMBERS = 3_000_000  # in the differences of pairs that no user has listed
NULL = 1e-12  # of the largest variance: no direction


class DistanceMatching(MetricLearner):
    r"""Match given distances: weighted least squares of squared distances.

    .. math:: \min_{M = A^T A}\; F = \frac
        {\sum_{ij} w_{ij} \left[(x_i - x_j)^T M (x_i - x_j) - D_{ij}^2\right]^2}
        {\sum_{ij} w_{ij} D_{ij}^4}

    F is convex in M, one for M = 0 and zero where a metric has all the distances. It
    does not depend on the units of X and D. L-BFGS over A finds the minimum, and
    ``gap_`` bounds how far it is. ``n_components`` bounds the rank of M; that problem
    is not convex, and the descent begins at the leading directions of the full M.

    An iteration costs O(n_pairs n_features^2). All listed pairs are used; of a matrix
    or of targets all pairs, or 3,000,000 / n_features random ones where there are more.

    Parameters
    ----------
    n_components : int or None, default=None
        Largest rank of M; None does not bound it.
    max_iter : int, default=1000
        Maximum number of iterations.
    tol : float, default=1e-05
        Stop when F is above its minimum by less than this share of F, or than tol^2.
    random_state : int, RandomState or None, default=None
        Seed of the drawn pairs.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A by falling singular value, without directions in which X is constant.
    objective_ : float
        F at the solution.
    gap_ : float
        F less a lower bound of F over all M, of any rank.
    n_iter_ : int
        Number of iterations.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] Y. Takane, F. W. Young, J. de Leeuw, Nonmetric individual differences
           multidimensional scaling: an alternating least squares method with optimal
           scaling features, Psychometrika 42, 1977, whose loss is F.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics import pairwise_distances
    >>> from freemetric.learners import DistanceMatching
    >>> X = np.random.default_rng(0).random((50, 3))
    >>> D = pairwise_distances(X * [1, 2, 0])
    >>> DistanceMatching().fit(X, D).get_mahalanobis_matrix().round(3) + 0.0
    array([[1., 0., 0.],
           [0., 4., 0.],
           [0., 0., 0.]])
    >>> model = DistanceMatching().fit(X, [1.0, 2.0], pairs=[[0, 1], [0, 2]])
    >>> model.pair_distance(X[[[0, 1], [0, 2]]]).round(3)
    array([1., 2.])
    """

    _parameter_constraints = {**SEARCH, "n_components": COUNT_OR_NONE}

    def __init__(
        self, n_components=None, *, max_iter=1000, tol=1e-05, random_state=None
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None, *, pairs=None, sample_weight=None):
        """Learn the metric from a matrix of distances, from pairs or from targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_pairs, 2, n_features)
            Samples; or pairs of samples.
        y : array-like of shape (n_samples, n_samples), (n_pairs,) or (n_samples,)
            All distances D, symmetric; or those of the pairs; or, without pairs,
            targets whose differences \\|y_i - y_j\\| are the distances.
        pairs : array-like of shape (n_pairs, 2), default=None
            Indices into X of the pairs that y has the distances of.
        sample_weight : array-like of shape (n_pairs,) or (n_samples,), default=None
            w of the listed pairs; or weights of samples, whose product a pair has.

        Returns
        -------
        self : DistanceMatching
            The fitted estimator.
        """
        if y is None:
            return self._fit(X)  # which says that y is missing
        if pairs is None and not issparse(X) and np.asarray(X).ndim == 3:
            X, pairs = formed(X, 2, "pairs", None)
        y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
        return self._fit(X, distances=y, pairs=pairs, weights=sample_weight)

    def _learn(self, X, y, distances, pairs=None, weights=None):
        if pairs is None:
            pairs, distances, weights = self._drawn(X, distances, weights)
        pairs = check_tuples(pairs, 2, len(X), "pairs")
        weights = check_tuple_weights(weights, len(pairs))
        if distances.shape != (len(pairs),) or (distances < 0).any():
            expected = f"{len(pairs)} distances, one for each pair, none negative"
            raise ValueError(f"y must be {expected}; got shape {distances.shape}.")
        targets = distances**2
        weights = weights / weights.sum()
        unit = np.sqrt(weights @ targets**2)
        if not unit > 0:
            raise ValueError("All distances of positive weight are zero.")
        V, whiten = whitened(X[pairs[:, 0]] - X[pairs[:, 1]], weights)
        search = Matching(V, targets / unit, weights, self.tol**2)
        n_iter = self._run(search)
        best = search.best
        if self.n_components is not None and self.n_components < len(best.item):
            leading = map_of(best.item.T @ best.item, self.n_components)
            polish = Descent(search.at, leading, gtol=0)
            n_iter += self._run(polish)
            best = polish.best
        _, lengths, axes = np.linalg.svd(best.item @ whiten, full_matrices=False)
        return {
            "components_": np.sqrt(unit) * lengths[:, None] * axes,
            "objective_": best.value,
            "gap_": best.value - search.lowest,
            "n_iter_": n_iter,
        }

    def _drawn(self, X, D, weights):
        """All pairs of samples, or random ones; their distances and weights."""
        N = len(X)
        if D.shape != (N, N):
            D = column_or_1d(D, warn=True)
        if len(D) != N:
            expected = f"a matrix ({N}, {N}), or {N} targets"
            raise ValueError(f"y must be {expected}; got shape {D.shape}.")
        most = MOST_NUMBERS // X.shape[1]
        if most >= N * (N - 1) // 2:
            i, j = np.triu_indices(N, k=1)
        else:  # in an order that does not depend on that of the rows
            drawn = generator(self.random_state).integers(N, size=(2, most))
            i, j = canonical_order(X)[drawn[:, drawn[0] != drawn[1]]]
        distances = D[i, j] if D.ndim == 2 else np.abs(D[i] - D[j])
        if D.ndim == 2 and not np.allclose(distances, D[j, i]):
            raise ValueError("y, the matrix of distances, must be symmetric.")
        if weights is not None:
            weights = check_weights(weights, X)
            weights = weights[i] * weights[j]
        return np.column_stack([i, j]), distances, weights


def whitened(V, weights):
    """Differences (n, r) of second moment one, and their map (r, d)."""
    moment = (V.T * weights) @ V
    scale = np.sqrt(np.diag(moment))
    if not scale.any():
        raise ValueError("The samples of every pair are equal: no metric fits.")
    scale[scale == 0] = 1
    values, vectors = np.linalg.eigh(moment / np.outer(scale, scale))
    kept = values > NULL * values[-1]
    whiten = (vectors[:, kept] / np.sqrt(values[kept])).T / scale
    return V @ whiten.T, whiten


class Matching(BoundedDescent):
    """F of maps of differences V (n, r) of second moment one; sums of weights are one.

    By F's slope G at M, F - min F <= tr(G M) - tr(G M') for the best M'. Its trace is
    its mean squared distance, at most the root mean square of the targets, one: so
    F - min F <= tr(G M) + max(0, -lowest eigenvalue of G).
    """

    def __init__(self, V, targets, weights, rounding) -> None:
        super().__init__(np.eye(V.shape[1]) / np.sqrt(max(V.shape[1], 1)))
        self.V = V
        self.targets = targets
        self.weights = weights
        self.rounding = rounding
        self.lowest = 0.0  # F is never negative

    def at(self, A):
        """F and its gradient by A."""
        off = ((self.V @ A.T) ** 2).sum(axis=1) - self.targets
        pull = self.weights * off
        self.slope = 2 * (self.V.T * pull) @ self.V  # by M
        return float(pull @ off), 2 * A @ self.slope

    def __call__(self, flat):
        A = flat.reshape(self.start.shape)
        value, gradient = self.at(A)
        below = (gradient * A).sum() / 2 - min(0.0, eigvalsh(self.slope)[0])
        self.lowest = max(self.lowest, value - below)
        self.best.offer(value, A)
        self.gap = self.value - self.lowest
        return value, gradient.ravel()
