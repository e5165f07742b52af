"""Stochastic nearest neighbours: their expected leave-one-out error (Eq. 4 of the paper) and their log likelihood."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ..kernels import can_sweep, kernels_for
from .base import Energy, class_order
from .soft_neighbors import Functions, bound, checked_weights

LOG_FLOOR = 1e-6  # of a chance: a pattern with no neighbour of its class in sight costs 14, not infinity


class NCAEnergy(Energy):
    """E(A) = 1 - 1/N sum_i sum_{j in class of i} p_ij, p_ij = softmax_{j != i}(-|A x_i - A x_j|^2).

    With weights w the mean over i is weighted and p_ij = softmax_{j != i}(log w_j - |A x_i - A x_j|^2): a pattern of
    weight two counts twice as itself and as a neighbour, and is left out whole.

    In [0, 1]; invariant under rotations of the learned space, E(QA) = E(A). Evaluated in O(N^2 p) time and,
    on the CPU, without an N x N array beyond 32 MB; an element trial costs O(N^2).

    Parameters
    ----------
    n_neighbors : int or None, default=None
        Only so many neighbours count, the nearest under A; None: all others. Then a gradient costs O(N n_neighbors p),
        and lists of the nearest cost O(N^2 p). As in molecular dynamics a trajectory keeps the lists of the map where
        it begins, and does not see what comes near on the way: exp(-E / T) is sampled approximately, the better the
        shorter trajectories are.

    References
    ----------
    J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood components analysis, NIPS 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import NCAEnergy
    >>> X, y = load_iris(return_X_y=True)
    >>> energy = NCAEnergy().bind(X, y)
    >>> energy(np.eye(4)[None]).round(3)
    array([0.162])
    """

    def __init__(self, n_neighbors=None):
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        return bound(functions_of_classes(X, y, sample_weight, device, 0.0), self.n_neighbors)


class LogNCAEnergy(Energy):
    """E(A) = -1/N sum_i log(p_i + 1e-6), p_i NCA's chance that pattern i is classified correctly.

    A pattern far from its class costs more the farther it is, where NCA's own energy has long become flat: better for
    starting far away, and for classes that overlap. Costs the same; element trials are evaluated one by one.

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
    >>> energy = LogNCAEnergy().bind(X, y)
    >>> energy(np.eye(4)[None]).round(3)
    array([0.204])
    """

    def __init__(self, n_neighbors=None):
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        return bound(functions_of_classes(X, y, sample_weight, device, LOG_FLOOR), self.n_neighbors)


def functions_of_classes(
    X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, device: str, log_floor: float
) -> Functions:
    """What the kernels of a device do with data sets X (N, d) or (B, N, d) of classes y (N,)."""
    order, bounds = class_order(np.asarray(y))
    X = np.asarray(X)
    stack = X[None] if X.ndim == 2 else X
    weights = checked_weights(sample_weight, stack)
    kernels = kernels_for(device)
    data = kernels.prepare(stack[:, order], bounds, device, None if weights is None else weights[:, order])
    sweeps = log_floor == 0 and can_sweep(device)
    return Functions(
        partial(kernels.nca_energy, data, log_floor=log_floor),
        partial(kernels.nca_energy_and_gradient, data, log_floor=log_floor),
        partial(kernels.neighbor_lists, data),
        partial(kernels.nca_element_sweep, data) if sweeps else None,
        len(order),
    )
