"""The paper's figures, of records and of walks.

This module needs the extra ``bench``.
"""

import numpy as np
from sklearn.decomposition import PCA

from ..energies import NCAEnergy
from ..exceptions import require
from ..learners import DMLFE
from ..mc import Annealing, Constant, ElementMove, Geometric
from .measures import curve
from .statistics import posthoc

plt = require("matplotlib.pyplot", "bench")

CONTROL = "#b2182b"
OTHER = "#2166ac"
DARK = 0.7  # share of the colour range from which on black text is hard to read
COLORS = plt.get_cmap("tab20").colors
FAMILIES = {
    "classical": ("RF", "Euclidean"),
    "eigenvalue": ("PCA", "RCA", "DCA", "LFDA", "DMLeig", "DMLMJ"),
    "convex": ("SCML", "LMNN"),
    "non-convex": ("ITML", "NCA"),
}
"""The methods of every panel of Fig. 4, as the heading of Table 3 has them."""


def interval_figure(errors, control, alpha=0.05):
    """Draw average ranks and the intervals around the control: post-hoc tests.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Errors, NaN where a method has no result. At least two methods.
    control : str
        Method that the others are compared with.
    alpha : float, default=0.05
        Level of significance.

    Returns
    -------
    figure : Figure
        Methods outside an interval differ significantly from the control.

    Examples
    --------
    >>> from freemetric.experiments.figures import interval_figure
    >>> from freemetric.experiments.paper import published_errors
    >>> axes = interval_figure(published_errors(), "DMLFE").axes[0]
    >>> [label.get_text() for label in axes.get_yticklabels()][:3]
    ['DMLFE (3.38)', 'RF (4.58)', 'DMLMJ (5.17)']
    """
    result = posthoc(errors, control, alpha)
    ranks = result.ranks.sort_values(kind="stable")
    centre = ranks[control]
    size = (7, 1.2 + 0.27 * len(ranks))
    figure, axes = plt.subplots(figsize=size, layout="constrained")
    widths = {"Nemenyi": result.nemenyi, "Bonferroni-Dunn": result.bonferroni_dunn}
    for (name, width), gray in zip(widths.items(), ("0.9", "0.8"), strict=True):
        ends = (centre - width, centre + width)
        axes.axvspan(*ends, color=gray, label=f"{name}, ±{width:.2f}")
    axes.axvline(centre, color=CONTROL, linewidth=0.8)
    for position, (method, rank) in enumerate(ranks.items()):
        color = CONTROL if method == control else OTHER
        fill = color if abs(rank - centre) < result.nemenyi else "white"
        axes.plot(rank, position, "o", color=color, markerfacecolor=fill)
    labels = [f"{method} ({rank:.2f})" for method, rank in ranks.items()]
    axes.set_yticks(range(len(ranks)), labels)
    axes.invert_yaxis()
    axes.set_xlabel(f"average rank over {result.n_sets} data sets (alpha = {alpha:g})")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, frameon=False)
    return figure


def neighbors_figure(records, datasets):
    """Draw the mean test error of every method over k: the paper's Fig. 7.

    Parameters
    ----------
    records : list of Record
        Those of a comparison.
    datasets : list of str
        Names of the data sets, one for each panel.

    Returns
    -------
    figure : Figure
        A curve for every method, a dashed line for one without k.
    """
    figure, panels = side_by_side(len(datasets))
    for axes, name in zip(panels, datasets, strict=True):
        of_set = [r for r in records if r.job.dataset == name and not r.failure]
        if not of_set:
            raise ValueError(f"There are no records of {name!r}.")
        methods = dict.fromkeys(record.job.method for record in of_set)
        for number, method in enumerate(methods):
            errors = curve([r for r in of_set if r.job.method == method])
            color = COLORS[number % len(COLORS)]
            if len(errors) == 1:
                axes.axhline(errors[0], linestyle="--", color=color, label=method)
            else:
                k = np.arange(1, len(errors) + 1)
                axes.plot(k, errors, marker=".", color=color, label=method)
        axes.set(xlabel="number of neighbours k", ylabel="test error in %", title=name)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", frameon=False)
    return figure


