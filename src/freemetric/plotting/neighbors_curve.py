"""Loss against the number of neighbours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .parts import needed_part
from .style import COLORS, Display, axes_for, legend_beside

LOSSES = {"oob_loss": "out-of-bag loss", "error": "error in inner folds"}
LARGEST_MARK = 120
TICKS = (1, 2, 3, 5, 8, 13, 20, 32, 50, 100)  # where there are more numbers


@dataclass(frozen=True)
class Curve:
    """Losses of a candidate for several numbers of neighbours.

    Parameters
    ----------
    name : str
        View and form of the candidate; empty where there is one only.
    n_neighbors, loss, weight : ndarray of shape (n_numbers,)
        Numbers of neighbours, their losses, and their weights in the prediction.
    """

    name: str
    n_neighbors: NDArray
    loss: NDArray
    weight: NDArray


@dataclass(eq=False, repr=False)
class NeighborsCurveDisplay(Display):
    """Loss against the number of neighbours.

    An ensemble has a line for each candidate, with marks as large as the weights in
    its prediction. Make one with :meth:`from_estimator`.

    Parameters
    ----------
    curves : sequence of Curve
        The candidates, the one with the largest weight first.
    label : str
        What the losses are.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and the figure, after :meth:`plot`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import LFDA, MetricKNeighborsClassifier
    >>> from freemetric.plotting import NeighborsCurveDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MetricKNeighborsClassifier(LFDA(), random_state=0).fit(X, y)
    >>> display = NeighborsCurveDisplay.from_estimator(model)
    >>> int(display.curves[0].n_neighbors.max())
    40
    """

    curves: Sequence[Curve]
    label: str

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the losses that the fit of a model has compared.

        Parameters
        ----------
        estimator : estimator
            A fitted ensemble or MetricKNeighbors model, or a model with one.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : NeighborsCurveDisplay
            The display, drawn.
        """
        return cls.of(estimator).plot(ax, **kwargs)

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Return the display without drawing it; see :meth:`from_estimator`."""
        wanted = "a model that chose its number of neighbours"
        selection = needed_part(estimator, wanted, "selection_").model.selection_
        loss = next(name for name in LOSSES if name in selection)
        return cls(curves_of(selection, loss), LOSSES[loss])

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : NeighborsCurveDisplay
            The display, with its axes.
        """
        axis = axes_for(ax, figsize=(8, 4.2))[0]
        largest = max(curve.weight.max() for curve in self.curves) or 1
        for i, curve in enumerate(self.curves):
            color = COLORS[i % len(COLORS)]
            style = {"color": color, "label": self.words(curve)}
            axis.plot(curve.n_neighbors, curve.loss, **{**style, **kwargs})
            area = LARGEST_MARK * curve.weight / largest
            axis.scatter(curve.n_neighbors, curve.loss, area, color=color, alpha=0.7)
        axis.set(xscale="log", xlabel="number of neighbours", ylabel=self.label)
        ticks = self.ticks()
        axis.set_xticks(ticks, [str(k) for k in ticks])
        axis.set_xticks([], minor=True)
        if len(self.curves) > 1:
            legend_beside(axis, "view/form: weight")
        return self._drawn(axis)

    def ticks(self) -> NDArray:
        """Return the numbers of neighbours to write at the axis."""
        numbers = np.unique(np.concatenate([c.n_neighbors for c in self.curves]))
        return numbers if len(numbers) <= len(TICKS) + 2 else np.array(TICKS)

    def words(self, curve: Curve) -> str:
        """Return the label of a curve: its name and its weight in the prediction."""
        if len(self.curves) == 1:
            return self.label
        return f"{curve.name}: {curve.weight.sum():.0%}"


def curves_of(selection: Mapping[str, NDArray], loss: str) -> list[Curve]:
    """Return the candidates of a selection, the one with the largest weight first."""
    k = np.asarray(selection["n_neighbors"])
    losses = np.asarray(selection[loss], dtype=float)
    chosen = np.arange(len(k)) == np.argmin(losses)
    weights = np.asarray(selection.get("weight", chosen))
    names = np.array([candidate_name(selection, i) for i in range(len(k))])
    curves = []
    for name in dict.fromkeys(names):
        rows = np.flatnonzero(names == name)
        rows = rows[np.argsort(k[rows], kind="stable")]
        curves.append(Curve(name, k[rows], losses[rows], weights[rows].astype(float)))
    return sorted(curves, key=lambda curve: -curve.weight.sum())


def candidate_name(selection: Mapping[str, NDArray], row: int) -> str:
    """Return the view and the form in a row of a selection, and bags if they differ."""
    if "view" not in selection:
        return ""
    name = f"{selection['view'][row]}/{selection['form'][row]}"
    sizes = selection.get("bag_size", [0])
    return name if len(set(sizes)) == 1 else f"{name}, bags of {sizes[row]}"
