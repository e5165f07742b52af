"""Metrics without labels: Euclid, principal components, the Mahalanobis distance proper."""

from typing import Any

import numpy as np
from sklearn.decomposition import PCA as ScikitLearnPCA

from ..magnitudes import enlarged, exponent_of, reduced
from .base import MetricLearner
from .linear_algebra import invertible, is_regular
from .parameters import Flag, estimator, parameter
from .validation import clip_count, ranges

ROUNDING = 1e-6  # spread against mean of a feature that has to be looked at again
FEW_DIGITS = 1e-6  # smallest against largest variance; below, eigenvalues have less than ten digits


@estimator
class Euclidean(MetricLearner):
    """The Euclidean distance: A is the identity.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The identity.
    {features}

    Examples
    --------
    {iris}
    >>> from freemetric import Euclidean
    >>> Euclidean().fit(X).pair_distance([[X[0], X[1]]]).round(3)
    array([0.539])
    """

    _needs_labels = False

    def _learn(self, X, y):
        return np.eye(X.shape[1])


@estimator
class PCA(MetricLearner):
    """Directions of largest variance: max tr(A C A^T) subject to A A^T = I.

    Without ``n_components`` it is a rotation and leaves Euclidean distances as they are. Labels are not used.

    Attributes
    ----------
    {map}
    explained_variance_ : ndarray of shape (n_components,)
        Variance along each direction.
    {features}

    References
    ----------
    I. T. Jolliffe, Principal component analysis, Springer 2002.

    Examples
    --------
    {iris}
    >>> from freemetric import PCA
    >>> PCA(n_components=2).fit(X).explained_variance_.round(2)
    array([4.23, 0.24])
    """

    n_components: int | None = parameter(None, "Directions to keep; None keeps all that N samples determine.")
    whiten: Flag = parameter(False, "Divide each direction by its standard deviation; constant ones are dropped.")
    random_state: Any = parameter(None, "Seed of scikit-learn's randomised solver, which it uses on large data.")

    _needs_labels = False

    def _learn(self, X, y):
        p = clip_count(self.n_components, min(X.shape), "n_components")
        with np.errstate(invalid="ignore"):  # shares of no variance at all
            fitted = ScikitLearnPCA(p, random_state=self.random_state).fit(X)
        A, variance = fitted.components_, fitted.explained_variance_
        if self.whiten:
            varies = variance > 1e-12 * max(variance.max(), np.finfo(float).tiny)
            A, variance = A[varies] / np.sqrt(variance[varies])[:, None], variance[varies]
        self.explained_variance_ = variance
        return A


@estimator
class Covariance(MetricLearner):
    r"""The inverse covariance of the samples, the Mahalanobis distance proper.

    .. math:: M = C^{-1}, \quad C = \frac{1}{N - 1} \sum_i (x_i - m)(x_i - m)^T.

    The rows of A are the principal directions by falling variance, each divided by its standard deviation. With all of
    them distances do not depend on the units of the features. Constant features have weight zero. Labels are not used.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; A C A^T is the identity.
    {features}

    References
    ----------
    P. C. Mahalanobis, On the generalized distance in statistics, Proceedings of the National Institute of Sciences of
    India 2, 1936.

    Examples
    --------
    >>> import numpy as np
    {iris}
    >>> from freemetric import Covariance
    >>> bool(np.allclose(Covariance().fit(X).get_mahalanobis_matrix(), np.linalg.inv(np.cov(X.T))))
    True
    """

    n_components: int | None = parameter(None, "Directions of largest variance to keep; None: one per varying feature.")
    regularization: Any = parameter(
        "auto", 'Ridge on the correlation matrix. "auto" shrinks a singular one by the amount of Ledoit and Wolf.'
    )

    _needs_labels = False

    def _learn(self, X, y):
        mean = np.full(len(X), 1 / len(X)) @ X  # numpy's own mean is slow for short rows
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
        spread = enlarged(spread, exponent)
        variances, vectors = np.linalg.eigh(R * np.outer(spread, spread))
        if variances[0] > FEW_DIGITS * variances[-1]:
            deviations, directions = np.sqrt(variances[::-1]), vectors[:, ::-1].T
        else:  # by a root, whose condition is the root of that: features of very different units cost no digits
            _, deviations, directions = np.linalg.svd(np.linalg.cholesky(R).T * spread)
        A = np.zeros((len(directions), len(varies)))
        A[:, varies] = directions / deviations[:, None]
        return A[: clip_count(self.n_components, len(A), "n_components")]
