"""The free-energy ensemble: many sampled metrics whose nearest neighbours vote.

``settings`` holds every constant of a search and ``candidates`` what it may try. ``sampling`` draws replicas on bags
and scores them out of bag, a pure function of a task; ``search`` keeps them in a ``population`` and ``allocation`` says
which candidates get more; ``running`` does the tasks. A file of ``tasks`` says what classification or regression makes
of the votes. ``finish`` gives the fitted attributes, in one process and on Dask alike; ``oob`` predicts out of bag
after the fit.
"""

from .classifier import FreeEnergyClassifier
from .regressor import FreeEnergyRegressor
from .settings import Recipe

__all__ = ["FreeEnergyClassifier", "FreeEnergyRegressor", "Recipe"]
