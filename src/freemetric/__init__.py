"""freemetric: distance metrics learned by minimising the free energy."""

from . import energies, mc
from .learners import (
    DCA,
    DMLFE,
    DMLMJ,
    LEARNERS,
    LFDA,
    NCA,
    PCA,
    RCA,
    Euclidean,
    FreeEnergyClassifier,
    MetricKNeighborsClassifier,
)

__version__ = "0.1.0"

__all__ = [
    "DCA",
    "DMLFE",
    "DMLMJ",
    "LEARNERS",
    "LFDA",
    "NCA",
    "PCA",
    "RCA",
    "Euclidean",
    "FreeEnergyClassifier",
    "MetricKNeighborsClassifier",
    "energies",
    "mc",
]
