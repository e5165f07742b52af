"""The paper's figures, of records and of walks.

This module needs the extra ``bench``.
"""

import numpy as np
from sklearn.decomposition import PCA

from ..energies import NCAEnergy
from ..exceptions import require
from ..mc import Annealing, Constant, ElementMove, Geometric
from .measures import curve
from .statistics import posthoc

plt = require("matplotlib.pyplot", "bench")

CONTROL = "#b2182b"
OTHER = "#2166ac"


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
    figure, axes = plt.subplots(figsize=(7, 1.2 + 0.27 * len(ranks)))
    widths = {"Nemenyi": result.nemenyi, "Bonferroni-Dunn": result.bonferroni_dunn}
    for name, width in widths.items():
        ends = (centre - width, centre + width)
        axes.axvspan(*ends, color="black", alpha=0.1, label=f"{name}, ±{width:.2f}")
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


def neighbors_figure(records, dataset):
    """Draw the mean test error of every method over k, on one data set: Fig. 7.

    Parameters
    ----------
    records : list of Record
        Those of a comparison.
    dataset : str
        Name of the data set.

    Returns
    -------
    figure : Figure
        A curve for every method, a dashed line for one without k.
    """
    groups: dict[str, list] = {}
    for record in records:
        if record.job.dataset == dataset and not record.failure:
            groups.setdefault(record.job.method, []).append(record)
    if not groups:
        raise ValueError(f"There are no records of {dataset!r}.")
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for method, group in groups.items():
        errors = curve(group)
        if len(errors) == 1:
            axes.axhline(errors[0], linestyle="--", color="0.5", label=method)
        else:
            axes.plot(np.arange(1, len(errors) + 1), errors, marker=".", label=method)
    axes.set(xlabel="number of neighbours k", ylabel="test error in %", title=dataset)
    figure.legend(loc="outside right upper", frameon=False)
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
        A panel for every snapshot.
    """
    start = np.eye(X.shape[1])[None]
    schedule = Geometric(0.01, 0.9)
    maps, energies = walk(X, y, schedule, start, n_steps, random_state)
    plane = PCA(2).fit(X @ maps[-1][0].T)
    size = (2.6 * n_snapshots, 3)
    figure, panels = plt.subplots(1, n_snapshots, figsize=size, layout="constrained")
    steps = np.linspace(0, len(maps) - 1, n_snapshots).round().astype(int)
    for axes, step in zip(panels, steps, strict=True):
        Z = plane.transform(X @ maps[step][0].T)
        axes.scatter(Z[:, 0], Z[:, 1], c=y, s=9, cmap="tab10")
        title = f"step {step}, energy {energies[step][0]:.3f}"
        axes.set(title=title, xticks=[], yticks=[])
    return figure


def annealing_figure(X, y, n_runs=20, n_steps=100, random_state=0):
    """Draw the energy of annealings and quenches from the same starts: Fig. 6.

    The paper draws one annealing; the ends of several differ as those of quenches do.

    Parameters
    ----------
    X, y : ndarray of shape (n_samples, n_features), ndarray of shape (n_samples,)
        Features in [0, 1] and class numbers.
    n_runs, n_steps : int, default=20, 100
        Walks of each kind, and their Monte Carlo steps.
    random_state : int, default=0
        Seed.

    Returns
    -------
    figure : Figure
        A line for every walk.
    """
    d = X.shape[1]
    starts = np.random.default_rng(random_state).random((n_runs, d, d))
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    ends = []
    kinds = (("quenches", Constant(0.0), OTHER), ("annealings", Geometric(), CONTROL))
    for name, schedule, color in kinds:
        _, energies = walk(X, y, schedule, starts, n_steps, random_state)
        axes.plot(energies, color=color, alpha=0.35, linewidth=1)
        ends.append(f"{name} end at {np.median(energies[-1]):.4f}")
    title = "medians: " + ", ".join(ends)
    axes.set(xlabel="Monte Carlo step", ylabel="energy", title=title)
    return figure
