"""What follows from a linear map: its images, its metric, and their checks in files."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..files.checks import check_array as check_kept_array
from ..files.estimators import check_attributes
from .pairs import PairDistances
from .patterns import products


class MappedDistances(PairDistances):
    """The distance |A u - A v| of an estimator that has ``components_``, the map A of shape (p, n_features)."""

    components_: NDArray

    def get_mahalanobis_matrix(self) -> NDArray:
        """M = A^T A of shape (n_features, n_features); the squared distance is (u - v)^T M (u - v)."""
        check_is_fitted(self)
        return self.components_.T @ self.components_

    def get_metric(self) -> Callable[..., float]:
        """A function ``metric(u, v, squared=False)`` of two patterns, independent of this learner from now on."""
        check_is_fitted(self)
        components = np.atleast_2d(self.components_).copy()  # of one feature a map may be a number

        def metric(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            difference = components @ (np.asarray(u, dtype=np.float64) - np.asarray(v, dtype=np.float64))
            return float(difference @ difference) if squared else float(np.sqrt(difference @ difference))

        return metric

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; asked of every learner that is saved or loaded."""
        check_attributes(self, ("n_features_in_", "components_", "_n_features_out"))
        for name in ("components_", "replicas_"):
            if hasattr(self, name):
                check_kept_array(getattr(self, name), f"{name} of {type(self).__name__}", 2 + (name == "replicas_"))

    def _image(self, X: Any) -> NDArray:
        check_is_fitted(self)
        return products(self, X) @ self.components_.T

    def _apart(self, U, V):
        return (U - V) @ self.components_.T
