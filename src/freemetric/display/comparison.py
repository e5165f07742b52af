"""Demsar's diagram of average ranks."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np

from ..extras import require
from .style import COLORS, Display, ink, panels


class ComparisonDisplay(Display):
    """Average ranks of methods, joined where Nemenyi's test finds no difference.

    Make one with :meth:`from_errors`.

    Parameters
    ----------
    ranks : Series of shape (n_methods,)
        Average rank of every method; one is the lowest error.
    critical_difference : float
        Difference of average ranks from which two methods differ significantly.
    n_sets : int
        Data sets behind the ranks.
    left_out : tuple, default=()
        Data sets where some method has no result.

    {drawn}

    See Also
    --------
    freemetric.bench.figures : Other figures of a comparison.

    References
    ----------
    J. Demsar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006.

    Examples
    --------
    >>> from freemetric.bench.tables import published_errors
    >>> from freemetric.display import ComparisonDisplay
    >>> display = ComparisonDisplay.from_errors(published_errors(), highlight="DMLFE")
    >>> display.groups()[0]
    ('DMLFE', 'RF', 'DMLMJ', 'LMNN', 'NCA')
    """

    ranks: Any
    critical_difference: float
    _: KW_ONLY
    n_sets: int
    left_out: Sequence[str] = ()

    @classmethod
    def from_errors(cls, errors: Any, *, alpha: float = 0.05, highlight: str | None = None, ax: Any = None) -> Self:  # noqa: D417
        """Rank the methods on every data set and draw their averages.

        Parameters
        ----------
        errors : DataFrame, dict or array-like of shape (n_sets, n_methods)
            Errors; data sets with NaN do not count. A dict has a column per method.
        alpha : float, default=0.05
            Level of significance.
        highlight : str or None, default=None
            Method to draw in colour.
        {ax}
        """
        require("pandas")
        from ..bench.stats import complete_rows, critical_difference

        complete, left_out = complete_rows(errors, highlight)
        n, k = complete.shape
        ranks = complete.rank(axis=1).mean().sort_values(kind="stable")
        display = cls(ranks, critical_difference(k, n, alpha), n_sets=n, left_out=left_out)
        return display.plot(ax, highlight=highlight)

    def groups(self) -> list[tuple[str, ...]]:
        """Names of the largest sets of methods within the critical difference, the best rank first."""
        ranks = self.ranks.sort_values(kind="stable")
        ends = np.searchsorted(ranks, ranks + self.critical_difference, side="left")
        starts = [i for i, end in enumerate(ends) if end > i + 1 and (i == 0 or end > ends[i - 1])]
        return [tuple(ranks.index[i : ends[i]]) for i in starts]

    def plot(self, ax: Any = None, *, highlight: str | None = None) -> Self:
        """Draw; the parameters are those of :meth:`from_errors`."""
        ranks, groups = self.ranks.sort_values(kind="stable"), self.groups()
        half = (len(ranks) + 1) // 2
        bottom = -len(groups) - half - 1  # in lines of text: the bars first, then one line per label
        axes = panels(ax, framed=True, figsize=(8, 0.25 * (4 - bottom)))
        axis = axes[0]
        low, high = np.floor(ranks.min()), np.ceil(max(ranks.max(), ranks.min() + self.critical_difference))
        for line, group in enumerate(groups, start=1):
            axis.plot(ranks[[group[0], group[-1]]], [-line, -line], color=COLORS[0], lw=4, solid_capstyle="round")
        for i, (method, rank) in enumerate(ranks.items()):
            left = i < half
            y = -len(groups) - 1 - (i if left else len(ranks) - 1 - i)
            color, width = (COLORS[3], 2) if method == highlight else (ink(), 1)
            axis.plot([low if left else high, rank, rank], [y, y, 0], color=color, linewidth=width, zorder=1)
            axis.plot(rank, 0, "o", color=color, markersize=4, clip_on=False)
            text = f"{method} ({rank:.2f})  " if left else f"  ({rank:.2f}) {method}"
            axis.text(low if left else high, y, text, ha="right" if left else "left", va="center", color=color)
        # The axis of ranks is at height zero, the critical difference above it.
        axis.yaxis.set_visible(False)
        axis.spines[["left", "right", "bottom"]].set_visible(False)
        axis.spines["top"].set_position("zero")
        axis.xaxis.set_ticks_position("top")
        axis.plot([low, low + self.critical_difference], [2, 2], color=ink(), linewidth=1.5, marker="|")
        text = f"critical difference {self.critical_difference:.2f} of average ranks over {self.n_sets} data sets"
        axis.text(low, 2.3, text, va="bottom", color=ink())
        axis.set(xlim=(low, high), ylim=(bottom, 3.2), xticks=np.arange(low, high + 1))
        return self._keep(axes)
