"""Predictions of a regressor beside the truth."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from ..ensemble.tasks.intervals import out_of_bag, out_of_bag_intervals
from ..learners.learned_space import part_with, passed
from ..magnitudes import mae, r2
from .style import COLORS, keep, panels


class PredictedNumbers(NamedTuple):
    """True and predicted numbers (n,) each, and whose predictions they are, in words."""

    truth: NDArray[np.float64]
    predicted: NDArray[np.float64]
    whose: str


def predicted_numbers(estimator: Any, X: ArrayLike | None, y: ArrayLike | None) -> PredictedNumbers:
    """Out-of-bag predictions of a FreeEnergyRegressor, or any regressor's of patterns X."""
    if X is not None and y is not None:
        truth, predicted = numbers_of(y), np.asarray(estimator.predict(X), dtype=np.float64).ravel()
        check_consistent_length(truth, predicted)
        return PredictedNumbers(truth, predicted, "patterns given")
    check_both(X, y)
    model = part_with(estimator, ("oob_prediction_",), "X and y, or a FreeEnergyRegressor")[1]
    known = out_of_bag(model)
    return PredictedNumbers(known.truth, known.predicted, "out of bag")


def predicted_intervals(
    estimator: Any, X: ArrayLike | None, y: ArrayLike | None, alpha: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    """True numbers (n,), intervals (n, 2), and whose they are."""
    front, model = part_with(estimator, ("predict_interval",), "a regressor with intervals, as FreeEnergyRegressor")
    if X is not None and y is not None:
        truth, intervals = numbers_of(y), model.predict_interval(passed(front, X), alpha)
        check_consistent_length(truth, intervals)
        return truth, intervals, "patterns given"
    check_both(X, y)
    rows, intervals = out_of_bag_intervals(model, alpha)
    known = out_of_bag(model)
    _, places, kept = np.intersect1d(known.rows, rows, assume_unique=True, return_indices=True)
    return known.truth[places], intervals[kept], "out of bag"


def numbers_of(y: ArrayLike) -> NDArray[np.float64]:
    """A target as numbers."""
    return np.asarray(column_or_1d(y), dtype=np.float64)


def check_both(X: ArrayLike | None, y: ArrayLike | None) -> None:
    """ValueError where one of them is missing."""
    if (X is None) != (y is None):
        raise ValueError("Patterns need both X and y.")


KINDS = ("predicted", "residuals")


class PredictionDisplay:
    """Predicted numbers against true ones, or residuals against predicted numbers.

    Points of a good model lie along the diagonal; residuals that rise, fall or fan out with the prediction say what it
    has missed. Make one with :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    y_true, y_pred : ndarray of shape (n_samples,)
        True and predicted numbers.
    whose : str, default="patterns given"
        What the title says of the predictions.

    Attributes
    ----------
    ax_ : Axes
        What was drawn on.
    figure_ : Figure
        The figure around it.

    See Also
    --------
    IntervalsDisplay : How far the truth may be off.

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

    def __init__(self, y_true: NDArray, y_pred: NDArray, *, whose: str = "patterns given") -> None:
        self.y_true = y_true
        self.y_pred = y_pred
        self.whose = whose

    @classmethod
    def from_estimator(
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
            Patterns; None shows out-of-bag predictions of the training patterns.
        y : array-like of shape (n_samples,) or None, default=None
            Their numbers.
        kind : {"predicted", "residuals"}, default="predicted"
            Predicted against true numbers, or residuals against predicted ones.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.scatter``.

        Returns
        -------
        display : PredictionDisplay
        """
        known = predicted_numbers(estimator, X, y)
        return cls(known.truth, known.predicted, whose=known.whose).plot(ax, kind=kind, **kwargs)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_pred: ArrayLike, *, kind: str = "predicted", ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw predictions that are already there.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            True and predicted numbers.
        kind : {"predicted", "residuals"}, default="predicted"
            As in :meth:`from_estimator`.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.scatter``.

        Returns
        -------
        display : PredictionDisplay
        """
        return cls(numbers_of(y_true), numbers_of(y_pred)).plot(ax, kind=kind, **kwargs)

    def plot(self, ax: Any = None, *, kind: str = "predicted", **kwargs: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        kind : {"predicted", "residuals"}, default="predicted"
            As in :meth:`from_estimator`.
        **kwargs : dict
            For ``Axes.scatter``.

        Returns
        -------
        display : PredictionDisplay
        """
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}.")
        axes = panels(ax, figsize=(5, 4.6) if kind == "predicted" else (6.2, 4))
        style = {"s": 16, "alpha": 0.6, "color": COLORS[0], "linewidth": 0}
        draw = self._draw_predicted if kind == "predicted" else self._draw_residuals
        draw(axes[0], {**style, **kwargs})
        axes[0].set_title(self._title(), fontsize="medium", loc="left")
        axes[0].spines[["top", "right"]].set_visible(False)
        return keep(self, axes)

    def _draw_predicted(self, axis, style):
        both = np.concatenate([self.y_true, self.y_pred])
        axis.axline((both.min(), both.min()), slope=1, color=COLORS[6], linestyle="--", linewidth=1, zorder=1)
        axis.scatter(self.y_true, self.y_pred, **style)
        axis.set(xlabel="true", ylabel="predicted")
        axis.set_aspect("equal", adjustable="datalim")

    def _draw_residuals(self, axis, style):
        axis.axhline(0, color=COLORS[6], linestyle="--", linewidth=1, zorder=1)
        axis.scatter(self.y_pred, self.y_true - self.y_pred, **style)
        axis.set(xlabel="predicted", ylabel="true - predicted")

    def _title(self):
        if len(self.y_true) < 2:
            return self.whose
        error = mae(self.y_true, self.y_pred)
        return f"{self.whose}: R² {r2(self.y_true, self.y_pred):.3f}, mean absolute error {error:.3g}"
