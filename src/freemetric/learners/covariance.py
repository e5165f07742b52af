"""The Mahalanobis distance proper: the inverse covariance of the patterns, without labels."""

from numbers import Real

import numpy as np

from ..sklearn_compat import Interval, StrOptions
from .base import MetricLearner
from .linear_algebra import invertible, is_regular
from .side_information import clip_count
from .units import ranges


class Covariance(MetricLearner):
    r"""The inverse covariance of the patterns: every direction in units of its own standard deviation.

    .. math:: M = C^{-1}, \quad C = \frac{1}{N - 1} \sum_i (x_i - m)(x_i - m)^T.

    Labels are not used, so unlabelled rows count as much as the others. The rows of A are the principal directions,
    each divided by its standard deviation, and fall in variance: with fewer components it is whitened PCA. With all of
    them distances do not depend on the units of the features, nor on any other invertible map of them. Constant
    features weigh nothing. Costs O(N d^2 + d^3).

    Parameters
    ----------
    n_components : int or None, default=None
        Directions of largest variance to keep; None keeps one for every feature that varies.
    regularization : float or "auto", default="auto"
        Ridge on the correlation matrix of the features, whose mean eigenvalue is one. "auto" shrinks a singular one
        (copies of features, fewer patterns than features) by Ledoit and Wolf's amount and leaves a regular one as it
        is.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; A C A^T is the identity.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    See Also
    --------
    RCA : The covariance within classes or chunklets.
    PCA : The same directions as they are, or whitened.

    References
    ----------
    P. C. Mahalanobis, On the generalized distance in statistics, Proceedings of the National Institute of Sciences of
    India 2, 1936.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import Covariance
    >>> X, _ = load_iris(return_X_y=True)
    >>> bool(np.allclose(Covariance().fit(X).get_mahalanobis_matrix(), np.linalg.inv(np.cov(X.T))))
    True
    """

    _needs_labels = False
    _parameter_constraints: dict = {
        **MetricLearner._parameter_constraints,
        "regularization": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
    }

    def __init__(self, n_components=None, *, regularization="auto"):
        self.n_components = n_components
        self.regularization = regularization

    def _learn(self, X, y):
        varies = ranges(X) > 0
        if not varies.any():
            return np.eye(X.shape[1])[: self.n_components]
        X = X - X.mean(axis=0) if varies.all() else X[:, varies] - X[:, varies].mean(axis=0)
        C = X.T @ X / (len(X) - 1)
        spread = np.sqrt(np.diag(C))
        R = C / np.outer(spread, spread)
        if self.regularization != "auto" or not is_regular(R):
            R = invertible(R, X * (np.sqrt(len(X) / (len(X) - 1)) / spread), self.regularization)
        # of the correlations, and by a root: features of very different units cost no digits
        _, deviations, directions = np.linalg.svd(np.linalg.cholesky(R).T * spread)
        A = np.zeros((len(directions), len(varies)))
        A[:, varies] = directions / deviations[:, None]
        p = None if self.n_components is None else clip_count(self.n_components, len(A), "n_components")
        return A[:p]
