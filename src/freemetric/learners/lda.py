"""Linear discriminant analysis as a metric: where the means of classes are farthest apart, against their spread."""

from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular, svd

from .base import MetricLearner
from .linear_algebra import covariance, group_means, within_groups
from .parameters import estimator
from .validation import clip_count

NULL = 1e-9  # standard deviations between means that are rounding


@estimator
class LDA(MetricLearner):
    r"""Linear discriminant analysis: Fisher's directions, in which every class has variance one.

    .. math:: S_b v = \lambda S_w v, \quad v^T S_w v = 1, \quad
        S_b = \sum_c \frac{n_c}{N} (m_c - m)(m_c - m)^T, \quad
        S_w = \frac{1}{N} \sum_i (x_i - m_{y_i})(x_i - m_{y_i})^T,

    ordered by lambda, the variance between classes against that within them. C classes have C - 1 such directions at
    most, and these are all that normal classes of one covariance can be told apart by: the nearest mean in the learned
    space is the class of scikit-learn's ``LinearDiscriminantAnalysis`` where all classes are equally frequent. Costs
    O(N d^2 + d^3).

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep; None keeps all that the means of the classes span, C - 1 at most.
    regularization : float or "auto", default="auto"
        Ridge on S_w, of features with variance one, relative to its mean eigenvalue. "auto" shrinks a singular S_w by
        Ledoit and Wolf's amount and leaves a regular one as it is. Either way the units of features do not matter.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; A S_w A^T is the identity.
    eigenvalues_ : ndarray of shape (n_components,)
        lambda of every row, falling.
    {classes} {features}

    See Also
    --------
    RCA : The same directions first, and all others behind them.
    LFDA : For classes of several clusters.

    References
    ----------
    R. A. Fisher, The use of multiple measurements in taxonomic problems, Annals of Eugenics 7, 1936.

    Examples
    --------
    {iris}
    >>> from freemetric import LDA
    >>> model = LDA().fit(X, y)
    >>> model.components_.shape
    (2, 4)
    >>> model.eigenvalues_.round(2)
    array([32.19,  0.29])
    """

    n_components: int | None = None
    _: KW_ONLY
    regularization: Any = "auto"

    def _learn(self, X, y):
        X = X - X.mean(axis=0)
        spread = X.std(axis=0)
        spread[spread == 0] = 1
        X = X / spread
        root = cholesky(covariance(within_groups(X, y), self.regularization), lower=True)
        means = np.sqrt(np.bincount(y) / len(y))[:, None] * group_means(X, y)
        # S_b is means^T means: singular values keep the digits that its eigenvalues would lose
        directions, sizes, _ = svd(solve_triangular(root, means.T, lower=True), full_matrices=False)
        rank = int((sizes > NULL * max(sizes[0], 1.0)).sum())
        if not rank:
            raise ValueError("All classes have the same mean: no direction tells them apart.")
        p = rank if self.n_components is None else clip_count(self.n_components, rank, "n_components")
        self.eigenvalues_ = sizes[:p] ** 2
        return solve_triangular(root, directions[:, :p], lower=True, trans="T").T / spread
