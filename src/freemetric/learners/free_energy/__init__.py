"""Many sampled metrics that vote: recipe in, committee out.

``recipe`` says what is tried; ``candidates`` and ``kinds`` what that means for a problem. ``sample`` draws replicas on
``bags`` and ``judge`` lets the others vote, both pure functions of a task; ``search`` says which candidates get
replicas and keeps them in a ``population``; ``trust`` and ``verdict`` say what their votes are worth. ``decision``
says what probabilities are used for, by ``class_weights`` and ``scoring``; ``prediction_sets`` which classes a pattern
may have. ``classifier`` is the estimator, ``given`` what its parameters mean for a search, ``description`` its fitted
attributes, ``growing`` what more rows change.
"""

from .classifier import FreeEnergyClassifier
from .recipe import Recipe
from .regressor import FreeEnergyRegressor

__all__ = ["FreeEnergyClassifier", "FreeEnergyRegressor", "Recipe"]
