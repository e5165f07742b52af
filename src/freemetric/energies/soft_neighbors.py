"""Soft neighbours, of all pairs or of lists: their expected error (Eq. 4 of the paper),
its log, and shared labels.
"""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if

from ..kernels import Similarity, Trials, kernels_for
from .base import Array, Energy

LOG_FLOOR = 1e-6  # added to probabilities: the cost of a sample is at most 14


class BoundNeighbors:
    """The energy of all pairs, or of the ``n_neighbors`` nearest.

    Nearest are those under the map itself, or with ``near`` under the map given there.
    """

    def __init__(
        self,
        device: str,
        data: Any,
        n_neighbors: int | None = None,
        diagonal: bool = False,
    ) -> None:
        self.device = device
        self.kernels = kernels_for(device)
        self.data = data
        self.n_neighbors = n_neighbors
        self.diagonal = diagonal
        self.n_samples: int = data.X.shape[1]
        self.lists: Any = None  # of ``near``
        self.last: Any = None  # maps of the last lists, and these

    def __call__(self, A: Array) -> Array:
        return self.kernels.energy(self.data, A, self._lists_for(A), self.diagonal)

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        lists = self._lists_for(A)
        return self.kernels.energy_and_gradient(self.data, A, lists, self.diagonal)

    def of_weights(self) -> "BoundNeighbors":
        """The same for diagonal maps: it takes weights (R, 1, d) of the features."""
        return BoundNeighbors(self.device, self.data, self.n_neighbors, diagonal=True)

    @available_if(lambda self: self.n_neighbors is not None)
    def near(self, A: Array) -> "BoundNeighbors":
        """The same with the lists of A for all maps that follow."""
        fixed = BoundNeighbors(self.device, self.data, self.n_neighbors, self.diagonal)
        fixed.lists = self._lists_of(A)
        return fixed

    @available_if(lambda self: self._can_sweep())
    def sweep(
        self,
        A: Array,
        rows: NDArray,
        columns: NDArray,
        deltas: Array,
        allowed: Array,
        ridge: float = 0.0,
    ) -> tuple[Array, Array, NDArray]:
        trials = Trials(rows, columns, deltas, allowed)
        return self.kernels.element_sweep(self.data, A, trials, ridge)

    def _can_sweep(self):
        is_plain = self.n_neighbors is None and not self.diagonal
        return is_plain and self.kernels.can_sweep(self.data)

    def _lists_for(self, A):
        if self.lists is not None or self.n_neighbors is None:
            return self.lists
        return self._lists_of(A)

    def _lists_of(self, A):
        """Lists of A; those of the last call where A is the same, as after a rejected
        move.
        """
        maps, lists = (None, None) if self.last is None else self.last
        if maps is None or not np.array_equal(maps, A):
            lists = self.kernels.neighbor_lists(
                self.data, A, self.n_neighbors, self.diagonal, lists
            )
            self.last = A.copy(), lists
        return lists


def bound_neighbors(
    X: ArrayLike,
    y: NDArray,
    cost: Any,
    n_neighbors: int | None,
    sample_weight: ArrayLike | None,
    device: str,
) -> BoundNeighbors:
    """The energy of data sets (N, d) or (B, N, d) with targets as the kernels take
    them.
    """
    stack = stacked(X)
    weights = checked_weights(sample_weight, stack)
    n_listed = list_length(n_neighbors, stack.shape[1])
    data = kernels_for(device).prepare(stack, y, cost, device, weights)
    return BoundNeighbors(device, data, n_listed)


def stacked(X: ArrayLike) -> NDArray:
    """Data sets (B, N, d)."""
    X = np.asarray(X)
    return X[None] if X.ndim == 2 else X


def list_length(n_neighbors: int | None, n_samples: int) -> int | None:
    """``n_neighbors``, or None where all other samples count."""
    if n_neighbors is None:
        return None
    if not isinstance(n_neighbors, Integral) or n_neighbors < 1:
        raise ValueError(
            "n_neighbors of an energy is None or a positive integer; "
            f"got {n_neighbors!r}."
        )
    return int(n_neighbors) if n_neighbors < n_samples - 1 else None


