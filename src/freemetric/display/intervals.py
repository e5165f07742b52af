"""IntervalsDisplay: intervals of numbers, the narrowest first, and where the truth lies."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..extras import require
from .prediction import predicted_intervals
from .style import COLORS, keep, legend_above, panels


class IntervalsDisplay:
    """Intervals sorted by their width, around the middle of each, and the truth in or outside of them.

    A model that knows where it is unsure has narrow intervals on the left that hold the truth as often as the wide ones
    on the right. Make one with :meth:`from_estimator`.

    Parameters
    ----------
    y_true : ndarray of shape (n_samples,)
        True numbers.
    intervals : ndarray of shape (n_samples, 2)
        Lower and upper ends.
    alpha : float
        Share of intervals that may miss.
    whose : str, default="patterns given"
        What the title says of them.

    Attributes
    ----------
    coverage : float
        Share of the intervals that hold the truth.
    ax_ : Axes
        What was drawn on.
    figure_ : Figure
        The figure around it.

    See Also
    --------
    PredictionDisplay : The predictions themselves.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric import FreeEnergyRegressor
    >>> from freemetric.display import IntervalsDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = FreeEnergyRegressor(n_replicas=6, random_state=0).fit(X[::2], y[::2])
    >>> display = IntervalsDisplay.from_estimator(model, X[1::2], y[1::2], alpha=0.2)
    >>> 0.7 < display.coverage < 0.9
    True
    """

    def __init__(self, y_true: NDArray, intervals: NDArray, *, alpha: float, whose: str = "patterns given") -> None:
        self.y_true = y_true
        self.intervals = intervals
        self.alpha = alpha
        self.whose = whose

    @property
    def coverage(self) -> float:
        """Share of the intervals that hold the truth."""
        return float(self._held().mean()) if len(self.y_true) else np.nan

    def _held(self):
        return (self.intervals[:, 0] <= self.y_true) & (self.y_true <= self.intervals[:, 1])

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        alpha: float = 0.1,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Ask for intervals and draw them.

        Parameters
        ----------
        estimator : FreeEnergyRegressor, or a pipeline with one
            Fitted.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Patterns; None takes the training patterns, each by the votes of others. What is typical of them says how
            wide intervals are, so that as many hold the truth as should: only how widths differ is news.
        y : array-like of shape (n_samples,) or None, default=None
            Their numbers.
        alpha : float, default=0.1
            Share of intervals that may miss, between 0 and 1.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.scatter``, which draws the truth.

        Returns
        -------
        display : IntervalsDisplay
        """
        truth, intervals, whose = predicted_intervals(estimator, X, y, alpha)
        if not len(truth):
            raise ValueError("No training pattern was out of bag of every candidate; give X and y.")
        return cls(truth, intervals, alpha=alpha, whose=whose).plot(ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.scatter``, which draws the truth.

        Returns
        -------
        display : IntervalsDisplay
        """
        axes = panels(ax, figsize=(8, 4))
        axis, order = axes[0], np.argsort(np.ptp(self.intervals, axis=1), kind="stable")
        middle = self.intervals.mean(axis=1)[order]
        low, high, truth = self.intervals[order, 0] - middle, self.intervals[order, 1] - middle, self.y_true[order]
        place, held = np.arange(1, len(order) + 1), self._held()[order]
        axis.fill_between(place, low, high, step="mid", color=COLORS[0], alpha=0.25, linewidth=0)
        for inside, color, words in ((True, COLORS[0], "inside"), (False, COLORS[3], "outside")):
            some = held == inside
            style = {"s": 9, "color": color, "linewidth": 0, "label": f"truth {words}: {some.sum():,}"}
            axis.scatter(place[some], (truth - middle)[some], **{**style, **kwargs})
        axis.set(xlabel="patterns, the narrowest interval first", ylabel="distance from the middle of the interval")
        axis.xaxis.set_major_locator(require("matplotlib.ticker", "display").MaxNLocator(integer=True))
        axis.spines[["top", "right"]].set_visible(False)
        axis.margins(x=0.01)
        legend_above(axis)
        words = f"{self.whose}: {self.coverage:.1%} inside, {1 - self.alpha:.0%} asked for"
        axis.set_title(words, fontsize="medium", loc="right")
        return keep(self, axes)
