"""Predictions of classes: the confusion matrix, and how reliable probabilities are."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.utils import column_or_1d

from ..exceptions import require
from .parts import as_numbers
from .predictions import Predictions, check_kind, predictions_of
from .style import COLORS, Display, axes_for

N_BINS = 10


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
        check_kind(found, wants_classes=True)
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
        check_kind(found, wants_classes=True)
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
