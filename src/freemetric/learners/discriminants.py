"""Fisher's discriminants as metrics: of classes as wholes (LDA), and of their clusters (LFDA)."""

from typing import Annotated, Any

import numpy as np
from scipy.linalg import cholesky, qr, solve_triangular, svd
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import gen_batches

from ..sklearn_compat import StrOptions
from .base import MetricLearner
from .linear_algebra import covariance, generalised_eigenvectors, group_means, is_regular, shrunk, within_groups
from .parameters import estimator, parameter
from .validation import clip_count

NULL = 1e-9  # standard deviations between means that are rounding
BLOCK = 512  # rows of a class's distances computed at once ...
HELD = 2000**2  # ... and the most of them that are kept


@estimator
class LDA(MetricLearner):
    r"""Linear discriminant analysis: Fisher's directions, scaled to variance one within classes.

    .. math:: S_b v = \lambda S_w v, \quad v^T S_w v = 1, \quad
        S_b = \sum_c \frac{n_c}{N} (m_c - m)(m_c - m)^T, \quad
        S_w = \frac{1}{N} \sum_i (x_i - m_{y_i})(x_i - m_{y_i})^T,

    ordered by lambda. C classes have C - 1 such directions at most. The nearest mean in the learned space is the
    prediction of scikit-learn's ``LinearDiscriminantAnalysis`` for equally frequent classes.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; A S_w A^T is the identity.
    {eigenvalues} {classes} {features}

    References
    ----------
    R. A. Fisher, The use of multiple measurements in taxonomic problems, Annals of Eugenics 7, 1936.

    Examples
    --------
    {iris}
    >>> from freemetric import LDA
    >>> LDA().fit(X, y).eigenvalues_.round(2)
    array([32.19,  0.29])
    """

    n_components: int | None = parameter(None, "Directions to keep; None keeps all, at most one less than classes.")
    regularization: Any = parameter(
        "auto",
        'Ridge on S_w of features with variance one, relative to its mean eigenvalue. "auto" shrinks a singular S_w '
        "by the amount of Ledoit and Wolf and leaves a regular one as it is.",
    )

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
        p = clip_count(self.n_components, rank, "n_components") or rank
        self.eigenvalues_ = sizes[:p] ** 2
        return solve_triangular(root, directions[:, :p], lower=True, trans="T").T / spread


@estimator
class LFDA(MetricLearner):
    r"""Local Fisher discriminant analysis: S_b v = \lambda S_w v with scatters of nearby samples.

    .. math:: S_w = \tfrac12 \sum_{ij} W_{ij} (x_i - x_j)(x_i - x_j)^T, \quad
        W_{ij} = a_{ij} / n_c \text{ inside class } c, \text{ else } 0,

    and S_b alike with weights a_ij (1/N - 1/n_c) inside a class and 1/N between classes. The affinity is
    a_ij = exp(-|x_i - x_j|^2 / (s_i s_j)), s_i the distance to the ``n_neighbors``-th neighbour of the class: distant
    samples of one class are not drawn together.

    {map} {eigenvalues} {features}

    References
    ----------
    M. Sugiyama, Dimensionality reduction of multimodal labeled data by local Fisher discriminant analysis, JMLR 2007.

    {two_of_iris}
    """

    n_components: int | None = parameter(None, "{directions}")
    n_neighbors: int = parameter(7, "Neighbour that sets the length scale of a sample.")
    embedding: Annotated[Any, StrOptions({"weighted", "orthonormalized", "plain"})] = parameter(
        "weighted", "Directions times the root of their eigenvalue, an orthonormal basis of them, or v^T S_w v = 1."
    )
    regularization: Any = parameter(
        "auto", 'Ridge on S_w relative to its mean eigenvalue; "auto" is 0.001 where S_w is singular, else 0.'
    )

    def _learn(self, X, y):
        X = X - X.mean(axis=0)
        within, between = self._scatters(X, y)
        if self.regularization != "auto":
            within = shrunk(within, self.regularization)
        elif not is_regular(within):
            within = shrunk(within, 1e-3)
        values, directions = generalised_eigenvectors(between, within)
        values, directions = values[: self.n_components], directions[: self.n_components]
        self.eigenvalues_ = values
        if self.embedding == "weighted":
            return directions * np.sqrt(np.clip(values, 0, None))[:, None]
        return qr(directions.T, mode="economic")[0].T if self.embedding == "orthonormalized" else directions

    def _scatters(self, X, y):
        """S_w and S_b; sums over pairs become Laplacians, X^T (diag(row sums) - weights) X."""
        N, d = X.shape
        within, between = np.zeros((d, d)), np.zeros((d, d))
        for c in range(y.max() + 1):
            members = X[y == c]
            n = len(members)
            local = self._local_scatter(members)
            total = members.sum(axis=0)
            within += local / n
            # pairs of c with other classes weigh 1/N: each member meets N - n samples outside
            between += (1 / N - 1 / n) * local + (1 - n / N) * members.T @ members + np.outer(total, total) / N
        return within, between  # the sums over classes cancel the rest: X is centred

    def _local_scatter(self, members):
        """1/2 sum_ij a_ij (x_i - x_j)(x_i - x_j)^T over one class."""
        n, d = members.shape
        if n == 1:
            return np.zeros((d, d))
        k, blocks = min(self.n_neighbors, n - 1), list(gen_batches(n, BLOCK))
        held = euclidean_distances(members, squared=True) if n * n <= HELD else None  # they are needed twice

        def distances(rows):
            return euclidean_distances(members[rows], members, squared=True) if held is None else held[rows]

        scale = np.concatenate([np.sqrt(np.partition(distances(rows), k, axis=1)[:, k]) for rows in blocks])
        scale = np.maximum(scale, np.finfo(np.float64).tiny ** 0.25)  # copies: only they are near
        scatter = np.zeros((d, d))
        for rows in blocks:
            laplacian = -np.exp(distances(rows) / np.outer(-scale[rows], scale))
            own = np.arange(len(laplacian)), np.arange(n)[rows]
            laplacian[own] -= laplacian.sum(axis=1)  # exactly nothing is left of a sample far from all others
            scatter += members[rows].T @ (laplacian @ members)
        return scatter
