"""Fisher's discriminants as metrics: of whole classes (LDA), and local ones (LFDA)."""

import numpy as np
from scipy.linalg import cholesky, qr, solve_triangular, svd
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import gen_batches

from ..sklearn_compat import StrOptions
from .base import MetricLearner
from .constraints import COUNT, COUNT_OR_NONE, NOT_NEGATIVE_OR_AUTO
from .linear_algebra import (
    generalised_eigenvectors,
    invertible,
    is_regular,
    shrunk,
)
from .scatter import Scatter, ScatterLearner
from .validation import clip_count

NULL = 1e-9  # standard deviations between means that are rounding
RIDGE = 1e-3  # where S_w of LFDA is singular
BLOCK = 2_000_000  # distances of a class computed at once


class LDA(ScatterLearner):
    r"""Linear discriminant analysis: Fisher's directions, scaled to variance one within
    classes.

    .. math:: S_b v = \lambda S_w v, \quad v^T S_w v = 1, \quad
        S_b = \sum_c \frac{n_c}{N} (m_c - m)(m_c - m)^T, \quad
        S_w = \frac{1}{N} \sum_i (x_i - m_{y_i})(x_i - m_{y_i})^T,

    ordered by lambda. C classes have C - 1 such directions at most. The nearest mean in
    the learned space is the prediction of scikit-learn's ``LinearDiscriminantAnalysis``
    for equally frequent classes.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep; None keeps all, at most one less than classes.
    regularization : float or "auto", default="auto"
        Ridge on S_w of features with variance one, relative to its mean eigenvalue.
        "auto" shrinks a singular S_w by the amount of Ledoit and Wolf and leaves a
        regular one as it is.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; A S_w A^T is the identity.
    eigenvalues_ : ndarray of shape (n_components,)
        lambda of every row.
    class_counts_ : ndarray of shape (n_classes,)
        Samples of each class.
    class_means_ : ndarray of shape (n_classes, n_features)
        Their means.
    scatter_ : ndarray of shape (n_features, n_features)
        N S_w.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent without labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] R. A. Fisher, The use of multiple measurements in taxonomic problems, Annals
           of Eugenics 7, 1936.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> from freemetric import LDA
    >>> LDA().fit(X, y).eigenvalues_.round(2)
    array([32.19,  0.29])
    """

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
        scatter = Scatter.of(X, y, y.max() + 1)
        return self._of_scatter(scatter, X - scatter.means[y])

    def _of_scatter(self, scatter, rows=None):
        n = scatter.n
        spread = np.sqrt(np.diag(scatter.total()) / n)
        spread[spread == 0] = 1
        within = scatter.within / n / np.outer(spread, spread)
        rows = n if rows is None else rows / spread
        root = cholesky(invertible(within, rows, self.regularization), lower=True)
        shares = np.sqrt(scatter.counts / n)[:, None]
        means = shares * scatter.centred_means() / spread
        # S_b is means^T means: singular values keep digits that eigenvalues would lose
        whitened = solve_triangular(root, means.T, lower=True)
        directions, sizes, _ = svd(whitened, full_matrices=False)
        rank = int((sizes > NULL * max(sizes[0], 1.0)).sum())
        if not rank:
            message = "All classes have the same mean: nothing tells them apart."
            raise ValueError(message)
        p = clip_count(self.n_components, rank, "n_components") or rank
        A = solve_triangular(root, directions[:, :p], lower=True, trans="T").T
        found = {"components_": A / spread, "eigenvalues_": sizes[:p] ** 2}
        return found | scatter.attributes()


