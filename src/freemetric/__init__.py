"""freemetric: distance metrics learned by minimising the free energy."""

from . import energies, mc
from .learners import DMLFE, LEARNERS, NCA, Euclidean, FreeEnergyClassifier

__version__ = "0.1.0"

__all__ = ["DMLFE", "LEARNERS", "NCA", "Euclidean", "FreeEnergyClassifier", "energies", "mc"]
