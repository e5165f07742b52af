"""Samples in the learned space, projected on its main axes."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor
from sklearn.utils import check_consistent_length, column_or_1d

from ..extras import require
from ..learners.learned_space import LearnedSpace
from ..metrics.averaged_metric import singular_vectors
from ..printable import counted
from .style import CLASS_COLORS, MANY_CLASSES, Display, class_color, class_style, legend_beside, panels

LONGEST_NAME = 12  # of a class, among the points
COLOUR_MAP = "viridis"  # can be read without seeing colours, and printed
RARE = 0.01  # share of the targets, at each end, that have the colour of the end


class EmbeddingDisplay(Display):
    """Samples in the learned space, projected on its main axes, whose labels give their shares of the variance.

    Make one with :meth:`from_estimator`.

    Parameters
    ----------
    embedding : ndarray of shape (n_samples, n_dims)
        Samples on one, two or three main axes.
    variance_share : ndarray of shape (n_dims,)
        Share of the variance of the space on each axis.
    y : ndarray of shape (n_samples,) or None, default=None
        Class labels, or targets of a regression.
    before, before_share : ndarray or None, default=None
        The same of the space before learning, shown beside.
    estimator_name : str, default="the learner"
        Name in the title.
    regression, log : bool, default=False
        Whether y are targets of a regression, shown by a scale of colours, and whether that scale is logarithmic.

    Attributes
    ----------
    ax_, figure_ : Axes or ndarray of Axes, Figure
        The axes and the figure; two axes with the space before.

    See Also
    --------
    MetricDisplay : The metric itself instead of the samples.

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

    embedding: NDArray
    _: KW_ONLY
    variance_share: NDArray
    y: NDArray | None = None
    before: NDArray | None = None
    before_share: NDArray | None = None
    estimator_name: str = "the learner"
    regression: bool = False
    log: bool = False

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
        """Map samples to the learned space and draw them.

        Parameters
        ----------
        estimator : estimator
            A fitted metric learner or linear transformer, a k-NN model or pipeline with one, or an ensemble, whose
            method ``embed`` averages the metrics of its replicas.
        X : array-like of shape (n_samples, n_features)
            Samples, as the estimator takes them.
        y : array-like of shape (n_samples,) or None, default=None
            Class labels or targets, for the colours. They are targets if the estimator is a regressor, or if they are
            not whole or have too many values for classes.
        n_dims : {2, 3}, default=2
            Axes to show; fewer where the space has fewer.
        before : bool, default=False
            Show the input of the learner beside it; for FreeEnergyClassifier scaled to [0, 1].
        class_names : sequence of str or None, default=None
            Names of the sorted labels; None takes the labels.
        ax : Axes, array-like of two Axes or None, default=None
            Where to draw; None makes a figure. Three dimensions need axes made with ``projection="3d"``.
        **kwargs : dict
            For ``Axes.scatter``.
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
            regression=labels is not None and is_regression(labels, space.learner),
            log=getattr(space.learner, "scale_name_", "linear") == "log",
        )
        return display.plot(ax, class_names=class_names, **kwargs)

    def plot(self, ax: Any = None, *, class_names: Sequence[str] | None = None, **kwargs: Any) -> Self:
        """Draw; the parameters are those of :meth:`from_estimator`."""
        spaces = [(self.embedding, self.variance_share, f"learned by {self.estimator_name}")]
        if self.before is not None and self.before_share is not None:
            spaces.insert(0, (self.before, self.before_share, "before learning"))
        solid = max(points.shape[1] for points, _, _ in spaces) == 3
        size = (4.6 * len(spaces) + 0.9, 4.4)
        projection = {"projection": "3d" if solid else None}
        axes = panels(ax, (1, len(spaces)), framed=True, figsize=size, subplot_kw=projection)
        if solid and not all(hasattr(axis, "zaxis") for axis in axes):
            raise ValueError('Three dimensions need axes made with projection="3d".')
        targets = self.y if self.regression else None
        if targets is not None and class_names is not None:
            raise ValueError("class_names are for classes; these are targets of a regression.")
        norm = None if targets is None else colour_scale(targets, self.log)
        for axis, (points, share, title) in zip(axes, spaces, strict=True):
            if targets is None:
                scatter_classes(axis, points, self.y, class_names, kwargs)
            else:  # a single axis against the targets
                points = np.column_stack([points, targets]) if points.shape[1] == 1 else points
                look = {"s": 26, "alpha": 0.85, "linewidth": 0.4, "edgecolor": axis.get_facecolor(), "cmap": COLOUR_MAP}
                shown = axis.scatter(*points.T, c=targets, norm=norm, **{**look, **kwargs})
            _label_axes(axis, share, title, "class" if norm is None else "target")
        if norm is not None:
            _show_scale(list(axes), shown)
        elif self.y is not None:
            legend_beside(axes[-1], len(np.unique(self.y)))
        return self._keep(axes)


def main_axes(Z: NDArray, n_dims: int) -> tuple[NDArray, NDArray]:
    """Samples on their main axes (N, min(n_dims, p)), and the share of the variance on each."""
    centred = Z - Z.mean(axis=0)
    S, Vt = singular_vectors(centred)
    sign = np.sign(Vt[np.arange(len(S)), np.abs(Vt).argmax(axis=1)])  # the same picture whatever the library's signs
    total = (S**2).sum()
    share = S**2 / total if total > 0 else S
    return (centred @ Vt.T * sign)[:, :n_dims], share[:n_dims]


def scatter_classes(
    axis: Any, points: NDArray, y: NDArray | None, class_names: Sequence[str] | None, options: Mapping[str, Any]
) -> None:
    """Points (N, 1 to 3), each class in its colour and marker."""
    classes, y = (np.array(["all"]), np.zeros(len(points), int)) if y is None else np.unique(y, return_inverse=True)
    names = classes if class_names is None else class_names
    if len(names) != len(classes):
        raise ValueError(f"class_names must name {counted(len(classes), 'class', 'classes')}, got {len(names)}.")
    if points.shape[1] == 1:
        # A line alone would hide its points: one line per class, spread a little.
        points = np.column_stack([points, y + 0.6 * (np.arange(len(y)) * 0.618 % 1 - 0.5)])
    for c, name in enumerate(names):
        style = {"alpha": 0.85, "edgecolor": axis.get_facecolor(), "linewidth": 0.4, "label": str(name)}
        axis.scatter(*points[y == c].T, **{**style, **class_style(c), **options})
    if len(names) <= MANY_CLASSES or points.shape[1] != 2:
        return
    # The names of many classes stand on their members.
    effects = require("matplotlib.patheffects", "display")
    halo = [effects.withStroke(linewidth=2.5, foreground=axis.get_facecolor())]
    for c, name in enumerate(names):
        if (y == c).any():
            style = {"color": class_color(c), "path_effects": halo, "fontsize": "small", "fontweight": "bold"}
            short = str(name) if len(str(name)) <= LONGEST_NAME else f"{str(name)[: LONGEST_NAME - 1]}…"
            axis.text(*np.median(points[y == c], axis=0), short, ha="center", va="center", parse_math=False, **style)


def _label_axes(axis, share, title, other):
    """Label axes with their shares of the variance, and a single axis with ``other``; the space has no units."""
    axis.set(title=title, xticks=[], yticks=[])
    if hasattr(axis, "zaxis"):
        labels = [f"axis {i + 1} ({100 * part:.0f} %)" for i, part in enumerate(share)]
        axis.set(title=f"{title}\n{100 * share.sum():.0f} % of variance", zticks=[])
        axis.set(**dict(zip(("xlabel", "ylabel", "zlabel"), labels, strict=False)))
        axis.set_aspect("equal")
        axis.set_box_aspect(None, zoom=0.85)  # room for the labels, which no layout knows of
        return
    labels = [f"main axis {i + 1} ({100 * part:.0f} % of variance)" for i, part in enumerate(share)]
    axis.set(xlabel=labels[0], ylabel=labels[1] if len(labels) > 1 else other)
    if len(labels) > 1:
        axis.set_aspect("equal", adjustable="datalim")


def is_regression(y: NDArray, learner: Any) -> bool:
    """Whether y are targets of a regression: a regressor's, not whole, or with more values than there are colours."""
    if y.dtype.kind not in "fiu":
        return False
    many = len(np.unique(y)) > len(CLASS_COLORS)
    return is_regressor(learner) or (y.dtype.kind == "f" and (many or bool((y != np.round(y)).any())))


def colour_scale(y: NDArray, log: bool) -> Any:
    """matplotlib's norm of the targets, without the rarest ones; its ``ends`` says whether some lie beyond it."""
    colors = require("matplotlib.colors", "display")
    low, high = np.quantile(y, [RARE, 1 - RARE])
    log = log and low > 0
    norm = (colors.LogNorm if log else colors.Normalize)(low, high if high > low else low + 1)
    norm.ends = ("neither", "max", "min", "both")[2 * (y < low).any() + (y > norm.vmax).any()]
    return norm


def _show_scale(axes, shown):
    """A bar of colours beside the axes, with plain numbers."""
    ticker = require("matplotlib.ticker", "display")
    bar = axes[-1].figure.colorbar(shown, ax=axes, shrink=0.8, pad=0.02, extend=shown.norm.ends)
    bar.ax.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
    if isinstance(shown.norm, require("matplotlib.colors", "display").LogNorm):
        bar.ax.yaxis.set_minor_locator(ticker.NullLocator())
        bar.ax.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
