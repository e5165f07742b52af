"""Which features count: importances, weights in the distances, and the metric."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .parts import Part, as_numbers, parts_of, space_of
from .style import COLORS, MOST_BARS, Display, axes_for, bar_axes, name_bars

IMPORTANCE = "feature importance"
SHARE = "share in the squared distances"
WEIGHT = "weight in the squared distances"


@dataclass(eq=False, repr=False)
class ImportancesDisplay(Display):
    """Importances of features, the largest on top.

    Make one with :meth:`from_estimator`, or from values of your own such as those of
    :func:`freemetric.inspection.permutation_importance`.

    Parameters
    ----------
    names : sequence of str
        Names of the features.
    importances : ndarray of shape (n_features,)
        Their importances.
    errors : ndarray of shape (n_features,) or None, default=None
        Their standard errors.
    label : str, default="feature importance"
        What the values are.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and the figure, after :meth:`plot`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import NCA
    >>> from freemetric.plotting import ImportancesDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = NCA(max_iter=20).fit(X, y)
    >>> display = ImportancesDisplay.from_estimator(model, X)
    >>> display.ax_.get_yticklabels()[0].get_text()
    'petal length (cm)'
    """

    names: Sequence[str]
    importances: NDArray
    errors: NDArray | None = None
    label: str = IMPORTANCE

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        *,
        most: int = MOST_BARS,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the importances that a fitted model has, or the weights of a metric.

        Parameters
        ----------
        estimator : estimator
            Fitted; ``feature_importances_`` of an ensemble, else the diagonal of the
            matrix of a metric learner.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Samples. With them the weights of a metric become shares of the features
            in the squared distances between samples.
        most : int, default=20
            Features to show.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.barh``.

        Returns
        -------
        display : ImportancesDisplay
            The display, drawn.
        """
        return cls.of(estimator, X).plot(ax, most=most, **kwargs)

    @classmethod
    def of(cls, estimator: Any, X: ArrayLike | None = None) -> Self:
        """Return the display without drawing it; see :meth:`from_estimator`."""
        for part in parts_of(estimator):
            values = getattr(part.model, "feature_importances_", None)
            if values is not None and len(values) == part.model.n_features_in_:
                return cls(part.feature_names(len(values)), as_numbers(values))
        part = space_of(estimator)
        weights = np.diag(matrix_of(part, X))
        label = WEIGHT if X is None else SHARE
        if X is not None and weights.sum() > 0:
            weights = weights / weights.sum()
        return cls(part.feature_names(len(weights)), weights, label=label)

    def largest(self, most: int = MOST_BARS) -> NDArray[np.intp]:
        """Return the numbers of the features to show, the most important first."""
        return np.argsort(-self.importances, kind="stable")[:most]

    def plot(self, ax: Any = None, *, most: int = MOST_BARS, **kwargs: Any) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        most : int, default=20
            Features to show.
        **kwargs : dict
            For ``Axes.barh``.

        Returns
        -------
        display : ImportancesDisplay
            The display, with its axes.
        """
        order = self.largest(most)
        axis = bar_axes(ax, len(order))
        errors = None if self.errors is None else self.errors[order]
        style = {"color": COLORS[0], "height": 0.7, "xerr": errors, **kwargs}
        axis.barh(np.arange(len(order)), self.importances[order], **style)
        name_bars(axis, [self.names[i] for i in order])
        axis.set_xlabel(self.label)
        return self._drawn(axis)


@dataclass(eq=False, repr=False)
class MetricDisplay(Display):
    """Heat map of M, the matrix of the squared distance (u - v)^T M (u - v).

    The diagonal holds the weights of the features. Off the diagonal, a positive
    element adds distance where two features differ in the same direction, a negative
    one takes it away. Make one with :meth:`from_estimator`.

    Parameters
    ----------
    matrix : ndarray of shape (n_features, n_features)
        M.
    names : sequence of str
        Names of the features.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and the figure, after :meth:`plot`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import NCA
    >>> from freemetric.plotting import MetricDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = NCA(max_iter=20).fit(X, y)
    >>> MetricDisplay.from_estimator(model, X).names[0]
    'sepal length (cm)'
    """

    matrix: NDArray
    names: Sequence[str]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        *,
        most: int = 40,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the metric of a fitted model.

        Parameters
        ----------
        estimator : estimator
            A fitted metric learner or ensemble, or a model with one.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Samples whose standard deviations become the units of the features; None
            takes the units of the data.
        most : int, default=40
            Features to show, those with the largest weights.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.imshow``.

        Returns
        -------
        display : MetricDisplay
            The display, drawn.
        """
        return cls.of(estimator, X, most=most).plot(ax, **kwargs)

    @classmethod
    def of(cls, estimator: Any, X: Any = None, *, most: int = 40) -> Self:
        """Return the display without drawing it; see :meth:`from_estimator`."""
        part = space_of(estimator)
        matrix = matrix_of(part, X)
        names = part.feature_names(len(matrix))
        shown = np.sort(np.argsort(-np.diag(matrix), kind="stable")[:most])
        return cls(matrix[np.ix_(shown, shown)], [names[i] for i in shown])

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the heat map.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.imshow``.

        Returns
        -------
        display : MetricDisplay
            The display, with its axes.
        """
        n = len(self.names)
        side = float(np.clip(0.3 * n, 3, 8))
        axis = axes_for(ax, figsize=(side + 2.2, side + 1.4))[0]
        limit = np.abs(self.matrix).max() or 1.0
        style = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit, **kwargs}
        image = axis.imshow(self.matrix, **style)
        axis.figure.colorbar(image, ax=axis, shrink=0.8)
        ticks = {"fontsize": "small", "parse_math": False}
        axis.set_yticks(np.arange(n), self.names, **ticks)
        axis.set_xticks(np.arange(n), self.names, rotation=90, **ticks)
        axis.set_title(r"$M = A^T A$", fontsize="medium")
        return self._drawn(axis)


def matrix_of(part: Part, X: Any = None) -> NDArray:
    """Return M, in units of the standard deviations of samples if there are any."""
    model = part.model
    if hasattr(model, "get_mahalanobis_matrix"):
        matrix = model.get_mahalanobis_matrix()
    else:
        matrix = model.components_.T @ model.components_
    if X is None:
        return matrix
    spread = np.nanstd(as_numbers(part.inputs(X)), axis=0)
    return matrix * np.outer(spread, spread)
