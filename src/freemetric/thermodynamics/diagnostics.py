"""Whether chains have mixed: R-hat and effective samples of every observable, swaps,
flow, correlation times, and estimates of log Z that must agree.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..mc.diagnostics import effective_sample_size, split_r_hat
from ..mc.state import Array
from .recording import Recording
from .tempering import Ladder

LEAST_SWAPS = 0.05  # probability: where rungs hardly overlap, MBAR's bars are too small
# Errors hold up to these limits: benchmarks/physics/thermodynamics.py.
MOST_R_HAT = 1.1
LEAST_EFFECTIVE = 30  # fewer do not show their own correlation time
LEAST_ROUND_TRIPS = 3
MOST_RATIO = 3.0  # Birge's, 1 where estimates of log Z agree within their errors
LEAST_SPREAD = 1e-9  # of a series, relative to the largest: less is rounding


class LogZ(NamedTuple):
    """log Z of every rung minus that of the first one, by several methods.

    Parameters
    ----------
    methods : tuple of str
        Their names; the first one is MBAR.
    values, errors : ndarray of shape (n_methods, n_rungs)
        Estimates and standard errors.
    """

    methods: tuple[str, ...]
    values: Array
    errors: Array

    @property
    def ratio(self) -> Array:
        """Birge's ratio (n_rungs,): spread of the methods over their errors, at least
        1.
        """
        weights = 1 / np.maximum(self.errors, 1e-12) ** 2
        mean = (weights * self.values).sum(axis=0) / weights.sum(axis=0)
        chi_square = (weights * (self.values - mean) ** 2).sum(axis=0)
        return np.sqrt(np.maximum(chi_square / (len(self.values) - 1), 1.0))

    @property
    def problem(self) -> str:
        """A sentence where the methods disagree, else nothing."""
        k = int(self.ratio.argmax())
        if self.ratio[k] <= MOST_RATIO:
            return ""
        found = ", ".join(
            f"{name} {value:.2f} ± {error:.2f}"
            for name, value, error in zip(
                self.methods, self.values[:, k], self.errors[:, k], strict=True
            )
        )
        return (
            f"Estimates of log Z on rung {k} disagree: {found}. Do not trust F and S."
        )


class Mixing(NamedTuple):
    """Diagnostics of a recording; ``problems`` says in words what is wrong.

    Printed, it is two tables: one of rungs and one of observables.

    Parameters
    ----------
    ladder : Ladder
        The rungs.
    swap_rate : ndarray of shape (n_rungs - 1,)
        Mean probability that a rung and the next one exchange replicas.
    flow : ndarray of shape (n_rungs,)
        Share of the replicas on a rung that were at the hot end later than at the cold
        one: 1 to 0, evenly where replicas diffuse freely.
    autocorrelation : ndarray of shape (n_rungs,)
        Steps for one independent energy.
    round_trips : int
        Ways of replicas from the first rung to the last and back.
    r_hat, effective_samples : dict of float
        Largest rank-normalised split R-hat, between ladders and halves of them, and
        smallest effective number of samples, over rungs or temperatures, for every
        observable.
    log_z : LogZ
        Estimates that share little.
    """

    ladder: Ladder
    swap_rate: Array
    flow: Array
    autocorrelation: Array
    round_trips: int
    r_hat: dict[str, float]
    effective_samples: dict[str, float]
    log_z: LogZ

    @property
    def mixes(self) -> bool:
        """Whether replicas made round trips, or there is one rung alone."""
        return self.round_trips >= LEAST_ROUND_TRIPS or not len(self.swap_rate)

    @property
    def problems(self) -> list[str]:
        """A sentence for everything that makes the estimates doubtful."""
        found = []
        worst = max(self.r_hat, key=lambda name: self.r_hat[name])
        if not self.r_hat[worst] <= MOST_R_HAT:
            found.append(
                f"R-hat of {worst} is {self.r_hat[worst]:.2f}: "
                "ladders disagree, so make more steps."
            )
        fewest = min(self.effective_samples.values())
        if not fewest >= LEAST_EFFECTIVE:
            found.append(
                f"There are {fewest:.0f} independent samples only: make more steps."
            )
        if len(self.swap_rate) and not self.swap_rate.min() >= LEAST_SWAPS:
            found.append(
                f"Neighbouring rungs swap in {100 * self.swap_rate.min():.1f} % of the "
                "trials only: add rungs."
            )
        if not self.mixes:
            found.append(
                "The ladder does not mix: replicas made "
                f"{self.round_trips} round trips between its ends. Make more steps."
            )
        return found + [self.log_z.problem] * bool(self.log_z.problem)

    def __str__(self) -> str:
        swaps = np.append(self.swap_rate, np.nan)
        columns = (*self.ladder, swaps, self.flow, self.autocorrelation)
        lines = ["rung  coupling  temperature  swaps  flow  autocorrelation"]
        lines += [
            f"{k:4d}  {s:8.3f}  {T:11.3g}  {swap:5.2f}  {flow:4.2f}  {tau:15.1f}"
            for k, (s, T, swap, flow, tau) in enumerate(zip(*columns, strict=True))
        ]
        lines += [f"Round trips: {self.round_trips}.", "", "observable  R-hat  samples"]
        lines += [
            f"{name:10}  {r_hat:5.3f}  {self.effective_samples[name]:7.0f}"
            for name, r_hat in self.r_hat.items()
        ]
        return "\n".join(lines)


def mixing(recording: Recording, observables: dict[str, Array], log_z: LogZ) -> Mixing:
    """All diagnostics of a recording.

    ``observables`` are series by name, (n_series, n_steps, n_ladders): energies of
    rungs, or influences of steps on estimates."""
    r_hat, effective = {}, {}
    for name, series in observables.items():
        spread = series.std(axis=(1, 2))
        moving = series[spread > LEAST_SPREAD * spread.max()]
        if len(moving):
            r_hat[name] = float(np.max([split_r_hat(one) for one in moving]))
            effective[name] = float(np.min([effective_sample_size(x) for x in moving]))
    rungs = np.moveaxis(recording.total, 2, 0)
    size = rungs[0].size
    times = np.array([size / effective_sample_size(rung) for rung in rungs])
    return Mixing(
        recording.ladder,
        1 - rejections(recording),
        flow(recording),
        times,
        round_trips(recording),
        r_hat or {"energy": float("nan")},
        effective or {"energy": float("nan")},
        log_z,
    )


def equilibration(series: Array) -> int:
    """The step from which on a series (n,) is in equilibrium: the one that leaves most
    effective samples (Chodera 2016), at most half of the steps.
    """
    n = len(series)
    starts = np.arange(0, n // 2 + 1, max(1, n // 20))
    sizes = [effective_sample_size(series[start:, None]) for start in starts]
    return int(starts[np.argmax(np.nan_to_num(sizes))])


def equilibrated(recording: Recording) -> Recording:
    """The recording without the steps before all ladders are in equilibrium; at least
    half of it stays.
    """
    total = (recording.total / recording.ladder.temperature).sum(axis=2)
    return recording.after(max(equilibration(column) for column in total.T))


def walks_of(recording: Recording) -> tuple[NDArray[np.intp], Array]:
    """Rungs of every replica, (n_steps, n_replicas), and the end that it was at last: 1
    for the hot one, 0 for the cold one, NaN before the first.
    """
    walks = recording.rungs_of_replicas().reshape(len(recording.energy), -1)
    at_end = (walks == 0) | (walks == recording.energy.shape[2] - 1)
    steps = np.arange(len(walks))[:, None]
    when = np.maximum.accumulate(np.where(at_end, steps, -1), axis=0)
    ends = np.take_along_axis(walks, np.maximum(when, 0), axis=0) == 0
    return walks, np.where(when >= 0, ends, np.nan)


def flow(recording: Recording) -> Array:
    """Share of the replicas on every rung, (n_rungs,), that come from the hot end
    (Katzgraber et al. 2006).
    """
    walks, ends = walks_of(recording)
    has_end = np.isfinite(ends)
    from_hot = np.bincount(
        walks[has_end], weights=ends[has_end], minlength=walks.max() + 1
    )
    return from_hot / np.maximum(
        np.bincount(walks[has_end], minlength=len(from_hot)), 1
    )


def round_trips(recording: Recording) -> int:
    """How often replicas went from the first rung to the last one and back again."""
    if recording.energy.shape[2] == 1:
        return 0
    trips = 0
    for ends in walks_of(recording)[1].T:
        ends = ends[np.isfinite(ends)]
        turns = int(np.count_nonzero(np.diff(ends)))
        trips += max(0, (turns - int(not ends[:1].all())) // 2)
    return trips


def rejections(recording: Recording) -> Array:
    """Mean probability that a swap of neighbouring rungs is rejected, (n_rungs - 1,),
    from the energies alone.
    """
    log_ratio = recording.ladder.log_ratios(recording.energy, recording.confinement)
    return 1 - np.exp(np.minimum(log_ratio, 0.0)).mean(axis=(0, 1))
