"""LDML: logistic regression on the distances of pairs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from .descent import Array, ConvexDescent, departure
from .parameters import NotNegative, estimator, parameter
from .side_information import PairLearner


@estimator
class LDML(ConvexDescent, PairLearner):
    r"""Logistic discriminant metric learning: logistic regression on the distances of pairs.

    .. math:: \min_{M \succeq 0,\, b}\; \left\langle \log\left(1 + \exp(-s_n (b - v_n^T M v_n))\right) \right\rangle_n
        + r |M - M_0|^2,

    where v_n is the difference of the two samples of pair n, s_n = 1 for similar and -1 for dissimilar pairs, and b the
    squared distance at which both are equally likely, :math:`p_n = \sigma(b - v_n^T M v_n)`. The objective is convex in
    M and b; L-BFGS minimises it over the map A, M = A^T A. With all components every minimum is the global one.

    Attributes
    ----------
    {map}
    threshold_ : float
        b: pairs of a smaller squared distance are more likely similar than not.
    {objective} {pairs} {n_iter} {classes} {features}

    References
    ----------
    M. Guillaumin, J. Verbeek, C. Schmid, Is that you? Metric learning approaches for face identification, ICCV 2009.

    Examples
    --------
    {wine}
    >>> from freemetric import LDML
    >>> model = LDML(random_state=0).fit(X, y)
    >>> near = model.pair_distance(X[model.pairs_]) ** 2 < model.threshold_
    >>> bool((near == (model.pair_labels_ == 1)).mean() > 0.9)
    True

    {pairs_on_wine}
    """

    n_components: int | None = parameter(None, "{rank}")
    regularization: NotNegative = parameter(
        1e-4,
        "r, the cost of leaving the prior, with features in units of their largest range. With 0 there is no minimum "
        "for separable pairs.",
    )
    n_constraints: int | None = None
    prior: Any = "identity"
    init: Any = parameter("auto", "{init_at_prior}")
    max_iter: int = 500
    tol: float = 1e-6
    warm_start: bool = False
    verbose: bool = False
    random_state: Any = None

    _needs_similar = True

    def _learn(self, X, y, pairs=None, pair_labels=None, all_rows=None):
        pairs, similar = self._pairs(X, y, pairs, pair_labels)
        if not len(pairs):
            raise ValueError("LDML learns from similar pairs, too; every class has a single sample.")
        signs = np.where(similar, 1.0, -1.0)
        M0, X = self._prior(X, all_rows), X / self._unit
        V = X[pairs[:, 0]] - X[pairs[:, 1]]
        A = self._beginning(X, y, M0)
        is_warm = self._previous(A.shape[1], len(A)) is not None
        b = vars(self)["threshold_"] if is_warm else np.median(((V @ A.T) ** 2).sum(axis=1))

        def objective(flat):
            return pair_loss(flat[:-1].reshape(A.shape), flat[-1], V, signs, M0, self.regularization)

        self.objective_, flat = self._descend(objective, np.append(A, b))
        self.threshold_ = float(flat[-1])
        return flat[:-1].reshape(A.shape)


def pair_loss(
    A: Array, b: float, V: Array, signs: NDArray, M0: Array, regularization: float
) -> tuple[float, NDArray[np.float64]]:
    """The objective and its gradient by A and b, flat; differences V (n, d) with signs (n,)."""
    Z, (cost, slope) = V @ A.T, departure(A, M0, regularization)
    margins = signs * (b - (Z**2).sum(axis=1))
    loss = float(np.logaddexp(0, -margins).mean())
    pull = signs * expit(-margins) / len(V)  # - d loss / d (b - D)
    return loss + cost, np.append(2 * (Z * pull[:, None]).T @ V + slope, -pull.sum())
