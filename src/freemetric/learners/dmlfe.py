"""DMLFE: the metric as the ground state of a physical system, found by Metropolis Monte Carlo."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from ..energies import Confinement, ScaledEnergy, SumEnergy, as_energy
from ..mc import Annealing, ElementMove, Geometric
from .base import MetricLearner, one_blas_thread, tell
from .init import INITS, initial_map
from .interrupt import keeping_the_best
from joblib import effective_n_jobs


class DMLFE(MetricLearner):
    _parameter_constraints: dict = {
        **MetricLearner._parameter_constraints,
        "energy": [str, HasMethods("bind"), callable, None],
        "sampler": [HasMethods("iterate"), None],
        "init": [StrOptions(set(INITS)), np.ndarray, list],
        "confinement": [Interval(Real, 0, None, closed="left")],
        "device": [str],
        "n_jobs": [Integral, None],
        "warm_start": ["boolean"],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components=None,
        *,
        energy=None,
        sampler=None,
        init="identity",
        confinement=1e-4,
        device="cpu",
        n_jobs=None,
        warm_start=False,
        verbose=False,
        random_state=None,
    ):
        self.n_components = n_components
        self.energy = energy
        self.sampler = sampler
        self.init = init
        self.confinement = confinement
        self.device = device
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state

    def _learn(self, X, y):
        rng = self._rng()
        sampler = Annealing() if self.sampler is None else self.sampler
        n_jobs = effective_n_jobs(self.n_jobs)
        bound = confined(self.energy, self.confinement).bind(X, y, device=self.device, n_jobs=n_jobs)
        A = np.array([initial_map(self.init, rng, X, y, self.n_components) for _ in range(sampler.n_replicas)])
        self.snap=[]
        for state, info in sampler.iterate(rng, bound, A):
            self.snap.append((state,info))
        self.replicas_=state.A
        return state.A[state.energy.argmin()]


def confined(energy, confinement):
    """The energy plus confinement * |A|^2."""
    energy = as_energy(energy)
    return SumEnergy(energy, ScaledEnergy(Confinement(), confinement)) if confinement > 0 else energy
