"""Which features count: importances, and weights in the distances."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .parts import Part, as_numbers, parts_of, space_of
from .style import COLORS, MOST_BARS, Display, axes_for

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
    >>> from freemetric import LFDA
    >>> from freemetric.plotting import ImportancesDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = LFDA().fit(X, y)
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
            Fitted. Those of an ensemble or a metric learner are weights of the
            features in its distances.
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
                label = SHARE if hasattr(part.model, "ensemble_") else IMPORTANCE
                names = part.feature_names(len(values))
                return cls(names, as_numbers(values), label=label)
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
        n = len(order)
        axis = axes_for(ax, figsize=(6.4, max(2.0, 1 + 0.27 * n)))[0]
        errors = None if self.errors is None else self.errors[order]
        style = {"color": COLORS[0], "height": 0.7, "xerr": errors, **kwargs}
        axis.barh(np.arange(n), self.importances[order], **style)
        names = [self.names[i] for i in order]
        axis.set_yticks(np.arange(n), names, parse_math=False)
        axis.invert_yaxis()
        axis.set_xlabel(self.label)
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
