"""Is the landscape of metrics rugged? Minima, barriers and test errors on all sets under 1,000 samples.

    python benchmarks/landscape.py RECORDS --data-home FOLDER   # measure what RECORDS lacks
    python benchmarks/landscape_tables.py                       # tables, from the committed records

The energy is that of ``DMLFE``, NCA's with a confinement of 1e-4, on one half of every set, features in [0, 1]. All
searches have the processor time that 50 descents by L-BFGS take, but at least 1.5 seconds, with more descents, and at
most 3, with fewer. CMA-ES is the package ``cma``. The committed file is the gzipped RECORDS, together with those of
``landscape_temperatures.py``; the sets up to wine had up to 6 seconds, glass and hepatitis 4, all others 3.
"""

from resuming import one_thread_each

if __name__ == "__main__":  # tests import this, and have threads of their own
    one_thread_each()

import argparse
import time
from pathlib import Path

import numpy as np
from freemetric.bench.protocol import halves
from freemetric.datasets import info, list_datasets, load
from resuming import run_missing
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components
from scipy.special import softmax
from sklearn.metrics import euclidean_distances
from sklearn.preprocessing import MinMaxScaler

from freemetric.energies import NCAEnergy
from freemetric.extras import require
from freemetric.mc import Annealing, Constant, ElementMove, Geometric, ParallelTempering
from freemetric.mc.samplers import Schedule
from freemetric.thermodynamics import Coupled, elastic_band, overlap

MOST_SAMPLES = 1000
RIDGE = 1e-4  # the confinement of DMLFE
N_STARTS, N_QUENCHES, N_ANNEALINGS = 50, 20, 5
LEAST, CAP = 1.5, 3.0  # seconds of a search
BAND_CAP = 2.0  # seconds of all elastic bands
HOT, COLD = 1e-2, 1e-6  # of annealings
RUNGS = np.geomspace(1e-5, 1e-2, 7)  # of tempering
SAME_ENERGY, SAME_METRIC = 1e-4, 0.99  # of two descents that end in one basin
N_BANDS, N_IMAGES = 5, 11
N_NEIGHBORS = 5
PAPER_SETS = (
    "iris",
    "zoo",
    "wine",
    "hepatitis",
    "glass-g2",
    "glass",
    "newthyroid",
    "promoters",
    "sonar",
    "heart",
)
ENDLESS = 10**9


class Problem:
    """One half of a set to learn on, the other one to score on; the energy of the learning half."""

    def __init__(self, name, repeat, data_home=None):
        data = load(name, data_home)
        train, test = halves(data.y, repeat)[0]
        scaler = MinMaxScaler().fit(data.X[train])
        self.X, self.y = scaler.transform(data.X[train]), data.y[train]
        self.X_test, self.y_test = scaler.transform(data.X[test]), data.y[test]
        self.energy = Coupled(NCAEnergy().bind(self.X, self.y), RIDGE)
        self.d, self.rng = (
            self.X.shape[1],
            np.random.default_rng([repeat, info(name).number]),
        )
        self.energy.value_and_grad(
            np.eye(self.d)[None]
        )  # compiled before the clock starts

    def starts(self, n):
        """Random maps, whose mean of A^T A is the identity times a number between 1 and 100."""
        size = 10 ** self.rng.random((n, 1, 1)) / np.sqrt(self.d)
        return size * self.rng.standard_normal((n, self.d, self.d))

    def probabilities(self, A):
        """Of all classes for the test samples, by NCA's soft neighbours."""
        D = euclidean_distances(self.X_test @ A.T, self.X @ A.T, squared=True)
        return softmax(-D, axis=1) @ np.eye(self.y.max() + 1)[self.y], D

    def scores(self, maps):
        """Of every map, in percent: the expected error on the test half, and the errors of both kinds of neighbours.

        The first is the energy of the test half; the next that of its most probable class, and that of the nearest
        neighbours. Then the error of the mean of all probabilities, one number.
        """
        found, mean = [], 0.0
        for A in maps:
            P, D = self.probabilities(A)
            nearest = self.y[np.argpartition(D, N_NEIGHBORS, axis=1)[:, :N_NEIGHBORS]]
            votes = (nearest[:, :, None] == np.arange(self.y.max() + 1)).sum(axis=1)
            wrong = [
                (chosen.argmax(axis=1) != self.y_test).mean() for chosen in (P, votes)
            ]
            found.append((1 - P[np.arange(len(P)), self.y_test].mean(), *wrong))
            mean = mean + P
        return 100 * np.array(found), 100 * (
            np.argmax(mean, axis=1) != self.y_test
        ).mean()


class Clock:
    """Seconds of the processor since it was made."""

    def __init__(self):
        self.start = time.process_time()

    def __call__(self):
        return time.process_time() - self.start


