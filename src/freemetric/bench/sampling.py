"""Metrics learned on a sample of the patterns, for methods that are too slow to see all of them."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone

from ..learners.base import generator


class OnSample(TransformerMixin, BaseEstimator):
    """A metric learner that sees a stratified sample of its training patterns; it transforms whatever it is given.

    Parameters
    ----------
    learner : estimator with fit and transform
        The metric.
    most_patterns : int
        Size of the sample; all patterns where there are no more.
    random_state : int, RandomState or None, default=None
        Seed of the sample. The learner has its own.

    Attributes
    ----------
    learner_ : estimator
        The learner, fitted on the sample.
    sample_ : ndarray of shape (n_patterns,)
        Indices of the patterns that it saw.
    """

    def __init__(self, learner, most_patterns, *, random_state=None):
        self.learner = learner
        self.most_patterns = most_patterns
        self.random_state = random_state

    def fit(self, X, y):
        self.sample_ = stratified_sample(generator(self.random_state), y, self.most_patterns)
        self.learner_ = clone(self.learner).fit(X[self.sample_], y[self.sample_])
        return self

    def transform(self, X):
        return self.learner_.transform(X)


def stratified_sample(rng, y, most_patterns):
    """Indices, in order, of at most this many patterns: two of each class if there is room, the rest by its share."""
    _, y, counts = np.unique(y, return_inverse=True, return_counts=True)
    shuffled = rng.permutation(len(y))
    shuffled = shuffled[np.argsort(y[shuffled], kind="stable")]  # class by class
    place = np.concatenate([np.arange(count) for count in counts])  # within the class
    # Classes take turns evenly, each all along the way from 0 to 1; but the first two of each come before all others.
    turn = np.where(place < 2, place - 2, (place + 0.5) / np.repeat(counts, counts))
    return np.sort(shuffled[np.argsort(turn, kind="stable")[:most_patterns]])
