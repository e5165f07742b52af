"""Metrics learned on a sample of the patterns, for methods that are too slow to see all of them."""

from typing import Any

from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone

from ..learners.base import generator
from ..tabular.methods import stratified_sample


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

    def __init__(self, learner: BaseEstimator, most_patterns: int, *, random_state: Any = None):
        self.learner = learner
        self.most_patterns = most_patterns
        self.random_state = random_state

    def fit(self, X: NDArray, y: NDArray) -> "OnSample":
        self.sample_ = stratified_sample(generator(self.random_state), y, self.most_patterns)
        self.learner_ = clone(self.learner).fit(X[self.sample_], y[self.sample_])
        return self

    def transform(self, X: NDArray) -> NDArray:
        return self.learner_.transform(X)
