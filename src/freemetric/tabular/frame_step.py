"""What stands in front of a table's pipeline: from whatever a program has to the columns that the pipeline needs."""

from typing import Any, Protocol

from sklearn.base import BaseEstimator, TransformerMixin


class _Framing(Protocol):
    def frame(self, X: Any) -> Any: ...


class FrameStep(TransformerMixin, BaseEstimator):
    """A step that is fitted with its classifier.

    Parameters
    ----------
    classifier : TableClassifier
        Fitted; its ``frame`` is what this step does.
    """

    def __init__(self, classifier: _Framing):
        self.classifier = classifier

    def fit(self, X: Any, y: Any = None) -> "FrameStep":
        """Nothing more to learn."""
        return self

    def transform(self, X: Any) -> Any:
        """The columns that the model needs."""
        return self.classifier.frame(X)

    def __sklearn_is_fitted__(self) -> bool:
        return True
