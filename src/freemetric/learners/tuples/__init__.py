"""Classifiers of pairs, triplets and quadruplets of samples, around any learner that takes such knowledge."""

from .pair_classifier import PairClassifier
from .quadruplet_classifier import QuadrupletClassifier
from .triplet_classifier import TripletClassifier

__all__ = ["PairClassifier", "QuadrupletClassifier", "TripletClassifier"]
