"""Data that fit no machine: fit and predict on Dask arrays and dataframes (extra ``dask``).

The rows stay in their partitions. What travels is a sample of them to the search, and then maps, queries and votes.
"""

from .classifier import DaskFreeEnergyClassifier
from .regressor import DaskFreeEnergyRegressor

__all__ = ["DaskFreeEnergyClassifier", "DaskFreeEnergyRegressor"]
