"""Data that fit no machine: fit and predict on Dask arrays and dataframes (extra ``dask``).

The rows stay in their partitions. What travels is a sample of them to the search, and then maps, queries and votes.
"""

from typing import NoReturn

from .classifier import DaskFreeEnergyClassifier

__all__ = ["DaskFreeEnergyClassifier"]


def __getattr__(name: str) -> NoReturn:
    if name == "DaskFreeEnergyRegressor":
        hint = "FreeEnergyRegressor takes Dask arrays that fit in memory, and any joblib backend carries its fit"
        raise AttributeError(f"Numbers as target are not for partitions yet; {hint}.")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
