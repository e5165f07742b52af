"""Free energy, energy, entropy and heat capacity against temperature, with error bars, from recorded chains."""

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from ..extras import require
from ..mc.state import Array
from .recording import Recording

MOST_SAMPLES = 12_000  # of all rungs together, to which MBAR is given an evenly spaced part
CURVES = ("free_energy", "energy", "entropy", "heat_capacity")


class Estimate(NamedTuple):
    """A number with its standard error."""

    value: float
    error: float

    def __format__(self, spec: str) -> str:
        return f"{self.value:{spec or '.3g'}} ± {self.error:{spec or '.1g'}}"


@dataclass(frozen=True)
class Thermodynamics:
    r"""Curves over temperature of :math:`Z(T) = \int dA\, e^{-(E(A) + \lambda |A|^2) / T}`, with standard errors.

    Parameters
    ----------
    temperature : ndarray of shape (n,)
        T, ascending.
    free_energy, energy, entropy, heat_capacity : ndarray of shape (n,)
        :math:`F = -T \log Z`, :math:`U = \langle E + \lambda |A|^2 \rangle`, :math:`S = (U - F) / T` and
        :math:`C = \mathrm{Var}(E + \lambda |A|^2) / T^2`.
    errors : dict of ndarray of shape (n,)
        Their standard errors, by name.
    freezing : Estimate
        Temperature of the highest peak of C; NaN where C has no peak inside of the range that rises above both of its
        ends by two standard errors.
    stepping_stone : Estimate
        log Z of the last rung by stepping stones, beside the one that F is made of.
    is_absolute : bool
        Whether F and S are absolute. Else S is zero at the highest temperature, and F follows from that.
    overlap : ndarray of shape (n_rungs, n_rungs)
        MBAR's overlap matrix; neighbours should share at least ``LEAST_OVERLAP``.
    """

    temperature: Array
    free_energy: Array
    energy: Array
    entropy: Array
    heat_capacity: Array
    errors: dict[str, Array]
    freezing: Estimate
    stepping_stone: Estimate
    is_absolute: bool
    overlap: Array

    def at(self, temperature: float) -> dict[str, Estimate]:
        """Values of all curves at a temperature, interpolated in its logarithm."""
        x, T = np.log(self.temperature), np.log(temperature)
        if not x[0] - 1e-9 <= T <= x[-1] + 1e-9:
            raise ValueError(f"temperature must be in [{np.exp(x[0]):.3g}, {np.exp(x[-1]):.3g}]; got {temperature}.")
        return {
            name: Estimate(float(np.interp(T, x, getattr(self, name))), float(np.interp(T, x, self.errors[name])))
            for name in CURVES
        }


