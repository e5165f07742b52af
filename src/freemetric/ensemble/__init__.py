"""The free-energy ensemble: many sampled metrics whose nearest neighbours vote.

``settings`` holds every constant of a search and ``candidates`` what it may try. ``sampling`` draws replicas on bags
and scores them out of bag, a pure function of a replica task. ``search`` keeps them in a ``population`` and says which
candidates get more, and ``running`` runs the tasks. ``task`` is the interface of a task, and ``tasks`` has a file for
each. ``finish`` makes the ``model``, the ensemble, and the other fitted attributes, in one process and on Dask alike,
and renews them with more samples. ``oob`` predicts out of bag after the fit; ``importances`` use it. ``conformal``
makes prediction sets and intervals that hold; ``certificate`` bounds the risk. ``data_values`` says what training
samples are worth, and ``shrinking`` drops or forgets some; ``counterfactuals`` says what would change a class, and
``drift`` what has changed in a table. ``deciding`` predicts by costs, tunes thresholds and says which labels would
help. These parts share ``fitted``. ``base``, ``classifier`` and ``regressor`` are the estimators, ``parameters``
describes what they take, and ``state_checks`` checks model files. ``selector`` selects features by
replicas of its own.
"""

from .classifier import FreeEnergyClassifier
from .regressor import FreeEnergyRegressor
from .selector import FreeEnergySelector
from .settings import Recipe

__all__ = ["FreeEnergyClassifier", "FreeEnergyRegressor", "FreeEnergySelector", "Recipe"]
