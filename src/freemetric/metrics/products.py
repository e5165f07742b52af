"""Products of features: what two of them do together, and every one bent."""

import numpy as np
from numpy.typing import NDArray

from ..files import register
from ..files.checks import check_array, require
from .views import View

MOST_PRODUCTS = 400  # of 27 features; more cost more than the metrics
FARTHEST = 100.0  # ranges from the middle: there a product is as large as it gets, and never infinite


class Products(View):
    """Products of all pairs of features, and squares, each feature from -1/2 to 1/2 around the middle of its range.

    Measured from the middle, a product is large in the corners and small elsewhere, and hardly says what its two
    features say already.
    """

    words = "products of features"
    mixes_features = True

    def __init__(self, low: NDArray, span: NDArray):
        self.low, self.span = low, span
        self.first, self.owner = np.triu_indices(len(low))

    @classmethod
    def of(cls, X):
        return cls.within(X.min(axis=0), X.max(axis=0))

    @classmethod
    def within(cls, lowest: NDArray, highest: NDArray) -> "Products":
        """The view of patterns whose features have these lowest and highest values (d,)."""
        varies = highest > lowest
        return cls(np.where(varies, lowest, lowest - 0.5), np.where(varies, highest - lowest, 1.0))

    def __call__(self, X):
        V = np.clip((X - self.low) / self.span - 0.5, -FARTHEST, FARTHEST)
        return V[:, self.first] * V[:, self.owner]

    def to_state(self):
        return {"low": self.low, "span": self.span}

    @classmethod
    def from_state(cls, state):
        low, span = state["low"], state["span"]
        check_array(low, "low of Products", 1)
        check_array(span, "span of Products", 1, low.shape)
        require((span > 0).all() and len(low), "span of Products", "is not positive")
        require(cls.are_few(len(low)), "low of Products", "has too many features")
        return cls(low, span)

    @staticmethod
    def are_few(n_features: int) -> bool:
        """Whether so many features have products that are affordable."""
        return n_features * (n_features + 1) // 2 <= MOST_PRODUCTS


register("view:products", Products)