def checked_weights(sample_weight: ArrayLike | None, X: NDArray) -> NDArray | None:
    """Weights (B, N) of data sets X (B, N, d), or None."""
    if sample_weight is None:
        return None
    weights = np.broadcast_to(sample_weight, X.shape[:2])
    if not ((weights > 0) & np.isfinite(weights)).all():
        raise ValueError(
            "Weights in an energy must be positive; leave samples of no weight out."
        )
    return weights


class NCAEnergy(Energy):
    """E(A) = 1 - 1/N sum_i sum_{j in class of i} p_ij, p_ij = softmax_{j != i}(-|A x_i
    - A x_j|^2).

    With weights w the mean over i is weighted and p_ij = softmax_{j != i}(log w_j - |A
    x_i - A x_j|^2). E lies in [0, 1] and is invariant under rotations of the learned
    space. Costs O(N^2 p) time and O(N p) memory.

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Only so many nearest neighbours under A count; None: all others. A gradient then
        costs O(N n_neighbors p). A Hamiltonian trajectory keeps the lists of its start,
        so that exp(-E / T) is sampled approximately.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood
    components analysis, NIPS 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import NCAEnergy
    >>> X, y = load_iris(return_X_y=True)
    >>> NCAEnergy().bind(X, y)(np.eye(4)[None]).round(3)
    array([0.162])
    """

    def __init__(self, n_neighbors=None):
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        return _of_classes(X, y, 0.0, self.n_neighbors, sample_weight, device)


class LogNCAEnergy(Energy):
    """E(A) = -1/N sum_i log(p_i + 1e-6), p_i the probability that NCA classifies sample
    i correctly.

    Its gradient does not vanish for samples far from their class: better for distant
    starts and overlapping classes.

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Only so many neighbours count, see :class:`NCAEnergy`.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood
    components analysis, NIPS 2005 (their g(A)).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import LogNCAEnergy
    >>> X, y = load_iris(return_X_y=True)
    >>> LogNCAEnergy().bind(X, y)(np.eye(4)[None]).round(3)
    array([0.204])
    """

    def __init__(self, n_neighbors=None):
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        return _of_classes(X, y, LOG_FLOOR, self.n_neighbors, sample_weight, device)


def _of_classes(X, y, log_floor, n_neighbors, sample_weight, device):
    classes = np.unique(y, return_inverse=True)[1]
    cost = Similarity("class", log_floor)
    return bound_neighbors(X, classes[None], cost, n_neighbors, sample_weight, device)


class MultiLabelEnergy(Energy):
    r"""One minus the expected Jaccard similarity between the label sets of a sample and
    of a soft neighbour.

    .. math:: E(A) = 1 - \frac1N \sum_i \sum_{j \ne i} p_{ij}
        \frac{|L_i \cap L_j|}{|L_i \cup L_j|}, \qquad
        p_{ij} = \mathrm{softmax}_{j \ne i}(-|A x_i - A x_j|^2).

    Two empty sets are alike. With weights w the mean over i is weighted, and p_ij is
    proportional to w_j. With one label for each sample it is :class:`NCAEnergy`. An
    evaluation costs O(N^2 (p + m)) time for m labels.

    ``DMLFE(energy=MultiLabelEnergy()).fit(X, Y)`` learns from Y of shape (n_samples,
    n_labels), zeros and ones.

    References
    ----------
    G. Tsoumakas, I. Katakis, Multi-label classification: an overview,
    International Journal of Data Warehousing and Mining 3, 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.energies import MultiLabelEnergy
    >>> X, Y = np.array([[0.0], [0.0], [9.0]]), np.array([[1, 1], [1, 0], [1, 1]])
    >>> energy = MultiLabelEnergy().bind(X, Y)
    >>> energy(np.ones((1, 1, 1))).round(3)  # 1/2 of the first two, 3/4 of the third
    array([0.417])
    """

    is_regression = True  # y has columns, not classes

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        stack = stacked(X)
        Y = np.asarray(y, dtype=np.float64)
        labels = stacked(Y)
        is_shared = len(labels) in (1, len(stack))
        if labels.ndim != 3 or labels.shape[1] != stack.shape[1] or not is_shared:
            raise ValueError(
                f"y has shape {Y.shape}; expected ({stack.shape[1]}, n_labels)."
            )
        if not np.isin(labels, (0, 1)).all():
            raise ValueError(
                "y of MultiLabelEnergy holds zeros and ones, a column for each label."
            )
        cost = Similarity("labels")
        return bound_neighbors(stack, labels, cost, None, sample_weight, device)
