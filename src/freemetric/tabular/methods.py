"""Methods by name: what to fit, and which parameters the paper's authors would have tuned."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier

from ..ensemble import FreeEnergyClassifier
from ..learners import DMLFE, LEARNERS, PAPER
from .references import REFERENCES


@dataclass(frozen=True)
class Method:
    """``make()`` is a metric learner, to be followed by k-NN, or a classifier of its own."""

    make: Callable[[], BaseEstimator]
    grid: dict[str, list[Any]] = field(default_factory=dict)

    def prepared(self, seed: int, device: str = "cpu") -> BaseEstimator:
        """The estimator with its seed and device, where it has such parameters."""
        estimator = self.make()
        wanted = {"random_state": seed, "device": device}
        return estimator.set_params(**{name: wanted[name] for name in wanted if name in estimator.get_params()})


# Parameters worth tuning, by inner folds; the first value is the default.
GRIDS: dict[str, dict[str, list[Any]]] = {
    "rca": {"regularization": ["auto", 0.01, 0.1]},
    "dca": {"regularization": ["auto", 0.01, 0.1]},
    "lfda": {"n_neighbors": [7, 3, 15], "embedding": ["weighted", "plain"]},
    "itml": {"gamma": [1.0, 0.1, 10.0]},
    "lmnn": {"n_neighbors": [3, 1, 7], "regularization": [0.5, 0.1, 0.9]},
    "dml-eig": {"smoothing": [1.0, 0.1, 10.0]},
    "scml": {"regularization": [1e-5, 1e-4, 1e-3]},
    "nca": {"init": ["identity", "pca"]},
    "dmlmj": {"n_neighbors": [5, 3, 10]},
    "dmlfe": {"confinement": [1e-4, 3e-5, 3e-4]},
    "covariance": {"regularization": ["auto", 0.01, 0.1]},
    "lda": {"regularization": ["auto", 0.01, 0.1]},
    "gmml": {"t": [0.5, 0.25, 0.75], "regularization": ["auto", 0.1]},
    "anmm": {"n_neighbors": [10, 5, 20], "n_others": [10, 5, 20]},
    "ncmml": {"regularization": [1e-3, 1e-4, 1e-2], "n_centroids": [1, 3]},
    "ldml": {"regularization": [1e-4, 1e-5, 1e-3]},
    "mcml": {"regularization": [1e-4, 1e-5, 1e-3]},
}

METHODS: dict[str, Method] = {
    "rf": Method(lambda: RandomForestClassifier(100)),
    **{name: Method(learner, GRIDS.get(name, {})) for name, learner in LEARNERS.items()},
    "dmlfe-paper": Method(DMLFE.paper),
    "free-energy": Method(FreeEnergyClassifier),
    **{name: Method(make) for name, make in REFERENCES.items()},
}
"""All rows of a comparison by name; the last ones are classifiers without a metric."""

COMPARED = tuple(name for name in METHODS if name in PAPER or name not in LEARNERS)
"""Rows of the paper's comparison: a learner that it does not have is compared where it is named."""

FITTED = ("free-energy", *LEARNERS)
"""Methods whose models can be saved."""