def pairwise_figure(errors, control="DMLFE"):
    """Draw the error of one method against that of each other: the paper's Fig. 4.

    Parameters
    ----------
    errors : DataFrame of shape (n_sets, n_methods)
        Errors in % by the names in the paper.
    control : str, default="DMLFE"
        The method whose errors are on the vertical axes.

    Returns
    -------
    figure : Figure
        A panel for every family of methods. The control is better on the data sets
        below the diagonal.

    Examples
    --------
    >>> from freemetric.experiments.figures import pairwise_figure
    >>> from freemetric.experiments.paper import published_errors
    >>> axes = pairwise_figure(published_errors()).axes[0]
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['RF: 15 of 36 below', 'Euclidean: 30 of 36 below']
    """
    families = {
        family: [method for method in methods if method in errors]
        for family, methods in FAMILIES.items()
    }
    shown = {family: methods for family, methods in families.items() if methods}
    figure, panels = side_by_side(len(shown))
    for axes, (family, methods) in zip(panels, shown.items(), strict=True):
        for method in methods:
            pairs = errors[[method, control]].dropna()
            below = (pairs[control] < pairs[method]).sum()
            label = f"{method}: {below} of {len(pairs)} below"
            axes.plot(pairs[method], pairs[control], ".", label=label)
        axes.axline((0, 0), slope=1, color="0.5", linewidth=0.8)
        axes.set(title=family, xlabel="error in %", ylabel=f"error of {control} in %")
        axes.legend(frameon=False, fontsize="small")
    return figure


def side_by_side(n_panels):
    """Return a figure and its panels in a row."""
    figure, panels = plt.subplots(
        1,
        n_panels,
        figsize=(max(4.5 * n_panels, 7), 4.5),
        layout="constrained",
        squeeze=False,
    )
    return figure, panels[0]


def intuition_figure(random_state=0):
    """Draw two classes before and after a map is learned: the paper's Fig. 1.

    Parameters
    ----------
    random_state : int, default=0
        Seed of the samples and of the walk.

    Returns
    -------
    figure : Figure
        The classes differ along a direction in which they hardly spread, so that
        neighbours mix under the map A; B has learned it.
    """
    rng = np.random.default_rng(random_state)
    y = np.repeat([0, 1], 40)
    along = rng.normal(size=80)
    across = 0.03 * rng.normal(size=80) + 0.15 * y
    X = np.column_stack([along + across, along - across])
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    energy = NCAEnergy().bind(X, y)
    learned = DMLFE(random_state=random_state).fit(X, y).components_
    figure, panels = side_by_side(2)
    for axes, name, A in zip(panels, "AB", (np.eye(2), learned), strict=True):
        Z = X @ A.T
        axes.scatter(Z[:, 0], Z[:, 1], c=np.where(y == 1, CONTROL, OTHER), s=12)
        rows = ", ".join(f"({row[0]:.1f}, {row[1]:.1f})" for row in A)
        title = f"{name} = [{rows}], energy {energy(A[None])[0]:.2f}"
        axes.set(title=title, xticks=[], yticks=[])
    return figure


def trials_figure(X, y, n_trials=6, temperature=0.1, random_state=0):
    """Draw trials of Metropolis Monte Carlo on a matrix: the paper's Fig. 2.

    Parameters
    ----------
    X, y : ndarray of shape (n_samples, n_features), ndarray of shape (n_samples,)
        Features in [0, 1] and class numbers.
    n_trials : int, default=6
        Panels.
    temperature : float, default=0.1
        T of the acceptance.
    random_state : int, default=0
        Seed.

    Returns
    -------
    figure : Figure
        The elements of every candidate B; its background is the deviation B - A.
    """
    rng = np.random.default_rng(random_state)
    energy = NCAEnergy().bind(X, y)
    A = np.eye(X.shape[1])
    figure, panels = side_by_side(n_trials)
    for axes in panels:
        step = rng.uniform(-1, 1, A.shape)
        rise = energy((A + step)[None])[0] - energy(A[None])[0]
        chance = np.exp(-max(rise, 0.0) / temperature)
        is_accepted = rng.random() <= chance
        axes.imshow(step, cmap="RdBu", vmin=-1, vmax=1)
        for (row, column), value in np.ndenumerate(A + step):
            color = "white" if abs(step[row, column]) > DARK else "black"
            text = f"{value:.1f}"
            axes.text(column, row, text, ha="center", va="center", color=color)
        outcome = "accepted" if is_accepted else "rejected"
        title = f"$\\Delta E$ = {rise:+.3f}, W = {chance:.2f}\n{outcome}"
        axes.set(title=title, xticks=[], yticks=[])
        A = A + step if is_accepted else A
    return figure


