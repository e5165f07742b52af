"""The estimators: a file for each learner, or for those that share a base."""

from .chunklets import DCA, RCA
from .discriminants import LDA, LFDA
from .dml_eig import DMLeig
from .dmlfe import DMLFE
from .fitting import keep_interrupted_fits
from .gmml import GMML
from .itml import ITML
from .kernelized import Kernelized
from .knn import MetricKNeighborsClassifier, MetricKNeighborsRegressor
from .ldml import LDML
from .lmnn import LMNN
from .lsml import LSML
from .mcml import MCML
from .mmc import MMC
from .nca import MLKR, NCA
from .ncmml import NCMML
from .neighbor_scatter import ANMM, DMLMJ
from .retriever import MetricRetriever
from .scml import SCML
from .sdml import SDML
from .tuples.classifiers import PairClassifier, QuadrupletClassifier, TripletClassifier
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
"""The metric learners of the paper's comparison by name; what compares methods takes these unless others are named."""

OTHERS = (Covariance, LSML, MMC, SDML, LDA, GMML, NCMML, ANMM, LDML, MCML)
LEARNERS = PAPER | {cls.__name__.lower(): cls for cls in OTHERS}
"""All metric learners of classes by name; one list drives the tests that every learner must pass."""

__all__ = ["ANMM", "DCA", "DMLFE", "DMLMJ", "GMML", "ITML", "LDA", "LDML", "LEARNERS", "LFDA", "LMNN", "LSML", "MCML"]
__all__ += ["MLKR", "MMC", "NCA", "NCMML", "PAPER", "PCA", "RCA", "SCML", "SDML", "Covariance", "DMLeig", "Euclidean"]
__all__ += ["Kernelized", "MetricKNeighborsClassifier", "MetricKNeighborsRegressor", "MetricRetriever"]
__all__ += ["PairClassifier", "QuadrupletClassifier", "TripletClassifier", "keep_interrupted_fits"]
