"""EmbeddingDisplay: patterns in the learned space, projected on its main axes."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from ..learners.learned_space import LearnedSpace
from .scatter import are_numbers, colour_scale, label_axes, scatter_classes, scatter_numbers, show_scale
from .style import keep, legend_beside, panels


class EmbeddingDisplay:
    """Patterns in the space that a metric learner has learned, projected on its main axes.

    Distances between the points are the learned distances, as far as the axes shown hold them: each axis says its
    share of the variance. Make one with :meth:`from_estimator`.

    Parameters
    ----------
    embedding : ndarray of shape (n_samples, n_dims)
        Patterns on one, two or three main axes.
    variance_share : ndarray of shape (n_dims,)
        Share of the variance of the space on each axis.
    y : ndarray of shape (n_samples,) or None, default=None
        Class labels, or numbers.
    before : ndarray of shape (n_samples, n_dims) or None, default=None
        The same patterns before learning, to be shown beside.
    before_share : ndarray of shape (n_dims,) or None, default=None
        Share of the variance on its axes.
    estimator_name : str, default="the learner"
        What the title says.
    numbers : bool, default=False
        Whether y are numbers, which are shown by a scale of colours.
    log : bool, default=False
        Whether that scale is logarithmic.

    Attributes
    ----------
    ax_ : Axes or ndarray of Axes
        What was drawn on; two with the space before.
    figure_ : Figure
        The figure around it.

    See Also
    --------
    MetricDisplay : The metric itself instead of the patterns.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from freemetric import NCA
    >>> from freemetric.display import EmbeddingDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), NCA()).fit(X, y)
    >>> display = EmbeddingDisplay.from_estimator(model, X, y, before=True)
    >>> display.embedding.shape
    (178, 2)
    """

    def __init__(
        self,
        embedding: NDArray,
        *,
        variance_share: NDArray,
        y: NDArray | None = None,
        before: NDArray | None = None,
        before_share: NDArray | None = None,
        estimator_name: str = "the learner",
        numbers: bool = False,
        log: bool = False,
    ) -> None:
        self.embedding = embedding
        self.variance_share = variance_share
        self.y = y
        self.before = before
        self.before_share = before_share
        self.estimator_name = estimator_name
        self.numbers = numbers
        self.log = log

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        n_dims: int = 2,
        before: bool = False,
        class_names: Sequence[str] | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Map patterns to the learned space and draw them.

        Parameters
        ----------
        estimator : estimator
            A fitted metric learner or other linear transformer, a pipeline with one, MetricKNeighborsClassifier, or
            FreeEnergyClassifier or FreeEnergyRegressor, shown by its method ``embed``: the mean of its replicas'
            metrics.
        X : array-like of shape (n_samples, n_features)
            Patterns, as the estimator takes them.
        y : array-like of shape (n_samples,) or None, default=None
            Class labels or numbers, for the colours. A regressor's are numbers, and so are those that are not whole or
            too many to be told apart.
        n_dims : {2, 3}, default=2
            Axes to show; fewer where the space has fewer.
        before : bool, default=False
            Show the space before learning beside it: the patterns as they reach the learner, which for
            FreeEnergyClassifier is scaled to [0, 1].
        class_names : sequence of str or None, default=None
            Names of the sorted labels; None takes the labels.
        ax : Axes, array-like of two Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.scatter``.

        Returns
        -------
        display : EmbeddingDisplay
        """
        if n_dims not in (2, 3):
            raise ValueError(f"n_dims must be 2 or 3, got {n_dims!r}.")
        space = LearnedSpace(estimator)
        embedding, share = main_axes(space.transform(X), n_dims)
        first, first_share = main_axes(space.before(X), n_dims) if before else (None, None)
        labels = None if y is None else column_or_1d(y)
        check_consistent_length(embedding, labels)
        display = cls(
            embedding,
            variance_share=share,
            y=labels,
            before=first,
            before_share=first_share,
            estimator_name=type(space.learner).__name__,
            numbers=labels is not None and are_numbers(labels, space.learner),
            log=getattr(space.learner, "scale_name_", "linear") == "log",
        )
        return display.plot(ax, class_names=class_names, **kwargs)

    def plot(self, ax: Any = None, *, class_names: Sequence[str] | None = None, **kwargs: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes, array-like of two Axes or None, default=None
            Where to draw; None makes a figure. Three dimensions need axes made with ``projection="3d"``.
        class_names : sequence of str or None, default=None
            Names of the sorted labels; None takes the labels.
        **kwargs : dict
            For ``Axes.scatter``.

        Returns
        -------
        display : EmbeddingDisplay
        """
        spaces = [(self.embedding, self.variance_share, f"learned by {self.estimator_name}")]
        if self.before is not None and self.before_share is not None:
            spaces.insert(0, (self.before, self.before_share, "before learning"))
        solid = max(points.shape[1] for points, _, _ in spaces) == 3
        size = (4.6 * len(spaces) + 0.9, 4.4)
        axes = panels(ax, (1, len(spaces)), figsize=size, subplot_kw={"projection": "3d" if solid else None})
        if self.numbers and self.y is not None:
            self._draw_numbers(axes, spaces, self.y, class_names, kwargs)
            return keep(self, axes)
        for axis, (points, share, title) in zip(axes, spaces, strict=True):
            scatter_classes(axis, points, self.y, class_names, kwargs)
            label_axes(axis, share, title)
        if self.y is not None:
            legend_beside(axes[-1], len(np.unique(self.y)))
        return keep(self, axes)

    def _draw_numbers(self, axes, spaces, y, class_names, options):
        if class_names is not None:
            raise ValueError("class_names are of classes; these are numbers.")
        norm = colour_scale(y, self.log)
        for axis, (points, share, title) in zip(axes, spaces, strict=True):
            shown = scatter_numbers(axis, points, y, norm, options)
            label_axes(axis, share, title, "number")
        show_scale(list(axes), shown)


def main_axes(Z: NDArray, n_dims: int) -> tuple[NDArray, NDArray]:
    """Patterns on their main axes (N, min(n_dims, p)), and the share of the variance on each."""
    U, S, Vt = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
    sign = np.sign(Vt[np.arange(len(S)), np.abs(Vt).argmax(axis=1)])  # the same picture whatever the library's signs
    total = (S**2).sum()
    share = S**2 / total if total > 0 else S
    return (U * S * sign)[:, :n_dims], share[:n_dims]
