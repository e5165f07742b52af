"""freemetric: distance metrics learned by minimising the free energy."""

from . import datasets, energies, mc
from ._version import __version__
from .files import load
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
    "__version__",
    "datasets",
    "energies",
    "load",
    "mc",
]
