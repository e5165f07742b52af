"""The estimators: a file for each learner, or for those that share a base."""

from .chunklets import DCA, RCA
from .discriminants import LDA, LFDA
from .distance_matching import DistanceMatching
from .dml_eig import DMLeig
from .dmlfe import DMLFE
from .gmml import GMML
from .itml import ITML
from .knn import MetricKNeighborsClassifier, MetricKNeighborsRegressor
from .ldml import LDML
from .lmnn import LMNN
from .lsml import LSML
from .mcml import MCML
from .mmc import MMC
from .nca import MLKR, NCA
from .ncmml import NCMML
from .neighbor_scatter import ANMM, DMLMJ
from .oasis import OASIS
from .scml import SCML
from .sdml import SDML
from .tuples.classifiers import (
    PairClassifier,
    QuadrupletClassifier,
    TripletClassifier,
)
from .unsupervised import PCA, Covariance, Euclidean

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
"""The metric learners of the paper's comparison, by name."""

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
"""All metric learners of classes, by name."""

BEYOND_CLASSES = {
    "mlkr": MLKR,
    "distance-matching": DistanceMatching,
    "oasis": OASIS,
}
"""Learners of targets, of distances and of a similarity, by name."""

__all__ = [
    "ANMM",
    "BEYOND_CLASSES",
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
    "OASIS",
    "PAPER",
    "PCA",
    "RCA",
    "SCML",
    "SDML",
    "Covariance",
    "DMLeig",
    "DistanceMatching",
    "Euclidean",
    "MetricKNeighborsClassifier",
    "MetricKNeighborsRegressor",
    "PairClassifier",
    "QuadrupletClassifier",
    "TripletClassifier",
]
