"""Free energy, energy, entropy and heat capacity against temperature, with error bars,
from recorded chains.
"""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from ..exceptions import require
from ..mc.diagnostics import mean_error
from ..mc.state import Array
from .diagnostics import LogZ, Mixing, mixing
from .recording import Recording

MOST_SAMPLES = (
    12_000  # of all rungs together, to which MBAR is given an evenly spaced part
)
FEWEST_STEPS = 20  # that stay of a recording
MOST_CHECKED = 12  # temperatures at which R-hat is computed
CURVES = ("free_energy", "energy", "entropy", "heat_capacity")


class Estimate(NamedTuple):
    """A number with its standard error."""

    value: float
    error: float

    def __format__(self, spec: str) -> str:
        return f"{self.value:{spec or '.3g'}} ± {self.error:{spec or '.1g'}}"


@dataclass(frozen=True)
class Thermodynamics:
    r"""Curves over temperature of :math:`Z(T) = \int dA\, e^{-(E(A) + \lambda |A|^2) /
    T}`, with standard errors.

    Parameters
    ----------
    temperature : ndarray of shape (n,)
        T, ascending.
    free_energy, energy, entropy, heat_capacity : ndarray of shape (n,)
        :math:`F = -T \log Z`, :math:`U = \langle E + \lambda |A|^2 \rangle`, :math:`S =
        (U - F) / T` and :math:`C = \mathrm{Var}(E + \lambda |A|^2) / T^2`.
    errors : dict of ndarray of shape (n,)
        Their standard errors, by name.
    crossover : Estimate
        Temperature of the highest peak of C; NaN where C has no peak inside of the
        range that rises above both of its ends by two standard errors, and where the
        ladder does not mix. A crossover is no phase transition: that takes scaling with
        size.
    is_absolute : bool
        Whether F and S are absolute. Else S is zero at the highest temperature, and F
        follows from that.
    mixing : Mixing
        Diagnostics; its ``problems`` say where the error bars are doubtful.
    """

    temperature: Array
    free_energy: Array
    energy: Array
    entropy: Array
    heat_capacity: Array
    errors: dict[str, Array]
    crossover: Estimate
    is_absolute: bool
    mixing: Mixing

    def at(self, temperature: float) -> dict[str, Estimate]:
        """Values of all curves at a temperature, interpolated in its logarithm."""
        x, T = np.log(self.temperature), np.log(temperature)
        if not x[0] - 1e-9 <= T <= x[-1] + 1e-9:
            raise ValueError(
                f"temperature must be in [{np.exp(x[0]):.3g}, {np.exp(x[-1]):.3g}]; "
                f"got {temperature}."
            )
        return {
            name: Estimate(
                float(np.interp(T, x, getattr(self, name))),
                float(np.interp(T, x, self.errors[name])),
            )
            for name in CURVES
        }


def thermodynamics(
    recording: Recording, temperatures: ArrayLike | None = None
) -> Thermodynamics:
    r"""Estimate the thermodynamics of what chains have sampled, by MBAR; needs the
    extra ``thermo``.

    All samples of all rungs are weighed together [1]_. Errors follow from the influence
    of every step on every estimate, all rungs of a ladder together, since rungs
    exchange replicas: the influences are a series in time, whose correlations [2]_, and
    whose differences between ladders, give the standard error of their sum.

    log Z is also estimated by stepping stones, rung by rung, and by the population
    annealing of the recording. Where the methods differ by more than their errors,
    errors of F and S grow by Birge's ratio, the root of chi-square over its degrees of
    freedom.

    Parameters
    ----------
    recording : Recording
        Chains after burn-in.
    temperatures : array-like of shape (n,) or None, default=None
        Where to evaluate; None takes 60 between the lowest and highest temperature of
        the rungs.

    Returns
    -------
    curves : Thermodynamics
        The curves.

    References
    ----------
    .. [1] M. R. Shirts, J. D. Chodera, Statistically optimal analysis of samples from
       multiple equilibrium states, Journal of Chemical Physics 129, 2008.
    .. [2] C. J. Geyer, Practical Markov chain Monte Carlo, Statistical Science 7, 1992.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.thermodynamics import Recording, thermodynamics
    >>> rng = np.random.default_rng(0)
    >>> T = np.tile([1.0, 0.5, 0.25], (400, 1))
    >>> E = T * rng.standard_exponential((400, 3))  # of two quadratic parameters
    >>> trace = {"temperature": T, "energy": E}
    >>> curves = thermodynamics(Recording.from_trace(trace, burn_in=0.0), [0.3, 0.6])
    >>> curves.energy.round(1), curves.heat_capacity.round(1)  # U = T and C = 1
    (array([0.3, 0.6]), array([1., 1.]))
    """
    used = thinned(recording)
    if temperatures is None:
        ends = recording.ladder.temperature.min(), recording.ladder.temperature.max()
        temperatures = np.geomspace(*ends, 60 if ends[0] < ends[1] else 1)
    T = np.sort(np.ravel(np.asarray(temperatures, dtype=np.float64)))
    if not len(T) or not (T > 0).all() or not np.isfinite(T).all():
        raise ValueError(f"temperatures must be positive numbers; got {temperatures}.")
    f = solve(used)
    (F, U, S, C), influence, slopes = curves_of(used, f, T)
    dF, dU, dS, dC = _errors(used, influence)
    log_z = estimates_of_log_z(used, f, slopes)
    widened = log_z.ratio[_nearest_rungs(used, T)]
    found = mixing(recording, _observables(used, influence), log_z)
    errors = dict(zip(CURVES, (dF * widened, dU, dS * widened, dC), strict=True))
    crossover = Estimate(float("nan"), float("nan"))
    if found.mixes:
        crossover = highest_peak(T, C, dC)
    return Thermodynamics(T, F, U, S, C, errors, crossover, used.is_absolute, found)


