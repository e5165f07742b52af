"""Which features count: permutation importances, and the selection of features at falling temperatures."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from ..ensemble.settings import recipe_of
from ..ensemble.tasks.decisions import score_name
from ..learners.learned_space import LearnedSpace, part_with
from .style import COLORS, Display, panels

POINTS_PER_LABEL = 14


@dataclass(eq=False, repr=False)
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

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and the figure.

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
    def from_estimator(cls, estimator: Any, *, most: int = 20, ax: Any = None, **kwargs: Any) -> Self:
        """Compute importances of a fitted model and draw them.

        Parameters
        ----------
        estimator : FreeEnergyClassifier, FreeEnergyRegressor, or a pipeline with one
            Fitted. Of a TableClassifier or TableRegressor the columns are shown.
        most : int, default=20
            Features to show, the most important ones.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
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
        axes = panels(ax, figsize=(6.4, max(2.0, 1 + POINTS_PER_LABEL * 1.4 * len(order) / 72)))
        names = _names(self.feature_names, len(self.importances))
        errors = None if self.errors is None else self.errors[order]
        style = {"color": COLORS[0], "height": 0.7, "error_kw": {"elinewidth": 1, "ecolor": COLORS[6]}}
        axes[0].barh(np.arange(len(order)), self.importances[order], xerr=errors, **{**style, **kwargs})
        axes[0].set_yticks(np.arange(len(order)), [str(names[i]) for i in order], parse_math=False)
        axes[0].set(ylim=(len(order) - 0.4, -0.6), xlabel=f"loss of out-of-bag {self.score} without the feature")
        return self._keep(axes)


@dataclass(eq=False, repr=False)
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
        height = max(3.2, 1 + POINTS_PER_LABEL * 1.4 * len(order) / 72)
        axes, style = panels(ax, (1, 2), figsize=(9.2, height)), {"color": COLORS[0], "marker": "o", "capsize": 2}
        counts, errors = self.path["n_features"], self.path["oob_error"]
        axes[0].errorbar(counts, errors, self.path["standard_error"], **{**style, **kwargs})
        axes[0].axvline(self.n_features, color=COLORS[6], linestyle="--", linewidth=1)
        axes[0].set(xscale="log", xlabel="number of features", ylabel="out-of-bag error")
        places, fill = np.arange(len(order)), np.where(self.support[order], COLORS[0], "none")
        axes[1].scatter(self.temperatures[order], places, c=fill, edgecolors=COLORS[0])
        names = _names(self.feature_names, len(self.ranking))
        axes[1].set_yticks(places, [str(names[i]) for i in order], parse_math=False)
        axes[1].set(xscale="log", ylim=(len(order) - 0.4, -0.6), xlabel="temperature at which a feature freezes out")
        return self._keep(axes)


def _names(names, n):
    return [f"x{i}" for i in range(n)] if names is None else names
