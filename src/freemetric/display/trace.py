"""Runs: energy, temperature and acceptance over Monte Carlo steps; free energy and heat capacity over temperature."""

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..learners.learned_space import part_with
from ..thermodynamics import ModelThermodynamics
from .style import COLORS, Display, legend_above, panels

QUANTITIES = ("energy", "temperature", "acceptance")
WINDOW = 10


class TraceDisplay(Display):
    """Energy, temperature and acceptance of the replicas over Monte Carlo steps.

    Make one with :meth:`from_estimator`.

    Parameters
    ----------
    trace : dict of ndarray of shape (n_steps, n_replicas)
        "energy", "temperature" and "acceptance"; NaN where a replica has ended before the others.
    estimator_name : str or None, default=None
        Name in the title.

    Attributes
    ----------
    ax_, figure_ : ndarray of Axes, Figure
        The axes, one for each quantity, and the figure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import DMLFE
    >>> from freemetric.display import TraceDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DMLFE(random_state=0).fit(X / X.max(axis=0), y)
    >>> [ax.get_ylabel() for ax in TraceDisplay.from_estimator(model).ax_]
    ['energy', 'temperature', 'acceptance']
    """

    trace: Mapping[str, NDArray]
    _: KW_ONLY
    estimator_name: str | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, *, lines: bool | None = None, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the trace of a fitted estimator.

        Parameters
        ----------
        estimator : DMLFE, FreeEnergyClassifier, or a pipeline or classifier with one
            Fitted.
        lines : bool or None, default=None
            True draws a line for every replica, False the median in a band from the lowest to the highest; None draws
            lines where temperatures differ. Acceptance of one trial a step is averaged over ten steps.
        ax : array-like of three Axes or None, default=None
            Where to draw energy, temperature and acceptance; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.
        """
        _, walker = part_with(estimator, ("trace_",), "an estimator that walks by Monte Carlo, such as DMLFE")
        if not walker.trace_:
            raise ValueError(f"{type(walker).__name__} has sampled no metric, so there is no trace to show.")
        return cls(walker.trace_, estimator_name=type(walker).__name__).plot(ax, lines=lines, **kwargs)

    def plot(self, ax: Any = None, *, lines: bool | None = None, **kwargs: Any) -> Self:
        """Draw; the parameters are those of :meth:`from_estimator`."""
        energy, temperature, acceptance = (np.asarray(self.trace[name], dtype=np.float64) for name in QUANTITIES)
        if lines is None:
            differ = np.nanmax(temperature, axis=1) > np.nanmin(temperature, axis=1)
            lines = energy.shape[1] == 1 or bool(differ.any())
        axes = panels(ax, (3, 1), sharex=True, figsize=(6.4, 5.6), gridspec_kw={"height_ratios": [2, 1, 1]})
        draw = _lines if lines else _band
        shared, colors = replica_colors(temperature) if lines else (None, None)
        draw(axes[0], energy, COLORS[0], kwargs, colors)
        draw(axes[1], temperature, COLORS[1], kwargs, colors)
        acceptance = smoothed(acceptance if lines else np.nanmean(acceptance, axis=1, keepdims=True))
        _lines(axes[2], acceptance, COLORS[2], kwargs, colors)
        for axis, name in zip(axes, QUANTITIES, strict=True):
            axis.set_ylabel(name)
            axis.margins(x=0.01)
        _scale_temperatures(axes[1], temperature, shared)
        axes[2].set(ylim=(0, 1.05), xlabel="Monte Carlo step")
        axes[0].figure.align_ylabels(axes)
        if self.estimator_name:
            axes[0].set_title(self.estimator_name, loc="right", fontsize="medium", pad=8)
        n_replicas = temperature.shape[1]
        if not lines:
            legend_above(axes[0])
        elif n_replicas > 1:
            axes[0].set_title(f"{n_replicas} replicas", loc="left", fontsize="medium", pad=8)
        return self._keep(axes)


def _scale_temperatures(axis, temperature, shared):
    coldest, hottest = np.nanmin(temperature), np.nanmax(temperature)
    if coldest > 0 and (hottest > 10 * coldest or shared is not None):
        axis.set_yscale("log")
        if shared is not None:  # The ticks explain the colours.
            axis.set_yticks(shared, [f"{T:.2g}" for T in shared])
            axis.set_yticks([], minor=True)
            axis.set_ylim(coldest / 1.6, 1.6 * hottest)
    else:
        axis.ticklabel_format(axis="y", style="sci", scilimits=(-2, 3))
        axis.set_ylim(0, 1.15 * hottest or 1)


def replica_colors(temperature: NDArray) -> tuple[NDArray | None, list[str] | None]:
    """The few temperatures that many replicas share, and a colour for every replica; None where there are none."""
    own, number = np.unique(temperature[0], return_inverse=True)
    n_replicas, constant = len(number), (np.isnan(temperature) | (temperature == temperature[0])).all()
    if constant and 1 < len(own) <= len(COLORS) < n_replicas:
        return own, [COLORS[i] for i in number]
    return None, list(COLORS[:n_replicas]) if 1 < n_replicas <= len(COLORS) else None


def _lines(axis, values, color, options, colors):
    style = {"linewidth": 1, "alpha": np.clip(6 / values.shape[1], 0.4, 1)}
    for column, own in zip(values.T, colors or [color] * values.shape[1], strict=True):
        axis.plot(np.arange(1, len(values) + 1), column, **{**style, "color": own, **options})


def _band(axis, values, color, options, _):
    """The median in a band from the lowest to the highest."""
    steps, label = np.arange(1, len(values) + 1), f"median of {values.shape[1]} replicas"
    axis.plot(steps, np.nanmedian(values, axis=1), **{"color": color, "label": label, **options})
    low, high = np.nanmin(values, axis=1), np.nanmax(values, axis=1)
    axis.fill_between(steps, low, high, color=color, alpha=0.3, linewidth=0, label="lowest to highest")


def smoothed(acceptance: NDArray) -> NDArray:
    """Mean of the last ten steps where a step is one trial, whose zeros and ones would only flicker."""
    if not np.isin(acceptance[~np.isnan(acceptance)], (0, 1)).all():
        return acceptance
    total = np.cumsum(np.vstack([np.zeros_like(acceptance[:1]), acceptance]), axis=0)
    last = np.arange(1, len(total))
    first = np.maximum(last - WINDOW, 0)
    return (total[last] - total[first]) / (last - first)[:, None]


MOST_REPLICAS = 8  # whose walks are drawn


class ThermodynamicsDisplay(Display):
    """Free energy F and energy U, heat capacity C, overlaps q, and the walk of replicas through the rungs of a ladder.

    Bands are two standard errors; that of q holds nine tenths of the overlaps of two ladders, and is there where
    several were sampled. Vertical lines mark the temperature of the search and that of freezing.

    Parameters
    ----------
    found : ModelThermodynamics
        What ``model.thermodynamics()`` returns.
    estimator_name : str or None, default=None
        Name in the title.

    Attributes
    ----------
    ax_, figure_ : ndarray of Axes, Figure
        The three or four axes and the figure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import DMLFE
    >>> from freemetric.display import ThermodynamicsDisplay
    >>> from freemetric.mc import ParallelTempering
    >>> X, y = load_iris(return_X_y=True)
    >>> tempering = ParallelTempering((0.01, 0.015, 0.02), n_steps=60)
    >>> model = DMLFE(1, sampler=tempering, random_state=0).fit(X[::5, 2:], y[::5])
    >>> [ax.get_ylabel() for ax in ThermodynamicsDisplay(model.thermodynamics()).plot().ax_]
    ['F, U', 'C', 'rung']
    """

    found: ModelThermodynamics
    _: KW_ONLY
    estimator_name: str | None = None

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : array-like of three or four Axes or None, default=None
            Where to draw energies, heat capacity, overlaps if there are any, and walks; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        self : ThermodynamicsDisplay
            The display, with its axes.
        """
        curves, has_overlaps = self.found.curves, self.found.recording.overlaps.size > 0
        n = 4 if has_overlaps else 3
        axes = panels(ax, (n, 1), figsize=(6.4, 2.4 * n), gridspec_kw={"height_ratios": [*[2] * (n - 1), 1.5]})
        drawn = (axes[0], "free_energy", "F", COLORS[0]), (axes[0], "energy", "U", COLORS[3])
        for axis, name, label, color in (*drawn, (axes[1], "heat_capacity", "C", COLORS[2])):
            T, values, band = curves.temperature, getattr(curves, name), 2 * curves.errors[name]
            axis.plot(T, values, **{"color": color, "label": label, **kwargs})
            axis.fill_between(T, values - band, values + band, color=color, alpha=0.3, linewidth=0)
        for axis, label in zip(axes, ("F, U", "C", *["q"] * has_overlaps, "rung"), strict=True):
            axis.set_ylabel(label)
        for axis in axes[:-1]:
            axis.axvline(self.found.temperature, color=COLORS[6], linestyle=":", label="search")
            if np.isfinite(curves.freezing.value):
                axis.axvline(curves.freezing.value, color=COLORS[1], linestyle="--", label="freezing")
            axis.set(xscale="log", xlabel="temperature")
            axis.margins(x=0.01)
        recording = self.found.recording
        if has_overlaps:  # median and range, on rungs with the whole energy
            whole = recording.ladder.coupling == 1
            low, median, high = np.quantile(recording.overlaps[:, :, whole], [0.05, 0.5, 0.95], axis=(0, 1))
            T = recording.ladder.temperature[whole]
            axes[2].plot(T, median, color=COLORS[4], marker=".")
            axes[2].fill_between(T, low, high, color=COLORS[4], alpha=0.3, linewidth=0)
            axes[2].set_ylim(0, 1.02)
        axes[0].legend(frameon=False)
        if not curves.is_absolute:
            axes[0].set_title("F relative to S = 0 at the highest temperature", loc="left", fontsize="medium")
        if self.estimator_name:
            axes[0].set_title(self.estimator_name, loc="right", fontsize="medium")
        places = recording.places()[:, 0]  # of the first ladder, the hottest on top
        last = places.shape[1] - 1
        for number, column in enumerate(places.T[:: max(1, -(-len(places.T) // MOST_REPLICAS))]):
            axes[-1].plot(last - column, color=COLORS[number % len(COLORS)], linewidth=0.8)
        axes[-1].set(xlabel="Monte Carlo step", yticks=[0, last], yticklabels=["cold", "hot"])
        return self._keep(axes)
