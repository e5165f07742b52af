"""Energies of feature weights: features are stretched, never mixed."""

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from .base import Array, Energy, bind


class Diagonal(Energy):
    """E(w) = energy(diag(w)) of stacks (R, 1, d) of feature weights: features are
    stretched, never mixed.

    Parameters
    ----------
    energy : Energy
        The energy of the diagonal map.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import Diagonal, NCAEnergy
    >>> X, y = load_iris(return_X_y=True)
    >>> Diagonal(NCAEnergy()).bind(X, y)(np.ones((1, 1, 4))).round(3)
    array([0.162])
    """

    def __init__(self, energy):
        self.energy = energy

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        bound = bind(self.energy, X, y, sample_weight, device)
        return (
            bound.of_weights() if hasattr(bound, "of_weights") else BoundDiagonal(bound)
        )


class BoundDiagonal:
    """The energy of diagonal matrices (R, d, d) with weights (R, 1, d)."""

    def __init__(self, energy: Any) -> None:
        self.energy = energy

    def __call__(self, w: Array) -> Array:
        return self.energy(w * np.eye(w.shape[2]))

    @property
    def n_samples(self) -> int:
        return self.energy.n_samples

    @available_if(lambda self: hasattr(self.energy, "value_and_grad"))
    def value_and_grad(self, w: Array) -> tuple[Array, Array]:
        value, gradient = self.energy.value_and_grad(w * np.eye(w.shape[2]))
        return value, np.diagonal(gradient, axis1=1, axis2=2)[:, None, :]
