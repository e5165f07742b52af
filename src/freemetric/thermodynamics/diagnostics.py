"""Whether chains have mixed: R-hat, effective sample size, correlation times, round
trips, overlap, barrier.
"""

from typing import NamedTuple

import numpy as np

from ..mc.diagnostics import effective_sample_size, split_r_hat
from ..mc.state import Array
from .estimates import pymbar
from .recording import Recording

# Below this overlap of neighbours MBAR's error bars are too small (Klimovich 2015).
LEAST_OVERLAP = 0.03
MOST_R_HAT = 1.05
LEAST_EFFECTIVE = 60  # fewer do not tell their own correlation time


class Mixing(NamedTuple):
    """Diagnostics of a recording; ``problems`` says in words what is wrong.

    Parameters
    ----------
    r_hat : float
        Largest split R-hat of the energy over rungs, between ladders and halves of
        them.
    effective_samples : float
        Smallest effective number of energies over rungs.
    round_trips : int
        Ways of replicas from the first rung to the last and back.
    overlap : float
        Smallest overlap of neighbouring rungs.
    barrier : float
        Sum of rejection rates of all neighbours, Lambda; about 2 Lambda + 1 rungs are
        best.
    """

    r_hat: float
    effective_samples: float
    round_trips: int
    overlap: float
    barrier: float

    @property
    def problems(self) -> list[str]:
        """A sentence for everything that makes the estimates doubtful."""
        found = []
        if not self.r_hat <= MOST_R_HAT:
            found.append(
                f"R-hat is {self.r_hat:.2f}: ladders disagree, so make more steps."
            )
        if not self.effective_samples >= LEAST_EFFECTIVE:
            found.append(
                f"A rung has {self.effective_samples:.0f} independent samples only: "
                "make more steps."
            )
        if not self.overlap >= LEAST_OVERLAP:
            found.append(
                f"Neighbouring rungs overlap by {self.overlap:.3f} only: add rungs."
            )
        if self.round_trips == 0:
            found.append(
                "No replica went from one end of the ladder to the other and back: "
                "make more steps."
            )
        return found


def mixing(recording: Recording, overlap: Array) -> Mixing:
    """All diagnostics of a recording, with MBAR's overlap matrix of
    :class:`Thermodynamics`.
    """
    rungs, between = np.moveaxis(recording.total, 2, 0), np.diagonal(overlap, 1)
    return Mixing(
        float(np.max([split_r_hat(rung) for rung in rungs])),
        float(np.min([effective_sample_size(rung) for rung in rungs])),
        round_trips(recording),
        float(between.min()) if len(between) else 1.0,
        float(rejections(recording).sum()),
    )


def equilibration(series: Array) -> tuple[int, float, float]:
    """The step from which on a series is in equilibrium, its g, and the independent
    samples after that.

    The step is the one that leaves most independent samples (Chodera 2016,
    ``pymbar.timeseries``)."""
    series = np.asarray(series, dtype=np.float64)
    if not np.ptp(series) > 0:
        return 0, 1.0, float(len(series))
    start, g, n = pymbar().timeseries.detect_equilibration(
        series, nskip=max(1, len(series) // 50)
    )
    return int(start), float(g), float(n)


def equilibrated(recording: Recording) -> Recording:
    """The recording without the steps before all rungs are in equilibrium; at least
    half of it stays.
    """
    total = recording.total.mean(axis=1)
    starts = [equilibration(column)[0] for column in total.T]
    return recording.after(min(max(starts), len(total) // 2))


def round_trips(recording: Recording) -> int:
    """How often replicas went from the first rung to the last one and back again."""
    last = recording.energy.shape[2] - 1
    places = recording.places().reshape(len(recording.energy), -1)
    trips = 0
    for walk in places.T if last else ():
        ends = walk[(walk == 0) | (walk == last)]
        turns = (
            ends[np.concatenate([[True], np.diff(ends) != 0])] if len(ends) else ends
        )
        turns = turns[np.argmax(turns == 0) :] if (turns == 0).any() else turns[:0]
        trips += max(0, (len(turns) - 1) // 2)
    return trips


def rejections(recording: Recording) -> Array:
    """Mean probability that a swap of neighbouring rungs is rejected, (n_rungs - 1,),
    from the energies alone.
    """
    log_ratio = recording.ladder.log_ratios(recording.energy, recording.confinement)
    return 1 - np.exp(np.minimum(log_ratio, 0.0)).mean(axis=(0, 1))
