"""Functions that look at a fitted model.

``explanation`` says what predictions are made of. ``importance`` permutes groups of
features, ``counterfactuals`` finds changes of class,
``novelty`` tests new samples, and ``labels`` finds training labels that may be wrong.
They use public methods and attributes of models only.
"""

from .counterfactuals import Counterfactuals, counterfactuals
from .explanation import Explanation, explain
from .importance import permutation_importance
from .labels import label_quality
from .novelty import novelty

__all__ = [
    "Counterfactuals",
    "Explanation",
    "counterfactuals",
    "explain",
    "label_quality",
    "novelty",
    "permutation_importance",
]
