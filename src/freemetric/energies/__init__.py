"""Objectives over metrics: parameter objects that clone, print, add, scale and enter a grid search."""

from .base import (
    CallableEnergy,
    Confinement,
    Diagonal,
    Energy,
    ScaledEnergy,
    SumEnergy,
    as_energy,
    bind,
    confined,
    each_confined,
    is_regression,
    knows_its_data,
    takes_weights,
)
from .minibatch import MiniBatch
from .nca import LogNCAEnergy, NCAEnergy
from .regression import NeighborLikelihoodEnergy, RegressionEnergy

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
    "each_confined",
    "is_regression",
    "knows_its_data",
    "takes_weights",
]
