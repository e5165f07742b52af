"""Objectives over metrics: parameter objects that clone, print, add, scale and enter a grid search."""

from typing import cast

from .base import (
    BoundEnergy,
    CallableEnergy,
    Confinement,
    Diagonal,
    Energy,
    ScaledEnergy,
    SumEnergy,
    bind,
    confined,
    is_regression,
    knows_its_data,
    takes_weights,
)
from .minibatch import MiniBatch
from .nca import LogNCAEnergy, NCAEnergy
from .regression import NeighborLikelihoodEnergy, RegressionEnergy

ENERGIES = {
    "nca": NCAEnergy,
    "log-nca": LogNCAEnergy,
    "neighbor-likelihood": NeighborLikelihoodEnergy,
    "regression": RegressionEnergy,
}


def as_energy(energy: Energy | BoundEnergy | str) -> Energy:
    """The energy itself, the one of that name, or a callable (R, p, d) -> (R,) as one."""
    if isinstance(energy, str):
        if energy not in ENERGIES:
            raise ValueError(f"Unknown energy {energy!r}; known energies: {', '.join(map(repr, ENERGIES))}.")
        return ENERGIES[energy]()
    if hasattr(energy, "bind"):
        return cast(Energy, energy)
    if callable(energy):
        return CallableEnergy(energy)
    raise TypeError(f"energy must be an Energy, its name or a callable on (R, p, d); got {energy!r}.")


__all__ = [
    "CallableEnergy",
    "Confinement",
    "Diagonal",
    "Energy",
    "LogNCAEnergy",
    "MiniBatch",
    "NCAEnergy",
    "NeighborLikelihoodEnergy",
    "RegressionEnergy",
    "ScaledEnergy",
    "SumEnergy",
    "as_energy",
    "bind",
    "confined",
    "is_regression",
    "knows_its_data",
    "takes_weights",
]
