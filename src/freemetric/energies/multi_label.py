"""Samples with several labels each: how much of its own labels a sample finds among its soft neighbours."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from .base import ENERGIES, Array, Energy
from .soft_neighbors import checked_weights

PAIRS = 1 << 20  # of samples at a time


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
        """Energies (R,) and gradients (R, p, d)."""
        values, gradients = zip(*(self._one(r, A[r], True) for r in range(len(A))), strict=True)
        return np.array(values), np.array(gradients)

    def _one(self, r, A, wants_gradient):
        b, N = r % len(self.X), self.n_samples
        X, w, labels = self.X[b], self.weights[b], self.labels[b % len(self.labels)]
        Z, force, energy = X @ A.T, np.zeros((N, len(A))), 1.0
        step = max(1, PAIRS // N)
        for start in range(0, N, step):
            some = slice(start, start + step)
            P = chances(Z, w, some)
            alike = jaccard(labels[some], labels)
            p = (P * alike).sum(axis=1)
            energy -= w[some] @ p
            if wants_gradient:
                W = w[some, None] * P * (alike - p[:, None])  # dE/dD
                force[some] += W.sum(axis=1)[:, None] * Z[some] - W @ Z
                force += W.sum(axis=0)[:, None] * Z - W.T @ Z[some]
        return energy, 2 * force.T @ X


def chances(Z: Array, weights: Array, some: slice) -> Array:
    """p_ij (n, N) of some samples of Z (N, p)."""
    D = cdist(Z[some], Z, "sqeuclidean")
    D[np.arange(len(D)), np.arange(len(Z))[some]] = np.inf
    P = weights * np.exp(D.min(axis=1, keepdims=True) - D)
    return P / P.sum(axis=1, keepdims=True)


def jaccard(some: NDArray, labels: NDArray) -> Array:
    """|L_i and L_j| / |L_i or L_j| (n, N) of label sets (n, m) and (N, m); 1 where both are empty."""
    both = some @ labels.T
    either = some.sum(axis=1)[:, None] + labels.sum(axis=1) - both
    return np.where(either > 0, both / np.where(either > 0, either, 1), 1.0)


ENERGIES |= {"multi-label": MultiLabelEnergy}