def descend(energy, start, max_iter=1000):
    """The map and energy where L-BFGS ends."""

    def objective(x):
        value, gradient = energy.value_and_grad(x.reshape(1, *start.shape))
        return value[0], gradient.ravel()

    options = {"maxiter": max_iter, "maxfun": 2 * max_iter, "ftol": 1e-9, "gtol": 1e-7}
    end = minimize(
        objective, start.ravel(), jac=True, method="L-BFGS-B", options=options
    )
    return end.x.reshape(start.shape), float(end.fun)


# --- searches: functions of a problem and seconds that return maps (n, p, d) and their energies (n,)


def descents(problem, seconds):
    """The first from the identity, as NCA does; the others from random starts."""
    clock, ends = Clock(), [descend(problem.energy, np.eye(problem.d))]
    while clock() < (LEAST if len(ends) >= N_STARTS else seconds):
        ends.append(descend(problem.energy, problem.starts(1)[0]))
    return np.array([A for A, _ in ends]), np.array([value for _, value in ends])


class ByClock(Schedule):
    """Temperatures that fall evenly in their logarithm while time passes."""

    reads_energies = True

    def __init__(self, seconds=1.0):
        self.seconds = seconds

    def __call__(self, step, temperatures, energies):
        self.clock = Clock() if step == 0 else self.clock
        return HOT * (COLD / HOT) ** min(1.0, self.clock() / self.seconds)


def quenches(problem, seconds):
    move = ElementMove(0.5, n_moves=20)
    return last(
        problem,
        Annealing(Constant(0.0), move, n_steps=ENDLESS, burn_in=1),
        N_QUENCHES,
        seconds,
    )


def annealings_by_elements(problem, seconds):
    sampler = Annealing(
        ByClock(seconds), ElementMove(0.5, n_moves=20), n_steps=ENDLESS, burn_in=1
    )
    return last(problem, sampler, N_ANNEALINGS, seconds)


def annealings(problem, seconds):
    return last(
        problem,
        Annealing(ByClock(seconds), n_steps=ENDLESS, burn_in=1),
        N_ANNEALINGS,
        seconds,
    )


def tempering(problem, seconds):
    sampler = ParallelTempering(tuple(RUNGS), n_steps=ENDLESS, burn_in=1)
    maps, values = last(problem, sampler, sampler.n_replicas, seconds)
    return maps[:1], values[:1]


def last(problem, sampler, n_replicas, seconds):
    """Where replicas stand when time is up."""
    clock = Clock()
    chain = sampler.begin(problem.rng, problem.energy, problem.starts(n_replicas))
    while clock() < seconds:
        chain, _ = sampler.advance(chain, problem.energy)
    return chain.state.A, chain.state.energy


def evolution(problem, seconds):
    """CMA-ES, again and again from random starts; of many elements with a diagonal covariance."""
    cma, clock, ends = require("cma"), Clock(), []
    while clock() < seconds:
        options = {
            "verbose": -9,
            "seed": int(problem.rng.integers(1, 2**31)),
            "CMA_diagonal": problem.d**2 > 200,
        }
        search = cma.CMAEvolutionStrategy(problem.starts(1).ravel(), 0.3, options)
        while not search.stop() and clock() < seconds:
            points = search.ask()
            values = problem.energy(np.reshape(points, (-1, problem.d, problem.d)))
            search.tell(points, values.tolist())
        ends.append(
            (search.result.xbest.reshape(problem.d, problem.d), search.result.fbest)
        )
    return np.array([A for A, _ in ends]), np.array([value for _, value in ends])


SEARCHES = {
    "quenches": quenches,
    "annealing by elements": annealings_by_elements,
    "annealing": annealings,
    "tempering": tempering,
    "CMA-ES": evolution,
}


def searches(problem):
    """A record for every search, and the ends of the descents."""
    require("cma")  # imported before the clock starts
    clock = Clock()
    maps, values = descents(problem, CAP)
    budget = clock()
    yield ended("L-BFGS", problem, budget, maps, values), (maps, values)
    for name, search in SEARCHES.items():
        clock = Clock()
        found = search(problem, budget)
        yield ended(name, problem, clock(), *found), None


def ended(method, problem, seconds, maps, values):
    """The record of a search; ``polished`` is where L-BFGS ends from the best of its maps."""
    expected, soft, error = problem.scores(maps)[0].T
    best = maps[np.argmin(values)]
    return {
        "method": method,
        "seconds": round(seconds, 2),
        "energy": rounded(values, 5),
        "polished": rounded(descend(problem.energy, best, 300)[1], 5),
        "test_energy": rounded(expected, 4),
        "test_error_soft": rounded(soft, 4),
        "test_error": rounded(error, 4),
    }


# --- minima: which descents end in one basin, and the passes between basins