def walk(X, y, schedule, starts, n_steps, random_state=0):
    """Return the states of a walk of the paper: the starts, then one of every step.

    Parameters
    ----------
    X, y : ndarray of shape (n_samples, n_features), ndarray of shape (n_samples,)
        Features in [0, 1] and class numbers.
    schedule : Schedule
        Temperatures.
    starts : ndarray of shape (n_replicas, n_components, n_features)
        Maps to start from.
    n_steps : int
        Monte Carlo steps of n_samples trials.
    random_state : int, default=0
        Seed.

    Returns
    -------
    maps, energies : list of ndarray
        Maps (n_replicas, n_components, n_features), and their energies (n_replicas,).
    """
    move = ElementMove(1.0, n_moves="samples", target_acceptance=None)
    energy = NCAEnergy().bind(X, y)
    sampler = Annealing(schedule, move, n_steps=n_steps)
    maps, energies = [starts], [energy(starts)]
    for state, _ in sampler.iterate(
        np.random.default_rng(random_state), energy, starts
    ):
        maps.append(state.A.copy())
        energies.append(state.energy.copy())
    return maps, energies


def snapshots_figure(X, y, n_snapshots=6, n_steps=60, random_state=0):
    """Draw the space while it is annealed, from the identity to the end: Fig. 3.

    Parameters
    ----------
    X, y : ndarray of shape (n_samples, n_features), ndarray of shape (n_samples,)
        Features in [0, 1] and class numbers. Drawn are the two main directions of the
        final space.
    n_snapshots, n_steps : int, default=6, 60
        Panels, and Monte Carlo steps.
    random_state : int, default=0
        Seed.

    Returns
    -------
    figure : Figure
        A panel for every snapshot, and its matrix below.
    """
    start = np.eye(X.shape[1])[None]
    schedule = Geometric(0.01, 0.9)
    maps, energies = walk(X, y, schedule, start, n_steps, random_state)
    plane = PCA(2).fit(X @ maps[-1][0].T)
    size = (2.6 * n_snapshots, 5)
    figure, panels = plt.subplots(2, n_snapshots, figsize=size, layout="constrained")
    steps = np.linspace(0, len(maps) - 1, n_snapshots).round().astype(int)
    largest = abs(maps[-1]).max()
    for axes, below, step in zip(*panels, steps, strict=True):
        A = maps[step][0]
        Z = plane.transform(X @ A.T)
        axes.scatter(Z[:, 0], Z[:, 1], c=y, s=9, cmap="tab10")
        axes.set(title=f"step {step}, energy {energies[step][0]:.3f}")
        below.imshow(A, cmap="RdBu", vmin=-largest, vmax=largest)
        for panel in (axes, below):
            panel.set(xticks=[], yticks=[])
    return figure


def annealing_figure(data, n_runs=20, n_steps=100, random_state=0):
    """Draw the energy of annealings and quenches from the same starts: Fig. 6.

    The paper draws one annealing; the ends of several differ as those of quenches do.
    Its caption says free energy, its text energy: drawn is the energy.

    Parameters
    ----------
    data : dict of (X, y)
        Features in [0, 1] and class numbers of every panel, by its title.
    n_runs, n_steps : int, default=20, 100
        Walks of each kind, and their Monte Carlo steps.
    random_state : int, default=0
        Seed.

    Returns
    -------
    figure : Figure
        A line for every walk.
    """
    figure, panels = side_by_side(len(data))
    kinds = (("quenches", Constant(0.0), OTHER), ("annealings", Geometric(), CONTROL))
    for axes, (title, (X, y)) in zip(panels, data.items(), strict=True):
        d = X.shape[1]
        starts = np.random.default_rng(random_state).random((n_runs, d, d))
        for name, schedule, color in kinds:
            _, energies = walk(X, y, schedule, starts, n_steps, random_state)
            axes.plot(energies, color=color, alpha=0.35, linewidth=1)
            end = np.median(energies[-1])
            axes.plot([], color=color, label=f"{name}, median of the ends {end:.4f}")
        axes.set(xlabel="Monte Carlo step", ylabel="energy", title=title)
        axes.legend(frameon=False)
    return figure
