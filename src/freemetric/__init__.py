"""freemetric: distance metrics learned by minimising the free energy."""

from importlib import import_module

from . import datasets, energies, mc
from ._version import __version__
from .files import load
from .learners import (
    DCA,
    DMLFE,
    DMLMJ,
    ITML,
    LEARNERS,
    LFDA,
    LMNN,
    NCA,
    PCA,
    RCA,
    SCML,
    DMLeig,
    Euclidean,
    FreeEnergyClassifier,
    MetricKNeighborsClassifier,
)

__all__ = [
    "DCA",
    "DMLFE",
    "DMLMJ",
    "ITML",
    "LEARNERS",
    "LFDA",
    "LMNN",
    "NCA",
    "PCA",
    "RCA",
    "SCML",
    "DMLeig",
    "Euclidean",
    "FreeEnergyClassifier",
    "MetricKNeighborsClassifier",
    "__version__",
    "datasets",
    "energies",
    "load",
    "mc",
]

_WHEN_ASKED_FOR = ("bench", "display", "onnx_export", "report", "tabular")  # they need more packages, or time to import


def __getattr__(name):
    if name in _WHEN_ASKED_FOR:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_WHEN_ASKED_FOR])
