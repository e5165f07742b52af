"""The free-energy ensemble on Dask arrays and dataframes larger than one machine."""

from .estimators import DaskFreeEnergyClassifier, DaskFreeEnergyRegressor

__all__ = ["DaskFreeEnergyClassifier", "DaskFreeEnergyRegressor"]
