"""Classifiers of pairs, triplets and quadruplets of samples, around any learner that takes such knowledge."""
