"""Soft neighbours in regression: the error of their leave-one-out predictions, and
their likelihood.
"""

import numpy as np
from numpy.typing import ArrayLike

from ..kernels import Loss, Similarity
from .base import Array, BoundSum, Energy
from .soft_neighbors import LOG_FLOOR, bound_neighbors, checked_weights, stacked

LOSSES = ("squared", "log_likelihood", "absolute", "pinball")
CONSTANT = 1e-12  # a relative range below which y is constant


class RegressionEnergy(Energy):
    r"""The loss of leave-one-out predictions by soft neighbours.

    The neighbours of sample i, p_ij = softmax_{j != i}(-\|A x_i - A x_j\|^2) as in
    :class:`NCAEnergy`, predict a mean and a variance of each output,

    .. math:: \mu_i = \sum_j p_{ij} y_j, \qquad
        v_i = 0.01 + \sum_j p_{ij} (y_j - \mu_i)^2,

    y in units of its standard deviation. E(A) is the mean over samples and outputs of

    - "squared": (y_i - mu_i)^2, the objective of MLKR: 1 - R^2.
    - "log_likelihood": (log(100 v_i) + (y_i - mu_i)^2 / v_i) / 2, minus the log
      likelihood of normal distributions.
    - "absolute": \|y_i - mu_i\|, in units of the mean absolute deviation from the
      median.
    - "pinball": the pinball loss at ``quantile`` of mu_i + c sqrt(v_i), with the best
      c, in units of that of the constant quantile.

    Perfect predictions cost 0, constant ones about 1, and about 2.8 in
    "log_likelihood". All losses have exact gradients. An evaluation costs O(N^2 (p +
    m)) time for m outputs; on the CPU at most 32 MB beyond O(N (p + m)).

    Parameters
    ----------
    loss : {"squared", "log_likelihood", "absolute", "pinball"}, default="squared"
        The loss of a prediction.
    quantile : float, default=0.5
        Between 0 and 1, for "pinball".
    n_neighbors : int or None, default=None
        Only so many neighbours count, see :class:`NCAEnergy`.

    References
    ----------
    K. Q. Weinberger, G. Tesauro, Metric learning for kernel regression, AISTATS 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric.energies import RegressionEnergy
    >>> X, y = load_diabetes(return_X_y=True)
    >>> RegressionEnergy().bind(X, y)(10 * np.eye(10)[None]).round(2)
    array([0.6])
    """

    is_regression = True

    def __init__(self, loss="squared", *, quantile=0.5, n_neighbors=None):
        self.loss = loss
        self.quantile = quantile
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        if self.loss not in LOSSES:
            names = ", ".join(map(repr, LOSSES))
            raise ValueError(f"Unknown loss {self.loss!r}; known losses: {names}.")
        if self.loss == "pinball" and not 0 < self.quantile < 1:
            raise ValueError(
                f"quantile must lie between 0 and 1; got {self.quantile!r}."
            )
        targets = standardized(X, y, sample_weight)
        loss = Loss(self.loss, float(self.quantile))
        return bound_neighbors(
            X, targets, loss, self.n_neighbors, sample_weight, device
        )


class NeighborLikelihoodEnergy(Energy):
    r"""E(A) = -1/N sum_i log(sum_j p_ij exp(-(y_i - y_j)^2 / 2 s^2) + 1e-6), the
    regression form of LogNCAEnergy.

    The sum is, up to a constant, the density of y_i in a mixture of normal
    distributions around the targets of its soft neighbours. It is robust to distant
    neighbours. y is in units of its standard deviation; several outputs are averaged.

    Parameters
    ----------
    width : float, default=0.32
        s, in standard deviations of y.
    n_neighbors : int or None, default=None
        Only so many neighbours count, see :class:`NCAEnergy`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric.energies import NeighborLikelihoodEnergy
    >>> X, y = load_diabetes(return_X_y=True)
    >>> energy = NeighborLikelihoodEnergy().bind(X, y)
    >>> bool(energy(20 * np.eye(10)[None]) < energy(np.eye(10)[None]))
    True
    """

    is_regression = True

    def __init__(self, width=0.32, n_neighbors=None):
        self.width = width
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        if not self.width > 0:
            raise ValueError(f"width must be positive; got {self.width!r}.")
        targets = standardized(X, y, sample_weight) / (np.sqrt(2) * self.width)
        cost = Similarity("target", LOG_FLOOR)
        terms = [
            bound_neighbors(X, one, cost, self.n_neighbors, sample_weight, device)
            for one in targets.swapaxes(0, 1)
        ]
        return terms[0] if len(terms) == 1 else BoundSum(terms, 1 / len(terms))


def standardized(X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Array:
    """Targets (B, m, N) of y (N,), (N, m) or (B, N, m), of mean zero and variance one;
    zero where y is constant.
    """
    stack, y = stacked(X), np.asarray(y, dtype=np.float64)
    B, N = stack.shape[:2]
    targets = y.reshape(1, len(y), -1) if y.ndim < 3 else y
    if targets.ndim != 3 or targets.shape[1] != N or len(targets) not in (1, B):
        raise ValueError(f"y has shape {y.shape}; expected ({N},) or ({N}, n_outputs).")
    if not np.isfinite(targets).all():
        raise ValueError("y has values that are not finite: leave such samples out.")
    weights = checked_weights(sample_weight, stack)
    weights = np.ones((B, N)) if weights is None else weights
    share = (weights / weights.sum(axis=1, keepdims=True))[:, None]  # (B, 1, N)
    y = np.broadcast_to(targets, (B, *targets.shape[1:])).swapaxes(1, 2)
    # In units of a power of two, so that squares neither overflow nor vanish.
    y = np.ldexp(y, -np.frexp(np.abs(y).max(axis=2, keepdims=True))[1])
    centred = y - (share * y).sum(axis=2, keepdims=True)
    deviation = np.sqrt((share * centred**2).sum(axis=2, keepdims=True))
    varies = np.ptp(y, axis=2, keepdims=True) > CONSTANT * np.abs(y).max(
        axis=2, keepdims=True
    )
    return np.where(varies, centred / np.where(varies, deviation, 1), 0.0)
