"""Predictions of targets, with intervals."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import r2_score
from sklearn.utils import check_consistent_length

from .parts import as_numbers
from .predictions import Predictions, as_targets, check_kind, predictions_of
from .style import COLORS, Display, axes_for


@dataclass(eq=False, repr=False)
class PredictionDisplay(Display):
    """Predicted against true targets, with prediction intervals.

    Make one with :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    y_true, y_pred : ndarray of shape (n_samples,)
        True and predicted targets.
    intervals : ndarray of shape (n_samples, 2) or None, default=None
        Lower and upper ends; NaN where there is no interval.
    alpha : float, default=0.1
        Share of intervals that may miss the truth.
    source : str, default=""
        Where the predictions come from.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and the figure, after :meth:`plot`.

    See Also
    --------
    sklearn.metrics.PredictionErrorDisplay : Residuals.

    Examples
    --------
    >>> from freemetric.plotting import PredictionDisplay
    >>> intervals = [[0, 2], [1, 3], [1, 2]]
    >>> display = PredictionDisplay.from_predictions([1, 2, 3], [1, 2, 2], intervals)
    >>> display.held.tolist()
    [True, True, False]
    """

    y_true: NDArray
    y_pred: NDArray
    intervals: NDArray | None = None
    alpha: float = 0.1
    source: str = ""

    @property
    def held(self) -> NDArray[np.bool_]:
        """Samples whose target is in their interval; all where there is none."""
        if self.intervals is None:
            return np.ones(len(self.y_true), dtype=bool)
        low, high = self.intervals.T
        return ~((self.y_true < low) | (self.y_true > high))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        alpha: float = 0.1,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Predict and draw.

        Parameters
        ----------
        estimator : estimator
            A fitted regressor.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Samples; None takes the training samples of an ensemble. Training samples
            are predicted out of bag, without intervals.
        y : array-like of shape (n_samples,) or None, default=None
            Their targets.
        alpha : float, default=0.1
            Share of intervals that may miss the truth.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.scatter``.

        Returns
        -------
        display : PredictionDisplay
            The display, drawn.
        """
        found = predictions_of(estimator, X, y, alpha)
        return cls.of(found, alpha).plot(ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        intervals: ArrayLike | None = None,
        *,
        alpha: float = 0.1,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw predictions.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            True and predicted targets; texts such as "12,5" are numbers.
        intervals : array-like of shape (n_samples, 2) or None, default=None
            Prediction intervals.
        alpha : float, default=0.1
            Share of intervals that may miss the truth.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.scatter``.

        Returns
        -------
        display : PredictionDisplay
            The display, drawn.
        """
        bounds = None if intervals is None else as_numbers(intervals)
        check_consistent_length(y_true, y_pred, bounds)
        display = cls(as_targets(y_true), as_targets(y_pred), bounds, alpha)
        return display.plot(ax, **kwargs)

    @classmethod
    def of(cls, found: Predictions, alpha: float = 0.1) -> Self:
        """Return the display of predictions without drawing it."""
        check_kind(found, wants_classes=False)
        truth, predicted = found.truth, found.predicted
        return cls(truth, predicted, found.intervals, alpha, found.source)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the predictions.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.scatter``.

        Returns
        -------
        display : PredictionDisplay
            The display, with its axes.
        """
        axis = axes_for(ax, figsize=(5.2, 4.8))[0]
        colors = self.colors()
        if self.intervals is not None:
            low, high = self.intervals.T
            axis.vlines(self.y_true, low, high, color=colors, alpha=0.25, linewidth=1)
        style = {"s": 14, "alpha": 0.7, "linewidth": 0, "c": colors, **kwargs}
        axis.scatter(self.y_true, self.y_pred, **style)
        middle = float(self.y_true.mean())
        axis.axline((middle, middle), slope=1, color=COLORS[6], linestyle="--")
        axis.set(xlabel="true", ylabel="predicted")
        axis.set_title(self.title(), fontsize="medium")
        return self._drawn(axis)

    def colors(self) -> NDArray:
        """Return a colour for every sample: another one outside of its interval."""
        return np.where(self.held, COLORS[0], COLORS[3])

    def title(self) -> str:
        """Return the title: R², and how many intervals hold the truth."""
        words = f"R² {r2_score(self.y_true, self.y_pred):.3f}"
        if self.intervals is None:
            return words
        share = self.held[np.isfinite(self.intervals[:, 0])].mean()
        return f"{words}, {share:.0%} of {1 - self.alpha:.0%} intervals hold the truth"
