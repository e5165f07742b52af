"""Figures of a comparison: Demsar's diagram, intervals around a control, and pairwise scatter plots."""

import os
from typing import Any

import numpy as np

from ..extras import require
from .checks import checked, complete_rows, words_of
from .signed_rank import wilcoxon
from .stats import critical_difference, posthoc

matplotlib = require("matplotlib")
Figure = require("matplotlib.figure").Figure

__all__ = ["interval_figure", "rank_diagram", "save", "scatter_figure"]

INK = "0.15"
CONTROL = "#b2182b"
OTHER = "#2166ac"


def rank_diagram(errors: Any, alpha: float = 0.05, highlight: str | None = None) -> Any:
    """Draw Demsar's diagram: methods along the axis of average ranks, joined where Nemenyi's test cannot part them.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result. At least two methods.
    alpha : float, default=0.05
        Level of significance.
    highlight : str or None, default=None
        Method to draw in colour.

    Returns
    -------
    matplotlib.figure.Figure
        The diagram, over the data sets where all methods have a result.

    References
    ----------
    J. Demsar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006.

    Examples
    --------
    >>> from freemetric.bench.critical_difference import rank_diagram
    >>> from freemetric.bench.tables import published_errors
    >>> len(rank_diagram(published_errors(), highlight="DMLFE").axes)
    1
    """
    complete, _ = complete_rows(errors, highlight)
    n, k = complete.shape
    width = critical_difference(k, n, alpha)
    ranks = complete.rank(axis=1).mean()
    sp = require("scikit_posthocs")
    figure = Figure()
    ax = figure.subplots()
    drawn = sp.critical_difference_diagram(
        ranks,
        sp.posthoc_nemenyi_friedman(complete),
        alpha=alpha,
        ax=ax,
        label_fmt_left="{label} ({rank:.2f}) ",
        label_fmt_right=" ({rank:.2f}) {label}",
        color_palette={method: CONTROL if method == highlight else INK for method in ranks.index},
        crossbar_props={"linewidth": 4, "color": OTHER, "solid_capstyle": "round"},
        elbow_props={"linewidth": 1},
        marker_props={"s": 18},
    )
    first, last = np.floor(ranks.min()), max(np.ceil(ranks.max()), np.ceil(ranks.min() + width))
    lowest = min(label.get_position()[1] for label in drawn["labels"])
    ax.set(xlim=(first, last), ylim=(lowest - 0.5, 3.5), xticks=np.arange(first, last + 1))
    # one line of the diagram is one unit high, so that labels keep their distance whatever their number
    figure.set_size_inches(8, 0.24 * (4 - lowest))
    ax.plot([first, first + width], [2.1, 2.1], color=INK, linewidth=1.5, marker="|")
    ax.text(first, 2.4, f"critical difference {width:.2f} of average ranks over {n} data sets", va="bottom", color=INK)
    return figure


def interval_figure(errors: Any, control: str, alpha: float = 0.05) -> Any:
    """Draw average ranks beside the intervals around the control: the paper's figure of post-hoc tests.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result. At least two methods.
    control : str
        Column that the others are compared with.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    matplotlib.figure.Figure
        Methods from the best to the worst rank; those outside an interval differ significantly from the control.

    Examples
    --------
    >>> from freemetric.bench.critical_difference import interval_figure
    >>> from freemetric.bench.tables import published_errors
    >>> [label.get_text() for label in interval_figure(published_errors(), "DMLFE").axes[0].get_yticklabels()][:3]
    ['DMLFE (3.38)', 'RF (4.58)', 'DMLMJ (5.17)']
    """
    result = posthoc(errors, control, alpha)
    ranks = result.ranks.sort_values(kind="stable")
    centre, k = ranks[control], len(ranks)
    figure = Figure(figsize=(7, 1.2 + 0.27 * k))
    ax = figure.subplots()
    intervals = [("Nemenyi", result.nemenyi, "0.92"), ("Bonferroni-Dunn", result.bonferroni_dunn, "0.83")]
    for name, width, shade in sorted(intervals, key=lambda interval: -interval[1]):
        ax.axvspan(centre - width, centre + width, color=shade, linewidth=0, label=f"{name}, \u00b1{width:.2f}")
    for position, (method, rank) in enumerate(ranks.items()):
        inside = abs(rank - centre) < result.nemenyi
        color = CONTROL if method == control else OTHER
        ax.plot(rank, position, "o", color=color, markerfacecolor=color if inside else "white")
    ax.axvline(centre, color=CONTROL, linewidth=0.8, zorder=1)
    ax.set_yticks(range(k), [f"{method} ({rank:.2f})" for method, rank in ranks.items()])
    ax.set(xlim=(min(1, ranks.min()) - 0.3, k + 0.3), ylim=(k - 0.4, -0.6))
    ax.set_xlabel(f"average rank over {result.n_sets} data sets (intervals around {control}, alpha = {alpha:g})")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, frameon=False)
    return figure


