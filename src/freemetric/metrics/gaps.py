"""Gaps: samples with missing values as finite coordinates, whose squared distances are expected ones."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.checks import check_array, check_numbers, require

MANY = 0.05  # share of the samples from which on a gap is a coordinate of its own


class Gaps:
    r"""Means instead of gaps, and further coordinates for the variance of what is missing.

    A gap of feature j is taken for a draw from its values in other samples, of mean :math:`m_j` and variance
    :math:`v_j`. Then

    .. math:: \mathrm{E} (x_j - y_j)^2 = (m_j - y_j)^2 + v_j,

    so that the mean stands for the gap, and the companion of the feature, a further coordinate, is
    :math:`\sqrt{v_j}` where there is a gap and 0 elsewhere. Squared distances remain sums over coordinates. A map may
    weigh a companion otherwise than its feature: whether a value is missing may tell something, too. Two gaps differ by
    0, and not by :math:`2 v_j`, so that a sample is as near to itself as it should be.

    Features with few gaps have no companion, which would have next to nothing to tell. Where no training sample has a
    gap none is needed: :math:`v_j` would be added to all distances of a new sample alike.

    Parameters
    ----------
    means : ndarray of shape (n_features,)
        What stands for gaps.
    features : ndarray of shape (n_companions,)
        Numbers of the features that have a companion, in ascending order.
    spreads : ndarray of shape (n_companions,)
        Standard deviations of their values; 1 for a feature with one value alone.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.metrics.gaps import Gaps
    >>> X = np.array([[1.0, 5.0], [3.0, 6.0], [np.nan, 7.0]])
    >>> Gaps.of(X)(X)
    array([[1., 5., 0.],
           [3., 6., 0.],
           [2., 7., 1.]])
    """

    def __init__(self, means: NDArray, features: NDArray[np.integer], spreads: NDArray):
        self.means, self.features, self.spreads = means, features, spreads

    @classmethod
    def of(cls, X: NDArray, features: NDArray[np.integer] | None = None) -> "Gaps":
        """The gaps of samples X (n, d); ``features`` have companions, those with many gaps for None."""
        with np.errstate(over="ignore", invalid="ignore"):  # of values that are refused later on
            counts, means, spreads = np.array([_moments(column) for column in X.T]).T.copy()
        if features is None:
            share = 1 - counts / len(X)
            features = np.flatnonzero((share >= MANY) & (counts > 0))
        return cls(means, features, np.where(spreads > 0, spreads, 1.0)[features])

    @property
    def owner(self) -> NDArray[np.integer]:
        """The feature (d + g,) that every coordinate belongs to."""
        return np.append(np.arange(len(self.means)), self.features)

    def __call__(self, X: NDArray) -> NDArray:
        """Coordinates (n, d + g) of samples X (n, d); X itself where that is the same."""
        missing = np.isnan(X)
        filled = np.where(missing, self.means.astype(X.dtype), X) if missing.any() else X
        if not len(self.features):
            return filled
        return np.hstack([filled, missing[:, self.features] * self.spreads.astype(X.dtype)])

    def back(self, Z: NDArray) -> NDArray:
        """Samples (n, d), with NaN in place of gaps that have a companion, from their coordinates Z (n, d + g)."""
        X = Z[:, : len(self.means)].copy()
        X[:, self.features] = np.where(Z[:, len(self.means) :] > 0, np.nan, X[:, self.features])
        return X

    def drawn(self, Z: NDArray) -> NDArray:
        """Coordinates Z (n, d + g) with values from all over the feature instead of means, as it would have them.

        Of these views are made: quantiles of means would all be the same.
        """
        out = Z.copy()
        for number, companion in zip(self.features, Z[:, len(self.means) :].T, strict=True):
            gaps, known = np.flatnonzero(companion > 0), np.sort(Z[companion <= 0, number])
            if len(gaps) and len(known):
                out[gaps, number] = known[((np.arange(len(gaps)) + 0.5) * len(known) / len(gaps)).astype(int)]
        return out

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Gaps":
        means, features, spreads = (state[name] for name in ("means", "features", "spreads"))
        check_array(means, "means of Gaps", 1)
        check_array(features, "features of Gaps", 1, None, "iu")
        check_numbers(features, len(means), "features of Gaps")
        require((np.diff(features.astype(np.intp)) > 0).all(), "features of Gaps", "are not in order")
        check_array(spreads, "spreads of Gaps", 1, features.shape)
        require((spreads > 0).all(), "spreads of Gaps", "are not positive")
        return cls(means, features, spreads)


def _moments(column):
    """Number, mean and standard deviation of the known values, 0 where there is none."""
    known = np.sort(column[~np.isnan(column)]).astype(np.float64)  # sums do not depend on the order of samples
    return (len(known), known.mean(), known.std()) if len(known) else (0, 0.0, 0.0)
