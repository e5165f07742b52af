"""LSML: the metric closest to a prior that respects comparisons of pairs."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cholesky, inv

from ..sklearn_compat import generator
from .base import MetricLearner
from .constraints import COUNT_OR_NONE, POSITIVE, PRIOR, SEARCH
from .descent import BoundedDescent
from .linear_algebra import map_by_contrast
from .side_information import (
    check_tuple_weights,
    check_tuples,
    draw_pairs,
    prior_matrix,
    refuse_tuples,
)
from .validation import labelled_rows, unit_of

ROUNDING = 1e-13  # of the terms that the objective sums
EDGE = 1e-6  # added to singular maps


class LSML(MetricLearner):
    r"""Least squared-residual metric learning: comparisons of two pairs.

    .. math::

        \min_{M \succ 0}\; F(M) = D(M, M_0)
        + \gamma \sum_q w_q \left[d_M(a_q, b_q) - d_M(c_q, d_q)\right]_+^2,

    where quadruplet q states that a and b are nearer to each other than c and d, d_M is
    the distance itself, not its square, and D the LogDet divergence tr(M M_0^-1) - log
    det(M M_0^-1) - n_features from a prior metric. F is convex and smooth; L-BFGS
    minimises it over A, M = A^T A. By convexity, with G the gradient of F by M,

    .. math:: F(M) - \min F \le \operatorname{tr} A G A^T - \log\det(I + A G A^T),

    which bounds the gap. From labels, a and b are drawn from one class, c and d from
    two. Distances are in units of the features' largest range, or of their common
    standard deviation.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions where c and d differ most against a and b; None keeps all.
    gamma : float, default=1.0
        Weight of all quadruplets against the prior.
    n_constraints : int or None, default=None
        Quadruplets drawn from labels. None: 10 n_classes^2, 500 to 5000.
    prior : {"identity", "covariance"} or array-like, default="identity"
        M_0: the identity, the inverse covariance of all rows of X, unlabelled ones
        included, or a positive definite matrix (n_features, n_features) in the units of
        X.
    max_iter : int, default=1000
        Maximum number of iterations.
    tol : float, default=0.0001
        Stop when the objective is at most this share of itself away from the optimum.
    random_state : int, RandomState or None, default=None
        Seed of the drawn quadruplets.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; M = A^T A if n_components is None.
    objective_ : float
        The objective at the solution.
    gap_ : float
        Upper bound on the distance of the objective from its optimum.
    quadruplets_ : ndarray of shape (n_quadruplets, 4)
        Rows of X that were compared.
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
    .. [1] E. Y. Liu, Z. Guo, X. Zhang, V. Jojic, W. Wang, Metric learning from relative
           comparisons by minimizing squared residual, ICDM 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from freemetric import LSML
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = LSML(random_state=0).fit(X, y)
    >>> bool(model.gap_ <= 1e-3 * abs(model.objective_))
    True
    >>> quadruplets = [[0, 1, 0, 100], [0, 5, 61, 160]]  # instead of labels
    >>> model = LSML().fit(X, quadruplets=quadruplets, weights=[1, 2])
    >>> model.components_.shape
    (13, 13)
    """

    _uses_unlabelled = True
    _parameter_constraints = {
        **SEARCH,
        "n_components": COUNT_OR_NONE,
        "gamma": POSITIVE,
        "n_constraints": COUNT_OR_NONE,
        "prior": PRIOR,
    }

    def __init__(
        self,
        n_components=None,
        *,
        gamma=1.0,
        n_constraints=None,
        prior="identity",
        max_iter=1000,
        tol=0.0001,
        random_state=None,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.n_constraints = n_constraints
        self.prior = prior
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        quadruplets: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Self:
        """Learn the metric from labels or from quadruplets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Class labels; not used with ``quadruplets``.
        quadruplets : array-like of shape (n_quadruplets, 4), default=None
            Indices into X: the first two samples are nearer to each other than the last
            two.
        weights : array-like of shape (n_quadruplets,), default=None
            Weights of the quadruplets; None: 1.

        Returns
        -------
        self : LSML
            The fitted estimator.
        """
        refuse_tuples(self, X, y, "quadruplets", 4)
        return self._fit(X, y, quadruplets=quadruplets, weights=weights)

    def _learn(self, X, y, quadruplets=None, weights=None):
        quadruplets = self._quadruplets(X, y, quadruplets)
        weights = self.gamma * check_tuple_weights(weights, len(quadruplets))
        unit = unit_of(labelled_rows(X, y))
        root = cholesky(prior_matrix(self.prior, X, unit), lower=True)
        a, b, c, d = quadruplets.T
        X = X / unit
        Z = X @ root  # where the prior is the identity
        search = _Residuals(Z[a] - Z[b], Z[c] - Z[d], weights)
        n_iter = self._run(search)
        A = search.best.item @ root.T
        near = X[a] - X[b]
        far = X[c] - X[d]
        A = map_by_contrast(A.T @ A, near, far, self.n_components)
        return {
            "components_": A / unit,
            "objective_": search.value,
            "gap_": search.gap,
            "quadruplets_": quadruplets,
            "n_iter_": n_iter,
        }

    def _quadruplets(self, X, y, quadruplets):
        """Quadruplets that were given, or similar and dissimilar pairs of labels."""
        if y is None:
            if quadruplets is None:
                raise ValueError("weights needs quadruplets: indices into X.")
            return check_tuples(quadruplets, 4, len(X), "quadruplets")
        n = None if self.n_constraints is None else 2 * self.n_constraints
        pairs, similar = draw_pairs(generator(self.random_state), X, y, n)
        return np.hstack([pairs[similar], pairs[~similar]])


class _Residuals(BoundedDescent):
    """Descent of F over A where the prior is the identity."""

    def __init__(self, near, far, weights) -> None:
        super().__init__(np.eye(near.shape[1]))
        self.differences = np.vstack([near, far])
        self.weights = weights
        self.d = near.shape[1]
        self.rounding = ROUNDING * (self.d + weights.sum())

    def run(self, max_iter, tol):
        """Descend from the best multiple of the identity."""
        self.tol = tol
        residual = self.residuals(self.start)[0]
        self((self.start / np.sqrt(1 + residual / self.d)).ravel())
        self.start = self.best.item
        return self.has_settled() or super().run(max_iter, tol)

    def __call__(self, flat):
        A = flat.reshape(self.d, self.d)
        if not np.isfinite(np.linalg.slogdet(A)[1]):
            A = A + EDGE * np.eye(self.d)
        pull, forces = self.residuals(A)
        value = (A * A).sum() - 2 * np.linalg.slogdet(A)[1] - self.d + pull
        gradient = 2 * (A - inv(A).T + forces)
        if self.best.offer(value, A):
            self.gap = _gap(A, gradient)
        return value, gradient.ravel()

    def residuals(self, A):
        """Penalty of the quadruplets that do not hold, half of its gradient by A."""
        images = self.differences @ A.T
        lengths = np.sqrt(np.einsum("ni,ni->n", images, images))
        near, far = np.split(lengths, 2)
        missing = np.maximum(near - far, 0)
        price = self.weights * missing
        pull = np.divide(price, near, out=np.zeros_like(price), where=near > 0)
        push = np.divide(price, far, out=np.zeros_like(price), where=far > 0)
        images *= np.concatenate([pull, -push])[:, None]
        return price @ missing, images.T @ self.differences


def _gap(A, gradient):
    """The bound on F(M) - min F, from the gradient by A."""
    H = gradient @ A.T / 2
    shares = 1 + np.linalg.eigvalsh((H + H.T) / 2)
    return float((shares - 1 - np.log(shares)).sum()) if shares[0] > 0 else np.inf
