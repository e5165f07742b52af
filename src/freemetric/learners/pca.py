"""Principal component analysis as a metric: scikit-learn's, behind this library's interface."""

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from sklearn.decomposition import PCA as ScikitLearnPCA

from .base import MetricLearner
from .parameters import Flag, estimator
from .validation import clip_count


@estimator
class PCA(MetricLearner):
    """Directions of largest variance: max tr(A C A^T) subject to A A^T = I.

    Without ``n_components`` it is a rotation and leaves Euclidean distances as they are; with fewer components it drops
    the directions that vary least. Labels are not used. Costs O(N d min(N, d)).

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep; None keeps all that N samples determine.
    whiten : bool, default=False
        Divide each direction by its standard deviation; constant directions are dropped then.
    random_state : int, RandomState or None, default=None
        Seed of scikit-learn's randomised solver, which it uses on large data.

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
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import PCA
    >>> X, _ = load_iris(return_X_y=True)
    >>> PCA(n_components=2).fit(X).explained_variance_.round(2)
    array([4.23, 0.24])
    """

    n_components: int | None = None
    _: KW_ONLY
    whiten: Flag = False
    random_state: Any = None

    _needs_labels = False

    def _learn(self, X, y):
        p = None if self.n_components is None else clip_count(self.n_components, min(X.shape), "n_components")
        with np.errstate(invalid="ignore"):  # shares of no variance at all
            fitted = ScikitLearnPCA(p, random_state=self.random_state).fit(X)
        A, variance = fitted.components_, fitted.explained_variance_
        if self.whiten:
            varies = variance > 1e-12 * max(variance.max(), np.finfo(float).tiny)
            A, variance = A[varies] / np.sqrt(variance[varies])[:, None], variance[varies]
        self.explained_variance_ = variance
        return A
