"""Free energy, heat capacity and overlaps over temperature, and the walk of replicas through temperatures."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from ..thermodynamics import ModelThermodynamics
from .style import COLORS, Display, panels

MOST_REPLICAS = 8  # whose walks are drawn


@dataclass(eq=False, repr=False)
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
        for name, label, color in (("free_energy", "F", COLORS[0]), ("energy", "U", COLORS[3])):
            self._curve(axes[0], name, color, {"label": label, **kwargs})
        self._curve(axes[1], "heat_capacity", COLORS[2], kwargs)
        self._marks(axes)
        if has_overlaps:
            self._overlaps(axes[2])
        for axis, label in zip(axes, ("F, U", "C", *["q"] * has_overlaps, "rung"), strict=True):
            axis.set_ylabel(label)
        for axis in axes[:-1]:
            axis.set(xscale="log", xlabel="temperature")
            axis.margins(x=0.01)
        axes[0].legend(frameon=False)
        if not curves.is_absolute:
            axes[0].set_title("F relative to S = 0 at the highest temperature", loc="left", fontsize="medium")
        if self.estimator_name:
            axes[0].set_title(self.estimator_name, loc="right", fontsize="medium")
        self._walks(axes[-1])
        return self._keep(axes)

    def _curve(self, axis, name, color, options):
        curves = self.found.curves
        values, error = getattr(curves, name), curves.errors[name]
        axis.plot(curves.temperature, values, **{"color": color, **options})
        axis.fill_between(
            curves.temperature, values - 2 * error, values + 2 * error, color=color, alpha=0.3, linewidth=0
        )

    def _marks(self, axes):
        frozen = self.found.curves.freezing
        for axis in axes[:-1]:
            axis.axvline(self.found.temperature, color=COLORS[6], linestyle=":", label="search")
            if np.isfinite(frozen.value):
                axis.axvline(frozen.value, color=COLORS[1], linestyle="--", label="freezing")

    def _overlaps(self, axis):
        """Median and range of the overlaps of two ladders, on rungs with the whole energy."""
        recording = self.found.recording
        whole = recording.ladder.coupling == 1
        low, median, high = np.quantile(recording.overlaps[:, :, whole], [0.05, 0.5, 0.95], axis=(0, 1))
        T = recording.ladder.temperature[whole]
        axis.plot(T, median, color=COLORS[4], marker=".")
        axis.fill_between(T, low, high, color=COLORS[4], alpha=0.3, linewidth=0)
        axis.set_ylim(0, 1.02)

    def _walks(self, axis):
        """Rungs of the replicas of the first ladder, the hottest on top."""
        places = self.found.recording.places()[:, 0]
        last = places.shape[1] - 1
        for number, column in enumerate(places.T[:: max(1, -(-len(places.T) // MOST_REPLICAS))]):
            axis.plot(last - column, color=COLORS[number % len(COLORS)], linewidth=0.8)
        axis.set(xlabel="Monte Carlo step", yticks=[0, last], yticklabels=["cold", "hot"])
