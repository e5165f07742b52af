"""The bases of our estimators under the names of metric-learn's, for classes that its
tests derive from them.
"""

from numpy import asarray

from freemetric.metric_learn.base import Mahalanobis
from freemetric.metric_learn.comparisons import ComparisonsClassifier
from freemetric.metric_learn.pairs import PairsClassifier as _PairsClassifierMixin  # noqa: F401


class _TripletsClassifierMixin(ComparisonsClassifier):
    _size, _near, _far = 3, [0, 1], [0, 2]


class _QuadrupletsClassifierMixin(ComparisonsClassifier):
    _size, _near, _far = 4, [0, 1], [2, 3]


class MahalanobisMixin(Mahalanobis):
    """Ours, with the constructor and the private method that derived classes call."""

    def __init__(self, preprocessor=None):
        self.preprocessor = preprocessor

    def _prepare_inputs(self, pairs, y, type_of_inputs):
        assert type_of_inputs == "tuples"
        pairs = self._formed(pairs, 2)
        self.n_features_in_ = pairs.shape[2]
        return pairs, asarray(y)


class ArrayIndexer:
    """Imported by a module of helpers, not used by the tests that run."""
