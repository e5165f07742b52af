"""PredictionDisplay: predicted against true numbers, and what is left."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..magnitudes import mae, r2
from .predicted_numbers import numbers_of, predicted_numbers
from .style import COLORS, keep, panels

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
