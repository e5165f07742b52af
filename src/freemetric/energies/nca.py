"""Stochastic nearest neighbours: their expected leave-one-out error (Eq. 4 of the paper) and their log likelihood."""

from functools import partial

import numpy as np

from ..kernels import can_follow, can_sweep, kernels_for
from .base import ENERGIES, Energy
from .soft_neighbors import BoundNeighbors, Functions, checked_weights, list_length

LOG_FLOOR = 1e-6  # added to probabilities: the cost of a sample is at most 14


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
        weights, kernels, floor = checked_weights(sample_weight, stack), kernels_for(device), self._log_floor
        data = kernels.prepare(stack[:, order], bounds, device, None if weights is None else weights[:, order])
        functions = Functions(
            partial(kernels.nca_energy, data, log_floor=floor),
            partial(kernels.nca_energy_and_gradient, data, log_floor=floor),
            partial(kernels.neighbor_lists, data),
            partial(kernels.nca_element_sweep, data) if floor == 0 and can_sweep(device) else None,
            len(order),
            {
                diagonal: partial(kernels.nca_trajectory, data, log_floor=floor)
                for diagonal in (False, True)
                if can_follow(device, X.shape[-1], n_listed, diagonal)
            },
        )
        return BoundNeighbors(functions, n_listed)


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


ENERGIES |= {"nca": NCAEnergy, "log-nca": LogNCAEnergy}
