"""LDML: logistic regression on the distances of pairs."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .constraints import (
    COUNT_OR_NONE,
    MAP,
    NOT_NEGATIVE,
    PRIOR,
    SEARCH,
    TWO_OR_MORE_OR_NONE,
)
from .descent import Array, Descent, first_map
from .side_information import PairLearner, departure, prior_matrix
from .validation import labelled_rows, unit_of


class LDML(PairLearner):
    r"""Logistic discriminant metric learning: logistic regression on the distances of
    pairs.

    .. math:: \min_{M \succeq 0,\, b}\;
        \left\langle \log\left(1 + \exp(-s_n (b - v_n^T M v_n))\right)
        \right\rangle_n + r |M - M_0|^2,

    where v_n is the difference of the two samples of pair n, s_n = 1 for similar and -1
    for dissimilar pairs, and b the squared distance at which both are equally likely,
    :math:`p_n = \sigma(b - v_n^T M v_n)`. The objective is convex in M and b; L-BFGS
    minimises it over the map A, M = A^T A. With all components every minimum is the
    global one.

    Parameters
    ----------
    n_components : int or None, default=None
        Rank of M, the dimension of the learned space; None keeps the number of
        features.
    regularization : float, default=0.0001
        r, the cost of leaving the prior, with features in units of their largest range.
        With 0 there is no minimum for separable pairs.
    n_constraints : int or None, default=None
        Pairs drawn from the labels, half of them similar. None: 20 n_classes^2, between
        1000 and 10,000.
    prior : {"identity", "covariance"} or array-like, default="identity"
        M_0: the identity, the inverse covariance of all rows of X, unlabelled ones
        included, or a positive definite matrix (n_features, n_features) in the units of
        X.
    init : str or array-like of shape (p, n_features), default="auto"
        One of "auto", "identity", "pca", "lda", "random", "uniform". Start of the
        search. "auto": the prior; for fewer dimensions "lda" with enough classes, else
        "pca".
    max_iter : int, default=500
        Maximum number of iterations.
    tol : float, default=1e-06
        Stop when an iteration lowers the objective by less.
    random_state : int, RandomState or None, default=None
        Seed of the drawn pairs and of random starts.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A.
    threshold_ : float
        b: pairs of a smaller squared distance are more likely similar than not.
    objective_ : float
        The objective at the solution.
    pairs_ : ndarray of shape (n_pairs, 2)
        Rows of X that were compared.
    pair_labels_ : ndarray of shape (n_pairs,)
        +1 for similar, -1 for dissimilar pairs.
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
    .. [1] M. Guillaumin, J. Verbeek, C. Schmid, Is that you? Metric learning approaches
           for face identification, ICCV 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> from freemetric import LDML
    >>> model = LDML(random_state=0).fit(X, y)
    >>> near = model.pair_distance(X[model.pairs_]) ** 2 < model.threshold_
    >>> bool((near == (model.pair_labels_ == 1)).mean() > 0.9)
    True

    >>> pairs = [[0, 1], [0, 100]]  # instead of labels
    >>> model = LDML().fit(X, pairs=pairs, pair_labels=[1, -1])
    >>> near, far = model.pair_distance(X[pairs])
    >>> bool(near < far)
    True
    """

    _needs_similar = True
    _uses_unlabelled = True
    _parameter_constraints = {
        **SEARCH,
        "n_components": COUNT_OR_NONE,
        "regularization": NOT_NEGATIVE,
        "n_constraints": TWO_OR_MORE_OR_NONE,
        "prior": PRIOR,
        "init": MAP,
    }

    def __init__(
        self,
        n_components=None,
        *,
        regularization=0.0001,
        n_constraints=None,
        prior="identity",
        init="auto",
        max_iter=500,
        tol=1e-06,
        random_state=None,
    ) -> None:
        self.n_components = n_components
        self.regularization = regularization
        self.n_constraints = n_constraints
        self.prior = prior
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X, y, pairs=None, pair_labels=None):
        pairs, similar = self._pairs(X, y, pairs, pair_labels)
        if not len(pairs):
            raise ValueError("LDML needs similar pairs; classes have single samples.")
        signs = np.where(similar, 1, -1)
        unit = unit_of(labelled_rows(X, y))
        M0 = prior_matrix(self.prior, X, unit)
        X = X / unit
        V = X[pairs[:, 0]] - X[pairs[:, 1]]
        rows = labelled_rows(X, y)
        A = first_map(self, rows, None if y is None else y[y >= 0], unit, M0)
        b = np.median(((V @ A.T) ** 2).sum(axis=1))

        def objective(flat):
            start = flat[:-1].reshape(A.shape)
            return pair_loss(start, flat[-1], V, signs, M0, self.regularization)

        search = Descent(objective, np.append(A, b))
        n_iter = self._run(search)
        flat = search.best.item
        return {
            "components_": flat[:-1].reshape(A.shape) / unit,
            "threshold_": float(flat[-1]),
            "objective_": search.best.value,
            "pairs_": pairs,
            "pair_labels_": signs,
            "n_iter_": n_iter,
        }


def pair_loss(
    A: Array, b: float, V: Array, signs: NDArray, M0: Array, regularization: float
) -> tuple[float, NDArray[np.float64]]:
    """The objective and its flat gradient by A and b.

    V (n, d) are differences with signs (n,).
    """
    Z = V @ A.T
    cost, slope = departure(A, M0, regularization)
    margins = signs * (b - (Z**2).sum(axis=1))
    loss = float(np.logaddexp(0, -margins).mean())
    pull = signs * expit(-margins) / len(V)  # - d loss / d (b - D)
    by_map = 2 * (Z * pull[:, None]).T @ V + slope
    return loss + cost, np.append(by_map, -pull.sum())
