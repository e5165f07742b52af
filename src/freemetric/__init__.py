"""freemetric: distance metrics learned by minimising the free energy."""

from importlib import import_module

from . import datasets, energies, files, mc, metrics
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
    Recipe,
)
from .presenting import PRESENTERS

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
    "Recipe",
    "__version__",
    "datasets",
    "energies",
    "files",
    "load",
    "mc",
    "metrics",
]

from . import saved  # noqa: F401 - registers our classes with files

# they need more packages, or time to import
_WHEN_ASKED_FOR = ("bench", "dask", "display", "onnx_export", "report", "tabular")


def _card(model):
    from .report.card import card

    return card(model)


def _report(model, path, X=None, y=None, **options):
    from .report import write

    return write(model, path, X, y, **options)


PRESENTERS.update(card=_card, report=_report)


def __getattr__(name):
    if name in _WHEN_ASKED_FOR:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_WHEN_ASKED_FOR])
