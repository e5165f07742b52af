"""The free-energy ensemble: neighbours vote under many sampled metrics.

``classifier`` and ``regressor`` hold the estimators, and their ``fit`` is the method in
six steps. ``views`` says what is measured. ``sampling`` draws bags and metrics, and
``search`` judges the metrics out of bag; ``tasks`` says what classification and
regression differ in. ``stacking`` cross-fits the estimators beside the votes: those of
``densities``, ``boosted_trees`` and ``linear``, or of any library. ``pool`` makes one
probability of all, ``trends`` and ``scale`` one number. ``ensemble`` predicts, with
``neighbors`` and ``averaged_metric``.
"""

from .boosted_trees import BoostedTreesClassifier, BoostedTreesRegressor
from .classifier import FreeEnergyClassifier
from .densities import ScreenedNaiveBayes, StudentTClassifier
from .ensemble import Ensemble, Member
from .linear import LinearClassifier, LineRegressor, SurfaceRegressor
from .regressor import FreeEnergyRegressor

__all__ = [
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "Ensemble",
    "FreeEnergyClassifier",
    "FreeEnergyRegressor",
    "LineRegressor",
    "LinearClassifier",
    "Member",
    "ScreenedNaiveBayes",
    "StudentTClassifier",
    "SurfaceRegressor",
]
