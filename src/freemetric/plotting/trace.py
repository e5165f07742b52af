"""Monte Carlo runs along the walk, and thermodynamics over temperature."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .parts import parts_of
from .style import COLORS, Display, axes_for

QUANTITIES = ("energy", "temperature", "acceptance")
CURVES = {"free_energy": "F", "energy": "U", "entropy": "S", "heat_capacity": "C"}
FAR_APART = 10  # ratio of temperatures from which on their scale is logarithmic


@dataclass(eq=False, repr=False)
class TraceDisplay(Display):
    """Energy, temperature and acceptance of every replica over Monte Carlo steps.

    Make one with :meth:`from_estimator`.

    Parameters
    ----------
    trace : dict of ndarray of shape (n_steps, n_replicas)
        "energy", "temperature" and "acceptance".
    estimator_name : str, default=""
        Name of the model.

    Attributes
    ----------
    ax_, figure_ : ndarray of Axes, Figure
        The three axes and the figure, after :meth:`plot`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import DMLFE
    >>> from freemetric.plotting import TraceDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DMLFE(random_state=0).fit(X / X.max(axis=0), y)
    >>> [ax.get_ylabel() for ax in TraceDisplay.from_estimator(model).ax_]
    ['energy', 'temperature', 'acceptance']
    """

    trace: Mapping[str, NDArray]
    estimator_name: str = ""

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the trace of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted DMLFE, or a pipeline or k-NN model with one.
        ax : array-like of three Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : TraceDisplay
            The display, drawn.
        """
        return cls.of(estimator).plot(ax, **kwargs)

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Return the display without drawing it; see :meth:`from_estimator`."""
        for part in parts_of(estimator):
            trace = getattr(part.model, "trace_", None)
            if isinstance(trace, Mapping) and set(QUANTITIES) <= set(trace):
                return cls(trace, type(part.model).__name__)
        name = type(estimator).__name__
        raise TypeError(f"This needs a Monte Carlo learner such as DMLFE; not {name}.")

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw a line for every replica.

        Parameters
        ----------
        ax : array-like of three Axes or None, default=None
            Where to draw energy, temperature and acceptance; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : TraceDisplay
            The display, with its axes.
        """
        axes = axes_for(ax, 3, sharex=True, figsize=(6.4, 5.6))
        for axis, name, color in zip(axes, QUANTITIES, COLORS, strict=False):
            values = np.asarray(self.trace[name])
            alpha = float(np.clip(6 / values.shape[1], 0.3, 1))
            style = {"color": color, "linewidth": 1, "alpha": alpha, **kwargs}
            axis.plot(np.arange(1, len(values) + 1), values, **style)
            axis.set_ylabel(name)
        if self.is_far_apart():
            axes[1].set_yscale("log")
        else:
            axes[1].set_ylim(bottom=0)
        axes[2].set(ylim=(0, 1.05), xlabel="Monte Carlo step")
        axes[0].set_title(self.title(), fontsize="medium")
        return self._drawn(axes)

    def is_far_apart(self) -> bool:
        """Return whether temperatures need a logarithmic scale."""
        T = np.asarray(self.trace["temperature"])
        return bool(np.nanmin(T) > 0 and np.nanmax(T) > FAR_APART * np.nanmin(T))

    def title(self) -> str:
        """Return the title."""
        n_replicas = np.shape(self.trace["energy"])[1]
        return f"{self.estimator_name}, number of replicas: {n_replicas}"