def _observables(recording: Recording, influence: Array) -> dict[str, Array]:
    """Series (n_series, n_steps, n_ladders) whose R-hat is computed."""
    checked = np.unique(
        np.linspace(0, influence.shape[1] - 1, MOST_CHECKED).astype(int)
    )
    shape = (-1, *recording.energy.shape[:2])
    names = dict(zip(CURVES, influence[:, checked], strict=True))
    return {
        **{name: series.reshape(shape) for name, series in names.items()},
        "energy of rungs": np.moveaxis(recording.total, 2, 0),
        "size of maps": np.moveaxis(recording.confinement, 2, 0),
    }


def _nearest_rungs(recording: Recording, temperatures: Array) -> Any:
    """Rungs with the whole energy that are nearest to temperatures."""
    coupling = recording.ladder.coupling
    rungs = np.flatnonzero(coupling == coupling.max())
    apart = np.abs(np.log(recording.ladder.temperature[rungs, None] / temperatures))
    return rungs[apart.argmin(axis=0)]


def estimates_of_log_z(recording: Recording, f: Array, slopes: Array) -> LogZ:
    """log Z of all rungs relative to the first one: MBAR, whose reduced free energies f
    have the influences ``slopes`` (n_rungs, n_steps * n_ladders), stepping stones, and
    population annealing where there is one.
    """
    u = recording.ladder.reduced(recording.energy, recording.confinement)
    own = np.arange(len(f) - 1)
    gain = (u[:-1] - u[1:])[own, ..., own].reshape(len(own), slopes.shape[1])
    steps = logsumexp(gain, axis=1) - np.log(slopes.shape[1])
    weights = np.exp(gain - steps[:, None]) / slopes.shape[1]
    stones = np.cumsum(np.append(0.0, steps))
    along = np.pad(np.cumsum(weights - 1 / slopes.shape[1], axis=0), ((1, 0), (0, 0)))
    found = {
        "MBAR": (f[0] - f, _errors(recording, slopes)),
        "stepping stones": (stones, _errors(recording, along)),
    }
    if len(recording.population):
        value, error = recording.population
        found["population annealing"] = (value - value[0], error)
    values, errors = zip(*found.values(), strict=True)
    return LogZ(tuple(found), np.array(values), np.array(errors))


