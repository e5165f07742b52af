from .learners.dmlfe import DMLFE
from .learners.nca import NCA
from .learners.euclidean import Euclidean
