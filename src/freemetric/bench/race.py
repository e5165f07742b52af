"""A race of optimisers: the lowest NCA energy of each over wall-clock time."""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import dual_annealing, minimize

from ..energies import NCAEnergy
from ..extras import require
from ..learners.dmlfe import DMLFE
from ..mc import Annealing, Constant, ElementMove, HamiltonianMove, ParallelTempering

BOUND = 20.0  # of the elements, for the optimisers that need a box
ENDLESS = 10**9


class _TimeUp(Exception):  # noqa: N818 - the end of a race is no error
    """The optimiser's time is over."""


class _Clocked:
    """A bound energy that records every new minimum with its time, and ends the search when time is up."""

    def __init__(self, energy, seconds):
        self.energy, self.seconds = energy, seconds
        self.n_samples = energy.n_samples
        self.start, self.times, self.lowest = time.perf_counter(), [], []

    def __call__(self, A):
        return self.noted(self.energy(A))

    def value_and_grad(self, A):
        values, gradient = self.energy.value_and_grad(A)
        return self.noted(values), gradient

    def sweep(self, A, *trials, **options):
        A, values, accepted = self.energy.sweep(A, *trials, **options)
        self.noted(values)
        return A, values, accepted

    def noted(self, values):
        elapsed, low = time.perf_counter() - self.start, float(np.min(values))
        if not self.lowest or low < self.lowest[-1]:
            self.times.append(elapsed)
            self.lowest.append(low)
        if elapsed > self.seconds:
            raise _TimeUp
        return values


def _sample(sampler):
    """A search by Monte Carlo from the identity; the sampler goes on until time is up."""

    def search(energy, rng, d):
        A = np.repeat(np.eye(d)[None], sampler.n_replicas, axis=0)
        for _ in sampler.set_params(n_steps=ENDLESS, burn_in=0.0).iterate(rng, energy, A):
            pass

    return search


def _paper(energy, rng, d):
    for _ in DMLFE.paper().sampler.iterate(rng, energy, rng.random((1, d, d))):
        pass


def _flat(energy, d):
    return lambda x: float(energy(np.asarray(x).reshape(1, d, d))[0])


def _descend(start):
    """L-BFGS, again and again from new starts where they are random."""

    def search(energy, rng, d):
        def objective(x):
            value, gradient = energy.value_and_grad(x.reshape(1, d, d))
            return value[0], gradient.ravel()

        for _ in range(ENDLESS if start else 1):
            x = start(rng, d).ravel() if start else np.eye(d).ravel()
            minimize(objective, x, jac=True, method="L-BFGS-B", options={"maxiter": 1000})

    return search


def _dual_annealing(energy, rng, d):
    box = [(-BOUND, BOUND)] * (d * d)
    dual_annealing(_flat(energy, d), box, x0=np.eye(d).ravel(), maxiter=10**6, rng=rng)


def _cma(energy, rng, d):
    cma = require("cma")
    options = {"verbose": -9, "seed": int(rng.integers(1, 2**31)), "maxiter": 10**6}
    cma.fmin2(_flat(energy, d), np.eye(d).ravel(), 0.3, options)


OPTIMISERS = {
    "annealing of the paper": _paper,
    "Hamiltonian, cold": _sample(Annealing(Constant(1e-4), HamiltonianMove(target_acceptance=None))),
    "quench by elements": _sample(Annealing(Constant(0.0), ElementMove(0.3, target_acceptance=None))),
    "tempering": _sample(ParallelTempering((1e-5, 1e-4, 1e-3, 1e-2), HamiltonianMove(target_acceptance=None))),
    "L-BFGS from the identity": _descend(None),
    "L-BFGS from random starts": _descend(lambda rng, d: rng.standard_normal((d, d))),
    "dual annealing (scipy)": _dual_annealing,
    "CMA-ES": _cma,
}


def race(
    X: NDArray,
    y: NDArray,
    seconds: float = 10.0,
    *,
    optimisers: Iterable[str] | None = None,
    random_state: int | None = 0,
    on_end: Callable[[int, int], None] | None = None,
) -> dict[str, tuple[NDArray, NDArray]]:
    """Lowest NCA energy over wall-clock time, for every optimiser.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features, scaled to [0, 1].
    y : ndarray of shape (n_samples,)
        Class numbers.
    seconds : float, default=10.0
        Time of each optimiser.
    optimisers : list of str or None, default=None
        Names out of ``OPTIMISERS``; None is all.
    random_state : int, default=0
        Seed.
    on_end : callable or None, default=None
        Called with (number done, number of all) after every optimiser.

    Returns
    -------
    curves : dict of (ndarray, ndarray)
        Seconds and the lowest energy so far, by optimiser.
    """
    bound = NCAEnergy().bind(X, y)
    bound.value_and_grad(np.eye(X.shape[1])[None])  # compiled before the clock starts
    names = list(optimisers or OPTIMISERS)
    curves: dict[str, tuple[NDArray, NDArray]] = {}
    for name in names:
        energy = _Clocked(bound, seconds)
        with suppress(_TimeUp):
            OPTIMISERS[name](energy, np.random.default_rng(random_state), X.shape[1])
        curves[name] = np.array(energy.times), np.array(energy.lowest)
        if on_end:
            on_end(len(curves), len(names))
    return curves
