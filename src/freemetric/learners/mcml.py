"""MCML: every class in a point of its own, all others far away, as nearly as a linear map can do it."""

import numpy as np

from .convex_descent import ConvexDescent, departure
from .linear_algebra import group_means
from .log_partition import KEPT_BYTES, log_partition


class MCML(ConvexDescent):
    r"""Maximally collapsing metric learning: soft neighbours that are all of the own class, and all alike.

    .. math:: \min_{M \succeq 0}\; \frac1N \sum_i \mathrm{KL}(q_{i\cdot} \,|\, p_{i\cdot}) + r |M - M_0|^2, \qquad
        p_{ij} = \frac{\exp(-d_{ij})}{\sum_{k \ne i} \exp(-d_{ik})}, \quad d_{ij} = (x_i - x_j)^T M (x_i - x_j),

    where q_ij is the same for all j of the class of i, and 0 for others. Ideally a class is one point, infinitely far
    from all others. In contrast to :class:`NCA`, which lets a pattern choose some neighbours of its class, the
    objective is convex in M. It is minimised by L-BFGS over the map A, M = A^T A: with all components every minimum is
    the global one, with fewer it is the minimum that is nearest to the start. Classes of several clusters are not what
    it is for.

    An evaluation costs O(N^2 p + N d p) time for N patterns, in float32, and O(N (d + p)) memory plus at most 32 MB of
    kept pairs. Units common to all features do not matter. Patterns that are alone in their class are neighbours of
    others and have none.

    Parameters
    ----------
    n_components : int or None, default=None
        Rank of M, the dimension of the learned space; None keeps the number of features.
    regularization : float, default=1e-4
        r, what it costs to leave the prior, with features in units of their largest range. The reference has no such
        term; without it there may be no minimum where classes do not vary in some direction.
    prior : {"identity", "covariance"} or array of shape (n_features, n_features), default="identity"
        M_0: the identity, the inverse covariance of X, unlabelled rows included, or a symmetric positive definite
        matrix.
    init : {"auto", "identity", "pca", "lda", "random", "uniform"} or array of shape (p, n_features), default="auto"
        Where the search begins. "auto": the prior, or for fewer dimensions "lda" while there are more classes than
        dimensions and "pca" else: nothing depends on the order of features.
    max_iter : int, default=200
        Most L-BFGS iterations.
    tol : float, default=1e-5
        Stop when an iteration lowers the objective by less, relatively where it is above one.
    warm_start : bool, default=False
        Go on from the last fit's map.
    verbose : bool, default=False
        Log every iteration.
    random_state : int, RandomState or None, default=None
        Seed of a random start.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; M = A^T A.
    objective_ : float
        What was minimised, at M.
    n_iter_ : int
        Iterations of L-BFGS.
    classes_ : ndarray of shape (n_classes,)
        Labels seen in fit.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    See Also
    --------
    NCA : Some neighbours of the own class are enough.

    References
    ----------
    A. Globerson, S. Roweis, Metric learning by collapsing classes, NIPS 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import MCML
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), MCML(n_components=2), KNeighborsClassifier()).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    _parameter_constraints: dict = ConvexDescent._parameter_constraints

    def __init__(
        self,
        n_components=None,
        *,
        regularization=1e-4,
        prior="identity",
        init="auto",
        max_iter=200,
        tol=1e-5,
        warm_start=False,
        verbose=False,
        random_state=None,
    ):
        self.n_components = n_components
        self.regularization = regularization
        self.prior = prior
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state

    def _learn(self, X, y, all_rows=None):
        M0, X = self._prior(X, all_rows), X / self._unit
        collapse, A = Collapse(X, y), self._beginning(X, y, M0)

        def objective(flat):
            at = flat.reshape(A.shape)
            (value, slope), (cost, back) = collapse(at), departure(at, M0, self.regularization)
            return value + cost, (slope + back).ravel()

        self.objective_, flat = self._descend(objective, A.ravel())
        return flat.reshape(A.shape)


class Collapse:
    """The mean divergence of patterns (N, d) with class numbers (N,); called with A (p, d) it gives its gradient, too.

    The mean distance within a class is twice its variance, so that only the sums over all patterns need pairs.
    """

    def __init__(self, X, y):
        X, sizes = X - X.mean(axis=0), np.bincount(y)[y]
        self.X, self.counted = X.astype(np.float32), (sizes > 1).astype(np.float32)
        rows = X - group_means(X, y)[y]
        self.within = 2 * rows.T @ (rows * (sizes / np.maximum(sizes - 1, 1))[:, None]) / len(X)
        self.entropy = np.log(np.maximum(sizes - 1, 1)).mean()

    def __call__(self, A):
        gradient = np.empty(A.shape, np.float32)
        others = log_partition(self.X, A.astype(np.float32), self.counted, KEPT_BYTES, gradient)
        pull = A @ self.within
        return float((pull * A).sum() + others - self.entropy), gradient + 2 * pull
