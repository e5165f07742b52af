"""Methods that predict numbers, by name."""

from collections.abc import Callable

from sklearn.base import BaseEstimator
from sklearn.ensemble import ExtraTreesRegressor, HistGradientBoostingRegressor, RandomForestRegressor

from ..ensemble import FreeEnergyRegressor
from ..learners import DMLFE, MLKR, PCA, Euclidean
from .methods import Method


def _dmlfe() -> BaseEstimator:
    return DMLFE(energy="regression")


METRICS: dict[str, Callable[[], BaseEstimator]] = {"euclidean": Euclidean, "pca": PCA, "mlkr": MLKR, "dmlfe": _dmlfe}

NUMBER_METHODS: dict[str, Method] = {
    "free-energy": Method(FreeEnergyRegressor),
    **{name: Method(make) for name, make in METRICS.items()},
    "rf": Method(lambda: RandomForestRegressor(100)),
    "extra-trees": Method(lambda: ExtraTreesRegressor(100)),
    "hist-boosting": Method(HistGradientBoostingRegressor),
}
"""All rows of a comparison of predicted numbers; k-NN follows a metric, and the last ones have none."""

FITTED_TO_NUMBERS = ("free-energy", *METRICS)
"""Methods whose models can be saved."""
