"""The thermodynamics of a fitted DMLFE: curves, diagnostics, a metric with bars."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..energies import as_energy, names_rows
from ..learners.dmlfe import DMLFE, bound_energy
from ..mc.diagnostics import effective_sample_size, split_r_hat
from ..mc.state import Array
from ..sklearn_compat import generator
from .diagnostics import MOST_R_HAT, Mixing
from .estimates import Thermodynamics, thermodynamics
from .ladder import TemperingSettings, temper
from .recording import Recording

MOST_DRAWS = 400  # metrics of all chains together that error bars are made of
MOST_SAMPLES = 1000  # rows that the energy is computed on
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
        Split R-hat of the trace of M between chains; above 1.1 the spread is too
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

    @classmethod
    def of(cls, maps: Array, variances: Array, temperature: float) -> "MetricSpread":
        """Return the spread of maps (n_draws, n_chains, p, d).

        The variances (d,) are those of the features.
        """
        stride = max(1, maps.shape[0] * maps.shape[1] // MOST_DRAWS)
        maps = maps[::stride]
        M = np.swapaxes(maps, 2, 3) @ maps  # (n_draws, n_chains, d, d)
        parts = np.diagonal(M, axis1=2, axis2=3) * variances
        shares = parts / parts.sum(axis=2, keepdims=True)
        traces = np.trace(M, axis1=2, axis2=3)
        ddof = int(traces.size > 1)
        return cls(
            float(temperature),
            M.mean(axis=(0, 1)),
            M.std(axis=(0, 1), ddof=ddof),
            shares.mean(axis=(0, 1)),
            shares.std(axis=(0, 1), ddof=ddof),
            split_r_hat(traces),
            effective_sample_size(traces),
        )


@dataclass(frozen=True)
class ModelThermodynamics:
    """Thermodynamics of a fitted model; printed, it is a few sentences.

    Parameters
    ----------
    curves : Thermodynamics
        F, U, S and C over temperature, with errors and diagnostics.
    temperature : float
        At which the search ended.
    metric : MetricSpread or None
        Mean and spread of M at that temperature; None without samples there.
    recording : Recording
        The run itself.
    """

    curves: Thermodynamics
    temperature: float
    metric: MetricSpread | None
    recording: Recording

    @property
    def mixing(self) -> Mixing:
        """Diagnostics of the run."""
        return self.curves.mixing

    @property
    def problems(self) -> list[str]:
        """A sentence for everything that makes the estimates doubtful."""
        found = self.mixing.problems
        if self.metric is not None and not self.metric.r_hat <= MOST_R_HAT:
            found.append(
                f"R-hat of M is {self.metric.r_hat:.2f}: its spread is too small."
            )
        return found

    def __str__(self) -> str:
        T, top = self.curves.temperature, self.curves.crossover
        said = []
        if np.isfinite(top.value):
            said.append(f"C has a crossover at T = {top}.")
        elif self.mixing.mixes:
            said.append(f"C has no peak between T = {T[0]:.1e} and {T[-1]:.1e}.")
        said.append(f"The search ended at T = {self.temperature:.1e}.")
        if not self.recording.confinement.any():
            said.append("Nothing confines the maps, so that F is relative.")
        return " ".join(said + self.problems)


def thermodynamics_of(
    model: DMLFE,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    temperatures: tuple[float, float] | None = None,
    settings: TemperingSettings | None = None,
    random_state: Any = None,
) -> ModelThermodynamics:
    """Return free energy, energy, entropy and heat capacity of a fitted DMLFE.

    Its energy is sampled anew on a ladder of temperatures, from the confinement alone
    down to a quarter of the temperature at which the search ended. Samples count
    equally. Needs the extra ``thermo``.

    Parameters
    ----------
    model : DMLFE
        A fitted model, whose search ended at a temperature above 0.
    X : array-like of shape (n_samples, n_features) or None, default=None
        The training samples, which the model does not keep; of more than 1,000 a random
        part. None uses the trace of the fit, where its sampler kept its temperatures:
        there are then no error bars on M.
    y : array-like of shape (n_samples,) or None, default=None
        Their labels or targets.
    temperatures : tuple of two floats or None, default=None
        Lowest and highest; None: from a quarter of the temperature of the search to
        where the energy is easily switched on.
    settings : TemperingSettings or None, default=None
        Length and size of the run.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    found : ModelThermodynamics
        Curves, diagnostics, error bars.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import DMLFE
    >>> from freemetric.mc import Annealing, Constant
    >>> from freemetric.thermodynamics import TemperingSettings, thermodynamics_of
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[::5, 2:], y[::5]
    >>> model = DMLFE(1, sampler=Annealing(Constant(1e-2)), random_state=0).fit(X, y)
    >>> short = TemperingSettings(n_steps=40, n_rungs=5, n_rounds=1)
    >>> found = thermodynamics_of(model, X, y, settings=short, random_state=0)
    >>> found.curves.is_absolute, found.metric.std.shape
    (True, (2, 2))
    """
    check_is_fitted(model)
    T = float(np.min(model.trace_["temperature"][-1]))
    if X is None:
        return _described(Recording.from_trace(model.trace_), T, None)
    if not T > 0:
        raise ValueError(
            "The search ended at temperature 0: thermodynamics needs one above."
        )
    if names_rows(as_energy(model.energy)):
        raise ValueError(
            "The energy names rows of X, and a part of them is sampled: "
            "use thermodynamics.temper."
        )
    X = np.asarray(X)
    n_features = model.components_.shape[1]
    if X.ndim != 2 or X.shape[1] != n_features:
        raise ValueError(f"X has shape {X.shape}; expected (n, {n_features}).")
    rows = generator(random_state).permutation(len(X))[:MOST_SAMPLES]
    y = None if y is None else np.asarray(y)[rows]
    energy, unit = bound_energy(model, X[rows], y)
    settings = replace(settings or TemperingSettings(), kept_temperature=T)
    ends = (T / COLDER, None) if temperatures is None else temperatures
    start = model.components_ * unit
    run = temper(energy, start, model.confinement, ends, settings, random_state)
    at = run.ladder.temperature[run.kept]
    spread = MetricSpread.of(run.maps / unit, X[rows].var(axis=0), at)
    return _described(run, T, spread)


def _described(recording, temperature, metric):
    """What follows from a recording."""
    curves = thermodynamics(recording)
    return ModelThermodynamics(curves, temperature, metric, recording)
