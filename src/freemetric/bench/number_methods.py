"""The methods of a comparison on numbers, by name: each is made from a seed and the shape of the training rows."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVR

from ..ensemble import FreeEnergyRegressor
from ..learners import MLKR, MetricKNeighborsRegressor
from .number_rivals import INNER_FOLDS, BoostedQuantiles, LeafQuantiles, Tuned, WithResiduals

N_TREES = 500
NEIGHBORS = (1, 2, 3, 5, 8, 12, 17, 23, 31, 40)
MOST_TUNED = 2000  # rows on which the support vectors' parameters are chosen


class Wish(NamedTuple):
    """What a method is made for."""

    seed: int
    n_rows: int
    n_features: int
    device: str = "cpu"


def _free_energy(wish):
    return FreeEnergyRegressor(device=wish.device, random_state=wish.seed)


def _neighbors(wish):
    most = wish.n_rows - -(-wish.n_rows // INNER_FOLDS)  # rows of the smallest inner fold's training part
    counts = [k for k in NEIGHBORS if k <= most]
    grid = {"kneighborsregressor__n_neighbors": counts, "kneighborsregressor__weights": ["uniform", "distance"]}
    model = Tuned(make_pipeline(StandardScaler(), KNeighborsRegressor()), grid, random_state=wish.seed)
    return WithResiduals(model, random_state=wish.seed)


def _mlkr(wish):
    # to the last digit it takes several times as long and predicts no better
    metric = make_pipeline(MinMaxScaler(), MLKR(tol=1e-5, device=wish.device, random_state=wish.seed))
    model = MetricKNeighborsRegressor(metric, n_folds=INNER_FOLDS, random_state=wish.seed)
    return WithResiduals(model, random_state=wish.seed)


def _support_vectors(wish):
    grid = {
        "svr__C": [0.1, 1, 10, 100],
        "svr__gamma": [factor / wish.n_features for factor in (0.03, 0.1, 0.3, 1, 3)],
        "svr__epsilon": [0.03, 0.3],
    }
    model = make_pipeline(StandardScaler(), SVR(cache_size=500))
    return WithResiduals(Tuned(model, grid, most_rows=MOST_TUNED, random_state=wish.seed), random_state=wish.seed)


NUMBER_METHODS: dict[str, Callable[[Wish], Any]] = {
    "free-energy-regressor": _free_energy,
    "knn": _neighbors,
    "mlkr": _mlkr,
    "svr": _support_vectors,
    "forest-500": lambda wish: LeafQuantiles(RandomForestRegressor(N_TREES, random_state=wish.seed)),
    "extra-trees-500": lambda wish: LeafQuantiles(ExtraTreesRegressor(N_TREES, random_state=wish.seed)),
    "hist-boosting": lambda wish: BoostedQuantiles(random_state=wish.seed),
}
"""All of them predict numbers and quantiles; what they choose, they choose on the training rows."""
