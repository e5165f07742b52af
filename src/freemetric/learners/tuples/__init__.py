"""Classifiers of pairs, triplets and quadruplets of samples, around any learner that takes such knowledge."""

from .comparison_classifiers import QuadrupletClassifier, TripletClassifier
from .pair_classifier import PairClassifier

__all__ = ["PairClassifier", "QuadrupletClassifier", "TripletClassifier"]
