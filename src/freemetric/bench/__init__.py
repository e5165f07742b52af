"""Benchmarks: comparisons of methods over data sets, their statistics, tables and figures."""

from importlib import import_module
from types import ModuleType

__all__ = ["figures", "results", "runner", "stats", "tables"]


def __getattr__(name: str) -> ModuleType:
    # loaded on first use: benchmarks also run where the libraries for tables and figures are not installed
    if name in __all__:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
