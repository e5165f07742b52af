"""SDML: a sparse metric near a prior, small along what similar pairs differ in, large along what dissimilar ones do."""

import warnings
from numbers import Integral, Real
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cholesky, eigh, inv
from sklearn.exceptions import ConvergenceWarning

from ..exceptions import DataWarning, callers_stacklevel
from ..printable import counted
from ..sklearn_compat import Interval, StrOptions
from .base import MetricLearner, generator, one_blas_thread
from .linear_algebra import map_by_contrast
from .lowest import keeping_the_best
from .priors import PRIOR
from .side_information import check_pairs, draw_pairs, usual_number_of_pairs
from .sparse_inverse import SparseInverse
from .unlabelled import PriorOfAllRows

FARTHEST = 10.0  # by how much the pairs stretch or shrink the prior in any direction, where balance is "auto"
LEAST = 1e-3  # of the prior: what must be left of every eigenvalue


class SDML(PriorOfAllRows):
    r"""Sparse determinant metric learning: a graphical lasso on what a prior and pairs say.

    .. math::

        \min_{M \succ 0}\; F(M) = \operatorname{tr}(S M) - \log\det M + \lambda \sum_{i \ne j} |M_{ij}|, \qquad
        S = M_0^{-1} + \beta \sum_c s_c v_c v_c^T,

    where v_c is the difference of the two patterns of pair c, s_c = 1 for similar and -1 for dissimilar pairs, and M_0
    a prior metric. Without the penalty M is the inverse of S: small along directions in which similar pairs differ,
    large along those in which dissimilar ones do. The penalty makes features that need not be weighed together
    independent of each other, so that few pairs suffice for many features.

    F has a minimum only where S is positive definite, or nearly: dissimilar pairs with too much weight make distances
    infinite. A ``balance`` too large for that is lowered until a thousandth of the prior is left in every direction,
    with a warning; ``balance_`` is what was used. "auto" never needs it.

    Newton's method descends F, as long as the signs of the elements stay what they are (see the reference by Oztoprak
    et al.); a step costs some O(d^3) for d features. F is that of features in units in which the largest range is one,
    or the standard deviation where all features have the same.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions of the learned space to keep, those in which dissimilar pairs, or all patterns where there are none,
        differ most against similar ones; None keeps all.
    balance : float or "auto", default="auto"
        beta, the weight of a pair against the prior. "auto": the largest for which S is nowhere more than ten times
        the prior's or less than a tenth of it.
    sparsity : float, default=0.01
        lambda, the price of elements beside the diagonal. 0 makes M the inverse of S.
    n_constraints : int or None, default=None
        Pairs drawn from the labels, half of them similar. None draws 20 n_classes^2, at least 1000 and at most 10 000,
        but no more than there are.
    prior : {"identity", "covariance"} or array of shape (n_features, n_features), default="identity"
        M_0: the identity, the inverse covariance of X, unlabelled rows included (shrunk by Ledoit and Wolf's amount
        where it is singular), or a symmetric positive definite matrix, a metric of X in its own units.
    max_iter : int, default=500
        Most Newton steps.
    tol : float, default=1e-4
        Stop when F is at most this times the number of features above its minimum.
    verbose : bool, default=False
        Log every step.
    random_state : int, RandomState or None, default=None
        Seed of the pairs that are drawn.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map A; M = A^T A if n_components is None.
    precision_ : ndarray of shape (n_features, n_features)
        M, with its zeros.
    objective_ : float
        F(M).
    gap_ : float
        At most this far above the minimum.
    balance_ : float
        beta.
    pairs_ : ndarray of shape (n_pairs, 2)
        Rows of X that were compared.
    pair_labels_ : ndarray of shape (n_pairs,)
        +1 for similar, -1 for dissimilar pairs.
    n_iter_ : int
        Newton steps; 1 where none was needed.
    classes_ : ndarray of shape (n_classes,)
        Labels seen in fit, if there were any.
    n_features_in_ : int
        Features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any.

    See Also
    --------
    ITML : The same prior, with bounds on the distances of pairs.
    PairClassifier : Predicts whether pairs are similar.

    References
    ----------
    G.-J. Qi, J. Tang, Z.-J. Zha, T.-S. Chua, H.-J. Zhang, An efficient sparse metric learning in high-dimensional space
    via l1-penalized log-determinant regularization, ICML 2009.

    F. Oztoprak, J. Nocedal, S. Rennie, P. A. Olsen, Newton-like methods for sparse inverse covariance estimation,
    NIPS 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from freemetric import SDML
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> model = SDML(sparsity=0.1, random_state=0).fit(X, y)
    >>> bool((model.precision_ == 0).any())
    True

    Pairs instead of labels:

    >>> model = SDML().fit(X, pairs=[[0, 1], [0, 100]], pair_labels=[1, -1])
    >>> near, far = model.pair_distance(X[model.pairs_])
    >>> bool(near < far)
    True
    """

    _parameter_constraints: dict = {
        **MetricLearner._parameter_constraints,
        "balance": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "sparsity": [Interval(Real, 0, None, closed="left")],
        "n_constraints": [Interval(Integral, 2, None, closed="left"), None],
        "prior": PRIOR,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    _has_units = True
    _balance_is_called = "balance"  # where users meet it

    def __init__(
        self,
        n_components=None,
        *,
        balance="auto",
        sparsity=0.01,
        n_constraints=None,
        prior="identity",
        max_iter=500,
        tol=1e-4,
        verbose=False,
        random_state=None,
    ):
        self.n_components = n_components
        self.balance = balance
        self.sparsity = sparsity
        self.n_constraints = n_constraints
        self.prior = prior
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        pairs: ArrayLike | None = None,
        pair_labels: ArrayLike | None = None,
    ) -> Self:
        """Learn the metric from labels, or from pairs known to be similar or dissimilar.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Patterns.
        y : array-like of shape (n_samples,)
            Class labels, of any type, -1 for unlabelled rows; not used where pairs are given.
        pairs : array-like of shape (n_pairs, 2), default=None
            Rows of X that are known to be similar or dissimilar.
        pair_labels : array-like of shape (n_pairs,), default=None
            +1 for similar, -1 for dissimilar pairs.

        Returns
        -------
        self : object
            The fitted learner.
        """
        return self._fit(X, y, pairs=pairs, pair_labels=pair_labels)

    def _learn(self, X, y, pairs=None, pair_labels=None, all_rows=None):
        if y is None:
            pairs, similar = check_pairs(pairs, pair_labels, len(X))
        else:
            n = usual_number_of_pairs(y) if self.n_constraints is None else self.n_constraints
            pairs, similar = draw_pairs(generator(self.random_state), X, y, n)
        self.pairs_, self.pair_labels_ = self._as_given(pairs), np.where(similar, 1, -1)
        M0, X = self._prior(X, all_rows), X / self._unit
        V = X[pairs[:, 0]] - X[pairs[:, 1]]
        P = (V.T * self.pair_labels_) @ V
        balance = self._balance(P, M0)
        search = SparseInverse(inv(M0) + balance * P, float(self.sparsity))
        with one_blas_thread(), keeping_the_best("SDML", search.best):
            if not search.run(self.max_iter, self.tol, self.verbose):
                message = f"SDML stopped after {counted(search.n_iter, 'step')} (max_iter={self.max_iter}) before it"
                warnings.warn(
                    f"{message} converged to tol={self.tol}.", ConvergenceWarning, stacklevel=callers_stacklevel()
                )
        self.balance_, self.n_iter_ = balance, max(search.n_iter, 1)
        self.precision_, self.objective_, self.gap_ = search.matrix / self._unit**2, search.objective, search.gap
        far = X - X.mean(axis=0) if similar.all() else V[~similar]
        return map_by_contrast(search.matrix, V[similar], far, self.n_components)

    def _balance(self, P, M0):
        """What a pair weighs, in any units: as given, if something of the prior is left in every direction."""
        root = cholesky(M0, lower=True)
        lowest, highest = eigh(root.T @ P @ root, eigvals_only=True)[[0, -1]]
        if self.balance == "auto":
            most = [(1 - 1 / FARTHEST) / -lowest] if lowest < 0 else []
            most += [(FARTHEST - 1) / highest] if highest > 0 else []
            return float(min(most, default=0.0))
        if 1 + self.balance * lowest >= LEAST:
            return float(self.balance)
        lowered = (1 - LEAST) / -lowest
        name = self._balance_is_called
        what = f"{name}={self.balance:.3g} gives dissimilar pairs more weight than the prior can bear"
        how = f"{lowered:.3g}, the most it can, is used; {name}='auto' finds a good one"
        warnings.warn(f"{what}: {how}.", DataWarning, stacklevel=callers_stacklevel())
        return lowered
