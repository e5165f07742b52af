"""GMML: the geometric mean of two scatter matrices of pairs."""

from numbers import Real

import numpy as np
from scipy.linalg import cholesky, eigh, inv, solve_triangular

from ..sklearn_compat import Interval
from .constraints import COUNT_OR_NONE, NOT_NEGATIVE_OR_AUTO, PRIOR
from .linear_algebra import group_means, is_regular
from .side_information import PairLearner, count_pairs, prior_matrix
from .validation import labelled_rows

RIDGE = 0.01  # where a matrix is singular


class GMML(PairLearner):
    r"""Geometric mean metric learning, in closed form.

    .. math:: \min_{M \succ 0}\;
        \operatorname{tr}(M S) + \operatorname{tr}(M^{-1} D), \qquad
        S = \langle v v^T \rangle_\text{similar}, \quad
        D = \langle v v^T \rangle_\text{dissimilar},

    for the differences v of similar and of dissimilar pairs; from labels, of all pairs.
    The objective is strictly convex and minimised by the geometric mean of S^-1 and D.
    Other points of the geodesic between the two weigh them differently:

    .. math:: M = S^{-1} \#_t D = S^{-1/2} (S^{1/2} D S^{1/2})^t S^{-1/2}.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep, those in which dissimilar pairs differ most against similar
        ones; None keeps all.
    t : float, default=0.5
        Position on the geodesic: 0 is S^-1, 1 is D, and 1/2 solves the objective.
    regularization : float or "auto", default="auto"
        r, by which S becomes S + r s M_0^-1 and D becomes D + r q M_0, with s = tr(S
        M_0) / d and q = tr(D M_0^-1) / d. "auto" is 0.01 where S or D is singular, else
        0.
    prior : {"identity", "covariance"} or array-like, default="identity"
        M_0: the identity, the inverse covariance of all rows of X, unlabelled ones
        included, or a positive definite matrix (n_features, n_features) in the units of
        X.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; M = A^T A if n_components is None.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent without labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] P. H. Zadeh, R. Hosseini, S. Sra, Geometric mean metric learning, ICML 2016.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import GMML
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), GMML(), KNeighborsClassifier())
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    >>> pairs = [[0, 1], [0, 100]]  # instead of labels
    >>> model = GMML().fit(X, pairs=pairs, pair_labels=[1, -1])
    >>> near, far = model.pair_distance(X[pairs])
    >>> bool(near < far)
    True
    """

    _needs_similar = True
    _uses_unlabelled = True
    _parameter_constraints = {
        "n_components": COUNT_OR_NONE,
        "t": [Interval(Real, 0, 1, closed="both")],
        "regularization": NOT_NEGATIVE_OR_AUTO,
        "prior": PRIOR,
    }

    def __init__(
        self,
        n_components=None,
        *,
        t=0.5,
        regularization="auto",
        prior="identity",
    ) -> None:
        self.n_components = n_components
        self.t = t
        self.regularization = regularization
        self.prior = prior

    def _learn(self, X, y, pairs=None, pair_labels=None):
        if y is None:
            pairs, similar = self._checked_pairs(X, pairs, pair_labels)
            V = X[pairs[:, 0]] - X[pairs[:, 1]]
            S = _mean_square(V[similar])
            D = _mean_square(V[~similar])
        else:
            S, D = _of_labels(labelled_rows(X, y), y[y >= 0])
        near, far = self._regular(S, D, prior_matrix(self.prior, X))
        root = cholesky(near, lower=True)  # any root will do
        values, vectors = eigh(root.T @ far @ root)
        powers = np.maximum(values, 0) ** (self.t / 2)
        A = solve_triangular(root, vectors * powers, lower=True, trans="T").T
        _, rotation = eigh(A @ (D - S) @ A.T)
        return {"components_": rotation[:, ::-1].T[: self.n_components] @ A}

    def _regular(self, S, D, M0):
        """S and D moved towards the prior, so that both can be inverted."""
        r = self.regularization
        are_regular = is_regular(S) and is_regular(D)
        if r == "auto":
            r = 0.0 if are_regular else RIDGE
        if r == 0 and not are_regular:
            what = "The differences of pairs do not span all directions"
            raise ValueError(f"{what}; regularization must be above 0.")
        inverse = inv(M0)
        return _towards(S, inverse, M0, r), _towards(D, M0, inverse, r)


def _mean_square(V):
    return V.T @ V / len(V)


def _of_labels(X, y):
    """S and D of all pairs: within a class of n those sum to n times its scatter."""
    X = X - X.mean(axis=0)
    n = np.bincount(y)[:, None]
    means = group_means(X, y)
    n_within, n_between = count_pairs(y)
    rows = X - means[y]
    S = rows.T @ (n[y] * rows) / max(n_within, 1)
    between = rows.T @ ((len(X) - n[y]) * rows) + len(X) * means.T @ (n * means)
    return S, between / n_between


def _towards(C, target, inverse, amount):
    """C plus ``amount`` times the target, scaled to the mean size of C."""
    level = np.trace(C @ inverse) / len(C)
    return C + amount * (level if level > 0 else 1.0) * target
