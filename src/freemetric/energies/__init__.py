"""Objectives over metrics: parameter objects that clone, print, add, scale and enter a
grid search.
"""

from .base import (
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
    names_rows,
    needs_targets,
    takes_weights,
)
from .large_margin import LMNNEnergy
from .minibatch import MiniBatch
from .names import ENERGIES, as_energy
from .ranking import RankingEnergy
from .regression import NeighborLikelihoodEnergy, RegressionEnergy
from .soft_neighbors import LogNCAEnergy, MultiLabelEnergy, NCAEnergy
from .sparsity import Sparsity
from .tuples import PairEnergy, TripletEnergy
from .votes import BalancedErrorEnergy, FBetaEnergy, KNNErrorEnergy

__all__ = [
    "ENERGIES",
    "BalancedErrorEnergy",
    "CallableEnergy",
    "Confinement",
    "Diagonal",
    "Energy",
    "FBetaEnergy",
    "KNNErrorEnergy",
    "LMNNEnergy",
    "LogNCAEnergy",
    "MiniBatch",
    "MultiLabelEnergy",
    "NCAEnergy",
    "NeighborLikelihoodEnergy",
    "PairEnergy",
    "RankingEnergy",
    "RegressionEnergy",
    "ScaledEnergy",
    "Sparsity",
    "SumEnergy",
    "TripletEnergy",
    "as_energy",
    "bind",
    "confined",
    "is_regression",
    "knows_its_data",
    "names_rows",
    "needs_targets",
    "takes_weights",
]
