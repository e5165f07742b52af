"""MMC: dissimilar pairs as far apart on average as similar ones allow."""

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular

from .constraints import (
    COUNT_OR_NONE,
    NOT_NEGATIVE_OR_AUTO,
    SEARCH,
    TWO_OR_MORE_OR_NONE,
)
from .descent import BoundedDescent
from .linear_algebra import covariance, map_by_contrast
from .side_information import PairLearner, are_different


class MMC(PairLearner):
    r"""Mahalanobis metric for clustering: dissimilar pairs far apart on average.

    .. math::

        \max_{M \succeq 0}\; F(M) = \operatorname{mean}_{(i, j) \in D} d_M(i, j) \quad
        \text{such that} \quad \operatorname{mean}_{(i, j) \in S} d_M(i, j)^2 = 1,
        \qquad d_M(i, j)^2 = (x_i - x_j)^T M (x_i - x_j),

    for similar pairs S and dissimilar pairs D. The distances in F are not squared; with
    squares the best M would have rank one. With C = K K^T the mean of v v^T over the
    similar differences v and W = K^T M K the problem is to maximise a concave F over
    matrices W >= 0 of trace one, by L-BFGS over a factor L of W = L^T L. With G the
    gradient by W and lambda(G) its largest eigenvalue,

    .. math:: \max F - F(M) \le \lambda(G) - \operatorname{tr}(G W),

    which bounds the gap. The scale of M is a convention; the units of the features do
    not matter.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep, those in which dissimilar pairs differ most against similar
        ones; None keeps all.
    diagonal : bool, default=False
        Restrict M to a diagonal matrix, weights of the features.
    n_constraints : int or None, default=None
        Pairs drawn from the labels, half of them similar. None: 20 n_classes^2, between
        1000 and 10,000.
    regularization : float or "auto", default="auto"
        Ridge on the inverted covariance, relative to its mean eigenvalue. "auto"
        shrinks a singular covariance by Ledoit and Wolf's amount and leaves a regular
        one as it is.
    max_iter : int, default=1000
        Maximum number of iterations.
    tol : float, default=0.001
        Stop when the objective is at most this share of itself away from the optimum.
    random_state : int, RandomState or None, default=None
        Seed of the drawn pairs.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; M = A^T A if n_components is None.
    objective_ : float
        The objective at the solution.
    gap_ : float
        Upper bound on the distance of the objective from its optimum.
    pairs_ : ndarray of shape (n_pairs, 2)
        Rows of X that were compared.
    pair_labels_ : ndarray of shape (n_pairs,)
        +1 for similar, -1 for dissimilar pairs.
    n_iter_ : int
        Number of iterations.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent without labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] E. P. Xing, A. Y. Ng, M. I. Jordan, S. Russell, Distance metric learning with
           application to clustering with side-information, NIPS 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from freemetric import MMC
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = MMC(random_state=0).fit(X, y)
    >>> bool(model.gap_ <= 1e-3 * abs(model.objective_))
    True
    >>> pairs = [[0, 1], [0, 100]]  # instead of labels
    >>> model = MMC().fit(X, pairs=pairs, pair_labels=[1, -1])
    >>> near, far = model.pair_distance(X[pairs])
    >>> bool(near < far)
    True
    """

    _uses_unlabelled = True
    _needs_dissimilar = True
    _parameter_constraints = {
        **SEARCH,
        "n_components": COUNT_OR_NONE,
        "diagonal": ["boolean"],
        "n_constraints": TWO_OR_MORE_OR_NONE,
        "regularization": NOT_NEGATIVE_OR_AUTO,
    }

    def __init__(
        self,
        n_components=None,
        *,
        diagonal=False,
        n_constraints=None,
        regularization="auto",
        max_iter=1000,
        tol=0.001,
        random_state=None,
    ) -> None:
        self.n_components = n_components
        self.diagonal = diagonal
        self.n_constraints = n_constraints
        self.regularization = regularization
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X, y, pairs=None, pair_labels=None):
        pairs, similar = self._pairs(X, y, pairs, pair_labels)
        differences = X[pairs[:, 0]] - X[pairs[:, 1]]
        U = differences[similar]
        V = differences[~similar]
        C = covariance(U, self.regularization) if len(U) else np.eye(U.shape[1])
        C = np.diag(np.diag(C)) if self.diagonal else C
        K = cholesky(C, lower=True)
        whitened = solve_triangular(K, V[are_different(V)].T, lower=True).T
        search = _MeanDistance(whitened, self.diagonal)
        n_iter = self._run(search)
        A = solve_triangular(K, search.factor().T, lower=True, trans=1).T
        return {
            "components_": map_by_contrast(A.T @ A, U, V, self.n_components),
            "objective_": search.value,
            "gap_": search.gap,
            "pairs_": pairs,
            "pair_labels_": np.where(similar, 1, -1),
            "n_iter_": n_iter,
        }


class _MeanDistance(BoundedDescent):
    """The mean of |L v| over factors L with |L| = 1, and its maximisation.

    L is a matrix (d, d) or its diagonal (d,).
    """

    def __init__(self, V, diagonal) -> None:
        start = np.ones(V.shape[1]) if diagonal else np.eye(V.shape[1])
        super().__init__(start / np.linalg.norm(start))
        self.V = np.ascontiguousarray(V)
        self.diagonal = diagonal
        self.best.item = self.start
        self.best.value = 0.0

    @property
    def value(self):
        """The largest mean distance so far."""
        return -self.best.value

    def factor(self):
        """The best L as a matrix."""
        return np.diag(self.best.item) if self.diagonal else self.best.item

    def run(self, max_iter, tol):
        """Descend, unless there are no dissimilar pairs: every metric is as good."""
        if len(self.V):
            return super().run(max_iter, tol)
        self.gap = 0.0
        return True

    def report(self, flat=None):
        self.gap = self.farthest() - self.value / 2
        super().report()

    def __call__(self, flat):
        """-F of L at unit length, and its gradient."""
        length = np.linalg.norm(flat)
        L = flat.reshape(self.start.shape) / length
        Z, distances = self.images(L)
        Z /= (len(Z) * distances)[:, None]
        gradient = (Z * self.V).sum(axis=0) if self.diagonal else Z.T @ self.V
        value = float(distances.mean())
        self.best.offer(-value, L)
        return -value, -((gradient - value * L) / length).ravel()

    def images(self, L):
        """Differences in the space of L, and their lengths, which are never zero."""
        Z = self.V * L if self.diagonal else self.V @ L.T
        lengths = np.sqrt(np.einsum("ni,ni->n", Z, Z))
        return Z, np.maximum(lengths, np.finfo(float).tiny)

    def farthest(self):
        """The largest eigenvalue of the gradient by W, or element of its diagonal."""
        V = self.V
        weights = 0.5 / (len(V) * self.images(self.best.item)[1])
        if self.diagonal:
            return float((weights @ V**2).max())
        last = V.shape[1] - 1
        gradient = (V.T * weights) @ V
        values = eigh(gradient, eigvals_only=True, subset_by_index=[last, last])
        return float(values[0])
