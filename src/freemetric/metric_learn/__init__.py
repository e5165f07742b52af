"""metric-learn's names on our learners: ``import freemetric.metric_learn as metric_learn`` and a script runs again."""

from .constraints import Constraints
from .covariance import Covariance
from .itml import ITML, ITML_Supervised
from .lfda import LFDA
from .lmnn import LMNN
from .lsml import LSML, LSML_Supervised
from .mlkr import MLKR
from .mmc import MMC, MMC_Supervised
from .nca import NCA
from .rca import RCA, RCA_Supervised
from .scml import SCML, SCML_Supervised
from .sdml import SDML, SDML_Supervised

__version__ = "0.7.0"
"""The release of metric-learn whose names and signatures these are."""

__all__ = [
    "ITML",
    "LFDA",
    "LMNN",
    "LSML",
    "MLKR",
    "MMC",
    "NCA",
    "RCA",
    "SCML",
    "SDML",
    "Constraints",
    "Covariance",
    "ITML_Supervised",
    "LSML_Supervised",
    "MMC_Supervised",
    "RCA_Supervised",
    "SCML_Supervised",
    "SDML_Supervised",
]
