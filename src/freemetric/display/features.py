"""Which features count: M = A^T A of a metric, permutation importances, and the selection at falling temperatures."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor

from ..ensemble.settings import recipe_of
from ..ensemble.tasks.decisions import score_name
from ..learners.learned_space import LearnedSpace, part_with
from ..printable import counted
from .style import COLORS, Display, ink, panels

LINE, SMALL_PRINT = 19.6, 8  # heights of lines, in points
LONGEST_NAME = 28


class MetricDisplay(Display):
    """Heat map of M = A^T A, the matrix of the squared distance (u - v)^T M (u - v).

    The diagonal holds the weights of the features. Off the diagonal, a positive element adds distance where two
    features differ in the same direction, a negative one takes it away. Make one with :meth:`from_estimator`.

    Parameters
    ----------
    matrix : ndarray of shape (n_features, n_features)
        M, or its mean over replicas.
    feature_names : sequence of str or None, default=None
        Names of the features; None numbers them.
    replica_weights : ndarray of shape (n_replicas, n_features) or None, default=None
        Diagonal of M of every replica, for the spread of the weights.
    distance_weights, distance_weights_std : ndarray of shape (n_features,) or None, default=None
        Shares of the features in the squared distances and their standard deviations over replicas; None takes the
        diagonal of M.
    title : str, default="M = A$^T$A"
        Title of the heat map.

    Attributes
    ----------
    ax_, figure_ : Axes or ndarray of Axes, Figure
        The axes of the heat map, and of the bars if ``weights``, and the figure.
    image_ : AxesImage
        The heat map.

    See Also
    --------
    EmbeddingDisplay : Samples as the metric sees them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import NCA
    >>> from freemetric.display import MetricDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = MetricDisplay.from_estimator(NCA().fit(X, y), weights=True)
    >>> [label.get_text() for label in display.ax_[0].get_yticklabels()][:2]
    ['sepal length (cm)', 'sepal width (cm)']
    """

    matrix: NDArray
    _: KW_ONLY
    feature_names: Sequence[str] | None = None
    replica_weights: NDArray | None = None
    distance_weights: NDArray | None = None
    distance_weights_std: NDArray | None = None
    title: str = "M = A$^T$A"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        feature_names: Sequence[str] | None = None,
        *,
        X: ArrayLike | None = None,
        weights: bool = False,
        top: int | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the metric of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted estimator with ``components_``, a pipeline or k-NN model with one, or FreeEnergyClassifier. Of its
            views the first in ``freemetric.metrics.VIEWS`` is shown: the mean over replicas, each scaled to a mean
            squared distance of one. Its weights are ``distance_weights_``, of all views.
        feature_names : sequence of str or None, default=None
            Names of the features that the map sees; None takes those of fit.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Samples whose standard deviations become the units of the features; None takes the units of the data.
        weights : bool, default=False
            Draw the weights of the twenty heaviest features beside, with the middle 90 % of the replicas or a standard
            deviation as lines.
        top : int or None, default=None
            Number of features to show, the heaviest.
        ax : Axes, array-like of two Axes or None, default=None
            Where to draw, two with ``weights``; None makes a figure.
        **kwargs : dict
            For ``Axes.imshow``.
        """
        space = LearnedSpace(estimator)
        matrix = space.matrix(X)
        names = space.feature_names() if feature_names is None else feature_names
        if names is not None and len(names) != len(matrix):
            raise ValueError(f"feature_names must name {counted(len(matrix), 'feature')}, got {len(names)}.")
        display = cls(
            matrix,
            feature_names=names,
            replica_weights=space.replica_weights(X),
            distance_weights=getattr(space.learner, "distance_weights_", None),
            distance_weights_std=getattr(space.learner, "distance_weights_std_", None),
            title=space.matrix_title(),
        )
        return display.plot(ax, weights=weights, top=top, **kwargs)

    def plot(self, ax: Any = None, *, weights: bool = False, top: int | None = None, **kwargs: Any) -> Self:
        """Draw; the parameters are those of :meth:`from_estimator`."""
        weight = np.diag(self.matrix) if self.distance_weights is None else np.asarray(self.distance_weights)
        heaviest = np.argsort(-weight, kind="stable")
        shown = np.sort(heaviest[:top])
        given = _names(self.feature_names, len(self.matrix))
        names = np.array([name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..." for name in given])
        side, margin = np.clip(0.3 * len(shown), 2.6, 7), 0.2 + 0.075 * max(map(len, names[shown]))
        widths = [side + margin + 1, margin + 2.8][: 1 + weights]  # in inches, with names and the colour bar
        size = sum(widths), side + margin + 0.4 + 0.2 * self.title.count("\n")
        axes = panels(ax, (1, 1 + weights), framed=True, figsize=size, gridspec_kw={"width_ratios": widths})
        axis, M = axes[0], self.matrix[np.ix_(shown, shown)]
        limit = np.abs(M).max() or 1
        self.image_ = axis.imshow(M, **{"cmap": "RdBu_r", "vmin": -limit, "vmax": limit, **kwargs})
        height = 72 * axis.get_position().height * axis.figure.get_size_inches()[1]
        labelled = np.arange(0, len(shown), int(np.ceil(SMALL_PRINT * len(shown) / height)))
        style = {"fontsize": "small" if len(shown) <= 40 else 7}
        axis.set_yticks(labelled, names[shown][labelled], **style)
        axis.set_xticks(labelled, names[shown][labelled], rotation=90, **style)
        axis.set_title(self.title, fontsize="medium")
        axis.figure.colorbar(self.image_, ax=axis, shrink=0.7, pad=0.02)
        if weights:
            self._bars(axes[1], weight, heaviest[: min(20, len(shown))], names)
        if ax is None:
            # Square cells are placed after the layout has measured the names, so it needs some room for error.
            axis.figure.get_layout_engine().set(w_pad=0.14, h_pad=0.14)
        return self._keep(axes)

    def _bars(self, axis, weight, order, names):
        """Weights with their spread over replicas, where it is known."""
        place, ends, label = np.arange(len(order)), None, "share in the squared distances"
        if self.distance_weights is None:
            label = "weight of the feature"
            if self.replica_weights is not None:
                ends = np.quantile(self.replica_weights, [0.05, 0.95], axis=0)
                label += "\n(lines: middle 90 % of replicas)"
        elif self.distance_weights_std is not None:
            std = np.asarray(self.distance_weights_std)
            ends = np.maximum(weight - std, 0), weight + std
            label += "\n(lines: standard deviation over replicas)"
        axis.barh(place, weight[order], color=COLORS[0], height=0.7)
        if ends is not None:
            axis.hlines(place, ends[0][order], ends[1][order], color=ink(), linewidth=1.2)
        axis.set_yticks(place, names[order], fontsize="small")
        axis.set(ylim=(len(order) - 0.4, -0.6), xlim=(0, None), xlabel=label)
        axis.spines[["top", "right"]].set_visible(False)


class ImportancesDisplay(Display):
    """Permutation importances: the loss of out-of-bag score when a feature is shuffled, with standard errors.

    Make one with :meth:`from_estimator`. Of features with the same information, each alone seems dispensable.

    Parameters
    ----------
    importances : ndarray of shape (n_features,)
        Losses of the score.
    errors : ndarray of shape (n_features,) or None, default=None
        Their standard errors.
    feature_names : sequence of str or None, default=None
        Names of the features; None numbers them.
    score : str, default="score"
        Name of the score.

    {drawn}

    See Also
    --------
    MetricDisplay : Weights of the features in the distances.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric import FreeEnergyRegressor
    >>> from freemetric.display import ImportancesDisplay
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = FreeEnergyRegressor(n_replicas=6, random_state=0).fit(X, y)
    >>> display = ImportancesDisplay.from_estimator(model, most=3)
    >>> sorted(label.get_text() for label in display.ax_.get_yticklabels())
    ['bmi', 'bp', 's5']
    """

    importances: NDArray
    _: KW_ONLY
    errors: NDArray | None = None
    feature_names: Sequence[str] | None = None
    score: str = "score"

    @classmethod
    def from_estimator(cls, estimator: Any, *, most: int = 20, ax: Any = None, **kwargs: Any) -> Self:  # noqa: D417
        """Compute importances of a fitted model and draw them.

        Parameters
        ----------
        estimator : FreeEnergyClassifier, FreeEnergyRegressor, or a pipeline with one
            Fitted. Of a TableClassifier or TableRegressor the columns are shown.
        most : int, default=20
            Features to show, the most important ones.
        {ax}
        **kwargs : dict
            For ``Axes.barh``.
        """
        model = part_with(estimator, ("permutation_importances",), "a model that votes, as FreeEnergyRegressor")[1]
        if hasattr(estimator, "importances"):  # A column of a table may be several features.
            names, mean, error, *_ = estimator.importances()
        else:
            names = LearnedSpace(estimator).feature_names()
            mean, error = model.feature_importances_, model.feature_importances_error_
        if not np.isfinite(mean).all():
            raise ValueError("No training sample was out of bag, so there are no importances.")
        score = score_name(recipe_of(model).scoring, is_regressor(model))
        return cls(mean, errors=error, feature_names=names, score=score).plot(ax, most=most, **kwargs)

    def plot(self, ax: Any = None, *, most: int = 20, **kwargs: Any) -> Self:
        """Draw; the parameters are those of :meth:`from_estimator`."""
        order = np.argsort(-self.importances, kind="stable")[:most]
        axes = panels(ax, figsize=(6.4, max(2.0, 1 + LINE * len(order) / 72)))
        errors = None if self.errors is None else self.errors[order]
        style = {"color": COLORS[0], "height": 0.7, "error_kw": {"elinewidth": 1, "ecolor": COLORS[6]}}
        axes[0].barh(np.arange(len(order)), self.importances[order], xerr=errors, **{**style, **kwargs})
        _name_rows(axes[0], self.feature_names, order)
        axes[0].set(xlabel=f"loss of out-of-bag {self.score} without the feature")
        return self._keep(axes)


class SelectionDisplay(Display):
    """Features that freeze out at falling temperatures, and the out-of-bag error of those that are left.

    Make one with :meth:`from_estimator`. On the left the error over the number of features, with its standard error
    over replicas; the dashed line is the number that was chosen. On the right the temperature at which replicas freeze
    a feature, the last ones first; selected features are filled.

    Parameters
    ----------
    path : dict of ndarray of shape (n_temperatures,)
        "n_features", "oob_error" and "standard_error".
    temperatures : ndarray of shape (n_features,)
        Temperature at which each feature freezes.
    ranking : ndarray of shape (n_features,)
        1 for the feature that is kept longest.
    support : ndarray of shape (n_features,)
        Which features are selected.
    n_features : int
        The number of features that was chosen.
    feature_names : sequence of str or None, default=None
        Names of the features; None numbers them.

    Attributes
    ----------
    ax_, figure_ : ndarray of Axes, Figure
        The two axes and the figure.

    See Also
    --------
    freemetric.FreeEnergySelector : Selects the features.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from freemetric import FreeEnergySelector
    >>> from freemetric.display import SelectionDisplay
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = FreeEnergySelector(n_replicas=4, random_state=0).fit(X, y)
    >>> display = SelectionDisplay.from_estimator(selector, most=5)
    >>> len(display.ax_[1].get_yticklabels())
    5
    """

    path: dict[str, NDArray]
    temperatures: NDArray
    _: KW_ONLY
    ranking: NDArray
    support: NDArray
    n_features: int
    feature_names: Sequence[str] | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, *, most: int = 20, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the selection of a fitted selector.

        Parameters
        ----------
        estimator : FreeEnergySelector, or a pipeline with one
            Fitted.
        most : int, default=20
            Features to show, those that are kept longest.
        ax : array-like of two Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.errorbar``.
        """
        model = part_with(estimator, ("freezing_temperatures_",), "a selector, such as FreeEnergySelector")[1]
        return cls(
            model.path_,
            model.freezing_temperatures_,
            ranking=model.ranking_,
            support=model.support_,
            n_features=model.n_features_,
            feature_names=getattr(model, "feature_names_in_", None),
        ).plot(ax, most=most, **kwargs)

    def plot(self, ax: Any = None, *, most: int = 20, **kwargs: Any) -> Self:
        """Draw; the parameters are those of :meth:`from_estimator`."""
        order = np.argsort(self.ranking, kind="stable")[:most]
        size = (9.2, max(3.2, 1 + LINE * len(order) / 72))
        axes, style = panels(ax, (1, 2), figsize=size), {"color": COLORS[0], "marker": "o", "capsize": 2}
        counts, errors = self.path["n_features"], self.path["oob_error"]
        axes[0].errorbar(counts, errors, self.path["standard_error"], **{**style, **kwargs})
        axes[0].axvline(self.n_features, color=COLORS[6], linestyle="--", linewidth=1)
        axes[0].set(xscale="log", xlabel="number of features", ylabel="out-of-bag error")
        places, fill = np.arange(len(order)), np.where(self.support[order], COLORS[0], "none")
        axes[1].scatter(self.temperatures[order], places, c=fill, edgecolors=COLORS[0])
        _name_rows(axes[1], self.feature_names, order)
        axes[1].set(xscale="log", xlabel="temperature at which a feature freezes out")
        return self._keep(axes)


def _names(names, n):
    return [f"x{i}" for i in range(n)] if names is None else list(map(str, names))


def _name_rows(axis, feature_names, order):
    """Features in their order from above, a line for each."""
    names = [f"x{i}" if feature_names is None else str(feature_names[i]) for i in order]
    axis.set_yticks(np.arange(len(order)), names, parse_math=False)
    axis.set_ylim(len(order) - 0.4, -0.6)
