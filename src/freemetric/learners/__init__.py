"""The estimators: one file per learner."""

from .classifier import FreeEnergyClassifier
from .dmlfe import DMLFE
from .euclidean import Euclidean
from .nca import NCA

LEARNERS = {"euclidean": Euclidean, "nca": NCA, "dmlfe": DMLFE}
"""All metric learners by name; one list drives the tests that every learner must pass."""

__all__ = ["DMLFE", "LEARNERS", "NCA", "Euclidean", "FreeEnergyClassifier"]
