"""The free-energy ensemble: many sampled metrics whose nearest neighbours vote.

``settings`` holds every constant of a search and ``candidates`` what it may try. ``sampling`` draws replicas on bags
and scores them out of bag, a pure function of a replica task; ``search`` keeps them in a ``population``,
``allocation`` says which candidates get more, and ``running`` does the work. ``task`` is what all of them ask of a
task, and ``tasks`` has a file for each: classification, regression, and whatever comes next. ``finish`` makes the
``model``, the ensemble, and the other fitted attributes of it, in one process and on Dask alike. ``oob`` predicts out
of bag after the fit, from which ``importances`` follow. ``base``, ``classifier`` and ``regressor`` are the estimators;
``growing`` is their partial fit, and ``state_checks`` says what a model file must hold.
"""

from .classifier import FreeEnergyClassifier
from .regressor import FreeEnergyRegressor
from .settings import Recipe

__all__ = ["FreeEnergyClassifier", "FreeEnergyRegressor", "Recipe"]
