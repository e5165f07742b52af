"""Objectives over metrics: parameter objects that clone, print, add, scale and enter a grid search."""

from .base import CallableEnergy, Energy, ScaledEnergy, SumEnergy
from .confinement import Confinement
from .nca import NCAEnergy

ENERGIES = {"nca": NCAEnergy}


def as_energy(energy) -> Energy:
    """The energy itself, the one of that name, a callable (R, p, d) -> (R,), or NCA's for None."""
    if energy is None:
        return NCAEnergy()
    if isinstance(energy, str):
        if energy not in ENERGIES:
            raise ValueError(f"Unknown energy {energy!r}; known energies: {', '.join(map(repr, ENERGIES))}.")
        return ENERGIES[energy]()
    if hasattr(energy, "bind"):
        return energy
    if callable(energy):
        return CallableEnergy(energy)
    raise TypeError(f"energy must be an Energy, its name or a callable on (R, p, d); got {energy!r}.")


__all__ = ["CallableEnergy", "Confinement", "Energy", "NCAEnergy", "ScaledEnergy", "SumEnergy", "as_energy"]
