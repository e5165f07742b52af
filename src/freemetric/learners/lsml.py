"""LSML: the metric closest to a prior that respects relative comparisons of pairs."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cholesky, inv

from .base import generator
from .descent import BoundedDescent
from .linear_algebra import map_by_contrast
from .parameters import CountOrNone, Positive, estimator, parameter
from .side_information import Given, PriorLearner, check_tuple_weights, check_tuples, draw_pairs, usual_number_of_pairs

ROUNDING = 1e-13  # of the terms that the objective sums
EDGE = 1e-6


@estimator
class LSML(PriorLearner):
    r"""Least squared-residual metric learning: relative comparisons of two pairs, as far as they agree.

    .. math::

        \min_{M \succ 0}\; F(M) = D(M, M_0) + \gamma \sum_q w_q \left[d_M(a_q, b_q) - d_M(c_q, d_q)\right]_+^2,

    where quadruplet q states that a and b are nearer to each other than c and d, d_M is the distance itself, not its
    square, and D the LogDet divergence tr(M M_0^-1) - log det(M M_0^-1) - n_features from a prior metric. F is convex
    and smooth; L-BFGS minimises it over A, M = A^T A. By convexity, with G the gradient of F by M,

    .. math:: F(M) - \min F \le \operatorname{tr} A G A^T - \log\det(I + A G A^T),

    which bounds the gap. From labels, a and b are drawn from one class, c and d from two. Distances are in units of the
    features' largest range, or of their common standard deviation.

    Attributes
    ----------
    {map_of_M} {objective} {gap}
    quadruplets_ : ndarray of shape (n_quadruplets, 4)
        Rows of X that were compared.
    {n_iter} {classes} {features}

    References
    ----------
    E. Y. Liu, Z. Guo, X. Zhang, V. Jojic, W. Wang, Metric learning from relative comparisons by minimizing squared
    residual, ICDM 2012.

    Examples
    --------
    {gap_on_wine}
    >>> model = LSML().fit(X, quadruplets=[[0, 1, 0, 100], [0, 5, 61, 160]], weights=[1, 2])  # instead of labels
    >>> model.components_.shape
    (13, 13)
    """

    n_components: int | None = parameter(None, "Directions where c and d differ most against a and b; None keeps all.")
    gamma: Positive = parameter(1.0, "Weight of all quadruplets against the prior.")
    n_constraints: CountOrNone = parameter(None, "Quadruplets drawn from labels. None: 10 n_classes^2, 500 to 5000.")
    prior: Any = "identity"
    max_iter: int = 1000
    tol: float = parameter(1e-4, "{tol_of_gap}")
    verbose: bool = False
    random_state: Any = None

    _has_units = True

    def fit(self, X: ArrayLike, y: Given = None, *, quadruplets: Given = None, weights: Given = None) -> Self:
        """Learn the metric from labels or from quadruplets.

        ``quadruplets`` (n_quadruplets, 4) are indices into X: the first two samples are nearer to each other than the
        last two. ``weights`` (n_quadruplets,) are their weights; None: 1. Quadruplets replace y.
        """
        return self._fit(X, y, quadruplets=quadruplets, weights=weights)

    def _learn(self, X, y, quadruplets=None, weights=None, all_rows=None):
        if y is None:
            if quadruplets is None:
                raise ValueError("weights needs quadruplets: indices into X.")
            quadruplets = check_tuples(quadruplets, 4, len(X), "quadruplets")
        else:
            n = usual_number_of_pairs(y) if self.n_constraints is None else 2 * self.n_constraints
            pairs, similar = draw_pairs(generator(self.random_state), X, y, n)
            quadruplets = np.hstack([pairs[similar], pairs[~similar]])
        weights = self.gamma * check_tuple_weights(weights, len(quadruplets))
        M0, X = self._prior(X, all_rows), X / self._unit
        root = cholesky(M0, lower=True)
        Z = X @ root  # where the prior is the identity
        a, b, c, d = quadruplets.T
        search = _Residuals(Z[a] - Z[b], Z[c] - Z[d], weights)
        self._run(search)
        self.quadruplets_, self.objective_, self.gap_ = self._as_given(quadruplets), search.best.value, search.gap
        A = search.best.item @ root.T
        return map_by_contrast(A.T @ A, X[a] - X[b], X[c] - X[d], self.n_components)


class _Residuals(BoundedDescent):
    """Descent of F over A where the prior is the identity."""

    def __init__(self, near, far, weights):
        super().__init__("LSML", np.eye(near.shape[1]))
        self.differences, self.weights, self.d = np.vstack([near, far]), weights, near.shape[1]
        self.rounding = ROUNDING * (self.d + weights.sum())

    def run(self, max_iter, tol, verbose):
        self.tol = tol
        # the best multiple of the identity
        self((self.start / np.sqrt(1 + self.residuals(self.start)[0] / self.d)).ravel())
        self.start = self.best.item
        return self.has_settled() or super().run(max_iter, tol, verbose)

    def __call__(self, flat):
        A = flat.reshape(self.d, self.d)
        if not np.isfinite(np.linalg.slogdet(A)[1]):  # a step has ended on a singular matrix
            A = A + EDGE * np.eye(self.d)
        pull, forces = self.residuals(A)
        value = (A * A).sum() - 2 * np.linalg.slogdet(A)[1] - self.d + pull
        gradient = 2 * (A - inv(A).T + forces)
        if self.best.offer(value, A):
            H = gradient @ A.T / 2
            shares = 1 + np.linalg.eigvalsh((H + H.T) / 2)
            self.gap = float((shares - 1 - np.log(shares)).sum()) if shares[0] > 0 else np.inf
        return value, gradient.ravel()

    def residuals(self, A):
        """Penalty of the quadruplets that do not hold, and half of its gradient by A."""
        images = self.differences @ A.T
        lengths = np.sqrt(np.einsum("ni,ni->n", images, images))
        near, far = np.split(lengths, 2)
        missing = np.maximum(near - far, 0)
        price = self.weights * missing
        pull = np.divide(price, near, out=np.zeros_like(price), where=near > 0)
        push = np.divide(price, far, out=np.zeros_like(price), where=far > 0)
        images *= np.concatenate([pull, -push])[:, None]
        return price @ missing, images.T @ self.differences
