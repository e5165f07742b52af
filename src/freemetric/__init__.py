"""freemetric: distance metrics learned by minimising the free energy."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import forking as forking  # registers a handler of forks
from ._version import __version__
from .presenting import PROVIDED

if TYPE_CHECKING:  # at run time they are imported on first use: scikit-learn and numba take seconds
    from . import datasets, energies, files, mc, metrics
    from .ensemble import FreeEnergyClassifier, FreeEnergyRegressor, FreeEnergySelector, Recipe
    from .files import load, save
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
        MetricRetriever,
        PairClassifier,
        QuadrupletClassifier,
        TripletClassifier,
        keep_interrupted_fits,
    )
    from .sklearn_compat import expected_failed_checks
    from .tabular import TableClassifier, TableRegressor

__all__ = ["LEARNERS", "Recipe", "__version__", "expected_failed_checks", "keep_interrupted_fits", "load", "save"]
__all__ += ["ANMM", "DCA", "DMLFE", "DMLMJ", "GMML", "ITML", "LDA", "LDML", "LFDA", "LMNN", "LSML", "MCML", "MLKR"]
__all__ += ["MMC", "NCA", "NCMML", "PCA", "RCA", "SCML", "SDML", "Covariance", "DMLeig", "Euclidean", "Kernelized"]
__all__ += ["FreeEnergyClassifier", "FreeEnergyRegressor", "FreeEnergySelector", "MetricKNeighborsClassifier"]
__all__ += [
    "MetricKNeighborsRegressor",
    "MetricRetriever",
    "PairClassifier",
    "QuadrupletClassifier",
    "TableClassifier",
    "TableRegressor",
    "TripletClassifier",
]
__all__ += ["datasets", "energies", "files", "mc", "metrics"]

_MODULES = {
    *("bench", "dask", "datasets", "display", "energies", "ensemble", "exceptions", "files", "kernels", "learners"),
    *("mc", "metric_learn", "metrics", "onnx_export", "report", "serve", "tabular", "thermodynamics"),
}
_HOMES = {
    "expected_failed_checks": "sklearn_compat",
    **dict.fromkeys(("load", "save"), "files"),
    **dict.fromkeys(("FreeEnergyClassifier", "FreeEnergyRegressor", "FreeEnergySelector", "Recipe"), "ensemble"),
    **dict.fromkeys(("TableClassifier", "TableRegressor"), "tabular"),
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


PROVIDED.update(
    card=lambda model: import_module(".report.card", __name__).card(model),
    report=lambda model, *given, **options: import_module(".report", __name__).write(model, *given, **options),
    saved=lambda: import_module(".saved", __name__),  # registers our classes with files
)
