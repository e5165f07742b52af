"""The error against the number of neighbours."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import validate_data

from ..extras import require
from ..learners.learned_space import part_with, passed
from ..magnitudes import exponent_of, reduced
from ..metrics import FORMS
from ..metrics.neighbor_votes import shares
from .candidates import TriedCandidate, error_column, tried_candidates
from .prediction import numbers_of
from .style import COLORS, MARKERS, keep, legend_above, legend_beside, panels


def number_curve(model: Any, X: Any, y: ArrayLike, most_neighbors: int) -> tuple[NDArray, NDArray]:
    """Numbers of neighbours, and squared errors of what k of them alone tell, without trends, in units of the variance.

    Each candidate tells by its weight over all k, as in the curves out of bag, which are on the same scale.
    """
    if hasattr(model, "predictions"):
        return _in_one_space(model, X, y, most_neighbors)
    ensemble, patterns = model.ensemble_, validate_data(model, X, reset=False, dtype=np.float64)
    truth = numbers_of(y)
    check_consistent_length(patterns, truth)
    if ensemble.head.scale.name == "log" and not (truth > 0).all():
        raise ValueError(f"This model averages logarithms, of positive numbers; the smallest of y is {truth.min():g}.")
    squares = np.zeros(min(most_neighbors, ensemble.n_neighbors))
    for part in ensemble.parts(len(patterns)):
        shares = np.tensordot(ensemble.member_weights, ensemble.shares(patterns[part]), 1)[
            : len(squares)
        ]  # (k, n, cells)
        squares += ((ensemble.training_set.encoding.mean(shares) - ensemble.head.scale(truth[part])) ** 2).sum(axis=1)
    return np.arange(1, len(squares) + 1), squares / len(truth)


def _in_one_space(model, X, y, most_neighbors):
    """The same where the metric is one; of several outputs the mean, in units of what the training patterns vary."""
    told = model.predictions(X, most_neighbors)
    check_consistent_length(told, y)
    exponent = exponent_of(model.numbers_)
    told, truth = reduced(told, exponent), reduced(y, exponent)
    variance = reduced(model.numbers_, exponent).var(axis=0)
    squares = (told - truth[:, None]) ** 2 / np.where(variance > 0, variance, 1)
    return np.arange(1, told.shape[1] + 1), squares.reshape(*told.shape[:2], -1).mean(axis=(0, 2))


LINES: tuple[Any, ...] = (":", "--", "-", "-.", (0, (5, 1, 1, 1, 1, 1)))  # by the place of a candidate's form in FORMS
LARGEST_MARK = 120
SQUARES = "squared error in % of the variance"


class NeighborsCurveDisplay:
    """Error of a classifier or regressor by votes against the number k of neighbours.

    The curve that chose k comes from the training patterns alone: out-of-bag votes, or inner folds. Given test
    patterns, their error stands beside it, and the distance between both is what the choice has cost. A classifier that
    mixes candidates and several k has a line for each candidate, with marks as large as the weights of its k, and a
    level for the mixture. Errors of numbers are squared, on the scale that they are averaged on and in units of their
    variance there. Make one with :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    curves : dict of {str: (ndarray, ndarray)}
        Numbers of neighbours and errors, as shares, by the name of the curve.
    n_neighbors : int or None, default=None
        The chosen k, or that of the largest weight, to be marked.
    candidates : list of TriedCandidate, default=()
        What was tried, the heaviest first: each with ``label``, ``n_neighbors``, ``error`` and ``weight``.
    mixture_error : float or None, default=None
        Out-of-bag error of their mixture; of numbers, read beside trends.
    unit : str, default="error in %"
        What the errors are.

    Attributes
    ----------
    ax_ : Axes
        What was drawn on.
    figure_ : Figure
        The figure around it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import NCA, MetricKNeighborsClassifier
    >>> from freemetric.display import NeighborsCurveDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> model = MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), NCA()), random_state=0).fit(X[::2], y[::2])
    >>> display = NeighborsCurveDisplay.from_estimator(model, X[1::2], y[1::2])
    >>> list(display.curves)
    ['inner folds', 'test patterns']
    """

    def __init__(
        self,
        curves: Mapping[str, tuple[NDArray, NDArray]],
        *,
        n_neighbors: int | None = None,
        candidates: Sequence[TriedCandidate] = (),
        mixture_error: float | None = None,
        unit: str = "error in %",
    ) -> None:
        self.curves = curves
        self.n_neighbors = n_neighbors
        self.candidates = candidates
        self.mixture_error = mixture_error
        self.unit = unit

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        most_neighbors: int = 40,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curves that chose k and, given test patterns, theirs, of each k alone.

        Parameters
        ----------
        estimator : FreeEnergyClassifier, MetricKNeighborsClassifier, a regressor like them, or a pipeline with one
            Fitted.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Test patterns.
        y : array-like of shape (n_samples,) or None, default=None
            Their labels or numbers.
        most_neighbors : int, default=40
            Largest number of neighbours for the test patterns.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : NeighborsCurveDisplay
        """
        wanted = "a classifier or regressor by votes, such as FreeEnergyClassifier"
        front, model = part_with(estimator, ("votes", "predictions", "oob_prediction_"), wanted)
        if (X is None) != (y is None):
            raise ValueError("Test patterns need both X and y.")
        selection, of_numbers = getattr(model, "selection_", {}), is_regressor(model)
        curves = {"inner folds": (selection["n_neighbors"], selection["error"])} if "error" in selection else {}
        candidates = tried_candidates(selection) if error_column(selection) in selection else []
        if X is not None and y is not None:
            curve = number_curve if of_numbers else _class_curve
            curves["test patterns"] = curve(model, passed(front, X), y, most_neighbors)
        if not curves and not candidates:
            raise ValueError(f"{type(model).__name__} kept no curve over k; give X and y.")
        chosen = {"n_neighbors": model.n_neighbors_, "candidates": candidates}
        unit = SQUARES if of_numbers else "error in %"
        mixture_error = _mixture_error(model) if candidates else None
        return cls(curves, **chosen, mixture_error=mixture_error, unit=unit).plot(ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        votes: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        n_neighbors: int | None = None,
        name: str = "votes",
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the error of votes that are already there.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels.
        votes : array-like of shape (n_samples, n_neighbors, n_classes)
            What the method ``votes`` of a classifier returns: row k - 1 counts the classes of the k nearest.
        classes : array-like of shape (n_classes,) or None, default=None
            Labels of the columns; None takes the sorted labels in ``y_true``.
        n_neighbors : int or None, default=None
            A number of neighbours to mark.
        name : str, default="votes"
            Name of the curve.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : NeighborsCurveDisplay
        """
        classes, votes = np.unique(y_true) if classes is None else np.asarray(classes), np.asarray(votes)
        if votes.ndim != 3 or votes.shape[2] != len(classes):
            raise ValueError(f"votes must have shape (n_samples, n_neighbors, {len(classes)}); got {votes.shape}.")
        curve = error_curve(y_true, classes[shares(votes).argmax(axis=2)])
        return cls({name: curve}, n_neighbors=n_neighbors).plot(ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : NeighborsCurveDisplay
        """
        axes = panels(ax, figsize=(8.6, 4.4) if self.candidates else (6.2, 4))
        axis = axes[0]
        self._draw_candidates(axis)
        for i, (name, (k, error)) in enumerate(self.curves.items()):
            color = require("matplotlib", "display").rcParams["text.color"] if self.candidates else COLORS[i]
            style = {
                "color": color,
                "marker": MARKERS[i],
                "markersize": 3 if self.candidates else 4,
                "label": name,
                "zorder": 4,
            }
            axis.plot(k, 100 * np.asarray(error), **{**style, **kwargs})
        if self.n_neighbors is not None:
            label = f"{'largest weight' if self.candidates else 'chosen'}: k = {self.n_neighbors}"
            axis.axvline(self.n_neighbors, color=COLORS[6], linestyle="--", linewidth=1.2, label=label, zorder=1)
        self._label(axis)
        return keep(self, axes)

    def _draw_candidates(self, axis):
        """A faint line for each, strong for the heaviest; marks whose areas are the weights of the k."""
        largest = max((candidate.weight.max() for candidate in self.candidates), default=0)
        for i, candidate in enumerate(self.candidates):
            color, error = COLORS[i % len(COLORS)], 100 * candidate.error
            look = {"linewidth": 2.2, "alpha": 1, "zorder": 3} if i == 0 else {"linewidth": 1, "alpha": 0.5}
            label = f"{candidate.label}: {100 * candidate.weight.sum():.0f} %"
            axis.plot(candidate.n_neighbors, error, color=color, linestyle=line_of(candidate.form), label=label, **look)
            if largest > 0:
                area = LARGEST_MARK * candidate.weight / largest
                axis.scatter(candidate.n_neighbors, error, area, color=color, alpha=0.6, linewidth=0, zorder=3)
        if self.mixture_error is not None:
            how = "beside trends" if self.unit == SQUARES else "error"
            label = f"their mixture: {100 * self.mixture_error:.1f} % {how}"
            axis.axhline(100 * self.mixture_error, color=COLORS[6], linestyle=":", linewidth=1.5, label=label, zorder=1)

    def _label(self, axis):
        ticker = require("matplotlib.ticker", "display")
        axis.set(xlabel="number of neighbours k", ylabel=self.unit)
        axis.spines[["top", "right"]].set_visible(False)
        if self.candidates:
            axis.set_xscale("log", base=2)
            axis.xaxis.set_major_locator(ticker.FixedLocator([1, 2, 3, 5, 8, 13, 20, 32]))
            axis.xaxis.set_major_formatter(ticker.ScalarFormatter())
            legend_beside(axis, 1)
            axis.get_legend().set_title("out of bag: view/form, weight\n(marks: weights of single k)")
        else:
            axis.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
            axis.set_xlim(0.3, None)
            legend_above(axis)
        axis.set_ylim(max(0, axis.get_ylim()[0]), None)


def line_of(form: str) -> Any:
    """matplotlib's style of the line of a form."""
    return LINES[list(FORMS).index(form) % len(LINES)]


def _class_curve(classifier, X, y, most_neighbors):
    return error_curve(y, classifier.classes_[classifier.decisions(X, most_neighbors)])


def _mixture_error(model):
    """What is left of 1 of the out-of-bag score, where that is comparable: any other score may be anything."""
    comparable = model.scoring is None and getattr(model, "scale_name_", "linear") == "linear"
    return 1 - model.oob_score_ if comparable else None


def error_curve(y: ArrayLike, decided: NDArray) -> tuple[NDArray, NDArray]:
    """Numbers of neighbours and the share of wrong ones among the labels (N, K) decided on."""
    labels = np.asarray(column_or_1d(y))
    check_consistent_length(labels, decided)
    return np.arange(1, decided.shape[1] + 1), (decided != labels[:, None]).mean(axis=0)
