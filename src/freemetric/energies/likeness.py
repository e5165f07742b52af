"""Soft neighbours of numbers: how likely a pattern's number is among those of its neighbours."""

from functools import partial

import numpy as np

from ..kernels import kernels_for
from .base import BoundMultiple, BoundSum, Energy
from .nca import LOG_FLOOR
from .regression import outputs, standardized
from .soft_neighbors import BoundOnLists, Functions, checked_weights, lists_matter


class NeighborLikelihoodEnergy(Energy):
    r"""E(A) = -1/N sum_i log(sum_j p_ij exp(-(y_i - y_j)^2 / 2 s^2) + 1e-6), what LogNCAEnergy is to classes.

    :math:`p_{ij} = \mathrm{softmax}_{j \ne i}(-|A x_i - A x_j|^2)` as there, and neighbours count as far as their
    numbers are alike: the sum is the density of y_i in the mixture of normal distributions around the numbers of its
    neighbours, up to a constant. Unlike the squared error of their mean it does not mind neighbours that are far off,
    and it does not take neighbours above and below for neighbours that are right. y is taken in units of its standard
    deviation.

    Parameters
    ----------
    width : float, default=0.32
        s, in standard deviations of y.
    n_neighbors : int or None, default=None
        Only so many neighbours count, see :class:`NCAEnergy`; None: all others.

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

    wants_numbers = True

    def __init__(self, width=0.32, n_neighbors=None):
        self.width = width
        self.n_neighbors = n_neighbors

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        """The energy as a function of A alone; y is (N,) or (N, m), or (R, N, m) with other ones for every replica.

        Of several targets the energy is the mean.
        """
        if not self.width > 0:
            raise ValueError(f"width must be positive; got {self.width!r}.")
        X = np.asarray(X)
        stack = X[None] if X.ndim == 2 else X
        weights, N = checked_weights(sample_weight, stack), stack.shape[1]
        targets = np.array([one for one, _ in standardized(outputs(y, len(stack), N), weights)])
        alike = np.swapaxes(targets, 0, 1) / (np.sqrt(2) * self.width)  # (m, B, N)
        terms = [self._bound(stack, one, weights, device) for one in alike]
        return terms[0] if len(terms) == 1 else BoundMultiple(BoundSum(terms), 1 / len(terms))

    def _bound(self, stack, alike, weights, device):
        kernels, N = kernels_for(device), stack.shape[1]
        data = kernels.prepare_alike(stack, alike, device, weights)
        size = self.n_neighbors if lists_matter(self.n_neighbors, N) else N - 1
        energy = partial(kernels.nca_energy, data, log_floor=LOG_FLOOR)
        gradient = partial(kernels.nca_energy_and_gradient, data, log_floor=LOG_FLOOR)
        return BoundOnLists(Functions(energy, gradient, partial(kernels.neighbor_lists, data), None, N), size)
