"""Metrics without labels: Euclid, principal components, the Mahalanobis distance."""

import numpy as np
from sklearn.decomposition import PCA as ScikitLearnPCA

from .base import MetricLearner
from .constraints import COUNT_OR_NONE, NOT_NEGATIVE_OR_AUTO, SEED
from .linear_algebra import invertible
from .scatter import Scatter, ScatterLearner
from .validation import clip_count, ranges

ROUNDING = 1e-15  # spread of a feature against its mean, where it is constant


class Euclidean(MetricLearner):
    """The Euclidean distance: A is the identity.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The identity.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> from freemetric import Euclidean
    >>> Euclidean().fit(X).pair_distance([[X[0], X[1]]]).round(3)
    array([0.539])
    """

    _needs_labels = False
    _parameter_constraints: dict = {}

    def _learn(self, X, y):
        return {"components_": np.eye(X.shape[1])}


class PCA(MetricLearner):
    """Directions of largest variance: max tr(A C A^T) subject to A A^T = I.

    Without ``n_components`` it is a rotation and leaves Euclidean distances as they
    are. Labels are not used.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep; None keeps all that N samples determine.
    whiten : bool, default=False
        Divide each direction by its standard deviation; constant ones are dropped.
    random_state : int, RandomState or None, default=None
        Seed of scikit-learn's randomised solver, which it uses on large data.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    explained_variance_ : ndarray of shape (n_components,)
        Variance along each direction.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] I. T. Jolliffe, Principal component analysis, Springer 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> from freemetric import PCA
    >>> PCA(n_components=2).fit(X).explained_variance_.round(2)
    array([4.23, 0.24])
    """

    _needs_labels = False
    _parameter_constraints = {
        "n_components": COUNT_OR_NONE,
        "whiten": ["boolean"],
        "random_state": SEED,
    }

    def __init__(
        self,
        n_components=None,
        *,
        whiten=False,
        random_state=None,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.random_state = random_state

    def _learn(self, X, y):
        p = clip_count(self.n_components, min(X.shape), "n_components")
        with np.errstate(invalid="ignore"):  # shares of no variance at all
            model = ScikitLearnPCA(p, random_state=self.random_state).fit(X)
        A = model.components_
        variance = model.explained_variance_
        if self.whiten:
            varies = variance > 1e-12 * max(variance.max(), np.finfo(float).tiny)
            variance = variance[varies]
            A = A[varies] / np.sqrt(variance)[:, None]
        return {"components_": A, "explained_variance_": variance}


class Covariance(ScatterLearner):
    r"""The inverse covariance of the samples, the Mahalanobis distance proper.

    .. math:: M = C^{-1}, \quad C = \frac{1}{N - 1} \sum_i (x_i - m)(x_i - m)^T.

    The rows of A are the principal directions by falling variance, each divided by its
    standard deviation. With all of them distances do not depend on the units of the
    features. Constant features have weight zero. Labels are not used.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions of largest variance to keep; None: one per varying feature.
    regularization : float or "auto", default="auto"
        Ridge on the correlation matrix. "auto" shrinks a singular one by the amount of
        Ledoit and Wolf.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; A C A^T is the identity.
    class_counts_ : ndarray of shape (1,)
        N.
    class_means_ : ndarray of shape (1, n_features)
        m.
    scatter_ : ndarray of shape (n_features, n_features)
        (N - 1) C.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] P. C. Mahalanobis, On the generalized distance in statistics, Proceedings of
           the National Institute of Sciences of India 2, 1936.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> from freemetric import Covariance
    >>> M = Covariance().fit(X).get_mahalanobis_matrix()
    >>> bool(np.allclose(M, np.linalg.inv(np.cov(X.T))))
    True
    """

    _needs_labels = False
    _parameter_constraints = {
        "n_components": COUNT_OR_NONE,
        "regularization": NOT_NEGATIVE_OR_AUTO,
    }

    def __init__(
        self,
        n_components=None,
        *,
        regularization="auto",
    ) -> None:
        self.n_components = n_components
        self.regularization = regularization

    def _learn(self, X, y):
        scatter = Scatter.of(X, np.zeros(len(X), dtype=int), 1)
        rows = X - scatter.means
        return self._of_scatter(scatter, rows, ranges(X) > 0)

    def _of_scatter(self, scatter, rows=None, varies=True):
        n = scatter.n
        C = scatter.within / max(n - 1, 1)
        spread = np.sqrt(np.diag(C))
        varies = varies & (spread > ROUNDING * np.abs(scatter.means[0]))
        found = scatter.attributes()
        if not varies.any():
            A = np.eye(len(spread))[: self.n_components]
            return found | {"components_": A}
        spread = spread[varies]
        each = np.outer(spread, spread)
        R = C[np.ix_(varies, varies)] / each  # of features with variance one
        if rows is not None:
            rows = rows[:, varies] / (spread * np.sqrt((n - 1) / n))
        R = invertible(R, n if rows is None else rows, self.regularization)
        variances, vectors = np.linalg.eigh(R * each)
        directions = vectors[:, ::-1].T / np.sqrt(variances[::-1])[:, None]
        A = np.zeros((len(directions), len(varies)))
        A[:, varies] = directions
        p = clip_count(self.n_components, len(A), "n_components")
        return found | {"components_": A[:p]}