class LFDA(MetricLearner):
    r"""Local Fisher discriminant analysis, with scatters of nearby samples.

    .. math:: S_b v = \lambda S_w v,

    .. math:: S_w = \tfrac12 \sum_{ij} W_{ij} (x_i - x_j)(x_i - x_j)^T, \quad
        W_{ij} = a_{ij} / n_c \text{ inside class } c, \text{ else } 0,

    and S_b alike with weights a_ij (1/N - 1/n_c) inside a class and 1/N between
    classes. The affinity is a_ij = exp(-|x_i - x_j|^2 / (s_i s_j)), s_i the distance to
    the ``n_neighbors``-th neighbour of the class: distant samples of one class are not
    drawn together.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions to keep; None keeps all.
    n_neighbors : int, default=7
        Neighbour that sets the length scale of a sample.
    embedding : {"weighted", "orthonormalized", "plain"}, default="weighted"
        Directions times the root of their eigenvalue, an orthonormal basis of them, or
        v^T S_w v = 1.
    regularization : float or "auto", default="auto"
        Ridge on S_w relative to its mean eigenvalue; "auto" is 0.001 where S_w is
        singular, else 0.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    eigenvalues_ : ndarray of shape (n_components,)
        lambda of every row.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] M. Sugiyama, Dimensionality reduction of multimodal labeled data by local
           Fisher discriminant analysis, JMLR 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import LFDA
    >>> LFDA(n_components=2).fit(*load_iris(return_X_y=True)).components_.shape
    (2, 4)
    """

    _parameter_constraints = {
        "n_components": COUNT_OR_NONE,
        "n_neighbors": COUNT,
        "embedding": [StrOptions({"weighted", "orthonormalized", "plain"})],
        "regularization": NOT_NEGATIVE_OR_AUTO,
    }

    def __init__(
        self,
        n_components=None,
        *,
        n_neighbors=7,
        embedding="weighted",
        regularization="auto",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.embedding = embedding
        self.regularization = regularization

    def _learn(self, X, y):
        within, between = self._scatters(X - X.mean(axis=0), y)
        if self.regularization != "auto":
            within = shrunk(within, self.regularization)
        elif not is_regular(within):
            within = shrunk(within, RIDGE)
        values, directions = generalised_eigenvectors(between, within)
        values = values[: self.n_components]
        A = directions[: self.n_components]
        if self.embedding == "weighted":
            A = A * np.sqrt(np.clip(values, 0, None))[:, None]
        elif self.embedding == "orthonormalized":
            A = qr(A.T, mode="economic")[0].T
        return {"components_": A, "eigenvalues_": values}

    def _scatters(self, X, y):
        """S_w and S_b; sums over pairs become Laplacians."""
        N, d = X.shape
        within = np.zeros((d, d))
        between = np.zeros((d, d))
        for c in range(y.max() + 1):
            members = X[y == c]
            n = len(members)
            local = local_scatter(members, self.n_neighbors)
            total = members.sum(axis=0)
            within += local / n
            # pairs of c with other classes weigh 1/N: each meets N - n samples outside
            outside = (1 - n / N) * members.T @ members
            between += (1 / N - 1 / n) * local + outside + np.outer(total, total) / N
        return within, between  # the sums over classes cancel the rest: X is centred


def local_scatter(members, n_neighbors):
    """1/2 sum_ij a_ij (x_i - x_j)(x_i - x_j)^T over one class."""
    n, d = members.shape
    scatter = np.zeros((d, d))
    if n == 1:
        return scatter
    k = min(n_neighbors, n - 1)
    blocks = list(gen_batches(n, max(1, BLOCK // n)))

    def distances(rows):
        return euclidean_distances(members[rows], members, squared=True)

    scale = np.empty(n)
    for rows in blocks:  # assigned, because a view would keep all distances
        scale[rows] = np.sqrt(np.partition(distances(rows), k, axis=1)[:, k])
    tiny = np.finfo(np.float64).tiny ** 0.25
    scale = np.maximum(scale, tiny)  # of copies: only they are near
    for rows in blocks:
        laplacian = -np.exp(distances(rows) / np.outer(-scale[rows], scale))
        own = np.arange(len(laplacian)), np.arange(n)[rows]
        laplacian[own] -= laplacian.sum(axis=1)  # exactly nothing of lone samples
        scatter += members[rows].T @ (laplacian @ members)
    return scatter
