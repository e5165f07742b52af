"""The thermodynamics of a fitted model: its curves, its freezing temperature, and error
bars on its metric.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..mc.diagnostics import effective_sample_size, split_r_hat
from ..mc.state import Array
from .diagnostics import Mixing, equilibrated, mixing
from .estimates import Thermodynamics, thermodynamics
from .ladder import TemperingSettings, temper
from .recording import Recording

MOST_DRAWS = 400  # metrics of all chains together that error bars are made of
COLDER = 4.0  # the lowest temperature is the chosen one over this


class MetricSpread(NamedTuple):
    """Mean and spread of M = A^T A over samples at one temperature.

    Parameters
    ----------
    temperature : float
        At which the maps were sampled.
    mean, std : ndarray of shape (d, d)
        Of the entries of M.
    weights, weights_std : ndarray of shape (d,)
        Share of every feature in the squared distances, M_jj Var(x_j), and its standard
        deviation.
    r_hat : float
        Split R-hat of the trace of M between chains; above 1.05 the spread is too
        small.
    effective_samples : float
        Independent draws of it.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.thermodynamics import MetricSpread
    >>> maps = 1 + 0.01 * np.random.default_rng(0).standard_normal((200, 2, 1, 1))
    >>> spread = MetricSpread.of(maps, np.ones(1), temperature=1.0)
    >>> spread.mean.round(2), spread.std.round(2)  # M = A^2
    (array([[1.]]), array([[0.02]]))
    """

    temperature: float
    mean: Array
    std: Array
    weights: Array
    weights_std: Array
    r_hat: float
    effective_samples: float

    def relative_error(self) -> float:
        """Median spread of the entries of M, relative to the size of M."""
        size = np.sqrt(np.diagonal(self.mean))
        scale = np.outer(size, size)
        return float(np.median(self.std / np.where(scale > 0, scale, np.inf)))

    @classmethod
    def of(
        cls,
        maps: Array,
        variances: Array,
        temperature: float,
        matrices: Callable[[Array], Array] = lambda maps: (
            np.swapaxes(maps, 1, 2) @ maps
        ),
    ) -> "MetricSpread":
        """Spread of maps (n_draws, n_chains, p, d), given the variances (d,) of the
        features.

        ``matrices`` makes M (n, d, d) of maps (n, p, d).
        """
        stride = max(1, maps.shape[0] * maps.shape[1] // MOST_DRAWS)
        maps = maps[::stride]
        M = matrices(maps.reshape(-1, *maps.shape[2:]))
        parts = np.diagonal(M, axis1=1, axis2=2) * variances
        shares = parts / parts.sum(axis=1, keepdims=True)
        traces = np.trace(M, axis1=1, axis2=2).reshape(maps.shape[:2])
        ddof = int(len(M) > 1)
        return cls(
            float(temperature),
            M.mean(axis=0),
            M.std(axis=0, ddof=ddof),
            shares.mean(axis=0),
            shares.std(axis=0, ddof=ddof),
            split_r_hat(traces),
            effective_sample_size(traces),
        )


class FittedEnergy(NamedTuple):
    """What a fitted model was sampled from.

    Parameters
    ----------
    energy : callable
        E of maps, without confinement.
    start : ndarray of shape (p, d)
        Map to begin with.
    ridge : float
        Strength of the confinement.
    temperature : float
        That the search chose.
    variances : ndarray of shape (d,)
        Of the features, in the units of M.
    matrices : callable
        M (n, d, d) of maps (n, p, d).
    """

    energy: Any
    start: Array
    ridge: float
    temperature: float
    variances: Array
    matrices: Callable[[Array], Array]


@dataclass(frozen=True)
class ModelThermodynamics:
    """Thermodynamics of a fitted model; printed, it is a few sentences.

    Parameters
    ----------
    curves : Thermodynamics
        F, U, S and C over temperature, with errors and the freezing temperature.
    temperature : float
        That the search chose.
    metric : MetricSpread or None
        Mean and spread of M at that temperature; None without samples there.
    mixing : Mixing
        Diagnostics of the run.
    recording : Recording
        The run itself.
    """

    curves: Thermodynamics
    temperature: float
    metric: MetricSpread | None
    mixing: Mixing
    recording: Recording

    def __str__(self) -> str:
        T, frozen = self.curves.temperature, self.curves.freezing
        said = [f"The metric freezes at T = {frozen}."]
        if not np.isfinite(frozen.value):
            where = f"T = {T[0]:.1e} and {T[-1]:.1e}"
            said = [f"The metric does not freeze between {where}."]
        said.append(f"The search ran at T = {self.temperature:.1e}.")
        if self.metric is not None:
            share = self.metric.relative_error()
            said.append(f"Entries of M are known to {share:.0%} (median).")
        if not self.recording.confinement.any():
            said.append("Nothing confines the maps, so that F is relative.")
        return " ".join(said + self.mixing.problems)


def thermodynamics_of(
    fitted: FittedEnergy,
    temperatures: tuple[float, float] | None = None,
    settings: TemperingSettings | None = None,
    random_state: Any = None,
) -> ModelThermodynamics:
    """Sample the energy of a fitted model on a ladder of temperatures, and say what
    follows.

    Parameters
    ----------
    fitted : FittedEnergy
        Energy, confinement and temperature of the model.
    temperatures : tuple of two floats or None, default=None
        Lowest and highest; None: from a quarter of the chosen one to where the energy
        is easily switched on.
    settings : TemperingSettings or None, default=None
        Length and size of the run.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    found : ModelThermodynamics
        Curves, freezing temperature, error bars.
    """
    T = fitted.temperature
    if not T > 0:
        raise ValueError(
            "The walk ended at temperature 0: "
            "thermodynamics needs a sampler that ends above."
        )
    settings = replace(settings or TemperingSettings(), kept_temperature=T)
    ends = (T / COLDER, None) if temperatures is None else temperatures
    recording = equilibrated(
        temper(fitted.energy, fitted.start, fitted.ridge, ends, settings, random_state)
    )
    spread = MetricSpread.of(
        recording.maps,
        fitted.variances,
        recording.ladder.temperature[recording.kept],
        fitted.matrices,
    )
    return described(recording, T, spread)


def described(
    recording: Recording, temperature: float, metric: MetricSpread | None = None
) -> ModelThermodynamics:
    """What follows from a recording alone."""
    curves = thermodynamics(recording)
    return ModelThermodynamics(
        curves, temperature, metric, mixing(recording, curves.overlap), recording
    )
