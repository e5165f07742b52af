"""Many sampled metrics that vote.

``views`` of the features and forms of the map make ``candidates``; replicas of them learn on ``bags`` and form a
``population``; ``search`` says which candidates get replicas and what their out-of-bag votes are worth, by
``calibration`` and ``mixture``; ``importance`` what the population weighs. ``classifier`` is the estimator.
"""

from .classifier import FreeEnergyClassifier

__all__ = ["FreeEnergyClassifier"]
