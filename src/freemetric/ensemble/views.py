"""Views: what a metric measures of the samples, as arrays of order one."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.extmath import svd_flip

FACTOR = 2.0  # between extremes; logarithms of less are nearly linear
MOST_LEVELS = 1000
MOST_MIXED = 500  # features that a full map mixes; of more, it mixes principal axes
MOST_AXES = 300
MOST_LOOKED_AT = 1000  # rows that the axes are computed from


@dataclass(frozen=True)
class Scaled:
    """The features, scaled to [0, 1] on the training samples.

    Parameters
    ----------
    low, span : ndarray of shape (n_features,)
        Smallest values, and ranges. The range of a constant feature is 1.
    """

    low: np.ndarray
    span: np.ndarray

    @classmethod
    def fit(cls, X):
        low = X.min(axis=0)
        high = X.max(axis=0)
        # Halves first: the difference of two large numbers may overflow.
        span = 2 * (high / 2 - low / 2)
        return cls(low, np.where(span > 0, span, 1.0))

    def __call__(self, X):
        return (X - self.low) / self.span

    @property
    def owner(self):
        """The feature that every column belongs to."""
        return np.arange(len(self.low))


@dataclass(frozen=True)
class Logarithms:
    """Positive features by their logarithms, scaled to [0, 1]: differences are ratios.

    Features that are not positive, or hardly vary by a factor, are scaled as they are.
    A new value that is not positive, or very small, lies at -1.

    Parameters
    ----------
    is_logged : ndarray of bool of shape (n_features,)
        Which features are taken by their logarithms.
    scaled : Scaled
        Of these logarithms and the other features.
    """

    is_logged: np.ndarray
    scaled: Scaled

    @classmethod
    def fit(cls, X):
        is_logged = can_be_logged(X)
        return cls(is_logged, Scaled.fit(logarithms(X, is_logged)))

    def __call__(self, X):
        V = self.scaled(logarithms(X, self.is_logged))
        return np.where(self.is_logged, np.maximum(V, -1.0), V)

    @property
    def owner(self):
        """The feature that every column belongs to."""
        return self.scaled.owner


def can_be_logged(X):
    """Whether features (n_features,) are positive and vary by a factor."""
    low = X.min(axis=0)
    return (low > 0) & (X.max(axis=0) >= FACTOR * low)


def logarithms(X, is_logged):
    """Samples X with the logarithms of some features; minus infinity without any."""
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(np.where(is_logged, X, 1.0), 0.0))
    return np.where(is_logged, logs, X)


@dataclass(frozen=True)
class Quantiles:
    """Every feature on its quantiles: invariant under monotone rescaling.

    A value between two training values lies between their levels. Equal training
    values share the middle of their levels; the smallest is at 0, the largest at 1.

    Parameters
    ----------
    values, levels : list of ndarray
        For every feature, values in ascending order, and their levels.
    """

    values: list
    levels: list

    @classmethod
    def fit(cls, X):
        n_levels = min(MOST_LEVELS, len(X))
        grid = np.linspace(0, 1, n_levels)
        table = np.quantile(X, grid, axis=0)
        # Interpolation of equal numbers may differ in the last digit.
        table = np.maximum.accumulate(table, axis=0)
        values, levels = [], []
        for column in table.T:
            value, first, count = np.unique(
                column, return_index=True, return_counts=True
            )
            level = (grid[first] + grid[first + count - 1]) / 2
            level[0] = 0.0
            level[-1] = 1.0
            values.append(value)
            levels.append(level)
        return cls(values, levels)

    def __call__(self, X):
        out = np.empty(X.shape)
        for j, (value, level) in enumerate(zip(self.values, self.levels, strict=True)):
            out[:, j] = np.interp(X[:, j], value, level)
        return out

    @property
    def owner(self):
        """The feature that every column belongs to."""
        return np.arange(len(self.values))


@dataclass(frozen=True)
class Axes:
    """The principal axes of the scaled features, the longest first, at most 300.

    They stand in for the features where there are too many for a full map. With fewer
    than 300 training samples distances between them are those of the scaled features.

    Parameters
    ----------
    centre : ndarray of shape (n_features,)
        The origin.
    matrix : ndarray of shape (n_features, n_axes)
        What differences of samples are multiplied with.
    """

    centre: np.ndarray
    matrix: np.ndarray

    @classmethod
    def fit(cls, X):
        scaled = Scaled.fit(X)
        step = -(-len(X) // MOST_LOOKED_AT)
        V = scaled(X[::step])
        centre = V.mean(axis=0)
        U, lengths, axes = np.linalg.svd(V - centre, full_matrices=False)
        _, axes = svd_flip(U, axes)
        axes = axes[lengths > 1e-9 * max(lengths[0], 1e-300)][:MOST_AXES]
        if len(axes) == 0:  # no two rows differ
            axes = np.eye(1, X.shape[1])
        return cls(scaled.low + scaled.span * centre, axes.T / scaled.span[:, None])

    def __call__(self, X):
        return (X - self.centre) @ self.matrix

    @property
    def owner(self):
        """The feature that counts most in every column."""
        return np.abs(self.matrix).argmax(axis=0)


VIEWS = {
    "scaled": Scaled,
    "logs": Logarithms,
    "quantiles": Quantiles,
    "axes": Axes,
}
FORMS = ("identity", "diagonal", "full")


def parse_candidate(candidate, n_features):
    """Return the view and the form of a candidate such as "scaled/full".

    A full map of many features is one of their principal axes.
    """
    view, _, form = str(candidate).partition("/")
    if view not in VIEWS or form not in FORMS:
        raise ValueError(
            f"A candidate is a view and a form, such as 'scaled/full'; got "
            f"{candidate!r}. Views: {', '.join(VIEWS)}; forms: {', '.join(FORMS)}."
        )
    if form == "full" and n_features > MOST_MIXED:
        view = "axes"
    return view, form
