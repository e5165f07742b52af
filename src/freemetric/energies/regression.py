"""Soft neighbours that tell numbers: how far their leave-one-out predictions are off."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels import Loss, cpu_kernels, kernels_for
from ..magnitudes import exponent_of, reduced
from .base import Array, Energy
from .soft_neighbors import Functions, bound, checked_weights

LOSSES = ("squared", "log_likelihood", "absolute", "pinball")


class RegressionEnergy(Energy):
    r"""What leave-one-out predictions of numbers by soft neighbours cost.

    The neighbours of pattern i, p_ij = softmax_{j != i}(-\|A x_i - A x_j\|^2) as in :class:`NCAEnergy`, say a mean and
    a variance of each output,

    .. math:: \mu_i = \sum_j p_{ij} y_j, \qquad v_i = 0.01 + \sum_j p_{ij} (y_j - \mu_i)^2,

    y in units of its standard deviation. E(A) is the mean over patterns and outputs of

    - "squared": (y_i - mu_i)^2, the objective of MLKR. The share of variance that is left: 1 - R^2.
    - "log_likelihood": (log(100 v_i) + (y_i - mu_i)^2 / v_i) / 2, the log likelihood of the normal distributions that
      neighbours speak of, less that of certainty. Metrics that know how sure they are have a lower one; with one
      variance for all it would be a function of the squared error, and nothing new. The 0.01 is for neighbours that
      agree by chance.
    - "absolute": \|y_i - mu_i\|, in units of the mean absolute deviation from the median.
    - "pinball": the pinball loss at ``quantile`` of mu_i + c sqrt(v_i), in units of that of the constant quantile. The
      one number c for all i is the best. (The pinball loss of a neighbour drawn at random would be about half the
      absolute one at every quantile, since neighbours are mutual.)

    Perfect predictions cost 0, those that know nothing about 1, and about 2.8 in "log_likelihood". All losses are
    invariant under rotations of the learned space and changes of the units of y, and have exact gradients; those of
    "absolute" and "pinball" where no prediction is perfect.

    With weights w the mean over i is weighted and p_ij = softmax_{j != i}(log w_j - |A x_i - A x_j|^2): a pattern of
    weight two counts twice as itself and as a neighbour, and is left out whole.

    Evaluated in O(N^2 (p + m)) time for m outputs and, on the CPU, without an N x N array beyond 32 MB. There an
    element trial costs O(N^2 m), and on a GPU an evaluation.

    Parameters
    ----------
    loss : {"squared", "log_likelihood", "absolute", "pinball"}, default="squared"
        What a prediction costs.
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
    >>> energy = RegressionEnergy().bind(X, y)
    >>> energy(10 * np.eye(10)[None]).round(2)
    array([0.6])
    """

    wants_numbers = True

    def __init__(self, loss="squared", *, quantile=0.5, n_neighbors=None):
        self.loss = loss
        self.quantile = quantile
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        """The energy as a function of A alone.

        X is (N, d), or (R, N, d) with one data set per replica; y is (N,), (N, m) for m outputs, or (R, N, m) with
        other numbers for every replica; ``sample_weight`` (N,) or (R, N) is positive.
        """
        if self.loss not in LOSSES:
            raise ValueError(f"Unknown loss {self.loss!r}; known losses: {', '.join(map(repr, LOSSES))}.")
        if self.loss == "pinball" and not 0 < self.quantile < 1:
            raise ValueError(f"quantile must lie between 0 and 1; got {self.quantile!r}.")
        X = np.asarray(X)
        stack = X[None] if X.ndim == 2 else X
        weights = checked_weights(sample_weight, stack)
        standard = standardized(outputs(y, len(stack), stack.shape[1]), weights)
        scale = np.array([[self._of_constant(output, w) for output in one] for one, w in standard])
        kernels = kernels_for(device)
        numbers = np.array([one for one, _ in standard])
        data = kernels.prepare_targets(stack, numbers, scale, Loss(self.loss, float(self.quantile)), device, weights)
        return bound(_functions(kernels, data, stack.shape[1]), self.n_neighbors)

    def _of_constant(self, y, w):
        """What the best constant prediction costs in y (N,); one where y is constant."""
        if self.loss not in ("absolute", "pinball") or not y.any():
            return 1.0
        q = self.quantile if self.loss == "pinball" else 0.5
        u = y - y[cpu_kernels().quantile_place(y, w, q)]
        return np.average(np.maximum(q * u, (q - 1) * u), weights=w) * (1 if self.loss == "pinball" else 2)


def _functions(kernels, data, n_patterns):
    return Functions(
        partial(kernels.regression_energy, data),
        partial(kernels.regression_energy_and_gradient, data),
        partial(kernels.neighbor_lists, data),
        partial(kernels.regression_element_sweep, data) if hasattr(kernels, "regression_element_sweep") else None,
        n_patterns,
    )


def outputs(y: ArrayLike, n_data_sets: int, n_patterns: int) -> NDArray:
    """Numbers (B, m, N) of y (N,), (N, m) or (B, N, m); ValueError where they do not fit the data."""
    y = np.asarray(y, dtype=np.float64)
    stack = y.reshape(1, len(y), -1) if y.ndim < 3 else y
    if stack.ndim != 3 or stack.shape[1] != n_patterns or len(stack) not in (1, n_data_sets):
        raise ValueError(f"y has shape {y.shape}; expected ({n_patterns},) or ({n_patterns}, n_outputs).")
    if not np.isfinite(stack).all():
        raise ValueError("y has values that are no numbers: leave such patterns out.")
    return np.broadcast_to(stack, (n_data_sets, *stack.shape[1:])).swapaxes(1, 2)


def standardized(y: NDArray, weights: NDArray | None) -> list[tuple[Array, Array]]:
    """Of every data set: y (m, N) with mean zero and variance one, or all zero where it is constant, and weights."""
    weights = np.ones((len(y), y.shape[2])) if weights is None else weights
    return [(_standardized(one, w), w) for one, w in zip(y, weights, strict=True)]


def _standardized(y, w):
    y = reduced(y, exponent_of(y.T)[:, None])
    centred = y - np.average(y, axis=1, weights=w)[:, None]
    deviation = np.sqrt(np.average(centred**2, axis=1, weights=w))[:, None]
    varies = np.ptp(y, axis=1, keepdims=True) > 1e-12 * np.abs(y).max(axis=1, keepdims=True)
    return np.where(varies, centred / np.where(varies, deviation, 1), 0.0)
