"""The estimators: one file per learner."""

from .anmm import ANMM
from .covariance import Covariance
from .dca import DCA
from .dml_eig import DMLeig
from .dmlfe import DMLFE
from .dmlmj import DMLMJ
from .euclidean import Euclidean
from .gmml import GMML
from .itml import ITML
from .kernelized import Kernelized
from .knn import MetricKNeighborsClassifier
from .knn_regressor import MetricKNeighborsRegressor
from .lda import LDA
from .ldml import LDML
from .lfda import LFDA
from .lmnn import LMNN
from .lowest import keep_interrupted_fits
from .lsml import LSML
from .mcml import MCML
from .mlkr import MLKR
from .mmc import MMC
from .nca import NCA
from .ncmml import NCMML
from .pca import PCA
from .rca import RCA
from .scml import SCML
from .sdml import SDML
from .tuples import PairClassifier, QuadrupletClassifier, TripletClassifier

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
    "lsml": LSML,
    "mmc": MMC,
    "sdml": SDML,
    "lda": LDA,
    "gmml": GMML,
    "ncmml": NCMML,
    "anmm": ANMM,
    "ldml": LDML,
    "mcml": MCML,
}
"""All metric learners of classes by name; one list drives the tests that every learner must pass."""

__all__ = [
    "ANMM",
    "DCA",
    "DMLFE",
    "DMLMJ",
    "GMML",
    "ITML",
    "LDA",
    "LDML",
    "LEARNERS",
    "LFDA",
    "LMNN",
    "LSML",
    "MCML",
    "MLKR",
    "MMC",
    "NCA",
    "NCMML",
    "PAPER",
    "PCA",
    "RCA",
    "SCML",
    "SDML",
    "Covariance",
    "DMLeig",
    "Euclidean",
    "Kernelized",
    "MetricKNeighborsClassifier",
    "MetricKNeighborsRegressor",
    "PairClassifier",
    "QuadrupletClassifier",
    "TripletClassifier",
    "keep_interrupted_fits",
]
