"""The large margin of LMNN as an energy (Eq. 3 of the paper), of any map and with any
move.
"""

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from ..kernels import cpu_kernels
from .base import Array, Energy


class LMNNEnergy(Energy):
    r"""Targets near, samples of other classes a margin of one further away.

    .. math:: E(A) = \frac1N \sum_i \sum_{j \in T(i)} \left( r D_{ij}
        + (1 - r) \sum_{l: y_l \ne y_i} \max(0, 1 + D_{ij} - D_{il}) \right),

    :math:`D_{ij} = |A x_i - A x_j|^2`, T(i) the samples of the class of i that are
    nearest to it by Euclidean distance; they stay the same for all A. Eq. 3 of the
    paper is :math:`2 N E` at r = 1/2. The gradient is exact wherever E has one. An
    evaluation costs O(N^2 p) time and O(N p) memory, and runs on the CPU. It takes no
    weights.

    :class:`~freemetric.LMNN` minimises the same objective by L-BFGS. It is convex in
    A^T A, so that Monte Carlo is worth its time only at a positive temperature or
    together with other energies.

    Parameters
    ----------
    n_neighbors : int, default=3
        Targets of each sample, fewer in smaller classes.
    regularization : float in [0, 1), default=0.5
        r, the weight of the pull towards the targets.

    References
    ----------
    K. Q. Weinberger, L. K. Saul, Distance metric learning for large margin
    nearest neighbor classification, JMLR 10,
    2009.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.energies import LMNNEnergy
    >>> X, y = np.array([[0.0], [1.0], [1.5]]), np.array([0, 0, 1])
    >>> energy = LMNNEnergy(1).bind(X, y)
    >>> energy(np.ones((1, 1, 1))).round(3)  # 1/6 of a pull of 2 and a push of 1.75
    array([0.625])
    """

    def __init__(self, n_neighbors=3, regularization=0.5):
        self.n_neighbors = n_neighbors
        self.regularization = regularization

    takes_weights = False

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        if not 0 <= self.regularization < 1:
            raise ValueError(
                f"regularization must lie in [0, 1); got {self.regularization!r}."
            )
        if not self.n_neighbors >= 1:
            raise ValueError(
                "n_neighbors of an energy must be a positive integer; "
                f"got {self.n_neighbors!r}."
            )
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
        order = np.argsort(y, kind="stable")  # kernels take samples class by class
        stack = (X[None] if X.ndim == 2 else X)[:, order]
        return BoundLargeMargin(
            stack, y[order], int(self.n_neighbors), float(self.regularization)
        )


class BoundLargeMargin:
    """The energy of data sets (B, N, d) whose samples are sorted by class."""

    def __init__(
        self, X: Array, y: NDArray, n_neighbors: int, regularization: float
    ) -> None:
        self.X = X - X.mean(axis=1, keepdims=True)
        self.n_samples = X.shape[1]
        self.end = np.searchsorted(y, y, side="right")
        self.targets = [targets_of(data, y, n_neighbors) for data in self.X]
        self.regularization = regularization

    def __call__(self, A: Array) -> Array:
        return self.value_and_grad(A)[0]

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        values, gradients = zip(
            *(self._one(r % len(self.X), A[r]) for r in range(len(A))), strict=True
        )
        return np.array(values), np.array(gradients)

    def _one(self, b, A):
        kernels = cpu_kernels()
        X = self.X[b]
        # The hinge itself, not its smooth version.
        margin = kernels.Margin(self.regularization, 0.0, 0.0)
        Z = np.ascontiguousarray(X @ A.T)
        nothing_kept = np.empty((0, 2), np.int32)
        reach = kernels.reaches(Z, self.targets[b])
        loss, _, force, _ = kernels.searched_loss(
            Z, self.targets[b], reach, self.end, margin, nothing_kept
        )
        return loss / len(X), force.T @ X / len(X)


def targets_of(X: Array, y: NDArray, n_neighbors: int) -> NDArray[np.intp]:
    """Rows (N, n_neighbors) of the nearest samples of the same class; -1 where there
    are fewer.
    """
    targets = np.full((len(X), n_neighbors), -1)
    for c in np.unique(y):
        inside = np.flatnonzero(y == c)
        k = min(n_neighbors, len(inside) - 1)
        if k > 0:  # without queries a sample is not its own neighbour
            search = NearestNeighbors(n_neighbors=k).fit(X[inside])
            targets[inside, :k] = inside[search.kneighbors(return_distance=False)]
    return targets
