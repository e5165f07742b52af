"""An energy for weights of single features: the map is diagonal."""

from typing import Any

import numpy as np

from .base import Array, Energy, bind, takes_weights


class Diagonal(Energy):
    """E(w) = energy(diag(w)): features are stretched, never mixed.

    The states are stacks (R, 1, d) of weights. With d instead of d^2 degrees of freedom few patterns suffice. NCA's
    energies never form the d x d matrix on lists of neighbours; others see it.

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
        if hasattr(bound, "of_weights"):
            return bound.of_weights()
        return BoundDifferentiableDiagonal(bound) if hasattr(bound, "value_and_grad") else BoundDiagonal(bound)

    @property
    def takes_weights(self) -> bool:
        return takes_weights(self.energy)


class BoundDiagonal:
    def __init__(self, energy: Any) -> None:
        self.energy = energy

    def __call__(self, w: Array) -> Array:
        return self.energy(matrices(w))

    @property
    def n_patterns(self) -> int:
        return self.energy.n_patterns


class BoundDifferentiableDiagonal(BoundDiagonal):
    def value_and_grad(self, w: Array) -> tuple[Array, Array]:
        value, gradient = self.energy.value_and_grad(matrices(w))
        return value, np.diagonal(gradient, axis1=1, axis2=2)[:, None, :]


def matrices(w: Array) -> Array:
    """Diagonal matrices (R, d, d) of weights (R, 1, d)."""
    return w * np.eye(w.shape[2])
