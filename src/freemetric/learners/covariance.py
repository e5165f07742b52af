"""The Mahalanobis distance proper: the inverse covariance of the samples, without labels."""

from dataclasses import KW_ONLY
from typing import Any

import numpy as np

from ..magnitudes import enlarged, exponent_of, reduced
from .base import MetricLearner
from .linear_algebra import invertible, is_regular, mean_of
from .parameters import estimator
from .units import ranges
from .validation import clip_count

ROUNDING = 1e-6  # spread against mean of a feature that has to be looked at again
FEW_DIGITS = 1e-6  # smallest against largest variance; below, eigenvalues have less than ten digits


@estimator
class Covariance(MetricLearner):
    r"""The inverse covariance of the samples: every direction in units of its own standard deviation.

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
        (copies of features, fewer samples than features) by Ledoit and Wolf's amount and leaves a regular one as it
        is.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; A C A^T is the identity.
    {features}

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

    n_components: int | None = None
    _: KW_ONLY
    regularization: Any = "auto"

    _needs_labels = False

    def _learn(self, X, y):
        mean = mean_of(X)
        given, X = X, X - mean
        exponent = exponent_of(X)
        X = reduced(X, exponent)  # every feature of order one: squares of small ones do not vanish
        C = X.T @ X / max(len(X) - 1, 1)
        spread = np.sqrt(np.diag(C))
        varies = spread > ROUNDING * np.abs(reduced(mean, exponent))
        if not varies.all():
            varies = ranges(given) > 0
            X, C, spread, exponent = X[:, varies], C[np.ix_(varies, varies)], spread[varies], exponent[varies]
        if not varies.any():
            return np.eye(len(mean))[: self.n_components]
        R = C / np.outer(spread, spread)
        if self.regularization != "auto" or not is_regular(R):
            X *= np.sqrt(len(X) / (len(X) - 1)) / spread
            R = invertible(R, X, self.regularization)
        deviations, directions = _principal(R, enlarged(spread, exponent))
        A = np.zeros((len(directions), len(varies)))
        A[:, varies] = directions / deviations[:, None]
        p = None if self.n_components is None else clip_count(self.n_components, len(A), "n_components")
        return A[:p]


def _principal(R, spread):
    """Standard deviations (falling) and directions (rows) of features with correlations R and these spreads."""
    variances, directions = np.linalg.eigh(R * np.outer(spread, spread))
    if variances[0] > FEW_DIGITS * variances[-1]:
        return np.sqrt(variances[::-1]), directions[:, ::-1].T
    # by a root, whose condition is the root of that: features of very different units cost no digits
    _, deviations, rows = np.linalg.svd(np.linalg.cholesky(R).T * spread)
    return deviations, rows
