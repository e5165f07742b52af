"""The types of the names that __init__ imports on first use."""

from . import (
    dask as dask,
    energies as energies,
    ensemble as ensemble,
    exceptions as exceptions,
    experiments as experiments,
    files as files,
    inspection as inspection,
    kernels as kernels,
    learners as learners,
    mc as mc,
    metric_learn as metric_learn,
    plotting as plotting,
    tables as tables,
    thermodynamics as thermodynamics,
)
from ._version import __version__ as __version__, show_versions as show_versions
from .ensemble.classifier import FreeEnergyClassifier as FreeEnergyClassifier
from .ensemble.regressor import FreeEnergyRegressor as FreeEnergyRegressor
from .files.model import load as load, save as save
from .learners.chunklets import DCA as DCA, RCA as RCA
from .learners.discriminants import LDA as LDA, LFDA as LFDA
from .learners.dml_eig import DMLeig as DMLeig
from .learners.dmlfe import DMLFE as DMLFE
from .learners.gmml import GMML as GMML
from .learners.itml import ITML as ITML
from .learners.knn import (
    MetricKNeighborsClassifier as MetricKNeighborsClassifier,
    MetricKNeighborsRegressor as MetricKNeighborsRegressor,
)
from .learners.ldml import LDML as LDML
from .learners.lmnn import LMNN as LMNN
from .learners.lsml import LSML as LSML
from .learners.mcml import MCML as MCML
from .learners.mmc import MMC as MMC
from .learners.nca import MLKR as MLKR, NCA as NCA
from .learners.ncmml import NCMML as NCMML
from .learners.neighbor_scatter import ANMM as ANMM, DMLMJ as DMLMJ
from .learners.scml import SCML as SCML
from .learners.sdml import SDML as SDML
from .learners.tuples.classifiers import (
    PairClassifier as PairClassifier,
    QuadrupletClassifier as QuadrupletClassifier,
    TripletClassifier as TripletClassifier,
)
from .learners.unsupervised import (
    PCA as PCA,
    Covariance as Covariance,
    Euclidean as Euclidean,
)
from .tables.estimators import (
    TableClassifier as TableClassifier,
    TableRegressor as TableRegressor,
)
