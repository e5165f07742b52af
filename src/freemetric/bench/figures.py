"""Figures of comparisons, of records and of walks."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from ..energies import NCAEnergy
from ..extras import require
from ..learners.dmlfe import DMLFE
from ..mc import Annealing, Constant, ElementMove, Geometric
from .records import Record
from .results import curve
from .stats import checked, measure_of, posthoc, wilcoxon

plt = require("matplotlib.pyplot")

CONTROL = "#b2182b"
OTHER = "#2166ac"


def interval_figure(errors: Any, control: str, alpha: float = 0.05) -> Any:
    """Draw average ranks beside the intervals around the control: the paper's figure of post-hoc tests.

    Methods outside an interval differ significantly from the control.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result. At least two methods.
    control : str
        Column that the others are compared with.
    alpha : float, default=0.05
        Level of significance.

    Examples
    --------
    >>> from freemetric.bench.figures import interval_figure
    >>> from freemetric.bench.tables import published_errors
    >>> [label.get_text() for label in interval_figure(published_errors(), "DMLFE").axes[0].get_yticklabels()][:3]
    ['DMLFE (3.38)', 'RF (4.58)', 'DMLMJ (5.17)']
    """
    result = posthoc(errors, control, alpha)
    ranks = result.ranks.sort_values(kind="stable")
    centre, k = ranks[control], len(ranks)
    figure, ax = plt.subplots(figsize=(7, 1.2 + 0.27 * k))
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

    Every panel has the wins, ties and losses of the control. Points below the diagonal, in blue, are its wins. Axes
    have a square-root scale, so that small errors stay apart.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Error in %, NaN where a method has no result. At least two methods.
    control : str
        Method on the vertical axes.

    Examples
    --------
    >>> from freemetric.bench.figures import scatter_figure
    >>> from freemetric.bench.tables import published_errors
    >>> scatter_figure(published_errors(), "DMLFE").axes[0].get_title()
    'RF  15 / 0 / 21'
    """
    measure, errors = measure_of(errors), checked(errors, control)
    pairs = wilcoxon(errors, control)
    if pairs.empty:
        raise ValueError(f"There is no other method to compare {control!r} with.")
    n_columns = min(4, len(pairs))
    n_rows = -(-len(pairs) // n_columns)
    size = (2.5 * n_columns, 2.6 * n_rows + 0.5)
    grid = {"sharex": True, "sharey": True, "squeeze": False}
    figure, axes = plt.subplots(n_rows, n_columns, figsize=size, layout="constrained", **grid)
    panels = axes.ravel()
    highest = errors.max().max()
    unit = 0.01 if highest < 0.7 else 1  # of a score that is no percentage
    top = max(1.05 * highest, unit)
    ticks = [unit * tick for tick in (0, 1, 5, 10, 20, 40, 70, 100, 200, 400) if unit * tick <= top]

    def root(x):  # matplotlib also calls it beyond the ends of the axis
        return np.sqrt(np.maximum(x, 0))

    for ax, pair in zip(panels, pairs.itertuples(), strict=False):
        colors = np.where(errors[control] > errors[pair.Index], CONTROL, OTHER)
        ax.plot([0, top], [0, top], color="0.6", linewidth=0.8)
        ax.scatter(errors[pair.Index], errors[control], c=colors, s=16, alpha=0.7, linewidth=0)
        ax.set_title(f"{pair.Index}  {pair.wins} / {pair.ties} / {pair.losses}", fontsize=10)
        ax.set_xscale("function", functions=(root, np.square))
        ax.set_yscale("function", functions=(root, np.square))
        ax.set(xlim=(0, top), ylim=(0, top), xticks=ticks, yticks=ticks, aspect="equal")
    for ax in panels[len(pairs) :]:
        ax.remove()
    for ax in panels[len(pairs) - n_columns : len(pairs)]:
        ax.xaxis.set_tick_params(labelbottom=True)
    figure.suptitle(f"wins / ties / losses of {control}", fontsize=11)
    figure.supxlabel(f"{measure}, the other method", fontsize=11)
    figure.supylabel(f"{measure}, {control}", fontsize=11)
    return figure


def neighbors_figure(records: Iterable[Record], dataset: str) -> Any:
    """Mean test error of every method over the number of neighbours, on one data set: the paper's Fig. 7."""
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    groups: dict[str, list[Record]] = {}
    for record in records:
        if record.job.dataset == dataset and not record.failure:
            groups.setdefault(record.job.method, []).append(record)
    if not groups:
        raise ValueError(f"There are no records of {dataset!r}.")
    for method, group in groups.items():
        errors = curve(group)
        if len(errors) == 1:
            axes.axhline(errors[0], linestyle="--", linewidth=1, color="0.5", label=method)
        else:
            axes.plot(np.arange(1, len(errors) + 1), errors, marker=".", label=method)
    axes.set(xlabel="number of neighbours k", ylabel="test error in %", title=dataset)
    figure.legend(loc="outside right upper", frameon=False, fontsize="small")
    return figure


def snapshots_figure(
    X: NDArray, y: NDArray, n_snapshots: int = 6, *, sampler: Any = None, random_state: int | None = 0
) -> Any:
    """The space while it is learned, from the first step to the last, with the map below: the paper's Fig. 3.

    Two features of X are shown as they are mapped; more are projected on the two main directions of the final space.
    """
    sampler = sampler or Annealing(Geometric(0.01, 0.9), n_steps=60)
    model = DMLFE(sampler=sampler, random_state=random_state).fit(X, y)
    steps = [*model.snapshots_["step"], model.n_iter_ + 1]
    maps = [*model.snapshots_["map"], model.components_]
    shown = np.unique(np.linspace(0, len(maps) - 1, n_snapshots).round().astype(int))
    plane = PCA(2).fit(X @ model.components_.T).components_ if X.shape[1] > 2 else np.eye(2)
    figure, axes = plt.subplots(1, len(shown), figsize=(2.6 * len(shown), 3.4), layout="constrained")
    for axis, place in zip(np.atleast_1d(axes), shown, strict=True):
        A = maps[place]
        Z = (X - X.mean(axis=0)) @ A.T @ plane.T
        for c in np.unique(y):
            axis.scatter(*Z[y == c].T, s=9, alpha=0.7)
        rows = "\n".join("  ".join(f"{value:6.2f}" for value in row[:4]) for row in A[:4])
        axis.set(title=f"step {steps[place]}", xticks=[], yticks=[], aspect="equal", adjustable="datalim")
        axis.set_xlabel(rows, family="monospace", fontsize=7)
    return figure


def annealing_figure(
    X: NDArray, y: NDArray, n_runs: int = 20, n_steps: int = 100, *, random_state: int | None = 0
) -> Any:
    """Energy over Monte Carlo steps, annealings against quenches from the same random starts: the paper's Fig. 6.

    The paper draws one annealing; the ends of several differ as those of quenches do.
    """
    move = ElementMove(1.0, n_moves="samples", target_acceptance=None)
    rng = np.random.default_rng(random_state)
    bound = NCAEnergy().bind(X, y)
    starts = rng.random((n_runs, X.shape[1], X.shape[1]))
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    kinds = (("quenches", Constant(0.0), "tab:blue"), ("annealings", Geometric(0.1, 0.9), "tab:red"))
    for name, schedule, color in kinds:
        run = Annealing(schedule, move, n_steps=n_steps).iterate(rng, bound, starts)
        walks = np.array([state.energy for state, _ in run])
        axes.plot(walks, color=color, alpha=0.35, linewidth=1)
        axes.plot([], [], color=color, label=f"{n_runs} {name}, median end {np.median(walks[-1]):.4f}")
    axes.set(xlabel="Monte Carlo step", ylabel="energy")
    axes.legend(frameon=False)
    return figure


def race_figure(curves: Mapping[str, tuple[NDArray, NDArray]], title: str = "") -> Any:
    """Lowest energy over wall-clock time of every optimiser, from :func:`freemetric.bench.race.race`."""
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for name, (seconds, lowest) in curves.items():
        axes.step(np.maximum(seconds, 1e-3), np.maximum(lowest, 1e-6), where="post", label=f"{name}: {lowest[-1]:.4f}")
    axes.set(xscale="log", yscale="log", xlabel="seconds", ylabel="lowest energy so far", title=title)
    figure.legend(loc="outside right upper", frameon=False, fontsize="small")
    return figure


def save(figure: Any, path: str | os.PathLike) -> None:
    """Write a figure; the ending of the path chooses PNG, SVG or another format."""
    # neither date nor random names: the same figure is the same file
    with plt.rc_context({"svg.hashsalt": "freemetric"}):
        figure.savefig(path, bbox_inches="tight", dpi=150, metadata={"Date": None})