def thermodynamics(
    recording: Recording, temperatures: ArrayLike | None = None, *, n_blocks: int = 20
) -> Thermodynamics:
    r"""Estimate the thermodynamics of what chains have sampled, by MBAR; needs the extra ``thermo``.

    All samples of all rungs are weighed together [1]_. Errors are those of a jackknife over blocks of time, in which
    all rungs of a ladder are left out together: rungs exchange replicas, so they are not independent. A block should be
    many correlation times long; ``diagnostics.statistical_inefficiency`` says how many there are.

    Parameters
    ----------
    recording : Recording
        Chains after burn-in.
    temperatures : array-like of shape (n,) or None, default=None
        Where to evaluate; None takes 60 between the lowest and highest temperature of the rungs.
    n_blocks : int, default=20
        Blocks of the jackknife.

    Returns
    -------
    curves : Thermodynamics
        The curves.

    References
    ----------
    .. [1] M. R. Shirts, J. D. Chodera, Statistically optimal analysis of samples from multiple equilibrium states,
       Journal of Chemical Physics 129, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.thermodynamics import Recording, thermodynamics
    >>> rng = np.random.default_rng(0)
    >>> T = np.tile([1.0, 0.5, 0.25], (400, 1))
    >>> trace = {"temperature": T, "energy": T * rng.standard_exponential((400, 3))}  # two quadratic parameters
    >>> curves = thermodynamics(Recording.from_trace(trace, burn_in=0.0), [0.3, 0.6])
    >>> curves.energy.round(1), curves.heat_capacity.round(1)  # U = T and C = 1
    (array([0.3, 0.6]), array([1., 1.]))
    """
    recording = thinned(recording, n_blocks)
    if temperatures is None:
        ends = recording.ladder.temperature.min(), recording.ladder.temperature.max()
        temperatures = np.geomspace(*ends, 60 if ends[0] < ends[1] else 1)
    T = np.sort(np.ravel(np.asarray(temperatures, dtype=np.float64)))
    n_steps, n_ladders, _ = recording.energy.shape
    everything = np.ones((n_steps, n_ladders), dtype=bool)
    first = solve(recording, everything)
    solution = renewed(recording, everything, first.f_k)

    def estimate(used: NDArray[np.bool_]) -> Array:
        f = solution if used.all() else renewed(recording, used, solution)
        curves = curves_of(recording, used, f, T)
        return np.concatenate([*curves, [peak(T, curves[3])], [stepping_stone(recording, used)]])

    values, errors = jackknife(estimate, blocks_of((n_steps, n_ladders), n_blocks))
    F, U, S, C = values[:-2].reshape(4, -1)
    spreads = dict(zip(CURVES, errors[:-2].reshape(4, -1), strict=True))
    dC = spreads["heat_capacity"]
    stands_out = C.max() - C[[0, -1]] > 2 * np.hypot(dC[C.argmax()], dC[[0, -1]])
    frozen = (
        Estimate(float(values[-2]), float(errors[-2])) if stands_out.all() else Estimate(float("nan"), float("nan"))
    )
    stones = Estimate(float(values[-1]), float(errors[-1]))
    # pymbar fails on one state alone.
    overlap = np.asarray(first.compute_overlap()["matrix"]) if len(first.f_k) > 1 else np.ones((1, 1))
    return Thermodynamics(T, F, U, S, C, spreads, frozen, stones, recording.is_absolute, overlap)


