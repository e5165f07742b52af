"""The estimators: one file per learner."""

from .covariance import Covariance
from .dca import DCA
from .dml_eig import DMLeig
from .dmlfe import DMLFE
from .dmlmj import DMLMJ
from .euclidean import Euclidean
from .free_energy import FreeEnergyClassifier, FreeEnergyRegressor, Recipe
from .gmml import GMML
from .itml import ITML
from .kernelized import Kernelized
from .knn import MetricKNeighborsClassifier
from .knn_regressor import MetricKNeighborsRegressor
from .lda import LDA
from .lfda import LFDA
from .lmnn import LMNN
from .mlkr import MLKR
from .lsml import LSML
from .nca import NCA
from .ncmml import NCMML
from .pca import PCA
from .rca import RCA
from .scml import SCML

from .sdml import SDML
PAPER = {
    "euclidean": Euclidean,
    "pca": PCA,
    "rca": RCA,
    "dca": DCA,
    "lfda": LFDA,
    "itml": ITML,
    "lmnn": LMNN,
    "dml-eig": DMLeig,
    "scml": SCML,
    "nca": NCA,
    "dmlmj": DMLMJ,
    "dmlfe": DMLFE,
}
"""The metric learners of the paper's comparison by name; what compares methods takes these unless others are named."""

LEARNERS = {
    **PAPER,
    "covariance": Covariance,
    "lda": LDA,
    "lsml": LSML,
    "sdml": SDML,
    "gmml": GMML,
    "ncmml": NCMML,
}
"""All metric learners of classes by name; one list drives the tests that every learner must pass."""

__all__ = [
    "DCA",
    "DMLFE",
    "DMLMJ",
    "GMML",
    "ITML",
    "LDA",
    "LEARNERS",
    "LFDA",
    "LMNN",
    "MLKR",
    "NCA",
    "NCMML",
    "LSML",
    "PAPER",
    "PCA",
    "RCA",
    "SCML",
    "Covariance",
    "DMLeig",
    "Euclidean",
    "SDML",
    "FreeEnergyClassifier",
    "FreeEnergyRegressor",
    "Kernelized",
    "MetricKNeighborsClassifier",
    "MetricKNeighborsRegressor",
    "Recipe",
]
