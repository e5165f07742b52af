"""What follows from a linear map: its images, its metric, and their checks in files."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..files.checks import check_array as check_kept_array
from ..files.estimators import check_attributes
from ..magnitudes import lengths
from .pairs import PairDistances
from .validation import check_factors


class MappedDistances(PairDistances):
    """The distance |A u - A v| of an estimator that has ``components_``, the map A of shape (p, n_features)."""

    components_: NDArray

    def get_mahalanobis_matrix(self) -> NDArray:
        """M = A^T A of shape (n_features, n_features); the squared distance is (u - v)^T M (u - v)."""
        check_is_fitted(self)
        with np.errstate(over="ignore", invalid="ignore"):
            M = self.components_.T @ self.components_
        if not np.isfinite(M).all():
            raise ValueError("The elements of A^T A are too large for numbers: some feature varies too little.")
        return M

    def get_metric(self) -> Callable[..., float]:
        """A function ``metric(u, v, squared=False)`` of two patterns, independent of this learner from now on."""
        check_is_fitted(self)
        components = np.atleast_2d(self.components_).copy()  # of one feature a map may be a number

        def metric(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            with np.errstate(over="ignore", invalid="ignore"):
                difference = components @ (np.asarray(u, dtype=np.float64) - np.asarray(v, dtype=np.float64))
                square = float(difference @ difference)
            return square if squared else math.sqrt(square) if 0 < square < math.inf else _length(difference)

        return metric

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; asked of every learner that is saved or loaded."""
        check_attributes(self, ("n_features_in_", "components_", "_n_features_out"))
        for name in ("components_", "replicas_"):
            if hasattr(self, name):
                check_kept_array(getattr(self, name), f"{name} of {type(self).__name__}", 2 + (name == "replicas_"))

    def _image(self, X: Any) -> NDArray:
        check_is_fitted(self)
        return _mapped(check_factors(self, X), self.components_)

    def _apart(self, U, V):
        with np.errstate(over="ignore"):
            return _mapped(U - V, self.components_)


def _length(difference):
    """That of a vector whose square may be no number."""
    return float(lengths(np.nan_to_num(difference)[None])[0])


def _mapped(X, A):
    """X A^T; ValueError where that is too large for numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        Z = X @ A.T
    if not np.isfinite(Z).all():
        what = f"X has values as large as {float(abs(X).max()):.1e}, too large for the learned map"
        raise ValueError(f"{what}: look for wrong cells.")
    return Z
