"""GMML: the geometric mean of the inverse scatter of similar pairs and the scatter of dissimilar ones."""

from numbers import Real
from typing import Annotated, Any

import numpy as np
from scipy.linalg import cholesky, eigh, inv, solve_triangular

from ..sklearn_compat import Interval
from .linear_algebra import group_means, is_regular
from .parameters import estimator, parameter
from .side_information import PairLearner, PriorLearner, count_pairs

RIDGE = 0.01  # where a matrix is singular


@estimator
class GMML(PriorLearner, PairLearner):
    r"""Geometric mean metric learning, in closed form.

    .. math:: \min_{M \succ 0}\; \operatorname{tr}(M S) + \operatorname{tr}(M^{-1} D), \qquad
        S = \langle v v^T \rangle_\text{similar}, \quad D = \langle v v^T \rangle_\text{dissimilar},

    for the differences v of similar and of dissimilar pairs; from labels, of all pairs. The objective is strictly
    convex and minimised by the geometric mean of S^-1 and D. Other points of the geodesic between the two weigh them
    differently:

    .. math:: M = S^{-1} \#_t D = S^{-1/2} (S^{1/2} D S^{1/2})^t S^{-1/2}.

    {map_of_M} {classes} {features}

    References
    ----------
    P. H. Zadeh, R. Hosseini, S. Sra, Geometric mean metric learning, ICML 2016.

    {knn_on_wine} {pairs_on_wine}
    """

    n_components: int | None = parameter(None, "{contrasts}")
    t: Annotated[Any, Interval(Real, 0, 1, closed="both")] = parameter(
        0.5, "Position on the geodesic: 0 is S^-1, 1 is D, and 1/2 solves the objective."
    )
    regularization: Any = parameter(
        "auto",
        "r, by which S becomes S + r s M_0^-1 and D becomes D + r q M_0, with s = tr(S M_0) / d and q = tr(D M_0^-1) "
        '/ d. "auto" is 0.01 where S or D is singular, else 0.',
    )
    prior: Any = "identity"

    _needs_similar = True

    def _learn(self, X, y, pairs=None, pair_labels=None, all_rows=None):
        if y is None:
            pairs, similar = self._given_pairs(X, pairs, pair_labels)
            V = X[pairs[:, 0]] - X[pairs[:, 1]]
            S, D = (V[which].T @ V[which] / which.sum() for which in (similar, ~similar))
        else:
            S, D = _of_labels(X, y)
        near, far = self._regular(S, D, self._prior(X, all_rows))
        root = cholesky(near, lower=True)  # any root will do
        values, vectors = eigh(root.T @ far @ root)
        A = solve_triangular(root, vectors * np.maximum(values, 0) ** (self.t / 2), lower=True, trans="T").T
        return eigh(A @ (D - S) @ A.T)[1][:, ::-1].T[: self.n_components] @ A

    def _regular(self, S, D, M0):
        r, are_regular = self.regularization, is_regular(S) and is_regular(D)
        if r == "auto":
            r = 0.0 if are_regular else RIDGE
        if r == 0 and not are_regular:
            raise ValueError("The differences of pairs do not span all directions; regularization must be above 0.")
        inverse = inv(M0)
        return _towards(S, inverse, M0, r), _towards(D, M0, inverse, r)


def _of_labels(X, y):
    """S and D of all pairs: within a class of n those sum to n times its scatter."""
    X = X - X.mean(axis=0)
    n, means, (within, between) = np.bincount(y)[:, None], group_means(X, y), count_pairs(y)
    rows = X - means[y]
    S = rows.T @ (n[y] * rows) / max(within, 1)
    return S, (rows.T @ ((len(X) - n[y]) * rows) + len(X) * means.T @ (n * means)) / between


def _towards(C, target, inverse, amount):
    """C plus ``amount`` times the target, scaled to the mean size of C."""
    level = np.trace(C @ inverse) / len(C)
    return C + amount * (level if level > 0 else 1.0) * target
