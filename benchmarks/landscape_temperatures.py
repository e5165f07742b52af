"""At which temperature do metrics classify best, and where is the peak of the heat capacity?

    python benchmarks/landscape_temperatures.py RECORDS --data-home FOLDER    # measure what RECORDS lacks
    python benchmarks/landscape_tables.py                                     # tables, from the committed records

The energy, the halves and the scores are those of ``landscape.py``. Two ladders of replicas exchange maps, from the
confinement alone to the lowest temperature; their rungs are tuned by the communication barrier, and those of
``TEMPERATURES`` are among them. One ladder begins in the lowest minimum of some descents and melts, the other one with
draws of the confinement and freezes. Maps have at most 400 elements: full ones up to 20 features, fewer rows beyond,
since the number of rungs grows with the root of the elements. The committed records were made with ``--device cuda
--processes 9 --seconds 75``, those of the eight smallest sets with ``--processes 2 --seconds 75``.
"""

from resuming import one_thread_each

if __name__ == "__main__":
    one_thread_each()

import argparse
import json
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from landscape import CAP, N_STARTS, RIDGE, Clock, Problem, descend, names, rounded
from resuming import read

from freemetric.energies import NCAEnergy
from freemetric.mc import HamiltonianMove
from freemetric.mc.diagnostics import split_r_hat
from freemetric.thermodynamics import (
    Coupled,
    Ladder,
    LadderTempering,
    Recorder,
    TemperingSettings,
    rejections,
    round_trips,
    temper,
)

