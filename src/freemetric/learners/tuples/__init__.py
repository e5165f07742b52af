"""Classifiers of pairs, triplets and quadruplets of samples, around a learner."""