def solve(recording: Recording, used: NDArray[np.bool_]) -> Any:
    """pymbar's MBAR of the steps (n_steps, n_ladders) that are used."""
    E, C = _flat(recording.energy, used), _flat(recording.confinement, used)
    n_rungs = len(recording.ladder.temperature)
    counts = np.full(n_rungs, E.size // n_rungs)
    # pymbar iterates in vain towards 1e-12 where rungs hardly overlap; the protocol is new, as it writes into it.
    protocol = ({"method": "adaptive", "tol": 1e-8, "options": {"maxiter": 200}},)
    with warnings.catch_warnings(), quiet():
        warnings.simplefilter("ignore")  # about options that scipy's solvers ignore
        return pymbar().MBAR(recording.ladder.reduced(E, C), counts, solver_protocol=protocol)


def renewed(recording: Recording, used: NDArray[np.bool_], f: Array, n_iter: int = 2) -> Array:
    """MBAR's reduced free energies without a few samples: Newton steps from those with all of them.

    MBAR solves :math:`\\sum_n W_{nk} = 1`, where W are the weights of all samples in rung k. A jackknife needs twenty
    solutions that hardly differ, for which a solver that starts from nothing takes most of the time.
    """
    E, C = _flat(recording.energy, used), _flat(recording.confinement, used)
    u, N = recording.ladder.reduced(E, C), E.size / len(f)
    for _ in range(n_iter):
        log_w = f[:, None] - u
        W = np.exp(log_w - logsumexp(log_w, axis=0) - np.log(N))
        slope = np.diag(W.sum(axis=1)) - N * (W @ W.T)  # singular: a common shift of all f changes nothing
        f = f - np.linalg.lstsq(slope, W.sum(axis=1) - 1, rcond=None)[0]
        f = f - f[0]
    return f


def curves_of(recording: Recording, used: NDArray[np.bool_], f: Array, temperatures: Array) -> Array:
    """F, U, S and C, (4, n), given the reduced free energies of the rungs."""
    E, C = _flat(recording.energy, used), _flat(recording.confinement, used)
    n_rungs = len(recording.ladder.temperature)
    # The log density of the mixture of all rungs, which every temperature is reweighted from.
    mixture = logsumexp(f[:, None] - recording.ladder.reduced(E, C), axis=0) + np.log(E.size / n_rungs)
    H, T = E + C, temperatures[:, None]
    log_weights = -H / T - mixture
    log_z = logsumexp(log_weights, axis=1)
    p = np.exp(log_weights - log_z[:, None])
    U = p @ H
    heat = (p * (H - U[:, None]) ** 2).sum(axis=1) / temperatures**2
    log_z += recording.log_reference if recording.is_absolute else -log_z[-1] - U[-1] / temperatures[-1]
    return np.array([-temperatures * log_z, U, U / temperatures + log_z, heat])


def stepping_stone(recording: Recording, used: NDArray[np.bool_]) -> float:
    r"""log Z of the last rung by stepping stones, :math:`\sum_k \log \langle e^{u_k - u_{k+1}} \rangle_k`.

    Relative to the first rung where its log Z is not known. Means are over the hotter of two rungs, which covers the
    other one (Xie et al., Systematic Biology 60, 2011).
    """
    E, C = recording.energy[used], recording.confinement[used]  # (n, n_rungs)
    s, T = recording.ladder
    gain = -(np.diff(s / T) * E[:, :-1] + np.diff(1 / T) * C[:, :-1])
    steps = logsumexp(gain, axis=0) - np.log(len(E))
    return float(steps.sum() + (recording.log_reference if recording.is_absolute else 0.0))


def peak(temperatures: Array, heat: Array) -> float:
    """Where the heat capacity is highest: the top of a parabola in log T around the highest point."""
    top = int(heat.argmax())
    if not 0 < top < len(heat) - 1:
        return float(temperatures[top])
    x, y = np.log(temperatures[top - 1 : top + 2]), heat[top - 1 : top + 2]
    a, b, _ = np.polyfit(x - x[1], y, 2)
    return float(np.exp(x[1] + np.clip(-b / (2 * a), x[0] - x[1], x[2] - x[1]))) if a < 0 else float(temperatures[top])


def blocks_of(shape: tuple[int, int], n_blocks: int) -> list[NDArray[np.bool_]]:
    """Masks (n_steps, n_ladders), each with a piece of the time of one ladder."""
    n_steps, n_ladders = shape
    pieces = np.array_split(np.arange(n_steps), max(2, min(-(-n_blocks // n_ladders), n_steps)))
    masks = []
    for ladder in range(n_ladders):
        for piece in pieces:
            mask = np.zeros(shape, dtype=bool)
            mask[piece, ladder] = True
            masks.append(mask)
    return masks


def jackknife(estimate: Callable[[NDArray[np.bool_]], Array], blocks: list[NDArray[np.bool_]]) -> tuple[Array, Array]:
    """Values with all samples, and standard errors from leaving out one block at a time."""
    values = estimate(np.ones(blocks[0].shape, dtype=bool))
    without = np.array([estimate(~block) for block in blocks])
    n = len(blocks)
    return values, np.sqrt((n - 1) / n * ((without - without.mean(axis=0)) ** 2).sum(axis=0))


def thinned(recording: Recording, n_blocks: int) -> Recording:
    """Every so many-th step, where there are more samples than MBAR needs."""
    stride = max(1, recording.energy.size // MOST_SAMPLES)
    stride = min(stride, max(1, len(recording.energy) // n_blocks))
    return recording._replace(energy=recording.energy[::stride], confinement=recording.confinement[::stride])


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


def _flat(values: Array, used: NDArray[np.bool_]) -> Array:
    """Values rung by rung, (n_rungs * n,), as pymbar wants them."""
    return values[used].T.ravel()
