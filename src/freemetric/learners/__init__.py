"""The estimators: one file per learner."""

from .classifier import FreeEnergyClassifier
from .dca import DCA
from .dmlfe import DMLFE
from .dmlmj import DMLMJ
from .euclidean import Euclidean
from .knn import MetricKNeighborsClassifier
from .lfda import LFDA
from .nca import NCA
from .pca import PCA
from .rca import RCA

LEARNERS = {
    "euclidean": Euclidean,
    "pca": PCA,
    "rca": RCA,
    "dca": DCA,
    "lfda": LFDA,
    "nca": NCA,
    "dmlmj": DMLMJ,
    "dmlfe": DMLFE,
}
"""All metric learners by name; one list drives the tests that every learner must pass."""

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
]
