"""The expected leave-one-out error of stochastic nearest neighbours: Eq. 4 of the paper, NCA's objective."""

import numpy as np

from ..kernels import can_sweep, kernels_for
from .base import Energy, class_order


class NCAEnergy(Energy):
    """E(A) = 1 - 1/N sum_i sum_{j in class of i} p_ij, p_ij = softmax_{j != i}(-|A x_i - A x_j|^2).

    In [0, 1]; invariant under rotations of the learned space, E(QA) = E(A). Evaluated in O(N^2 p) time and,
    on the CPU, without an N x N array beyond 32 MB; an element trial costs O(N^2).

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

    def bind(self, X, y, *, device="cpu", n_jobs=1):
        order, bounds = class_order(np.asarray(y))
        X = np.asarray(X)
        stack = X[None] if X.ndim == 2 else X
        kernels = kernels_for(device)
        data = kernels.prepare(stack[:, order], bounds, device, n_jobs)
        bound = BoundNCA if can_sweep(device) else BoundDifferentiableNCA
        return bound(kernels, data, len(order))


class BoundDifferentiableNCA:
    def __init__(self, kernels, data, n_patterns):
        self.kernels = kernels
        self.data = data
        self.n_patterns = n_patterns

    def __call__(self, A):
        return self.kernels.nca_energy(self.data, A)

    def value_and_grad(self, A):
        return self.kernels.nca_energy_and_gradient(self.data, A)


class BoundNCA(BoundDifferentiableNCA):
    def sweep(self, A, rows, columns, deltas, allowed, ridge=0.0):
        return self.kernels.nca_element_sweep(self.data, A, rows, columns, deltas, allowed, ridge)
