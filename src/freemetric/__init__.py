"""freemetric: distance metrics learned by minimising the free energy."""

from . import energies, mc
from .learners import (
    DCA,
    DMLFE,
    DMLMJ,
    ITML,
    LEARNERS,
    LFDA,
    LMNN,
    NCA,
    PCA,
    RCA,
    SCML,
    DMLeig,
    Euclidean,
    FreeEnergyClassifier,
    MetricKNeighborsClassifier,
)

__version__ = "0.1.0"

__all__ = [
    "DCA",
    "DMLFE",
    "DMLMJ",
    "ITML",
    "LEARNERS",
    "LFDA",
    "LMNN",
    "NCA",
    "PCA",
    "RCA",
    "SCML",
    "DMLeig",
    "Euclidean",
    "FreeEnergyClassifier",
    "MetricKNeighborsClassifier",
    "energies",
    "mc",
]