def scatter_figure(errors: Any, control: str) -> Any:
    """Plot the error, or another measure, of the control against that of each other method, one point per data set.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result. At least two methods.
    control : str
        Method on the vertical axes.

    Returns
    -------
    matplotlib.figure.Figure
        One panel per other method, with wins, ties and losses of the control; points below the diagonal, in blue, are
        its wins. Axes have a square-root scale, so that small errors stay apart.

    Examples
    --------
    >>> from freemetric.bench.critical_difference import scatter_figure
    >>> from freemetric.bench.tables import published_errors
    >>> scatter_figure(published_errors(), "DMLFE").axes[0].get_title()
    'RF  15 / 0 / 21'
    """
    words, errors = words_of(errors), checked(errors, control)
    pairs = wilcoxon(errors, control)
    if pairs.empty:
        raise ValueError(f"There is no other method to compare {control!r} with.")
    n_columns = min(4, len(pairs))
    n_rows = -(-len(pairs) // n_columns)
    figure = Figure(figsize=(2.5 * n_columns, 2.6 * n_rows + 0.5), layout="constrained")
    panels = figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False).ravel()
    highest = errors.max().max()
    unit = 0.01 if highest < 0.7 else 1  # of a score that is no percentage
    top = max(1.05 * highest, unit)
    ticks = [unit * tick for tick in (0, 1, 5, 10, 20, 40, 70, 100, 200, 400) if unit * tick <= top]
    for ax, pair in zip(panels, pairs.itertuples(), strict=False):
        colors = np.where(errors[control] > errors[pair.Index], CONTROL, OTHER)
        ax.plot([0, top], [0, top], color="0.6", linewidth=0.8)
        ax.scatter(errors[pair.Index], errors[control], c=colors, s=16, alpha=0.7, linewidth=0)
        ax.set_title(f"{pair.Index}  {pair.wins} / {pair.ties} / {pair.losses}", fontsize=10)
        ax.set_xscale("function", functions=(_root, np.square))
        ax.set_yscale("function", functions=(_root, np.square))
        ax.set(xlim=(0, top), ylim=(0, top), xticks=ticks, yticks=ticks, aspect="equal")
    for ax in panels[len(pairs) :]:
        ax.remove()
    for ax in panels[len(pairs) - n_columns : len(pairs)]:
        ax.xaxis.set_tick_params(labelbottom=True)
    figure.suptitle(f"wins / ties / losses of {control}", fontsize=11)
    figure.supxlabel(f"{words}, the other method", fontsize=11)
    figure.supylabel(f"{words}, {control}", fontsize=11)
    return figure


def _root(x):
    # matplotlib also asks beyond the ends of the axis
    return np.sqrt(np.maximum(x, 0))


def save(figure: Any, path: str | os.PathLike) -> None:
    """Write a figure; the ending of the path chooses PNG, SVG or another format."""
    # neither date nor random names: the same figure is the same file
    with matplotlib.rc_context({"svg.hashsalt": "freemetric"}):
        figure.savefig(path, bbox_inches="tight", dpi=150, metadata={"Date": None})
