"""Soft neighbours, of all pairs or of lists: their expected error (Eq. 4 of the paper), its log, and shared labels."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.utils.metaestimators import available_if

from ..kernels import Trials, can_follow, can_sweep, kernels_for
from .base import ENERGIES, Array, Energy

MANY_FEATURES = 500
PAIRS = 1 << 20  # of samples with several labels, at a time
LOG_FLOOR = 1e-6  # added to probabilities: the cost of a sample is at most 14


def list_length(n_neighbors: int | None, n_samples: int) -> int | None:
    """``n_neighbors``, or None where all other samples count; ValueError where it is not a positive integer."""
    if n_neighbors is None:
        return None
    if not isinstance(n_neighbors, Integral) or n_neighbors < 1:
        raise ValueError(f"n_neighbors of an energy is None or a positive integer; got {n_neighbors!r}.")
    return n_neighbors if n_neighbors < n_samples - 1 else None


def checked_weights(sample_weight: ArrayLike | None, X: NDArray) -> NDArray | None:
    """Weights (B, N) of data sets X (B, N, d), or None."""
    if sample_weight is None:
        return None
    weights = np.broadcast_to(sample_weight, X.shape[:2])
    if not ((weights > 0) & np.isfinite(weights)).all():
        raise ValueError("Weights in an energy must be positive; leave samples of no weight out.")
    return weights


@dataclass(eq=False, repr=False)
class BoundNeighbors:
    """The energy of all pairs, or of the ``n_neighbors`` nearest under the map itself, or under the map of ``near``."""

    device: str
    data: Any  # as the kernels have prepared them
    n_neighbors: int | None = None
    can_sweep: bool = False
    can_follow: Sequence[bool] = (False, False)  # trajectories of maps, and of weights of the features
    diagonal: bool = False
    lists: Any = None
    last: tuple[Array, Any] | None = field(default=None, init=False)

    @property
    def n_samples(self) -> int:
        return self.data.X.shape[1]

    def __call__(self, A: Array) -> Array:
        return kernels_for(self.device).energy(self.data, A, self._lists_for(A), self.diagonal)

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        return kernels_for(self.device).energy_and_gradient(self.data, A, self._lists_for(A), self.diagonal)

    def of_weights(self) -> "BoundNeighbors":
        """The same for diagonal maps: it takes weights (R, 1, d) of the features."""
        return replace(self, diagonal=True, lists=None)

    @available_if(lambda self: self.n_neighbors is not None)
    def near(self, A: Array) -> "BoundNeighbors":
        """The same with the lists of A for all maps that follow."""
        return replace(self, lists=self._lists_of(A))

    @available_if(lambda self: self.can_sweep and self.n_neighbors is None and not self.diagonal)
    def sweep(
        self, A: Array, rows: NDArray, columns: NDArray, deltas: Array, allowed: Array, ridge: float = 0.0
    ) -> tuple[Array, Array, NDArray]:
        return kernels_for(self.device).element_sweep(self.data, A, Trials(rows, columns, deltas, allowed), ridge)

    @available_if(lambda self: self.lists is not None and self.can_follow[self.diagonal])
    def trajectory(
        self, A: Array, gradient: Array, velocity: Array, time_step: Array, n_leapfrog: int, ridge: float = 0.0
    ) -> tuple[Array, ...]:
        start = A, gradient, velocity, time_step, n_leapfrog
        return kernels_for(self.device).trajectory(self.data, start, self.lists, self.diagonal, ridge)

    def _lists_for(self, A):
        if self.lists is not None:
            return self.lists
        if self.n_neighbors is not None:
            return self._lists_of(A)
        # All pairs need no lists, but make matrices of weights: of very many features all others are listed.
        N, d = self.n_samples, A.shape[2]
        are_many = self.diagonal and d > MANY_FEATURES and d >= N
        return kernels_for(self.device).neighbor_lists(self.data, A, N - 1, True) if are_many else None

    def _lists_of(self, A):
        """Lists of A; those of the last call where A is the same, as after a rejected move."""
        if self.last is None or not np.array_equal(self.last[0], A):
            made = kernels_for(self.device).neighbor_lists(self.data, A, self.n_neighbors, self.diagonal, self.last)
            self.last = A.copy(), made
        return self.last[1]


class ClassNeighbors(Energy):
    """An energy of the probability p_i that soft neighbours classify sample i correctly."""

    _log_floor = 0.0  # where the log is taken: added to the chance

    def __init__(self, n_neighbors=None):
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        X, y = np.asarray(X), np.asarray(y)
        order = np.argsort(y, kind="stable")  # kernels take samples class by class
        bounds = np.searchsorted(y[order], np.append(np.unique(y), np.inf))
        stack = X[None] if X.ndim == 2 else X
        n_listed = list_length(self.n_neighbors, len(order))
        weights, floor = checked_weights(sample_weight, stack), self._log_floor
        weights = None if weights is None else weights[:, order]
        data = kernels_for(device).prepare(stack[:, order], bounds, device, weights, floor)
        followed = [can_follow(device, X.shape[-1], n_listed, diagonal) for diagonal in (False, True)]
        return BoundNeighbors(device, data, n_listed, floor == 0 and can_sweep(device), followed)


class NCAEnergy(ClassNeighbors):
    """E(A) = 1 - 1/N sum_i sum_{j in class of i} p_ij, p_ij = softmax_{j != i}(-|A x_i - A x_j|^2).

    With weights w the mean over i is weighted and p_ij = softmax_{j != i}(log w_j - |A x_i - A x_j|^2). E lies in [0,
    1] and is invariant under rotations of the learned space. Costs O(N^2 p) time; on the CPU at most 32 MB beyond O(N
    p).

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Only so many nearest neighbours under A count; None: all others. A gradient then costs O(N n_neighbors p). A
        Hamiltonian trajectory keeps the lists of its start, so that exp(-E / T) is sampled approximately.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood components analysis, NIPS 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import NCAEnergy
    >>> X, y = load_iris(return_X_y=True)
    >>> NCAEnergy().bind(X, y)(np.eye(4)[None]).round(3)
    array([0.162])
    """


class LogNCAEnergy(ClassNeighbors):
    """E(A) = -1/N sum_i log(p_i + 1e-6), p_i the probability that NCA classifies sample i correctly.

    Its gradient does not vanish for samples far from their class: better for distant starts and overlapping classes.

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Only so many neighbours count, see :class:`NCAEnergy`.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood components analysis, NIPS 2005 (their g(A)).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import LogNCAEnergy
    >>> X, y = load_iris(return_X_y=True)
    >>> LogNCAEnergy().bind(X, y)(np.eye(4)[None]).round(3)
    array([0.204])
    """

    _log_floor = LOG_FLOOR


class MultiLabelEnergy(Energy):
    r"""One minus the expected Jaccard similarity between the label sets of a sample and of a soft neighbour.

    .. math:: E(A) = 1 - \frac1N \sum_i \sum_{j \ne i} p_{ij} \frac{|L_i \cap L_j|}{|L_i \cup L_j|}, \qquad
        p_{ij} = \mathrm{softmax}_{j \ne i}(-|A x_i - A x_j|^2).

    Two empty sets are alike. With weights w the mean over i is weighted, and p_ij is proportional to w_j. With one
    label for each sample it is :class:`NCAEnergy`. The gradient is exact. An evaluation costs O(N^2 (p + m)) time for m
    labels and at most 30 MB beyond O(N (p + m)); it runs on the CPU.

    ``DMLFE(energy=MultiLabelEnergy()).fit(X, Y)`` learns from Y of shape (n_samples, n_labels), zeros and ones.

    References
    ----------
    G. Tsoumakas, I. Katakis, Multi-label classification: an overview, International Journal of Data Warehousing and
    Mining 3, 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.energies import MultiLabelEnergy
    >>> X, Y = np.array([[0.0], [0.0], [9.0]]), np.array([[1, 1], [1, 0], [1, 1]])
    >>> MultiLabelEnergy().bind(X, Y)(np.ones((1, 1, 1))).round(3)  # halves of the first two, 3/4 of the third
    array([0.417])
    """

    is_regression = True  # y has columns, not classes

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        X, Y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        stack, labels = X[None] if X.ndim == 2 else X, Y[None] if Y.ndim == 2 else Y
        if labels.ndim != 3 or labels.shape[1] != stack.shape[1] or len(labels) not in (1, len(stack)):
            raise ValueError(f"y has shape {Y.shape}; expected ({stack.shape[1]}, n_labels).")
        if not np.isin(labels, (0, 1)).all():
            raise ValueError("y of MultiLabelEnergy holds zeros and ones, a column for each label.")
        return BoundMultiLabel(stack, labels, checked_weights(sample_weight, stack))


class BoundMultiLabel:
    """The energy of data sets (B, N, d) with labels (B, N, m) or (1, N, m)."""

    def __init__(self, X: Array, labels: Array, weights: ArrayLike | None) -> None:
        self.X, self.labels, self.n_samples = X - X.mean(axis=1, keepdims=True), labels, X.shape[1]
        weights = np.ones(X.shape[:2]) if weights is None else np.asarray(weights)
        self.weights = weights / weights.sum(axis=1, keepdims=True)

    def __call__(self, A: Array) -> Array:
        return np.array([self._one(r, A[r], False)[0] for r in range(len(A))])

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        values, gradients = zip(*(self._one(r, A[r], True) for r in range(len(A))), strict=True)
        return np.array(values), np.array(gradients)

    def _one(self, r, A, wants_gradient):
        b, N = r % len(self.X), self.n_samples
        X, w, labels = self.X[b], self.weights[b], self.labels[b % len(self.labels)]
        Z, force, energy = X @ A.T, np.zeros((N, len(A))), 1.0
        step = max(1, PAIRS // N)
        for start in range(0, N, step):
            some = slice(start, start + step)
            D = cdist(Z[some], Z, "sqeuclidean")
            D[np.arange(len(D)), np.arange(N)[some]] = np.inf
            P = w * np.exp(D.min(axis=1, keepdims=True) - D)
            P /= P.sum(axis=1, keepdims=True)
            alike = jaccard(labels[some], labels)
            p = (P * alike).sum(axis=1)
            energy -= w[some] @ p
            if wants_gradient:
                W = w[some, None] * P * (alike - p[:, None])  # dE/dD
                force[some] += W.sum(axis=1)[:, None] * Z[some] - W @ Z
                force += W.sum(axis=0)[:, None] * Z - W.T @ Z[some]
        return energy, 2 * force.T @ X


def jaccard(some: NDArray, labels: NDArray) -> Array:
    """|L_i and L_j| / |L_i or L_j| (n, N) of label sets (n, m) and (N, m); 1 where both are empty."""
    both = some @ labels.T
    either = some.sum(axis=1)[:, None] + labels.sum(axis=1) - both
    return np.where(either > 0, both / np.where(either > 0, either, 1), 1.0)


ENERGIES |= {"nca": NCAEnergy, "log-nca": LogNCAEnergy, "multi-label": MultiLabelEnergy}