@dataclass(eq=False, repr=False)
class ThermodynamicsDisplay(Display):
    """Free energy F, energy U, entropy S and heat capacity C over temperature.

    Bands are two standard errors. A vertical line marks the crossover, a peak of C.

    Parameters
    ----------
    curves : Thermodynamics
        Result of :func:`freemetric.thermodynamics.thermodynamics`, or any object with
        its arrays.

    Attributes
    ----------
    ax_, figure_ : ndarray of Axes, Figure
        The three axes and the figure, after :meth:`plot`.

    Examples
    --------
    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> from freemetric.plotting import ThermodynamicsDisplay
    >>> T = np.array([0.5, 1.0, 2.0])  # a quadratic well: U = T and C = 1
    >>> names = ("free_energy", "energy", "entropy", "heat_capacity")
    >>> values = (-T * np.log(T), T, np.log(T) + 1, np.ones(3))
    >>> curves = SimpleNamespace(temperature=T, **dict(zip(names, values)))
    >>> curves.errors = dict.fromkeys(names, np.zeros(3))
    >>> [ax.get_ylabel() for ax in ThermodynamicsDisplay(curves).plot().ax_]
    ['F, U', 'S', 'C']
    """

    curves: Any

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : array-like of three Axes or None, default=None
            Where to draw F and U, S, and C; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : ThermodynamicsDisplay
            The display, with its axes.
        """
        axes = axes_for(ax, 3, sharex=True, figsize=(6.4, 6.4))
        T = self.curves.temperature
        panels = (axes[0], axes[0], axes[1], axes[2])
        for axis, name, color in zip(panels, CURVES, COLORS, strict=False):
            values = getattr(self.curves, name)
            band = 2 * self.curves.errors[name]
            style = {"color": color, "label": CURVES[name], **kwargs}
            axis.plot(T, values, **style)
            axis.fill_between(T, values - band, values + band, color=color, alpha=0.3)
        crossover = getattr(self.curves, "crossover", None)
        if crossover is not None and np.isfinite(crossover.value):
            for axis in axes:
                axis.axvline(crossover.value, color=COLORS[6], linestyle="--")
        for axis, label in zip(axes, ("F, U", "S", "C"), strict=True):
            axis.set_ylabel(label)
        axes[0].legend(frameon=False)
        axes[2].set(xscale="log", xlabel="temperature")
        return self._drawn(axes)


@dataclass(eq=False, repr=False)
class LadderDisplay(Display):
    """Swap rates, flow of replicas and autocorrelation times along a ladder.

    The flow falls evenly from 1 to 0 where replicas diffuse freely; where it jumps,
    they do not pass.

    Parameters
    ----------
    mixing : Mixing
        ``mixing`` of :class:`freemetric.thermodynamics.Thermodynamics`.

    Attributes
    ----------
    ax_, figure_ : ndarray of Axes, Figure
        The two axes and the figure, after :meth:`plot`.

    Examples
    --------
    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> from freemetric.plotting import LadderDisplay
    >>> mixing = SimpleNamespace(swap_rate=np.array([0.5, 0.4]), round_trips=3)
    >>> mixing.flow = np.array([1.0, 0.5, 0.0])
    >>> mixing.autocorrelation = np.array([1.0, 4.0, 9.0])
    >>> [ax.get_ylabel() for ax in LadderDisplay(mixing).plot().ax_]
    ['probability', 'steps']
    """

    mixing: Any

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the rates.

        Parameters
        ----------
        ax : array-like of two Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : LadderDisplay
            The display, with its axes.
        """
        axes = axes_for(ax, 2, sharex=True, figsize=(6.4, 4.8))
        found = self.mixing
        rungs = np.arange(len(found.flow))
        lines = (
            (axes[0], rungs[:-1] + 0.5, found.swap_rate, "swaps with the next rung"),
            (axes[0], rungs, found.flow, "flow from the hot end"),
            (axes[1], rungs, found.autocorrelation, "autocorrelation of the energy"),
        )
        for (axis, x, values, label), color in zip(lines, COLORS, strict=False):
            axis.plot(x, values, **{"color": color, "label": label, **kwargs})
            axis.legend(frameon=False)
        axes[0].set(ylabel="probability", ylim=(0, 1.05))
        axes[0].set_title(f"round trips: {found.round_trips}", fontsize="medium")
        axes[1].set(ylabel="steps", yscale="log", xlabel="rung, from hot to cold")
        return self._drawn(axes)
