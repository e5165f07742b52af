"""Samples in the learned space."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target

from .parts import as_numbers, kept_samples, space_of
from .predictions import as_targets
from .style import COLOR_MAP, MARKERS, Display, axes_for, class_style, legend_beside

MOST_LEGEND = 24  # classes that a legend lists


@dataclass(eq=False, repr=False)
class EmbeddingDisplay(Display):
    """Samples in the learned space, on its two main axes.

    Near points are alike by the learned distance. Make one with
    :meth:`from_estimator`.

    Parameters
    ----------
    embedding : ndarray of shape (n_samples, 1 or 2)
        Samples on the main axes of the learned space.
    variance_share : ndarray of shape (1 or 2,)
        Share of the variance of the space on each axis.
    y : ndarray of shape (n_samples,) or None, default=None
        Class labels, or targets of a regression.
    is_regression : bool, default=False
        Whether y are targets, shown by a scale of colours.
    query : int or None, default=None
        Row of a sample to mark.
    neighbors : ndarray of shape (n_neighbors,) or None, default=None
        Rows of its nearest neighbours in the whole space, the nearest first.
    estimator_name : str, default="the learner"
        Name of the model that learned the space.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and the figure, after :meth:`plot`.

    See Also
    --------
    ImportancesDisplay : Weights of the features in the learned space.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import LFDA
    >>> from freemetric.plotting import EmbeddingDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LFDA().fit(X, y)
    >>> display = EmbeddingDisplay.from_estimator(model, X, y, query=7)
    >>> display.embedding.shape, display.neighbors.tolist()
    ((150, 2), [39, 27, 17, 49, 9])
    """

    embedding: NDArray
    variance_share: NDArray
    y: Any = None
    is_regression: bool = False
    query: int | None = None
    neighbors: NDArray | None = None
    estimator_name: str = "the learner"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        query: int | None = None,
        n_neighbors: int = 5,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Map samples to the learned space and draw them.

        Parameters
        ----------
        estimator : estimator
            A fitted metric learner, an ensemble, a model of tables, or a pipeline or
            k-NN model with one.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Samples, as the estimator takes them. None shows the training samples of
            an ensemble.
        y : array-like of shape (n_samples,) or None, default=None
            Class labels or targets, for the colours.
        query : int or None, default=None
            Row of a sample whose nearest neighbours are marked.
        n_neighbors : int, default=5
            Number of neighbours of the query to mark.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.scatter``.

        Returns
        -------
        display : EmbeddingDisplay
            The display, drawn.
        """
        display = cls.of(estimator, X, y, query=query, n_neighbors=n_neighbors)
        return display.plot(ax, **kwargs)

    @classmethod
    def of(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        query: int | None = None,
        n_neighbors: int = 5,
    ) -> Self:
        """Return the display without drawing it; see :meth:`from_estimator`."""
        Z = learned_samples(estimator, X)
        embedding, share = main_axes(Z)
        values = None if y is None else column_or_1d(y)
        name = type(space_of(estimator).model).__name__
        display = cls(embedding, share, values, estimator_name=name)
        if values is not None:
            check_consistent_length(Z, values)
            if is_regression(estimator, values):
                display.is_regression = True
                display.y = as_targets(values)
        if query is not None:
            if not 0 <= query < len(Z):
                raise ValueError(f"query must be a row below {len(Z)}; got {query}.")
            display.query = query
            display.neighbors = nearest_rows(Z, query, n_neighbors)
        return display

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the samples.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.scatter``.

        Returns
        -------
        display : EmbeddingDisplay
            The display, with its axes.
        """
        axis = axes_for(ax, figsize=(6.2, 4.6))[0]
        style = {"alpha": 0.8, "linewidth": 0.4, "edgecolor": axis.get_facecolor()}
        style = {"s": 26, **style, **kwargs}
        points = self.plane()
        for c, (label, rows) in enumerate(self.groups().items()):
            color, marker = class_style(c)
            look: dict = {
                "color": color,
                "marker": MARKERS[marker],
                "label": plain(label),
            }
            if self.is_regression:
                look = {"c": self.y, "cmap": COLOR_MAP}
            shown = axis.scatter(*points[rows].T, **{**look, **style})
        if self.is_regression:
            axis.figure.colorbar(shown, ax=axis, label="target")
        elif self.y is not None and c < MOST_LEGEND:
            legend_beside(axis)
        if self.query is not None:
            self._mark_query(axis, points)
        xlabel, ylabel = self.axis_labels()
        axis.set(xlabel=xlabel, ylabel=ylabel, xticks=[], yticks=[])
        axis.set_title(self.title(), fontsize="medium")
        return self._drawn(axis)

    def groups(self) -> dict[Any, NDArray]:
        """Return the rows of every class; of one group without classes."""
        if self.y is None or self.is_regression:
            return {"": np.arange(len(self.embedding))}
        return {label: np.flatnonzero(self.y == label) for label in np.unique(self.y)}

    def plane(self) -> NDArray:
        """Return points (n_samples, 2); a single axis is shown against the target."""
        if self.embedding.shape[1] > 1:
            return self.embedding
        n = len(self.embedding)
        height = np.zeros(n)
        if self.is_regression:
            height = as_numbers(self.y)
        elif self.y is not None:
            # A line alone would hide its points: each class has a band.
            spread = 0.6 * (np.arange(n) * 0.618 % 1 - 0.5)
            height = np.unique(self.y, return_inverse=True)[1] + spread
        return np.column_stack([self.embedding, height])

    def axis_labels(self) -> list[str]:
        """Return the labels of both axes: their shares of the variance."""
        labels = [
            f"axis {i}: {share:.0%} of the variance"
            for i, share in enumerate(self.variance_share, start=1)
        ]
        if len(labels) == 1:
            labels.append("target" if self.is_regression else "class")
        return labels

    def title(self) -> str:
        """Return the title."""
        return f"{len(self.embedding):,} samples, learned by {self.estimator_name}"

    def _mark_query(self, axis, points):
        for row in self.neighbors:
            both = points[[self.query, row]]
            axis.plot(*both.T, color="0.3", linewidth=0.8, zorder=1)
        ring = {"s": 120, "facecolor": "none", "edgecolor": "0.1", "linewidth": 1.4}
        axis.scatter(*points[[self.query]].T, **ring)


def learned_samples(estimator: Any, X: Any = None) -> NDArray:
    """Return samples, or the training samples of an ensemble, in the learned space."""
    part = space_of(estimator)
    if X is not None:
        return as_numbers(part.model.transform(part.inputs(X)))
    kept = kept_samples(part)
    if kept is None:
        name = type(part.model).__name__
        raise ValueError(f"{name} has kept no samples; give X.")
    names = getattr(part.model, "feature_names_in_", None)
    return as_numbers(part.model.transform(named(kept, names)))


def named(X: NDArray, names: Any) -> Any:
    """Return samples with column names for a model that was fitted with them."""
    if names is None:
        return X
    from pandas import DataFrame  # the model was fitted on one

    return DataFrame(X, columns=names)


def main_axes(Z: NDArray, n_axes: int = 2) -> tuple[NDArray, NDArray]:
    """Return samples on their main axes, and the share of the variance on each."""
    centred = Z - Z.mean(axis=0)
    _, lengths, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:n_axes]
    # The signs of the axes are arbitrary; these do not depend on the library.
    largest = np.abs(axes).argmax(axis=1)
    axes = axes * np.sign(axes[np.arange(len(axes)), largest])[:, None]
    total = (lengths**2).sum()
    share = lengths**2 / total if total > 0 else np.zeros(len(lengths))
    return centred @ axes.T, share[:n_axes]


def nearest_rows(Z: NDArray, row: int, n_neighbors: int) -> NDArray[np.intp]:
    """Return the rows nearest to one row of Z, without itself."""
    squares = ((Z - Z[row]) ** 2).sum(axis=1)
    squares[row] = np.inf
    order = np.argsort(squares, kind="stable")
    return order[: min(n_neighbors, len(Z) - 1)]


def is_regression(estimator: Any, y: NDArray) -> bool:
    """Return whether y are targets of a regression rather than classes."""
    if is_regressor(estimator):
        return True
    if is_classifier(estimator):
        return False
    return type_of_target(y).startswith("continuous")


def plain(label: Any) -> str:
    """Return a label that matplotlib neither sets as a formula nor hides."""
    text = str(label).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
