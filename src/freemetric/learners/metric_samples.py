"""Samples of a metric at one temperature, with error bars, and the thermodynamics of a fitted learner."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import clone
from sklearn.utils.validation import check_is_fitted

from ..energies import as_energy, bind, names_rows
from ..mc import Annealing, Constant, Sampler
from .base import generator, one_blas_thread
from .parameters import documented
from .sampling_run import Walks
from .validation import unit_of

if TYPE_CHECKING:
    from ..thermodynamics import ModelThermodynamics

N_CHAINS, SPACING, BURN_IN = 4, 5, 0.4
KEPT = ("samples_", "samples_r_hat_", "metric_mean_", "metric_std_", "feature_weights_", "feature_weights_std_")
MOST_SAMPLES = 1000  # rows that thermodynamics is computed on


class SampledMetric:
    """A learner with ``trace_`` that keeps samples of its metric, and has ``thermodynamics``."""

    trace_: dict[str, NDArray]
    components_: NDArray
    energy: Any
    confinement: float
    device: str
    n_samples: int
    _unit: float

    def _forget_samples(self):
        """Remove the attributes of an earlier fit with samples."""
        for name in KEPT:
            self.__dict__.pop(name, None)

    def _keep_samples(self, maps, X):
        """Attributes that follow from maps (n_draws, n_chains, p, d) at the last temperature."""
        from ..thermodynamics import MetricSpread

        spread = MetricSpread.of(maps / self._unit, X.var(axis=0), self.trace_["temperature"][-1].min())
        self.samples_ = maps.reshape(-1, *maps.shape[2:])[: self.n_samples] / self._unit
        self.metric_mean_, self.metric_std_ = spread.mean, spread.std
        self.feature_weights_, self.feature_weights_std_ = spread.weights, spread.weights_std
        self.samples_r_hat_ = float(spread.r_hat)

    @documented()
    def thermodynamics(  # noqa: D417 - the shared text describes the rest
        self,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        temperatures: tuple[float, float] | None = None,
        settings: Any = None,
        random_state: Any = None,
    ) -> "ModelThermodynamics":
        """Free energy, energy, entropy and heat capacity over temperature; needs the extra ``thermo``.

        The energy is sampled anew on a ladder of temperatures, from the confinement alone down to a quarter of the
        temperature at which the search ended. The result has error bars, the temperature at which the metric freezes,
        and error bars on M at the temperature of the search; printed, it is a few sentences. Samples count equally.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or None, default=None
            The training samples, which the model does not keep; of more than 1,000 a random part. None uses the trace
            of the fit, where its sampler kept several temperatures: there are then no error bars on M.
        y : array-like of shape (n_samples,) or None, default=None
            Their labels or targets.
        {ladder}

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from freemetric import DMLFE
        >>> from freemetric.mc import Annealing, Constant
        >>> from freemetric.thermodynamics import TemperingSettings
        >>> X, y = load_iris(return_X_y=True)
        >>> X, y = X[::5, 2:], y[::5]
        >>> model = DMLFE(1, sampler=Annealing(Constant(1e-2)), random_state=0).fit(X, y)
        >>> short = TemperingSettings(n_steps=40, n_rungs=5, n_rounds=1)
        >>> found = model.thermodynamics(X, y, settings=short, random_state=0)
        >>> found.curves.is_absolute, found.metric.std.shape
        (True, (2, 2))
        """
        from ..thermodynamics import FittedEnergy, Recording, described, thermodynamics_of

        check_is_fitted(self)
        chosen = float(self.trace_["temperature"][-1].min())
        if X is None:
            return described(Recording.from_trace(self.trace_), chosen)
        energy, twin = as_energy(self.energy), clone(self)
        if names_rows(energy):
            raise ValueError("The energy names rows of X, and a part of them is sampled: use thermodynamics.temper.")
        samples, targets, _ = twin._with_targets(X, y, None)
        d = self.components_.shape[1]
        if samples.shape[1] != d:
            raise ValueError(f"X has {samples.shape[1]} features, but the model was fitted with {d}.")
        unit = unit_of(samples) if twin._measures() else 1.0
        rows = generator(random_state).permutation(len(samples))[:MOST_SAMPLES]
        bound = bind(energy, samples[rows] / unit, targets[rows], None, self.device)

        def matrices(maps):
            return np.swapaxes(maps, 1, 2) @ maps / unit**2

        start = self.components_ * unit
        fitted = FittedEnergy(bound, start, self.confinement, chosen, samples.var(axis=0), matrices)
        return thermodynamics_of(fitted, temperatures, settings, random_state)


def draws(rng: np.random.Generator, energy: Any, walks: Walks, sampler: Sampler, n_samples: int) -> NDArray:
    """Maps (n_draws, 4, p, d) at the last temperature of walks: every fifth step of four chains from their ends."""
    last = walks.trace["temperature"][-1]
    T = float(np.nanmin(last))
    if not T > 0:
        raise ValueError("n_samples needs a walk that ends at a temperature above 0: a quench has no spread.")
    coldest = np.flatnonzero(last == T)
    start = walks.replicas[coldest[np.arange(N_CHAINS) % len(coldest)]]
    n_draws = -(-n_samples // N_CHAINS)
    n_steps = round(SPACING * n_draws / (1 - BURN_IN))
    run = Annealing(Constant(T), getattr(sampler, "move", None), n_steps=n_steps, burn_in=BURN_IN)
    with one_blas_thread():
        maps = [state.A.copy() for state, _ in run.iterate(rng, energy, start)]
    return np.array(maps[::-1][::SPACING][:n_draws][::-1])
