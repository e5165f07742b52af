"""Comparison of methods over data sets: Demsar's diagram of average ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata, studentized_range

from .style import COLORS, Display, axes_for


def critical_difference(n_methods: int, n_sets: int, alpha: float = 0.05) -> float:
    r"""Return the critical difference of average ranks by Nemenyi's test.

    It is :math:`q_\alpha \sqrt{k (k + 1) / 6 N}` for k methods on N data sets. q is
    the quantile of the studentized range with infinite degrees of freedom, divided by
    :math:`\sqrt 2`.

    Parameters
    ----------
    n_methods : int
        Number of methods, at least two.
    n_sets : int
        Number of data sets.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    difference : float
        Average ranks that differ by more than this differ significantly.

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets",
       Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from freemetric.plotting import critical_difference
    >>> round(critical_difference(4, 14, alpha=0.1), 2)
    1.12
    """
    quantile = studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


@dataclass(eq=False, repr=False)
class ComparisonDisplay(Display):
    """Average ranks of methods, joined where Nemenyi's test finds no difference.

    Make one with :meth:`from_errors`.

    Parameters
    ----------
    names : sequence of str
        The methods, the best one first.
    ranks : ndarray of shape (n_methods,)
        Their average ranks; one is the lowest error.
    difference : float
        Critical difference of average ranks.
    n_sets : int
        Data sets behind the ranks.

    Attributes
    ----------
    ax_, figure_ : Axes, Figure
        The axes and the figure, after :meth:`plot`.

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets",
       Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.plotting import ComparisonDisplay
    >>> errors = np.arange(30.0).reshape(10, 3)  # the first column is always best
    >>> display = ComparisonDisplay.from_errors(errors, ["first", "second", "third"])
    >>> display.groups()
    [('first', 'second'), ('second', 'third')]
    """

    names: Sequence[str]
    ranks: NDArray
    difference: float
    n_sets: int

    @classmethod
    def from_errors(
        cls,
        errors: ArrayLike,
        names: Sequence[str] | None = None,
        *,
        alpha: float = 0.05,
        highlight: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Rank the methods on every data set and draw their average ranks.

        Parameters
        ----------
        errors : array-like or DataFrame of shape (n_sets, n_methods)
            Errors. Data sets where a method has none (NaN) do not count.
        names : sequence of str or None, default=None
            Names of the methods; None takes the columns of a DataFrame.
        alpha : float, default=0.05
            Level of significance.
        highlight : str or None, default=None
            Method to draw in colour.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ComparisonDisplay
            The display, drawn.
        """
        if names is None:
            names = getattr(errors, "columns", [*range(np.shape(errors)[1])])
        table = np.asarray(errors, dtype=float)
        table = table[np.isfinite(table).all(axis=1)]
        if not len(table) or table.shape[1] < 2:
            raise ValueError(
                "Errors of two methods on one data set are needed at least."
            )
        ranks = rankdata(table, axis=1).mean(axis=0)
        order = np.argsort(ranks, kind="stable")
        shown = [str(names[i]) for i in order]
        difference = critical_difference(table.shape[1], len(table), alpha)
        display = cls(shown, ranks[order], difference, len(table))
        return display.plot(ax, highlight=highlight)

    def groups(self) -> list[tuple[str, ...]]:
        """Return the largest groups of methods within the critical difference."""
        groups = []
        last = 0
        for first, rank in enumerate(self.ranks):
            end = np.searchsorted(self.ranks, rank + self.difference, side="right")
            if end > max(last, first + 1):
                groups.append(tuple(self.names[first:end]))
                last = end
        return groups

    def plot(self, ax: Any = None, *, highlight: str | None = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        highlight : str or None, default=None
            Method to draw in colour.

        Returns
        -------
        display : ComparisonDisplay
            The display, with its axes.
        """
        groups = self.groups()
        n_lines = len(groups) + (len(self.names) + 1) // 2
        axis = axes_for(ax, figsize=(8, 0.25 * (n_lines + 5)))[0]
        low = np.floor(self.ranks[0])
        high = np.ceil(max(self.ranks[-1], low + self.difference))
        rank_of = dict(zip(self.names, self.ranks, strict=True))
        for line, group in enumerate(groups, start=1):
            ends = [rank_of[group[0]], rank_of[group[-1]]]
            axis.plot(ends, [-line, -line], color=COLORS[0], linewidth=4)
        self._names(axis, low, high, -len(groups) - 1, highlight)
        self._scale(axis, low, high, -n_lines - 1)
        return self._drawn(axis)

    def _names(self, axis, low, high, top, highlight):
        """Write the better half of the methods on the left, the others on the right."""
        half = (len(self.names) + 1) // 2
        for i, (name, rank) in enumerate(zip(self.names, self.ranks, strict=True)):
            is_left = i < half
            y = top - (i if is_left else len(self.names) - 1 - i)
            side = low if is_left else high
            color = COLORS[3] if name == highlight else "0.4"
            axis.plot([side, rank, rank], [y, y, 0], color=color, linewidth=1)
            text = f"{name} ({rank:.2f}) " if is_left else f" ({rank:.2f}) {name}"
            align = "right" if is_left else "left"
            where = {"ha": align, "va": "center", "parse_math": False}
            axis.text(side, y, text, color=color, **where)

    def _scale(self, axis, low, high, bottom):
        """Put the axis of ranks at height zero, the critical difference above it."""
        axis.yaxis.set_visible(False)
        axis.spines[["left", "right", "bottom"]].set_visible(False)
        axis.spines["top"].set_position("zero")
        axis.xaxis.set_ticks_position("top")
        axis.plot([low, low + self.difference], [2, 2], color="0.4", marker="|")
        words = f"critical difference {self.difference:.2f}, {self.n_sets} data sets"
        axis.text(low, 2.3, words, va="bottom")
        ticks = np.arange(low, high + 1)
        axis.set(xlim=(low, high), ylim=(bottom, 3.5), xticks=ticks)
