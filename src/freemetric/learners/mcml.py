"""MCML: every class collapsed to a point, as nearly as a linear map can."""

import numpy as np

from ..energies import Energy
from ..kernels import cpu_kernels
from .base import MetricLearner
from .constraints import (
    COUNT_OR_NONE,
    MAP,
    NOT_NEGATIVE,
    PRIOR,
    SEARCH,
    TWO_OR_MORE_OR_NONE,
)
from .descent import Descent, first_map
from .linear_algebra import group_means
from .minibatch import batch_search
from .side_information import departure, prior_matrix
from .validation import labelled_rows, rows_per_batch, unit_of

KEPT_BYTES = 32 * 2**20  # of tiles between the two passes
UNBATCHED = 10_000  # samples: up to so many, all pairs are faster than batches
BATCH = 1024


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
    others only. Large data are learned from in batches, as by :class:`NCA`: the
    objective is then that of a batch, with its own neighbours.

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
        Maximum number of L-BFGS iterations; with batches, of evaluations on the subset,
        25 steps each.
    tol : float, default=1e-05
        Stop when an iteration lowers the objective by less; with batches, shorten the
        steps then.
    batch_size : int or None, default=None
        Samples of a batch. None: no batches up to 10,000 samples, batches of 1,024
        beyond.
    random_state : int, RandomState or None, default=None
        Seed of random starts and of batches.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    objective_ : float
        The objective at the solution; with batches, that of a subset of 4,096 samples.
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
        "batch_size": TWO_OR_MORE_OR_NONE,
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
        batch_size=None,
        random_state=None,
    ) -> None:
        self.n_components = n_components
        self.regularization = regularization
        self.prior = prior
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.batch_size = batch_size
        self.random_state = random_state

    def _learn(self, X, y):
        rows = labelled_rows(X, y)
        y = y[y >= 0]
        unit = unit_of(rows)
        energy = CollapseEnergy(prior_matrix(self.prior, X, unit), self.regularization)
        n = rows_per_batch(self.batch_size, len(rows), usual=BATCH, most=UNBATCHED)
        if n is None:
            search = self._search_of_all(energy, rows / unit, y, unit)
        else:
            search = batch_search(self, (rows, y, None, unit), n, energy, energy)
        n_iter = self._run(search)
        return {
            "components_": search.best.item / unit,
            "objective_": search.best.value,
            "n_iter_": n_iter,
        }

    def _search_of_all(self, energy, X, y, unit):
        """L-BFGS on the objective of all samples."""
        bound = energy.bind(X, y)

        def objective(A):
            value, gradient = bound.value_and_grad(A[None])
            return value[0], gradient[0]

        return Descent(objective, first_map(self, X, y, unit, energy.prior))


class CollapseEnergy(Energy):
    """The objective of MCML, with a prior M_0 (d, d) in the units of the samples."""

    takes_weights = False

    def __init__(self, prior, regularization):
        self.prior = prior
        self.regularization = regularization

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        stack = X[None] if X.ndim == 2 else X
        terms = [Collapse(rows, y) for rows in stack]
        return BoundCollapse(terms, self.prior, self.regularization)


class BoundCollapse:
    """The objective of one or more sets of samples, of maps (R, p, d)."""

    def __init__(self, terms, prior, regularization) -> None:
        self.terms = terms
        self.prior = prior
        self.regularization = regularization

    def __call__(self, A):
        return self.value_and_grad(A)[0]

    def value_and_grad(self, A):
        found = [
            self._one(self.terms[r % len(self.terms)], A[r]) for r in range(len(A))
        ]
        values, gradients = zip(*found, strict=True)
        return np.array(values), np.array(gradients)

    def _one(self, term, A):
        value, gradient = term(A)
        cost, back = departure(A, self.prior, self.regularization)
        return value + cost, gradient + back


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
