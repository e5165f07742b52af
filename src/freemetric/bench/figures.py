"""Figures of records and of walks: error against k, snapshots of a space being learned, annealing against quenches."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from ..energies import as_energy
from ..extras import require
from ..learners.dmlfe import DMLFE
from ..mc import Annealing, Constant, ElementMove, Geometric
from .records import Record
from .results import curve

plt = require("matplotlib.pyplot")


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
    walk = _Recorder(sampler or Annealing(Geometric(0.01, 0.9), n_steps=60))
    model = DMLFE(sampler=walk, random_state=random_state).fit(X, y)
    walk.maps.append(model.components_)
    shown = np.unique(np.linspace(0, len(walk.maps) - 1, n_snapshots).round().astype(int))
    plane = PCA(2).fit(X @ model.components_.T).components_ if X.shape[1] > 2 else np.eye(2)
    figure, axes = plt.subplots(1, len(shown), figsize=(2.6 * len(shown), 3.4), layout="constrained")
    for axis, step in zip(np.atleast_1d(axes), shown, strict=True):
        A = walk.maps[step]
        Z = (X - X.mean(axis=0)) @ A.T @ plane.T
        for c in np.unique(y):
            axis.scatter(*Z[y == c].T, s=9, alpha=0.7)
        rows = "\n".join("  ".join(f"{value:6.2f}" for value in row[:4]) for row in A[:4])
        axis.set(title=f"step {step}", xticks=[], yticks=[], aspect="equal", adjustable="datalim")
        axis.set_xlabel(rows, family="monospace", fontsize=7)
    return figure


def annealing_figure(
    X: NDArray,
    y: NDArray,
    n_quenches: int = 20,
    n_steps: int = 100,
    *,
    energy: Any = None,
    random_state: int | None = 0,
) -> Any:
    """Energy over Monte Carlo steps, one annealing against quenches from random starts: the paper's Fig. 6."""
    move = ElementMove(1.0, n_moves="samples", target_acceptance=None)
    rng = np.random.default_rng(random_state)
    bound = as_energy("nca" if energy is None else energy).bind(X, y)
    starts = rng.random((n_quenches, X.shape[1], X.shape[1]))
    quenches = _energies(Annealing(Constant(0.0), move, n_steps=n_steps), rng, bound, starts)
    annealed = _energies(Annealing(Geometric(0.1, 0.9), move, n_steps=n_steps), rng, bound, starts[:1])
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.plot(quenches, color="tab:blue", alpha=0.35, linewidth=1)
    axes.plot([], [], color="tab:blue", label=f"{n_quenches} quenches")
    axes.plot(annealed, color="tab:red", label="annealing")
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


def _energies(sampler, rng, energy, A):
    return np.array([state.energy for state, _ in sampler.iterate(rng, energy, A)])


class _Recorder(Annealing):
    """A sampler that remembers the map of its first replica after every step."""

    def __init__(self, sampler):
        self.sampler, self.maps = sampler, []

    @property
    def n_replicas(self):
        return self.sampler.n_replicas

    def iterate(self, rng, energy, A):
        self.maps.append(A[0])
        for state, info in self.sampler.iterate(rng, energy, A):
            self.maps.append(state.A[0])
            yield state, info