TEMPERATURES = 10 ** np.linspace(-1.5, -4.5, 13)
MOST_ELEMENTS = 400
MOST_RUNGS = 110
N_BLOCKS = 10  # of the jackknife, in time, of both ladders together
MOST_SCORED = 40  # maps a temperature
FEWEST_STEPS, MOST_STEPS = 60, 10_000
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def measure(name, seconds, data_home=None, device="cpu"):
    """The record of a set."""
    problem, start = Problem(name, 0, data_home), time.perf_counter()
    rows = min(problem.d, MOST_ELEMENTS // problem.d)
    lowest = lowest_minimum(problem, rows)
    energy = Coupled(NCAEnergy().bind(problem.X, problem.y, device=device), RIDGE)
    recording, at, kept = sampled(problem, energy, lowest[0], seconds)
    scored = [problem.scores(maps) for maps in kept]
    single = np.array([scores.mean(axis=0) for scores, _ in scored]).T
    H, T = recording.total[:, :, at], TEMPERATURES
    heat, heat_error = heat_capacity(H, T)
    return {
        "samples": len(problem.y),
        "features": problem.d,
        "rows": rows,
        "rungs": len(recording.ladder.temperature),
        "steps": len(H),
        "seconds": round(time.perf_counter() - start, 1),
        "barrier": rounded(rejections(recording).sum(), 3),
        "trips": round_trips(recording),
        "temperature": rounded(T, 4),
        "energy": rounded(H.mean(axis=(0, 1)), 5),
        "melting": rounded(H[:, 0].mean(axis=0), 5),
        "freezing": rounded(H[:, 1].mean(axis=0), 5),
        "heat_capacity": rounded(heat, 4),
        "heat_capacity_error": rounded(heat_error, 2),
        "r_hat": rounded([split_r_hat(H[:, :, k]) for k in range(len(T))], 4),
        "overlap": [
            rounded(np.quantile(recording.overlaps[:, 0, k], QUANTILES), 3) for k in at
        ],
        "histogram": [
            np.histogram(recording.overlaps[:, 0, k], bins=20, range=(0, 1))[0].tolist()
            for k in at
        ],
        "test_energy": rounded(single[0], 4),
        "test_energy_error": rounded([spread(scores[:, 0]) for scores, _ in scored], 2),
        "test_error_soft": rounded(single[1], 4),
        "test_error_of_mean": rounded([of_mean for _, of_mean in scored], 4),
        "minimum": {
            "energy": rounded(lowest[1], 5),
            "scores": rounded(problem.scores([lowest[0]])[0][0], 4),
        },
    }


def lowest_minimum(problem, rows):
    """The lowest of as many descents as a few seconds allow, the first from the identity: its map and energy."""
    clock, ends = Clock(), [descend(problem.energy, np.eye(problem.d)[:rows])]
    while clock() < CAP and len(ends) < N_STARTS:
        ends.append(descend(problem.energy, problem.starts(1)[0][:rows]))
    return min(ends, key=lambda end: end[1])


def sampled(problem, energy, lowest, seconds):
    """A recording, the rungs of ``TEMPERATURES``, and maps of these rungs."""
    hottest, coldest = TEMPERATURES[0], TEMPERATURES[-1]
    settings = TemperingSettings(
        n_steps=20, most_rungs=MOST_RUNGS, n_rounds=4, move=HamiltonianMove()
    )
    tuned = temper(
        energy.energy, lowest, RIDGE, (coldest, hottest), settings, random_state=0
    ).ladder
    ladder = with_temperatures(tuned)
    at = [
        int(
            np.flatnonzero(np.isclose(ladder.temperature, T) & (ladder.coupling == 1))[
                0
            ]
        )
        for T in TEMPERATURES
    ]
    K = len(ladder.temperature)
    coupled = energy.with_coupling(np.tile(ladder.coupling, 2))
    hot = coupled.draw_reference(problem.rng, (K, *lowest.shape), hottest)
    start = np.concatenate([np.tile(lowest, (K, 1, 1)), hot])
    n_steps = int(
        np.clip(
            seconds / cost_of_step(ladder, coupled, start), FEWEST_STEPS, MOST_STEPS
        )
    )
    sampler = LadderTempering(ladder, HamiltonianMove(), n_steps=n_steps, burn_in=0.4)
    recorder, kept, number = Recorder(ladder, coupled, n_steps), [[] for _ in at], 0
    stride = max(1, int(0.6 * n_steps) // (MOST_SCORED // 2))
    for state, info in sampler.iterate(problem.rng, coupled, start):
        recorder.note(state, info)
        number += not info.adapting
        if number and number % stride == 0:
            for maps, k in zip(kept, at, strict=True):
                maps.extend(state.A.reshape(2, K, *lowest.shape)[:, k].copy())
    return recorder.recording, at, kept


def with_temperatures(ladder):
    """The ladder with a rung at each of ``TEMPERATURES``, in the order of its way."""
    rungs = {(round(s, 9), -round(np.log(T), 9)) for s, T in zip(*ladder, strict=True)}
    rungs |= {(1.0, -round(np.log(T), 9)) for T in TEMPERATURES}
    s, minus_log = np.array(sorted(rungs)).T
    return Ladder(s, np.exp(-minus_log))


def cost_of_step(ladder, energy, start):
    """Seconds of a Monte Carlo step of all replicas, after one that compiles."""
    sampler = LadderTempering(
        ladder, HamiltonianMove(0.01, target_acceptance=None), n_steps=6, burn_in=0
    )
    times = [
        time.perf_counter()
        for _ in sampler.iterate(np.random.default_rng(0), energy, start)
    ]
    return (times[-1] - times[0]) / (len(times) - 1)


def heat_capacity(H, T):
    """C (n,) of energies (n_steps, n_ladders, n), with standard errors by a jackknife over blocks of time."""
    blocks = np.array_split(np.arange(len(H)), N_BLOCKS)
    without = np.array(
        [np.delete(H, block, axis=0).var(axis=(0, 1)) for block in blocks]
    )
    error = np.sqrt((N_BLOCKS - 1) * without.var(axis=0))
    return H.var(axis=(0, 1)) / T**2, error / T**2


def spread(values):
    """Standard error of a mean of maps that take turns between two ladders, by halves of each of them."""
    parts = [
        half.mean()
        for ladder in (values[::2], values[1::2])
        for half in np.array_split(ladder, 2)
    ]
    return np.std(parts, ddof=1) / np.sqrt(len(parts))


def attempt(name, seconds, data_home, device):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"job": {"set": name, "repeat": 0}, "method": "temperatures"} | measure(
            name, seconds, data_home, device
        )


def main(given):
    """Sets with the longest steps first, each in a process, written as they end."""
    known = {record["job"]["set"] for record in read(given.records)}
    missing = [
        name
        for name in reversed(names())
        if name not in known and name in (given.sets or name).split(",")
    ]
    options = {"max_workers": given.processes, "mp_context": get_context("spawn")}
    with ProcessPoolExecutor(**options) as pool:
        tasks = {
            pool.submit(
                attempt, name, given.seconds, given.data_home, given.device
            ): name
            for name in missing
        }
        for task in as_completed(tasks):
            if task.exception() is not None:
                print(f"{tasks[task]}: {task.exception()!r}", flush=True)
                continue
            with given.records.open("a") as file:
                file.write(json.dumps(task.result()) + "\n")
            print(
                *(
                    f"{key} {task.result()[key]}"
                    for key in ("job", "rungs", "steps", "trips", "seconds")
                ),
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", type=Path)
    parser.add_argument("--data-home")
    parser.add_argument("--sets", help="names with commas between them; all by default")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument(
        "--seconds", type=float, default=90.0, help="of the recorded run of a set"
    )
    main(parser.parse_args())
