"""TraceDisplay: energy, temperature and acceptance over Monte Carlo steps."""

import numpy as np

from .learned import part_with
from .style import COLORS, keep, legend_above, panels

ROWS = ("energy", "temperature", "acceptance")
WINDOW = 10


class TraceDisplay:
    """Energy, temperature and acceptance of the replicas over Monte Carlo steps.

    Shows whether a walk has come to rest, how cold it was, and whether its moves had a good size. Make one with
    :meth:`from_estimator`.

    Parameters
    ----------
    trace : dict of ndarray of shape (n_steps, n_replicas)
        "energy", "temperature" and "acceptance".
    estimator_name : str or None, default=None
        What the title says.

    Attributes
    ----------
    ax_ : ndarray of Axes
        One for each quantity.
    figure_ : Figure
        The figure around them.

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

    def __init__(self, trace, *, estimator_name=None):
        self.trace = trace
        self.estimator_name = estimator_name

    @classmethod
    def from_estimator(cls, estimator, *, lines=None, ax=None, **kwargs):
        """Draw the trace of a fitted estimator.

        Parameters
        ----------
        estimator : DMLFE, FreeEnergyClassifier, or a pipeline or classifier with one
            Fitted.
        lines : bool or None, default=None
            As in :meth:`plot`.
        ax : array-like of three Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : TraceDisplay
        """
        _, walker = part_with(estimator, ("trace_",), "an estimator that walks by Monte Carlo, such as DMLFE")
        return cls(walker.trace_, estimator_name=type(walker).__name__).plot(ax, lines=lines, **kwargs)

    def plot(self, ax=None, *, lines=None, **kwargs):
        """Draw.

        Parameters
        ----------
        ax : array-like of three Axes or None, default=None
            Where to draw energy, temperature and acceptance; None makes a figure.
        lines : bool or None, default=None
            True draws every replica as a thin line, False the median in a band from the lowest to the highest, and the
            mean acceptance; None draws lines where replicas have different temperatures, as in tempering. Acceptance
            of moves that are one trial a step is averaged over the last ten steps.
        **kwargs : dict
            For ``Axes.plot``.

        Returns
        -------
        display : TraceDisplay
        """
        energy, temperature, acceptance = (np.asarray(self.trace[name], dtype=np.float64) for name in ROWS)
        if lines is None:
            lines = energy.shape[1] == 1 or bool((temperature != temperature[:, :1]).any())
        axes = panels(ax, (3, 1), sharex=True, figsize=(6.4, 5.6), gridspec_kw={"height_ratios": [2, 1, 1]})
        draw = _lines if lines else _band
        draw(axes[0], energy, COLORS[0], kwargs)
        draw(axes[1], temperature, COLORS[1], kwargs)
        acceptance = _legible(acceptance if lines else acceptance.mean(axis=1, keepdims=True))
        _lines(axes[2], acceptance, COLORS[2], kwargs)
        self._label(axes, temperature, lines)
        return keep(self, axes)

    def _label(self, axes, temperature, lines):
        for axis, name in zip(axes, ROWS, strict=True):
            axis.set_ylabel(name)
            axis.margins(x=0.01)
            axis.spines[["top", "right"]].set_visible(False)
        if temperature.min() > 0 and temperature.max() > 10 * temperature.min():
            axes[1].set_yscale("log")
        else:
            axes[1].ticklabel_format(axis="y", style="sci", scilimits=(-2, 3))
            axes[1].set_ylim(0, 1.15 * temperature.max() or 1)
        axes[2].set(ylim=(0, 1.05), xlabel="Monte Carlo step")
        axes[0].figure.align_ylabels(axes)
        n_replicas = temperature.shape[1]
        if not lines:
            legend_above(axes[0])
        elif n_replicas > 1:
            axes[0].set_title(f"{n_replicas} replicas", loc="left", fontsize="medium", pad=8)
        if self.estimator_name:
            axes[0].set_title(self.estimator_name, loc="right", fontsize="medium", pad=8)


def _lines(axis, values, color, options):
    """Every replica as a thin line, in a colour of its own where there are few."""
    n_replicas = values.shape[1]
    style = {"linewidth": 1, "alpha": np.clip(6 / n_replicas, 0.4, 1)}
    for r in range(n_replicas):
        own = COLORS[r] if 1 < n_replicas <= len(COLORS) else color
        axis.plot(_steps(values), values[:, r], **{**style, "color": own, **options})


def _band(axis, values, color, options):
    """The median in a band from the lowest to the highest."""
    label = f"median of {values.shape[1]} replicas"
    axis.plot(_steps(values), np.median(values, axis=1), **{"color": color, "label": label, **options})
    low, high = values.min(axis=1), values.max(axis=1)
    style = {"alpha": 0.3, "linewidth": 0, "label": "lowest to highest"}
    axis.fill_between(_steps(values), low, high, color=color, **style)


def _steps(values):
    return np.arange(1, len(values) + 1)


def _legible(acceptance):
    """Mean of the last ten steps where a step is one trial, whose zeros and ones would only flicker."""
    if not np.isin(acceptance, (0, 1)).all():
        return acceptance
    total = np.cumsum(np.vstack([np.zeros_like(acceptance[:1]), acceptance]), axis=0)
    last = np.arange(1, len(total))
    first = np.maximum(last - WINDOW, 0)
    return (total[last] - total[first]) / (last - first)[:, None]
