"""Soft neighbours in regression: the error of their leave-one-out predictions, and their likelihood."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels import Loss, can_sweep, cpu_kernels, kernels_for
from ..magnitudes import exponent_of, reduced
from .base import ENERGIES, Array, BoundSum, Energy
from .soft_neighbors import LOG_FLOOR, BoundNeighbors, checked_weights, list_length

LOSSES = ("squared", "log_likelihood", "absolute", "pinball")


class RegressionEnergy(Energy):
    r"""The loss of leave-one-out predictions by soft neighbours.

    The neighbours of sample i, p_ij = softmax_{j != i}(-\|A x_i - A x_j\|^2) as in :class:`NCAEnergy`, predict a mean
    and a variance of each output,

    .. math:: \mu_i = \sum_j p_{ij} y_j, \qquad v_i = 0.01 + \sum_j p_{ij} (y_j - \mu_i)^2,

    y in units of its standard deviation. E(A) is the mean over samples and outputs of

    - "squared": (y_i - mu_i)^2, the objective of MLKR: 1 - R^2.
    - "log_likelihood": (log(100 v_i) + (y_i - mu_i)^2 / v_i) / 2, minus the log likelihood of normal distributions.
    - "absolute": \|y_i - mu_i\|, in units of the mean absolute deviation from the median.
    - "pinball": the pinball loss at ``quantile`` of mu_i + c sqrt(v_i), with the best c, in units of that of the
      constant quantile.

    Perfect predictions cost 0, constant ones about 1, and about 2.8 in "log_likelihood". All losses have exact
    gradients. An evaluation costs O(N^2 (p + m)) time for m outputs; on the CPU at most 32 MB beyond O(N (p + m)).

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
            raise ValueError(f"Unknown loss {self.loss!r}; known losses: {', '.join(map(repr, LOSSES))}.")
        if self.loss == "pinball" and not 0 < self.quantile < 1:
            raise ValueError(f"quantile must lie between 0 and 1; got {self.quantile!r}.")
        stack, weights, targets = prepared(X, y, sample_weight)
        each = np.ones(stack.shape[:2]) if weights is None else weights
        pairs = zip(targets, each, strict=True)
        scale = np.array([[self._of_constant(output, w) for output in one] for one, w in pairs])
        loss, n_listed = Loss(self.loss, float(self.quantile)), list_length(self.n_neighbors, stack.shape[1])
        data = kernels_for(device).prepare_targets(stack, targets, scale, loss, device, weights)
        return BoundNeighbors(device, data, n_listed, can_sweep(device, of_targets=True))

    def _of_constant(self, y, w):
        """What the best constant prediction costs in y (N,); one where y is constant."""
        if self.loss not in ("absolute", "pinball") or not y.any():
            return 1.0
        q = self.quantile if self.loss == "pinball" else 0.5
        u = y - y[cpu_kernels().quantile_place(y, w, q)]
        return np.average(np.maximum(q * u, (q - 1) * u), weights=w) * (1 if self.loss == "pinball" else 2)


class NeighborLikelihoodEnergy(Energy):
    r"""E(A) = -1/N sum_i log(sum_j p_ij exp(-(y_i - y_j)^2 / 2 s^2) + 1e-6), the regression form of LogNCAEnergy.

    The sum is, up to a constant, the density of y_i in a mixture of normal distributions around the targets of its soft
    neighbours. It is robust to distant neighbours. y is in units of its standard deviation; several outputs are
    averaged.

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
        stack, weights, targets = prepared(X, y, sample_weight)
        alike = np.swapaxes(targets, 0, 1) / (np.sqrt(2) * self.width)  # (m, B, N)
        N, prepare = stack.shape[1], kernels_for(device).prepare_alike
        n_listed = list_length(self.n_neighbors, N) or N - 1
        terms = [BoundNeighbors(device, prepare(stack, one, device, weights, LOG_FLOOR), n_listed) for one in alike]
        return terms[0] if len(terms) == 1 else BoundSum(terms, 1 / len(terms))


def prepared(X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> tuple[NDArray, NDArray | None, Array]:
    """Data sets (B, N, d), weights (B, N) or None, standardised targets (B, m, N) of y (N,), (N, m) or (B, N, m)."""
    X, y = np.asarray(X), np.asarray(y, dtype=np.float64)
    stack = X[None] if X.ndim == 2 else X
    n_data_sets, N = stack.shape[:2]
    targets = y.reshape(1, len(y), -1) if y.ndim < 3 else y
    if targets.ndim != 3 or targets.shape[1] != N or len(targets) not in (1, n_data_sets):
        raise ValueError(f"y has shape {y.shape}; expected ({N},) or ({N}, n_outputs).")
    if not np.isfinite(targets).all():
        raise ValueError("y has values that are not finite: leave such samples out.")
    weights = checked_weights(sample_weight, stack)
    targets = np.broadcast_to(targets, (n_data_sets, *targets.shape[1:])).swapaxes(1, 2)
    each = np.ones((n_data_sets, N)) if weights is None else weights
    return stack, weights, np.array([_standardized(one, w) for one, w in zip(targets, each, strict=True)])


def _standardized(y, w):
    """y (m, N) with mean zero and variance one, or all zero where it is constant."""
    y = reduced(y, exponent_of(y.T)[:, None])
    centred = y - np.average(y, axis=1, weights=w)[:, None]
    deviation = np.sqrt(np.average(centred**2, axis=1, weights=w))[:, None]
    varies = np.ptp(y, axis=1, keepdims=True) > 1e-12 * np.abs(y).max(axis=1, keepdims=True)
    return np.where(varies, centred / np.where(varies, deviation, 1), 0.0)


ENERGIES |= {"regression": RegressionEnergy, "neighbor-likelihood": NeighborLikelihoodEnergy}
