"""metric-learn's names and signatures on the learners of this library.

With ``import freemetric.metric_learn as metric_learn`` a script runs again.
"""

from .comparisons import LSML, SCML, LSML_Supervised, SCML_Supervised
from .constraints import Constraints
from .pairs import ITML, MMC, SDML, ITML_Supervised, MMC_Supervised, SDML_Supervised
from .points import LFDA, LMNN, MLKR, NCA, RCA, Covariance, RCA_Supervised

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
