"""Distances of estimators: of pairs of samples, and all that follows from a linear map."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from ..files.checks import check_array as check_kept_array
from ..files.estimators import check_attributes
from ..magnitudes import lengths
from .validation import check_factors


class PairDistances:
    """Subclasses have ``n_features_in_`` and ``_apart(U, V)``, the differences (n, p) of samples in their space."""

    n_features_in_: int

    def _apart(self, U: NDArray, V: NDArray) -> NDArray:
        raise NotImplementedError

    def pair_distance(self, pairs: ArrayLike) -> NDArray:
        """Learned distances of pairs of samples.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features)
            Pairs of samples.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)
        """
        check_is_fitted(self)
        both: NDArray = check_array(pairs, dtype=np.float64, allow_nd=True, ensure_2d=False)
        if both.ndim != 3 or both.shape[1:] != (2, self.n_features_in_):
            raise ValueError(f"pairs must have shape (n_pairs, 2, {self.n_features_in_}); got {both.shape}.")
        return lengths(self._apart(both[:, 0], both[:, 1]))

    def pair_score(self, pairs: ArrayLike) -> NDArray:
        """Minus the learned distance: larger for more similar pairs."""
        return -self.pair_distance(pairs)


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
        """A function ``metric(u, v, squared=False)`` of two samples, independent of this learner from now on."""
        check_is_fitted(self)
        components = np.atleast_2d(self.components_).copy()  # of one feature a map may be a number

        def metric(u: ArrayLike, v: ArrayLike, squared: bool = False) -> float:
            with np.errstate(over="ignore", invalid="ignore"):
                difference = components @ (np.asarray(u, dtype=np.float64) - np.asarray(v, dtype=np.float64))
                square = float(difference @ difference)
            if squared:
                return square
            if 0 < square < math.inf:
                return math.sqrt(square)
            return float(lengths(np.nan_to_num(difference)[None])[0])  # of a vector whose square is no number

        return metric

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; called for every learner that is saved or loaded."""
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


def _mapped(X, A):
    """X A^T; ValueError where that is too large for numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        Z = X @ A.T
    if not np.isfinite(Z).all():
        what = f"X has values as large as {float(abs(X).max()):.1e}, too large for the learned map"
        raise ValueError(f"{what}: look for wrong cells.")
    return Z