def basins(maps, values):
    """The number of the basin of every map: linked are those of the same energy and metric."""
    same = np.abs(values[:, None] - values) <= SAME_ENERGY
    same &= overlap(maps[:, None], maps) >= SAME_METRIC
    return connected_components(same)[1]


def minima(problem, maps, values):
    """Basins of the descents and the lowest passes that bands find from the deepest basin to the next ones."""
    labels, order = basins(maps, values), np.argsort(values)
    firsts = [order[0]]
    for i in order:
        if labels[i] not in labels[firsts]:
            firsts.append(i)
    clock, A = Clock(), np.repeat(maps[:1], N_IMAGES, axis=0)
    problem.energy.value_and_grad(A)
    cost, n_bands = clock(), min(N_BANDS, len(firsts) - 1)
    n_steps = (
        int(np.clip(BAND_CAP / max(cost * n_bands, 1e-6), 30, 400)) if n_bands else 0
    )
    bands = [
        elastic_band(problem.energy, maps[firsts[0]], maps[i], N_IMAGES, n_steps)
        for i in firsts[1 : 1 + n_bands]
    ]
    q = overlap(maps[:, None], maps)[np.triu_indices(len(maps), 1)]
    return {
        "method": "minima",
        "starts": len(maps),
        "basins": int(labels.max() + 1),
        "largest": int(np.bincount(labels).max()),
        "overlap_of_ends": rounded(np.quantile(q, [0.05, 0.25, 0.5, 0.75, 0.95]), 3)
        if len(q)
        else [1.0] * 5,
        "barrier": [rounded(band.barrier, 5) for band in bands],
        "force": [rounded(band.force, 3) for band in bands],
        "steps": n_steps,
        "rise": [
            rounded(values[i] - values[firsts[0]], 5) for i in firsts[1 : 1 + n_bands]
        ],
        "overlap": [
            rounded(float(overlap(maps[firsts[0]], maps[i])), 3)
            for i in firsts[1 : 1 + n_bands]
        ],
        "straight": [
            rounded(
                straight(problem.energy, band) - max(band.energy[0], band.energy[-1]), 5
            )
            for band in bands
        ],
    }


def straight(energy, band):
    """The highest energy on the straight line between the ends of a band."""
    share = np.linspace(0, 1, 2 * N_IMAGES)[:, None, None]
    return float(energy((1 - share) * band.maps[0] + share * band.maps[-1]).max())


# --- the paper's figure 6: its own setting, without confinement


def paper(problem, n_steps=100, n_runs=20):
    """Where annealings and quenches of the published setting end."""
    bound, rng = problem.energy.energy, problem.rng
    move, ends = ElementMove(1.0, n_moves="samples", target_acceptance=None), {}
    for what, schedule in (
        ("annealed", Geometric(0.1, 0.9)),
        ("quenched", Constant(0.0)),
    ):
        start = rng.random((n_runs, problem.d, problem.d))
        *_, (state, _) = Annealing(schedule, move, n_steps=n_steps).iterate(
            rng, bound, start
        )
        ends[what] = rounded(np.sort(state.energy), 5)
    return {"method": "paper", **ends}


def rounded(values, digits):
    """Numbers with so many significant digits."""
    if isinstance(values, list | tuple | np.ndarray):
        return [rounded(value, digits) for value in values]
    return float(f"{values:.{digits}g}")


def measure(set, repeat, data_home):
    if repeat == "paper":
        return paper(Problem(set, 0, data_home))
    problem, records = Problem(set, repeat, data_home), []
    for record, ends in searches(problem):
        records.append(record)
        if ends is not None:
            first = ends
    records.append(minima(problem, *first))
    about = {
        "samples": len(problem.y),
        "features": problem.d,
        "classes": int(problem.y.max() + 1),
    }
    print(set, repeat, about, f"{time.process_time():.0f} s", flush=True)
    return [{**about, **record} for record in records]


def names():
    """The sets, those with cheap energies first: a run that is stopped has most of them."""
    small = [name for name in list_datasets() if info(name).rows < MOST_SAMPLES]
    return sorted(
        small, key=lambda name: info(name).rows ** 2 * info(name).encoded["paper"]
    )


def run(path, data_home, repeats):
    jobs = [{"set": name, "repeat": 0} for name in names()]
    jobs += [{"set": name, "repeat": "paper"} for name in PAPER_SETS]
    jobs += [
        {"set": name, "repeat": repeat}
        for repeat in range(1, repeats)
        for name in names()
    ]
    run_missing(path, jobs, lambda **job: measure(**job, data_home=data_home))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", type=Path)
    parser.add_argument("--data-home")
    parser.add_argument("--repeats", type=int, default=1)
    given = parser.parse_args()
    run(given.records, given.data_home, given.repeats)
