"""The searches of landscape.py: descents, and walks that take as long."""

import time

import numpy as np
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components

from freemetric.mc import Annealing, Constant, ElementMove, Geometric, ParallelTempering
from freemetric.thermodynamics import overlap

N_STARTS = 50
MOST_SECONDS = 3.0
HOT, COLD = 1e-2, 1e-6
SAME_ENERGY, SAME_METRIC = 1e-4, 0.99
N_STEPS = 50  # of a walk, whose time is then known


def descend(energy, start):
    """Return the map and the energy where L-BFGS ends."""

    def objective(x):
        value, gradient = energy.value_and_grad(x.reshape(1, *start.shape))
        return value[0], gradient.ravel()

    options = {"maxiter": 1000, "ftol": 1e-9, "gtol": 1e-7}
    end = minimize(
        objective, start.ravel(), jac=True, method="L-BFGS-B", options=options
    )
    return end.x.reshape(start.shape), float(end.fun)


def starts(rng, n, d):
    """Return random maps, whose mean of A^T A is a number from 1 to 100."""
    size = 10 ** rng.random((n, 1, 1)) / np.sqrt(d)
    return size * rng.standard_normal((n, d, d))


def descents(energy, rng, d):
    """Return ends of descents, the first from the identity."""
    start = time.process_time()
    ends = [descend(energy, np.eye(d))]
    while len(ends) < N_STARTS and time.process_time() - start < MOST_SECONDS:
        ends.append(descend(energy, starts(rng, 1, d)[0]))
    return [np.array(part) for part in zip(*ends, strict=True)]


def walked(make, energy, maps, rng, seconds):
    """Return the energies after a walk that is as long as the time allows."""
    start = time.process_time()
    for _ in make(N_STEPS).iterate(rng, energy, maps):
        pass
    took = max(time.process_time() - start, 1e-3)
    n_steps = max(N_STEPS, int(N_STEPS * seconds / took))
    for state, _ in make(n_steps).iterate(rng, energy, maps):
        last = state
    return last.energy


def quench(n_steps):
    return Annealing(Constant(0.0), ElementMove(0.5, n_moves=20), n_steps=n_steps)


def anneal(n_steps):
    cooling = Geometric(HOT, (COLD / HOT) ** (1 / n_steps))
    return Annealing(cooling, n_steps=n_steps)


def temper(n_steps):
    return ParallelTempering(tuple(np.geomspace(1e-5, HOT, 7)), n_steps=n_steps)


WALKS = {"quenches": (quench, 20), "annealing": (anneal, 5), "tempering": (temper, 7)}
"""Samplers of so many steps, and numbers of replicas."""


def n_basins(maps, energies):
    """Return the number of basins that descents end in."""
    same = np.abs(energies[:, None] - energies) <= SAME_ENERGY
    same &= overlap(maps[:, None], maps) >= SAME_METRIC
    return int(connected_components(same)[0])
