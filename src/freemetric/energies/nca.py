"""Stochastic nearest neighbours: their expected leave-one-out error (Eq. 4 of the paper) and their log likelihood."""

from functools import partial

import numpy as np

from ..kernels import can_sweep, kernels_for
from .base import ENERGIES, Energy
from .soft_neighbors import Functions, bound, checked_weights

LOG_FLOOR = 1e-6  # of a chance: a sample with no neighbour of its class in sight costs 14, not infinity


class ClassNeighbors(Energy):
    """An energy of the chance p_i that soft neighbours classify sample i correctly: its mean, or that of its log."""

    _log_floor = 0.0  # where the log is taken: added to the chance

    def __init__(self, n_neighbors=None):
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        X, y = np.asarray(X), np.asarray(y)
        order = np.argsort(y, kind="stable")  # kernels take samples class by class
        bounds = np.searchsorted(y[order], np.append(np.unique(y), np.inf))
        stack = X[None] if X.ndim == 2 else X
        weights, kernels, floor = checked_weights(sample_weight, stack), kernels_for(device), self._log_floor
        data = kernels.prepare(stack[:, order], bounds, device, None if weights is None else weights[:, order])
        functions = Functions(
            partial(kernels.nca_energy, data, log_floor=floor),
            partial(kernels.nca_energy_and_gradient, data, log_floor=floor),
            partial(kernels.neighbor_lists, data),
            partial(kernels.nca_element_sweep, data) if floor == 0 and can_sweep(device) else None,
            len(order),
        )
        return bound(functions, self.n_neighbors)


class NCAEnergy(ClassNeighbors):
    """E(A) = 1 - 1/N sum_i sum_{j in class of i} p_ij, p_ij = softmax_{j != i}(-|A x_i - A x_j|^2).

    With weights w the mean over i is weighted and p_ij = softmax_{j != i}(log w_j - |A x_i - A x_j|^2): a sample of
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


class LogNCAEnergy(ClassNeighbors):
    """E(A) = -1/N sum_i log(p_i + 1e-6), p_i NCA's chance that sample i is classified correctly.

    A sample far from its class costs more the farther it is, where NCA's own energy has long become flat: better for
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

    _log_floor = LOG_FLOOR


ENERGIES |= {"nca": NCAEnergy, "log-nca": LogNCAEnergy}
