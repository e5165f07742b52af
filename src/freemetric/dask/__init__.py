"""Data that fit no machine: fit and predict on Dask arrays and dataframes (extra ``dask``).

Training samples stay in their partitions. A sample of them travels to the search, and then maps, queries and votes do.
"""

from .estimators import DaskFreeEnergyClassifier, DaskFreeEnergyRegressor

__all__ = ["DaskFreeEnergyClassifier", "DaskFreeEnergyRegressor"]
