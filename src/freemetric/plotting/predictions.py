"""Predictions beside the truth: out of bag where the model was fitted on the rows."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import ConfusionMatrixDisplay, r2_score
from sklearn.utils import check_consistent_length, column_or_1d

from ..extras import require
from .parts import as_numbers, needed_part, part_with, training_rows
from .style import COLORS, Display, axes_for

OOB = "oob_decision_function_", "oob_prediction_"
N_BINS = 10


@dataclass(frozen=True)
class Predictions:
    """Predictions of rows, and the truth.

    Parameters
    ----------
    truth, predicted : ndarray of shape (n_samples,)
        Labels or targets.
    probabilities : ndarray of shape (n_samples, n_classes) or None
        Of a classifier that has them.
    intervals : ndarray of shape (n_samples, 2) or None
        Of a regressor that has them; NaN for out-of-bag predictions.
    classes : ndarray of shape (n_classes,) or None
        Labels of a classifier.
    source : str
        Where the predictions come from.
    rows : ndarray of shape (n_samples,)
        Numbers of the rows; those without an out-of-bag prediction are left out.
    """

    truth: NDArray
    predicted: NDArray
    probabilities: NDArray | None
    intervals: NDArray | None
    classes: NDArray | None
    source: str
    rows: NDArray


def predictions_of(
    estimator: Any, X: Any = None, y: ArrayLike | None = None, alpha: float = 0.1
) -> Predictions:
    """Return predictions of rows beside their truth.

    Rows that an ensemble was fitted on have out-of-bag predictions: it has not learned
    from a row that it predicts.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier or regressor.
    X : array-like of shape (n_samples, n_features) or None, default=None
        Samples; None takes the training samples of an ensemble.
    y : array-like of shape (n_samples,) or None, default=None
        Their labels or targets. An ensemble knows those of its training samples.
    alpha : float, default=0.1
        Share of prediction intervals that may miss the target.

    Returns
    -------
    predictions : Predictions
        The rows with a prediction.
    """
    part = part_with(estimator, *OOB)
    if X is None:
        part = needed_part(estimator, "X, or an ensemble", *OOB)
        outputs, classes = out_of_bag(part)
        own = np.arange(len(outputs))
        y = training_targets(part) if y is None else y
    else:
        own = None if part is None else training_rows(part, X)
        outputs, classes = outputs_of(estimator, X)
        if own is not None and (own >= 0).any():
            outputs[own >= 0] = out_of_bag(part)[0][own[own >= 0]]
    if y is None:
        raise ValueError("Predictions can only be shown beside the truth; give y.")
    truth = column_or_1d(y)
    check_consistent_length(outputs, truth)
    intervals = intervals_of(estimator, X, own, alpha) if classes is None else None
    rows = np.flatnonzero(np.isfinite(outputs).all(axis=1))
    return _scored(rows, truth, outputs, classes, intervals, source_of(own))


def _scored(rows, truth, outputs, classes, intervals, source):
    """Keep the rows that have a prediction."""
    outputs = outputs[rows]
    if classes is None:
        bounds = None if intervals is None else intervals[rows]
        numbers = as_numbers(truth)[rows]
        return Predictions(numbers, outputs[:, 0], None, bounds, None, source, rows)
    predicted = classes[outputs.argmax(axis=1)]
    return Predictions(truth[rows], predicted, outputs, None, classes, source, rows)


def out_of_bag(part: Any) -> tuple[NDArray, NDArray | None]:
    """Return out-of-bag outputs (n_samples, n_outputs), and the classes or None."""
    if hasattr(part.model, "oob_decision_function_"):
        return part.model.oob_decision_function_, part.model.classes_
    return as_numbers(part.model.oob_prediction_).reshape(-1, 1), None


def outputs_of(estimator: Any, X: Any) -> tuple[NDArray, NDArray | None]:
    """Return predictions as columns: probabilities of classes, or numbers."""
    if not hasattr(estimator, "classes_"):
        return as_numbers(estimator.predict(X)).reshape(-1, 1), None
    if hasattr(estimator, "predict_proba"):
        return np.array(estimator.predict_proba(X)), estimator.classes_
    predicted = np.asarray(estimator.predict(X))
    return (predicted[:, None] == estimator.classes_).astype(float), estimator.classes_


def training_targets(part: Any) -> NDArray | None:
    """Return the labels or targets of the samples that an ensemble was fitted on."""
    ensemble = getattr(part.model, "ensemble_", None)
    values = getattr(getattr(ensemble, "training_set", ensemble), "values", None)
    if values is None:
        return None
    if hasattr(part.model, "classes_"):
        return part.model.classes_[np.argmax(values, axis=1)]
    return part.model.scale_.back(values[:, 0])


def intervals_of(
    estimator: Any, X: Any, own: NDArray | None, alpha: float
) -> NDArray | None:
    """Return prediction intervals of new rows, NaN for rows of the fit, or None."""
    part = part_with(estimator, "predict_interval")
    if part is None or X is None:
        return None
    intervals = np.array(part.model.predict_interval(part.inputs(X), alpha=alpha))
    if own is not None:
        intervals[own >= 0] = np.nan
    return intervals if np.isfinite(intervals).any() else None


def source_of(own: NDArray | None) -> str:
    """Return where predictions come from, in words."""
    if own is None:
        return "as the model predicts them, too well if it was fitted on them"
    n_own = int((own >= 0).sum())
    if n_own == 0:
        return "none of them is a training sample"
    if n_own == len(own):
        return "training samples, predicted out of bag"
    return f"{n_own:,} of them are training samples, predicted out of bag"


class ConfusionDisplay(ConfusionMatrixDisplay):
    """Confusion matrix; of training samples by their out-of-bag predictions.

    This is scikit-learn's display for models that predict out of bag. Make one with
    :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    confusion_matrix : ndarray of shape (n_classes, n_classes)
        Samples by true class (row) and predicted class (column).
    display_labels : ndarray of shape (n_classes,), default=None
        Labels, numbers or texts.

    Examples
    --------
    >>> from freemetric.plotting import ConfusionDisplay
    >>> truth = ["cat", "dog", "dog"]
    >>> display = ConfusionDisplay.from_predictions(truth, ["cat", "dog", "cat"])
    >>> display.confusion_matrix.tolist()
    [[1, 0], [1, 1]]
    """

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, **kwargs: Any
    ) -> Self:
        """Predict and draw.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Samples; None takes the training samples of an ensemble. Training samples
            are predicted out of bag.
        y : array-like of shape (n_samples,) or None, default=None
            Their labels.
        **kwargs : dict
            For ``ConfusionMatrixDisplay.from_predictions``, such as ``ax``.

        Returns
        -------
        display : ConfusionDisplay
            The display, drawn.
        """
        require("matplotlib", "plot")
        found = predictions_of(estimator, X, y)
        return cls.from_predictions(found.truth, found.predicted, **kwargs)


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(Display):
    """Share of correct predictions against the probability of the predicted class.

    Bins hold about the same number of samples. Points below the line: the model is
    more certain than it is right. Make one with :meth:`from_estimator` or
    :meth:`from_predictions`.

    Parameters
    ----------
    probability : ndarray of shape (n_bins,)
        Mean probability of the predicted class.
    accuracy : ndarray of shape (n_bins,)
        Share of correct predictions.
    count : ndarray of shape (n_bins,)
        Number of samples.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and the figure, after :meth:`plot`.

    See Also
    --------
    sklearn.calibration.CalibrationDisplay : Of a single class.

    Examples
    --------
    >>> from freemetric.plotting import ReliabilityDisplay
    >>> P = [[0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.3, 0.7]]
    >>> display = ReliabilityDisplay.from_predictions(["a", "a", "b", "a"], P, n_bins=1)
    >>> display.probability, display.accuracy
    (array([0.75]), array([0.75]))
    """

    probability: NDArray
    accuracy: NDArray
    count: NDArray

    @property
    def expected_error(self) -> float:
        """Expected calibration error: the mean distance of the points from the line."""
        gaps = np.abs(self.probability - self.accuracy)
        return float(np.average(gaps, weights=self.count))

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: Any = None, *, ax: Any = None
    ) -> Self:
        """Predict probabilities and draw.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier with ``predict_proba``.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Samples; None takes the training samples of an ensemble. Training samples
            are predicted out of bag.
        y : array-like of shape (n_samples,) or None, default=None
            Their labels.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ReliabilityDisplay
            The display, drawn.
        """
        return cls.of(predictions_of(estimator, X, y)).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        n_bins: int = N_BINS,
        ax: Any = None,
    ) -> Self:
        """Draw probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels.
        y_prob : array-like of shape (n_samples, n_classes)
            Probabilities.
        classes : array-like of shape (n_classes,) or None, default=None
            Labels of the columns; None takes the sorted labels in ``y_true``.
        n_bins : int, default=10
            Number of bins.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ReliabilityDisplay
            The display, drawn.
        """
        labels = np.unique(y_true) if classes is None else np.asarray(classes)
        P = as_numbers(y_prob)
        if P.ndim != 2 or P.shape[1] != len(labels):
            raise ValueError(
                f"y_prob must have a column for each of {len(labels)} classes; "
                f"got shape {P.shape}."
            )
        return cls._binned(column_or_1d(y_true), P, labels, n_bins).plot(ax)

    @classmethod
    def of(cls, found: Predictions) -> Self:
        """Return the display of predictions without drawing it."""
        return cls._binned(found.truth, found.probabilities, found.classes, N_BINS)

    @classmethod
    def _binned(cls, truth, P, classes, n_bins):
        certain = P.max(axis=1)
        right = classes[P.argmax(axis=1)] == truth
        order = np.argsort(certain, kind="stable")
        bins = [rows for rows in np.array_split(order, n_bins) if len(rows)]
        probability = np.array([certain[rows].mean() for rows in bins])
        accuracy = np.array([right[rows].mean() for rows in bins])
        return cls(probability, accuracy, np.array([len(rows) for rows in bins]))

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : ReliabilityDisplay
            The display, with its axes.
        """
        axis = axes_for(ax, figsize=(4.8, 4.4))[0]
        axis.plot([0, 1], [0, 1], color=COLORS[6], linestyle="--", linewidth=1)
        style = {"color": COLORS[0], "marker": "o", **kwargs}
        axis.plot(self.probability, self.accuracy, **style)
        axis.set(xlabel="probability of the predicted class", ylabel="share correct")
        axis.set_title(self.title(), fontsize="medium")
        return self._drawn(axis)

    def title(self) -> str:
        """Return the title."""
        return f"expected calibration error {self.expected_error:.3f}"


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
            True and predicted targets.
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
        display = cls(as_numbers(y_true), as_numbers(y_pred), bounds, alpha)
        return display.plot(ax, **kwargs)

    @classmethod
    def of(cls, found: Predictions, alpha: float = 0.1) -> Self:
        """Return the display of predictions without drawing it."""
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
