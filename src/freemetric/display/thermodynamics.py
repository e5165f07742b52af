"""Free energy and heat capacity over temperature, and the walk of replicas through temperatures."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from ..thermodynamics import ModelThermodynamics
from .style import COLORS, Display, panels

MOST_REPLICAS = 8  # whose walks are drawn


@dataclass(eq=False, repr=False)
class ThermodynamicsDisplay(Display):
    """Free energy F and energy U, heat capacity C, and the walk of replicas through the rungs of a ladder.

    Bands are two standard errors. Vertical lines mark the temperature of the search and that of freezing.

    Parameters
    ----------
    found : ModelThermodynamics
        What ``model.thermodynamics()`` returns.
    estimator_name : str or None, default=None
        Name in the title.

    Attributes
    ----------
    ax_, figure_ : ndarray of Axes, Figure
        The three axes and the figure.

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
        ax : array-like of three Axes or None, default=None
            Where to draw energies, heat capacity and walks; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        self : ThermodynamicsDisplay
            The display, with its axes.
        """
        axes = panels(ax, (3, 1), figsize=(6.4, 7.2), gridspec_kw={"height_ratios": [2, 2, 1.5]})
        curves = self.found.curves
        for name, label, color in (("free_energy", "F", COLORS[0]), ("energy", "U", COLORS[3])):
            self._curve(axes[0], name, color, {"label": label, **kwargs})
        self._curve(axes[1], "heat_capacity", COLORS[2], kwargs)
        self._marks(axes)
        for axis, label in zip(axes, ("F, U", "C", "rung"), strict=True):
            axis.set_ylabel(label)
        for axis in axes[:2]:
            axis.set(xscale="log", xlabel="temperature")
            axis.margins(x=0.01)
        axes[0].legend(frameon=False)
        if not curves.is_absolute:
            axes[0].set_title("F relative to S = 0 at the highest temperature", loc="left", fontsize="medium")
        if self.estimator_name:
            axes[0].set_title(self.estimator_name, loc="right", fontsize="medium")
        self._walks(axes[2])
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
        for axis in axes[:2]:
            axis.axvline(self.found.temperature, color=COLORS[6], linestyle=":", label="search")
            if np.isfinite(frozen.value):
                axis.axvline(frozen.value, color=COLORS[1], linestyle="--", label="freezing")

    def _walks(self, axis):
        """Rungs of the replicas of the first ladder, the hottest on top."""
        places = self.found.recording.places()[:, 0]
        last = places.shape[1] - 1
        for number, column in enumerate(places.T[:: max(1, -(-len(places.T) // MOST_REPLICAS))]):
            axis.plot(last - column, color=COLORS[number % len(COLORS)], linewidth=0.8)
        axis.set(xlabel="Monte Carlo step", yticks=[0, last], yticklabels=["cold", "hot"])
