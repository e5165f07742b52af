"""The free-energy ensemble: neighbours vote under many sampled metrics.

``classifier`` and ``regressor`` hold the estimators, and their ``fit`` is the method in
six steps. ``views`` says what is measured. ``bags``, ``sampling`` and ``search`` draw
the metrics and judge them out of bag; ``classification`` and ``regression`` are the
tasks. ``stacking`` cross-fits the estimators beside the votes: those of ``student_t``,
``naive_bayes``, ``boosted_trees`` and ``linear``, or of any library. ``pool`` makes one
probability of all, ``trends`` and ``scale`` one number. ``ensemble`` predicts, with
``neighbors`` and ``averaged_metric``.
"""

from .boosted_trees import BoostedTreesClassifier, BoostedTreesRegressor
from .classifier import FreeEnergyClassifier
from .ensemble import Ensemble, Member
from .linear import LinearClassifier, LineRegressor, SurfaceRegressor
from .naive_bayes import ScreenedNaiveBayes
from .regressor import FreeEnergyRegressor
from .student_t import StudentTClassifier

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
