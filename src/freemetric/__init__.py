"""freemetric: distance metrics learned by minimising the free energy."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import forking as forking  # registers what is done at a fork
from ._version import __version__
from .provided import PROVIDED

if TYPE_CHECKING:  # at run time they are imported when they are asked for: scikit-learn and numba take seconds
    from . import datasets, energies, files, mc, metrics
    from .contract import expected_failed_checks
    from .ensemble import FreeEnergyClassifier, FreeEnergyRegressor, Recipe
    from .files import load
    from .learners import (
        ANMM,
        DCA,
        DMLFE,
        DMLMJ,
        GMML,
        ITML,
        LDA,
        LDML,
        LEARNERS,
        LFDA,
        LMNN,
        LSML,
        MCML,
        MLKR,
        MMC,
        NCA,
        NCMML,
        PCA,
        RCA,
        SCML,
        SDML,
        Covariance,
        DMLeig,
        Euclidean,
        Kernelized,
        MetricKNeighborsClassifier,
        MetricKNeighborsRegressor,
        PairClassifier,
        QuadrupletClassifier,
        TripletClassifier,
        keep_interrupted_fits,
    )
    from .tabular import TableClassifier, TableRegressor

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
    "PCA",
    "RCA",
    "SCML",
    "SDML",
    "Covariance",
    "DMLeig",
    "Euclidean",
    "FreeEnergyClassifier",
    "FreeEnergyRegressor",
    "Kernelized",
    "MetricKNeighborsClassifier",
    "MetricKNeighborsRegressor",
    "PairClassifier",
    "QuadrupletClassifier",
    "Recipe",
    "TableClassifier",
    "TableRegressor",
    "TripletClassifier",
    "__version__",
    "datasets",
    "energies",
    "expected_failed_checks",
    "files",
    "keep_interrupted_fits",
    "load",
    "mc",
    "metrics",
]

_MODULES = {
    *(
        "bench",
        "dask",
        "datasets",
        "display",
        "energies",
        "ensemble",
        "exceptions",
        "files",
        "kernels",
        "learners",
        "mc",
    ),
    *("metric_learn", "metrics", "onnx_export", "report", "serve", "tabular"),
}
_TABLES = ("TableClassifier", "TableRegressor")
_HOMES = {
    "expected_failed_checks": "contract",
    "load": "files",
    **dict.fromkeys(("FreeEnergyClassifier", "FreeEnergyRegressor", "Recipe"), "ensemble"),
    **dict.fromkeys(_TABLES, "tabular"),
}  # of the other names in __all__; else learners


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in __all__:
        globals()[name] = found = getattr(import_module(f".{_HOMES.get(name, 'learners')}", __name__), name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})


def _card(model):
    from .report.card import card

    return card(model)


def _report(model, path, X=None, y=None, **options):
    from .report import write

    return write(model, path, X, y, **options)


def _saved():
    from . import saved  # noqa: F401 - registers our classes with files


PROVIDED.update(card=_card, report=_report, saved=_saved)
