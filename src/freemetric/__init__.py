"""freemetric: distance metrics learned by minimising the free energy.

Names are imported on first use: scikit-learn and numba take a second.
"""

from importlib import import_module

from ._version import __version__ as __version__, show_versions as show_versions

_LEARNERS = (
    "ANMM",
    "DCA",
    "DMLFE",
    "DMLMJ",
    "GMML",
    "ITML",
    "LDA",
    "LDML",
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
    "MetricKNeighborsClassifier",
    "MetricKNeighborsRegressor",
    "PairClassifier",
    "QuadrupletClassifier",
    "TripletClassifier",
)
_HOMES = {
    **dict.fromkeys(_LEARNERS, "learners"),
    **dict.fromkeys(("FreeEnergyClassifier", "FreeEnergyRegressor"), "ensemble"),
    **dict.fromkeys(("TableClassifier", "TableRegressor"), "tables"),
    **dict.fromkeys(("load", "save"), "files"),
}
_ROOMS = (
    "dask",
    "energies",
    "ensemble",
    "exceptions",
    "experiments",
    "files",
    "inspection",
    "kernels",
    "learners",
    "mc",
    "metric_learn",
    "plotting",
    "tables",
    "thermodynamics",
)

__all__ = list(_HOMES)


def __getattr__(name):
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__, *_ROOMS})
