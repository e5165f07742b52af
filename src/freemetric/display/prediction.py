"""Predictions and prediction intervals of a regressor beside the true targets."""

from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from ..ensemble.tasks.intervals import check_one_target, out_of_bag, out_of_bag_intervals
from ..extras import require
from ..learners.learned_space import part_with, passed
from ..magnitudes import mae, r2
from .style import COLORS, Display, legend_above, panels

KINDS = ("predicted", "residuals")
GIVEN = "samples given"


class PredictionDisplay(Display):
    """Predicted against true targets, or residuals against predictions.

    Make one with :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    y_true, y_pred : ndarray of shape (n_samples,)
        True and predicted targets.
    whose : str, default="samples given"
        Name of the samples in the title.

    {drawn}

    See Also
    --------
    IntervalsDisplay : Prediction intervals.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric import FreeEnergyRegressor
    >>> from freemetric.display import PredictionDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = FreeEnergyRegressor(n_replicas=6, random_state=0).fit(X[::2], y[::2])
    >>> display = PredictionDisplay.from_estimator(model)  # out of bag
    >>> PredictionDisplay.from_estimator(model, X[1::2], y[1::2], kind="residuals").ax_.get_ylabel()
    'true - predicted'
    """

    y_true: NDArray
    y_pred: NDArray
    _: KW_ONLY
    whose: str = GIVEN

    @classmethod
    def from_estimator(  # noqa: D417
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        kind: str = "predicted",
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Predict and draw.

        Parameters
        ----------
        estimator : FreeEnergyRegressor, or any regressor with X and y
            Fitted; may stand in a pipeline.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Samples; None shows out-of-bag predictions of the training set.
        y : array-like of shape (n_samples,) or None, default=None
            Their targets.
        kind : {"predicted", "residuals"}, default="predicted"
            Predicted against true targets, or residuals against predictions.
        {ax} {scatter}
        """
        if both_given(X, y):
            return cls.from_predictions(as_targets(y), estimator.predict(X), kind=kind, ax=ax, **kwargs)
        model = part_with(estimator, ("oob_prediction_",), "X and y, or a FreeEnergyRegressor")[1]
        check_one_target(model, "PredictionDisplay shows predictions")
        known = out_of_bag(model)
        return cls(known.truth, known.predicted, whose="out of bag").plot(ax, kind=kind, **kwargs)

    @classmethod
    def from_predictions(  # noqa: D417
        cls, y_true: ArrayLike, y_pred: ArrayLike, *, kind: str = "predicted", ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw given predictions.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            True and predicted targets.
        kind : {"predicted", "residuals"}, default="predicted"
            As in :meth:`from_estimator`.
        {ax} {scatter}
        """
        truth, predicted = as_targets(y_true), as_targets(y_pred)
        check_consistent_length(truth, predicted)
        return cls(truth, predicted).plot(ax, kind=kind, **kwargs)

    def plot(self, ax: Any = None, *, kind: str = "predicted", **kwargs: Any) -> Self:
        """Draw; the parameters are those of :meth:`from_estimator`."""
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}.")
        axes = panels(ax, figsize=(5, 4.6) if kind == "predicted" else (6.2, 4))
        axis, line = axes[0], {"color": COLORS[6], "linestyle": "--", "linewidth": 1, "zorder": 1}
        style = {"s": 16, "alpha": 0.6, "color": COLORS[0], "linewidth": 0, **kwargs}
        if kind == "predicted":
            lowest = min(self.y_true.min(), self.y_pred.min())
            axis.axline((lowest, lowest), slope=1, **line)
            axis.scatter(self.y_true, self.y_pred, **style)
            axis.set(xlabel="true", ylabel="predicted")
            axis.set_aspect("equal", adjustable="datalim")
        else:
            axis.axhline(0, **line)
            axis.scatter(self.y_pred, self.y_true - self.y_pred, **style)
            axis.set(xlabel="predicted", ylabel="true - predicted")
        title = self.whose
        if len(self.y_true) > 1:
            both = self.y_true, self.y_pred
            title += f": R² {r2(*both):.3f}, mean absolute error {mae(*both):.3g}"
        axis.set_title(title, fontsize="medium", loc="left")
        return self._keep(axes)


class IntervalsDisplay(Display):
    """Prediction intervals sorted by width, each around its middle, with the true targets.

    Make one with :meth:`from_estimator`.

    Parameters
    ----------
    y_true : ndarray of shape (n_samples,)
        True targets.
    intervals : ndarray of shape (n_samples, 2)
        Lower and upper ends.
    alpha : float
        Share of intervals that may miss the truth.
    whose : str, default="samples given"
        Name of the samples in the title.

    Attributes
    ----------
    coverage : float
        Share of the intervals that hold the truth.
    ax_, figure_ : Axes, Figure
        The axes and the figure.

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

    y_true: NDArray
    intervals: NDArray
    _: KW_ONLY
    alpha: float
    whose: str = GIVEN

    @property
    def coverage(self) -> float:
        """Share of the intervals that hold the truth."""
        return float(self._held().mean()) if len(self.y_true) else np.nan

    def _held(self):
        return (self.intervals[:, 0] <= self.y_true) & (self.y_true <= self.intervals[:, 1])

    @classmethod
    def from_estimator(  # noqa: D417
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        alpha: float = 0.1,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Compute prediction intervals and draw them.

        Parameters
        ----------
        estimator : FreeEnergyRegressor, or a pipeline with one
            Fitted.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Samples; None shows out-of-bag intervals of the training set, whose coverage is right by construction.
        y : array-like of shape (n_samples,) or None, default=None
            Their targets.
        alpha : float, default=0.1
            Share of intervals that may miss the truth, between 0 and 1.
        {ax}
        **kwargs : dict
            For ``Axes.scatter``, which draws the truth.
        """
        front, model = part_with(estimator, ("predict_interval",), "a regressor with intervals, as FreeEnergyRegressor")
        check_one_target(model, "IntervalsDisplay shows intervals")
        if both_given(X, y):
            truth, intervals = as_targets(y), model.predict_interval(passed(front, X), alpha)
            check_consistent_length(truth, intervals)
            return cls(truth, intervals, alpha=alpha).plot(ax, **kwargs)
        rows, intervals = out_of_bag_intervals(model, alpha)
        known = out_of_bag(model)
        _, places, kept = np.intersect1d(known.rows, rows, assume_unique=True, return_indices=True)
        if not len(kept):
            raise ValueError("No training sample was out of bag of every candidate; give X and y.")
        return cls(known.truth[places], intervals[kept], alpha=alpha, whose="out of bag").plot(ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw; the parameters are those of :meth:`from_estimator`."""
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
        axis.set(xlabel="samples, the narrowest interval first", ylabel="distance from the middle of the interval")
        axis.xaxis.set_major_locator(require("matplotlib.ticker", "display").MaxNLocator(integer=True))
        axis.margins(x=0.01)
        legend_above(axis)
        title = f"{self.whose}: {self.coverage:.1%} inside, {1 - self.alpha:.0%} expected"
        axis.set_title(title, fontsize="medium", loc="right")
        return self._keep(axes)


def as_targets(y: ArrayLike | None) -> NDArray[np.float64]:
    """Targets of a regression as a vector."""
    return np.asarray(column_or_1d(y), dtype=np.float64)


def both_given(X: Any, y: Any, what: str = "Samples") -> bool:
    """Whether X and y are given; ValueError where only one of them is."""
    if (X is None) != (y is None):
        raise ValueError(f"{what} need both X and y.")
    return X is not None
