"""Error against the number of neighbours."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import validate_data

from ..ensemble.settings import ENERGIES, recipe_of
from ..ensemble.tasks.intervals import check_one_target
from ..extras import require
from ..learners.learned_space import part_with, passed
from ..magnitudes import exponent_of, reduced
from ..metrics import FORMS
from ..metrics.neighbor_votes import shares
from .prediction import as_targets, both_given
from .style import COLORS, MARKERS, Display, ink, legend_above, legend_beside, panels

LINES: tuple[Any, ...] = (":", "--", "-", "-.", (0, (5, 1, 1, 1, 1, 1)))  # by the place of a candidate's form in FORMS
LARGEST_MARK = 120
SQUARES = "squared error in % of the variance"
USUAL = (ENERGIES[0], ENERGIES[2])  # default energies of classification and regression, not named in labels


@dataclass(frozen=True)
class TriedCandidate:
    """Out-of-bag errors (K,) of a candidate and its weights (K,) in the prediction, for every number of neighbours."""

    label: str
    form: str
    n_neighbors: NDArray
    error: NDArray
    weight: NDArray


class NeighborsCurveDisplay(Display):
    """Error of a classifier or regressor by votes against the number k of neighbours.

    Curves come from the training set, out of bag or in inner folds, and from test samples if given. An ensemble has a
    line for each candidate, with marks as large as the weights of its k, and a level for the mixture. Errors of a
    regression are squared, on the scale of its averages and in units of the variance there. Make one with
    :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    curves : dict of {str: (ndarray, ndarray)}
        Numbers of neighbours and errors, as shares, by the name of the curve.
    n_neighbors : int or None, default=None
        The chosen k, or that of the largest weight, to be marked.
    candidates : list of TriedCandidate, default=()
        Candidates of an ensemble, the heaviest first: ``label``, ``n_neighbors``, ``error`` and ``weight``.
    mixture_error : float or None, default=None
        Out-of-bag error of their mixture; of a regression, with trends.
    unit : str, default="error in %"
        Label of the errors.

    {drawn}

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
    ['inner folds', 'test samples']
    """

    curves: Mapping[str, tuple[NDArray, NDArray]]
    _: KW_ONLY
    n_neighbors: int | None = None
    candidates: Sequence[TriedCandidate] = ()
    mixture_error: float | None = None
    unit: str = "error in %"

    @classmethod
    def from_estimator(  # noqa: D417
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        most_neighbors: int = 40,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the curves of the training set and, if given, of test samples.

        Parameters
        ----------
        estimator : FreeEnergyClassifier, MetricKNeighborsClassifier, a regressor like them, or a pipeline with one
            Fitted.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Test samples.
        y : array-like of shape (n_samples,) or None, default=None
            Their labels or targets.
        most_neighbors : int, default=40
            Largest number of neighbours for the test samples.
        {ax} {plot}
        """
        wanted = "a classifier or regressor by votes, such as FreeEnergyClassifier"
        front, model = part_with(estimator, ("votes", "predictions", "oob_prediction_"), wanted)
        check_one_target(model, "NeighborsCurveDisplay shows errors")
        both_given(X, y, "Test samples")
        selection, regression = getattr(model, "selection_", {}), is_regressor(model)
        curves = {"inner folds": (selection["n_neighbors"], selection["error"])} if "error" in selection else {}
        candidates = tried_candidates(selection) if error_column(selection) in selection else []
        if y is not None and regression:
            curves["test samples"] = _squared_errors(model, passed(front, X), y, most_neighbors)
        elif y is not None:
            decided = model.classes_[model.decisions(passed(front, X), most_neighbors)]
            curves["test samples"] = error_curve(y, decided)
        if not curves and not candidates:
            raise ValueError(f"{type(model).__name__} kept no curve over k; give X and y.")
        unit = SQUARES if regression else "error in %"
        display = cls(curves, n_neighbors=model.n_neighbors_, candidates=candidates, unit=unit)
        if candidates and recipe_of(model).scoring is None and getattr(model, "scale_name_", "linear") == "linear":
            display.mixture_error = 1 - model.oob_score_  # an error of the same kind
        return display.plot(ax, **kwargs)

    @classmethod
    def from_predictions(  # noqa: D417
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
        """Draw the error of given votes.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels.
        votes : array-like of shape (n_samples, n_neighbors, n_classes)
            Votes of a classifier: row k - 1 counts the classes of the k nearest.
        classes : array-like of shape (n_classes,) or None, default=None
            Labels of the columns; None takes the sorted labels in ``y_true``.
        n_neighbors : int or None, default=None
            A number of neighbours to mark.
        name : str, default="votes"
            Name of the curve.
        {ax} {plot}
        """
        classes, votes = np.unique(y_true) if classes is None else np.asarray(classes), np.asarray(votes)
        if votes.ndim != 3 or votes.shape[2] != len(classes):
            raise ValueError(f"votes must have shape (n_samples, n_neighbors, {len(classes)}); got {votes.shape}.")
        curve = error_curve(y_true, classes[shares(votes).argmax(axis=2)])
        return cls({name: curve}, n_neighbors=n_neighbors).plot(ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw; the parameters are those of :meth:`from_estimator`."""
        axes = panels(ax, figsize=(8.6, 4.4) if self.candidates else (6.2, 4))
        axis = axes[0]
        self._draw_candidates(axis)
        for i, (name, (k, error)) in enumerate(self.curves.items()):
            look = {"color": ink(), "markersize": 3} if self.candidates else {"color": COLORS[i], "markersize": 4}
            style = {**look, "marker": MARKERS[i], "label": name, "zorder": 4}
            axis.plot(k, 100 * np.asarray(error), **{**style, **kwargs})
        if self.n_neighbors is not None:
            label = f"{'largest weight' if self.candidates else 'chosen'}: k = {self.n_neighbors}"
            axis.axvline(self.n_neighbors, color=COLORS[6], linestyle="--", linewidth=1.2, label=label, zorder=1)
        ticker = require("matplotlib.ticker", "display")
        axis.set(xlabel="number of neighbours k", ylabel=self.unit)
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
        return self._keep(axes)

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


def line_of(form: str) -> Any:
    """matplotlib's style of the line of a form."""
    return LINES[list(FORMS).index(form) % len(LINES)]


def _squared_errors(model, X, y, most_neighbors):
    """Numbers k of neighbours, and squared errors of their means alone, without trends, in units of the variance.

    Each candidate counts by its weight over all k, as in the out-of-bag curves, which are on the same scale.
    """
    if hasattr(model, "predictions"):  # A single metric: the mean over its outputs, each in units of its variance.
        predicted = model.predictions(X, most_neighbors)
        check_consistent_length(predicted, y)
        exponent = exponent_of(model.numbers_)
        predicted, truth = reduced(predicted, exponent), reduced(y, exponent)
        variance = reduced(model.numbers_, exponent).var(axis=0)
        squares = (predicted - truth[:, None]) ** 2 / np.where(variance > 0, variance, 1)
        return np.arange(1, predicted.shape[1] + 1), squares.reshape(*predicted.shape[:2], -1).mean(axis=(0, 2))
    ensemble, options = model.ensemble_, {"dtype": np.float64, "ensure_all_finite": "allow-nan"}
    samples = ensemble.filled(validate_data(model, X, reset=False, **options))
    truth = as_targets(y)
    check_consistent_length(samples, truth)
    if ensemble.head.scale.name == "log" and not (truth > 0).all():
        raise ValueError(f"This model averages logarithms, of positive targets; the smallest of y is {truth.min():g}.")
    squares = np.zeros(min(most_neighbors, ensemble.n_neighbors))
    for part in ensemble.parts(len(samples)):
        mixed = np.tensordot(ensemble.member_weights, ensemble.shares(samples[part]), 1)  # (k, n, cells)
        means = ensemble.training_set.encoding.mean(mixed[: len(squares)])
        squares += ((means - ensemble.head.scale(truth[part])) ** 2).sum(axis=1)
    return np.arange(1, len(squares) + 1), squares / len(truth)


def error_curve(y: ArrayLike, decided: NDArray) -> tuple[NDArray, NDArray]:
    """Numbers of neighbours and the share of wrong ones among the labels (N, K) decided on."""
    labels = np.asarray(column_or_1d(y))
    check_consistent_length(labels, decided)
    return np.arange(1, decided.shape[1] + 1), (decided != labels[:, None]).mean(axis=0)


def tried_candidates(selection: Mapping[str, NDArray]) -> list[TriedCandidate]:
    """The candidates of a ``selection_``, the heaviest first; none where no sample was out of bag."""
    if not np.isfinite(selection[error_column(selection)]).any():
        return []
    names = ("n_neighbors", "view", "form", "energy", "temperature", error_column(selection), "weight")
    ends = np.flatnonzero(selection["n_neighbors"] == 1)[1:]  # Each candidate has a row for every k.
    columns, candidates = [np.split(selection[name], ends) for name in names], []
    for k, view, form, energy, T, error, weight in zip(*columns, strict=True):
        label = f"{view[0]}/{form[0]}" + ("" if energy[0] in USUAL else f"/{energy[0]}")
        label += f", T = {T[0]:.2g}" if FORMS[form[0]].learns else ""
        candidates.append(TriedCandidate(label, str(form[0]), k, error, weight))
    return sorted(candidates, key=lambda candidate: -candidate.weight.sum())


def error_column(selection: Mapping[str, NDArray]) -> str:
    """The column of a ``selection_`` with the errors to show, of classification or regression."""
    return "oob_error" if "oob_error" in selection else "oob_squared"
