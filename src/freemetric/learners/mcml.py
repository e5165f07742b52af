"""MCML: every class collapsed to a point, as nearly as a linear map can."""

import numpy as np

from ..kernels import cpu_kernels
from .base import MetricLearner
from .constraints import COUNT_OR_NONE, MAP, NOT_NEGATIVE, PRIOR, SEARCH
from .descent import Descent, first_map
from .linear_algebra import group_means
from .side_information import departure, prior_matrix
from .validation import labelled_rows, unit_of

KEPT_BYTES = 32 * 2**20  # of tiles between the two passes


class MCML(MetricLearner):
    r"""Maximally collapsing metric learning: all soft neighbours of the own class, and
    equally likely.

    .. math:: \min_{M \succeq 0}\;
        \frac1N \sum_i \mathrm{KL}(q_{i\cdot} \,|\, p_{i\cdot}) + r |M - M_0|^2, \qquad
        p_{ij} = \frac{\exp(-d_{ij})}{\sum_{k \ne i} \exp(-d_{ik})}, \quad
        d_{ij} = (x_i - x_j)^T M (x_i - x_j),

    where q_ij is the same for all j of the class of i, and 0 for others. The objective
    is convex in M; L-BFGS minimises it over the map A, M = A^T A. With all components
    every minimum is the global one. Samples alone in their class are neighbours of
    others only.

    Parameters
    ----------
    n_components : int or None, default=None
        Rank of M, the dimension of the learned space; None keeps the number of
        features.
    regularization : float, default=0.0001
        r, the cost of leaving the prior, with features in units of their largest range;
        0 in the reference.
    prior : {"identity", "covariance"} or array-like, default="identity"
        M_0: the identity, the inverse covariance of all rows of X, unlabelled ones
        included, or a positive definite matrix (n_features, n_features) in the units of
        X.
    init : str or array-like of shape (p, n_features), default="auto"
        One of "auto", "identity", "pca", "lda", "random", "uniform". Start of the
        search. "auto": the prior; for fewer dimensions "lda" with enough classes, else
        "pca".
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-05
        Stop when an iteration lowers the objective by less.
    random_state : int, RandomState or None, default=None
        Seed of all random numbers: drawn tuples, starts, batches, moves.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    objective_ : float
        The objective at the solution.
    n_iter_ : int
        Number of iterations; with batches, of evaluations on the subset.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent without labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] A. Globerson, S. Roweis, Metric learning by collapsing classes, NIPS 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import MCML
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), MCML(), KNeighborsClassifier())
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    _uses_unlabelled = True
    _parameter_constraints = {
        **SEARCH,
        "n_components": COUNT_OR_NONE,
        "regularization": NOT_NEGATIVE,
        "prior": PRIOR,
        "init": MAP,
    }

    def __init__(
        self,
        n_components=None,
        *,
        regularization=0.0001,
        prior="identity",
        init="auto",
        max_iter=200,
        tol=1e-05,
        random_state=None,
    ) -> None:
        self.n_components = n_components
        self.regularization = regularization
        self.prior = prior
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X, y):
        rows = labelled_rows(X, y)
        y = y[y >= 0]
        unit = unit_of(rows)
        M0 = prior_matrix(self.prior, X, unit)
        rows = rows / unit
        collapse = Collapse(rows, y)

        def objective(A):
            value, slope = collapse(A)
            cost, back = departure(A, M0, self.regularization)
            return value + cost, slope + back

        search = Descent(objective, first_map(self, rows, y, unit, M0))
        n_iter = self._run(search)
        return {
            "components_": search.best.item / unit,
            "objective_": search.best.value,
            "n_iter_": n_iter,
        }


class Collapse:
    """The mean divergence of samples (N, d) with classes (N,); its gradient by A.

    The mean distance within a class is twice its variance: only the sums over all
    samples need pairs.
    """

    def __init__(self, X, y) -> None:
        X = X - X.mean(axis=0)
        sizes = np.bincount(y)[y]
        self.X = X.astype(np.float32)
        self.counted = (sizes > 1).astype(np.float32)
        rows = X - group_means(X, y)[y]
        weights = sizes / np.maximum(sizes - 1, 1)
        self.within = 2 * rows.T @ (rows * weights[:, None]) / len(X)
        self.entropy = np.log(np.maximum(sizes - 1, 1)).mean()

    def __call__(self, A):
        gradient = np.empty(A.shape, np.float32)
        others = cpu_kernels().log_partition(
            self.X, A.astype(np.float32), self.counted, KEPT_BYTES, gradient
        )
        pull = A @ self.within
        value = float((pull * A).sum() + others - self.entropy)
        return value, gradient + 2 * pull
