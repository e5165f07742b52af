"""Distances of pairs, for every estimator that has a distance."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from ..magnitudes import lengths


class PairDistances:
    """Subclasses have ``n_features_in_`` and ``_apart(U, V)``, the differences (n, p) of patterns in their space."""

    n_features_in_: int

    def _apart(self, U: NDArray, V: NDArray) -> NDArray:
        raise NotImplementedError

    def pair_distance(self, pairs: ArrayLike) -> NDArray:
        """Learned distances of pairs of patterns.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features)
            Pairs of patterns.

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
