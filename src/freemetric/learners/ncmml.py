"""NCMML: the metric in which the nearest class mean predicts best."""

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from ..sklearn_compat import generator
from .base import MetricLearner
from .constraints import COUNT, COUNT_OR_NONE, MAP, NOT_NEGATIVE, SEARCH
from .descent import Array, Descent, first_map
from .linear_algebra import group_means
from .validation import unit_of


class NCMML(MetricLearner):
    r"""Nearest class mean metric learning: class probabilities by the distance to class
    means.

    .. math:: E(A) = -\frac1N \sum_i \log p(y_i | x_i) + r |A - A_0|^2, \qquad
        p(c | x) = \frac{\exp(-|A x - A m_c|^2 / 2)}
        {\sum_{c'} \exp(-|A x - A m_{c'}|^2 / 2)},

    by L-BFGS from A_0 on. The means m_c are those of the samples: new classes can be
    added later by their means alone. With several centroids per class p(c | x) is the
    sum over those of c, found by k-means in every class.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features, or the rank
        of very wide data.
    n_centroids : int, default=1
        Centroids of a class, at most its distinct samples. One is the mean.
    regularization : float, default=0.001
        r, the cost of leaving A_0, what ``init`` names; 0 in the reference.
    init : str or array-like of shape (p, n_features), default="auto"
        One of "auto", "identity", "pca", "lda", "random", "uniform". Start of the
        search. "auto": the identity; for fewer dimensions "lda" with enough classes,
        else "pca".
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-06
        Stop when an iteration lowers the objective by less.
    random_state : int, RandomState or None, default=None
        Seed of random starts, and of the clustering of classes.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    centroids_ : ndarray of shape (n_centroids in all, n_features)
        The means of the classes, or their centroids, in the space of X.
    centroid_classes_ : ndarray of shape (n_centroids in all,)
        The class of each centroid, as an index into ``classes_``.
    energy_ : float
        E(A).
    n_iter_ : int
        Number of iterations.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent without labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    References
    ----------
    .. [1] T. Mensink, J. Verbeek, F. Perronnin, G. Csurka, Distance-based image
           classification: generalizing to new classes at near-zero cost, IEEE
           Transactions on Pattern Analysis and Machine Intelligence 35, 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import NCMML
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), NCMML(), KNeighborsClassifier())
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    _parameter_constraints = {
        **SEARCH,
        "n_components": COUNT_OR_NONE,
        "n_centroids": COUNT,
        "regularization": NOT_NEGATIVE,
        "init": MAP,
    }

    def __init__(
        self,
        n_components=None,
        *,
        n_centroids=1,
        regularization=0.001,
        init="auto",
        max_iter=200,
        tol=1e-06,
        random_state=None,
    ) -> None:
        self.n_components = n_components
        self.n_centroids = n_centroids
        self.regularization = regularization
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X, y):
        unit = unit_of(X)
        X = X / unit
        centroids, owners = self._centroids(X, y)
        A0 = first_map(self, X, y, unit)
        is_own = owners == y[:, None]

        def objective(A):
            value, gradient = class_mean_loss(A, X, centroids, is_own)
            cost = self.regularization * float(((A - A0) ** 2).sum())
            return value + cost, gradient + 2 * self.regularization * (A - A0)

        search = Descent(objective, A0)
        n_iter = self._run(search)
        return {
            "components_": search.best.item / unit,
            "centroids_": centroids * unit,
            "centroid_classes_": owners,
            "energy_": search.best.value,
            "n_iter_": n_iter,
        }

    def _centroids(self, X, y):
        """Centroids (K, d) of all classes and their class indices (K,)."""
        n_classes = y.max() + 1
        if self.n_centroids == 1:
            return group_means(X, y), np.arange(n_classes)
        seed = int(generator(self.random_state).integers(2**31))
        found = [_centres(X[y == c], self.n_centroids, seed) for c in range(n_classes)]
        owners = np.repeat(np.arange(n_classes), [len(centres) for centres in found])
        return np.vstack(found), owners


def _centres(members, n_centroids, seed):
    """Centroids of a class by k-means, at most one for each distinct sample."""
    k = min(n_centroids, len(np.unique(members, axis=0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of near copies
        model = KMeans(k, n_init=4, random_state=seed).fit(members)
    return model.cluster_centers_


def class_mean_loss(
    A: Array, X: Array, centroids: Array, is_own: NDArray[np.bool_]
) -> tuple[float, Array]:
    """Mean of -log p(y_i | x_i), and its gradient by A.

    ``is_own`` (N, K) marks the centroids of a sample's own class.
    """
    Z = X @ A.T
    M = centroids @ A.T
    scores = Z @ M.T - 0.5 * (M**2).sum(axis=1)  # without what centroids share
    own = np.where(is_own, scores, -np.inf)
    every = logsumexp(scores, axis=1, keepdims=True)
    ours = logsumexp(own, axis=1, keepdims=True)
    # d loss / d scores: every row sums to zero
    pull = (np.exp(scores - every) - np.exp(own - ours)) / len(X)
    by_centroids = (pull.T @ Z - pull.sum(axis=0)[:, None] * M).T @ centroids
    gradient = M.T @ (pull.T @ X) + by_centroids
    return float((every - ours).mean()), gradient