def solve(recording: Recording) -> Array:
    """Reduced free energies (n_rungs,) by pymbar's MBAR of all samples."""
    E, C = _flat(recording.energy), _flat(recording.confinement)
    n_rungs = len(recording.ladder.temperature)
    counts = np.full(n_rungs, E.size // n_rungs)
    # pymbar iterates in vain towards 1e-12 where rungs hardly overlap; the protocol is
    # new, as it writes into it.
    protocol = ({"method": "adaptive", "tol": 1e-8, "options": {"maxiter": 200}},)
    with warnings.catch_warnings(), quiet():
        warnings.simplefilter("ignore")  # about options that scipy's solvers ignore
        solution = pymbar().MBAR(
            recording.ladder.reduced(E, C), counts, solver_protocol=protocol
        )
    return np.asarray(solution.f_k)


def curves_of(
    recording: Recording, f: Array, temperatures: Array
) -> tuple[Array, Array, Array]:
    r"""F, U, S and C, (4, m), given the reduced free energies f of the rungs, and the
    influence of every step on them and on f.

    The influence, (4, m, n_steps * n_ladders), is the derivative by a weight that a
    step has together with all of its rungs. MBAR solves :math:`\sum_n w_n W_{nk} = 1`,
    where W are the weights of all samples in rung k, so that the derivative of f
    follows from one linear system."""
    E, C = _flat(recording.energy), _flat(recording.confinement)
    K = len(f)
    T = temperatures[:, None]
    n = E.size // K
    log_w = f[:, None] - recording.ladder.reduced(E, C)
    # The log density of the mixture of all rungs, which every temperature is reweighted
    # from.
    mixture = logsumexp(log_w, axis=0) + np.log(n)
    W = np.exp(log_w - mixture)
    # Singular, because a common shift of all f changes nothing.
    slope = np.diag(W.sum(axis=1)) - n * (W @ W.T)
    excess = W.reshape(K, K, n).sum(axis=1) - 1 / n
    df = -np.linalg.pinv(slope, hermitian=True) @ excess
    df -= df[0]

    def influence(terms):
        """Of every step on the sum of the terms (m, K n), which are proportional to
        weights of the mixture.
        """
        return terms.reshape(len(terms), K, n).sum(axis=1) - n * (terms @ W.T) @ df

    H = E + C
    log_weights = -H / T - mixture
    log_z = logsumexp(log_weights, axis=1)
    p = np.exp(log_weights - log_z[:, None])
    U = p @ H
    square = (H - U[:, None]) ** 2
    variance = (p * square).sum(axis=1)
    d_log_z = influence(p) - 1 / n
    d_U = influence(p * (H - U[:, None]))
    d_heat = influence(p * (square - variance[:, None])) / T**2
    if recording.is_absolute:
        log_z += recording.log_reference
    else:
        log_z -= log_z[-1] + U[-1] / temperatures[-1]
        d_log_z -= d_log_z[-1] + d_U[-1] / temperatures[-1]
    values = [
        -temperatures * log_z,
        U,
        U / temperatures + log_z,
        variance / temperatures**2,
    ]
    influences = [-T * d_log_z, d_U, d_U / T + d_log_z, d_heat]
    return np.array(values), np.array(influences), df


def _errors(recording: Recording, influence: Array) -> Array:
    """Standard errors (...) of estimates whose influences are (..., n_steps *
    n_ladders).
    """
    series = influence.reshape(-1, *recording.energy.shape[:2])
    errors = [mean_error(chains) * chains.size for chains in series]
    return np.array(errors).reshape(influence.shape[:-1])


def highest_peak(temperatures: Array, heat: Array, errors: Array) -> Estimate:
    """Where the heat capacity is highest, and half of the range in which it is as high
    within its errors; NaN where it does not rise above both ends.
    """
    top = int(heat.argmax())
    doubt = np.hypot(errors, errors[top])
    as_high = temperatures[heat >= heat[top] - doubt]
    if not (heat[top] - heat > 2 * doubt)[[0, -1]].all():
        return Estimate(float("nan"), float("nan"))
    return Estimate(float(temperatures[top]), float(np.ptp(as_high)) / 2)


def thinned(recording: Recording) -> Recording:
    """Every so many-th step, where there are more samples than MBAR needs."""
    stride = max(1, recording.energy.size // MOST_SAMPLES)
    stride = min(stride, max(1, len(recording.energy) // FEWEST_STEPS))
    return recording._replace(
        energy=recording.energy[::stride], confinement=recording.confinement[::stride]
    )


def pymbar() -> Any:
    """The library, without the lines that it logs when it is imported."""
    with quiet():
        return require("pymbar", "thermo")


@contextmanager
def quiet() -> Iterator[None]:
    """A block in which pymbar logs errors alone."""
    log = logging.getLogger("pymbar")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def _flat(values: Array) -> Array:
    """Values rung by rung, (n_rungs * n,), as pymbar wants them."""
    return values.reshape(-1, values.shape[2]).T.ravel()
