"""DMLFE: the metric as the ground state of a physical system, found by Metropolis Monte Carlo, and samples of it."""

from contextlib import nullcontext
from functools import partial
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..energies import (
    Energy,
    MiniBatch,
    as_energy,
    bind,
    confined,
    is_regression,
    knows_its_data,
    names_rows,
    needs_targets,
    takes_weights,
)
from ..mc import Annealing, Constant, ElementMove, Geometric, LangevinMove, MatrixMove, Sampler
from ..sklearn_compat import CallbackSupportMixin, HasMethods, Interval, StrOptions
from .base import WeightedMetricLearner, generator, one_blas_thread
from .descent import SUBSET, MiniBatched, n_dimensions
from .fitting import FitSteps
from .kept_results import WalkCheckpoint
from .parameters import INITS, INITS_OF_REGRESSION, NotNegative, documented, estimator, parameter
from .sampling_run import OBSERVERS, Walk, Walks, steps_of
from .validation import unit_of

if TYPE_CHECKING:
    from ..thermodynamics import ModelThermodynamics

READINGS = {
    "published": ("uniform", ElementMove(1.0, n_moves="samples", target_acceptance=None)),
    "identity": ("identity", ElementMove(1.0, n_moves="samples", target_acceptance=None)),
    "small-steps": ("identity", ElementMove(0.1, n_moves="samples", target_acceptance=None)),
    "algorithm-1": ("uniform", MatrixMove(1.0, n_moves=1, target_acceptance=None)),
}
"""Where the walk starts and how it moves, by reading of the paper."""

N_CHAINS, SPACING, BURN_IN = 4, 5, 0.4  # of samples
KEPT = ("samples_", "samples_r_hat_", "metric_mean_", "metric_std_", "feature_weights_", "feature_weights_std_")
MOST_SAMPLES = 1000  # rows that thermodynamics is computed on


@estimator
class DMLFE(CallbackSupportMixin, MiniBatched, WeightedMetricLearner):
    r"""Distance metric learning through minimisation of the free energy.

    The energy E(A) of a map A is an objective such as the expected leave-one-out error of stochastic neighbours.
    At temperature T the maps follow Boltzmann's distribution,

    .. math:: P(A) \propto \exp(-(E(A) + \lambda \|A\|_F^2) / T),

    whose free energy F = -T log sum exp(-E/T) tends to the lowest energy as T goes to zero. Metropolis Monte Carlo
    samples it; the lowest state becomes the metric. Element and matrix moves need no gradient, so that any energy will
    do.

    The default walk is cold, starts from the identity and makes 40 Hamiltonian steps of 5 gradients. :meth:`paper` is
    the published configuration. Scale the features to [0, 1] first. Large data are sampled by mini-batches,
    :class:`~freemetric.energies.MiniBatch`, with :class:`~freemetric.mc.LangevinMove`; moves that need the exact energy
    then see a subset of 4,096 samples.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map of lowest energy.
    energy_ : float
        Its energy, confinement included.
    replicas_ : ndarray of shape (n_replicas, n_components, n_features)
        The last state of every replica.
    trace_ : dict of ndarray of shape (n_iter_, n_replicas)
        Of every Monte Carlo step: "temperature", "energy", "acceptance"; "confinement", the part of the energy that is
        lambda |A|^2; "norm", |A| in the units of the walk; and with parallel tempering "swaps", 1 where a replica
        exchanged its map with the next warmer one, 0 where it did not, NaN where that was not tried.
    snapshots_ : dict of ndarray
        "step" (n,) and "map" (n, n_components, n_features): the first replica along the walk, n at most 60.
    samples_ : ndarray of shape (n_samples, n_components, n_features)
        Maps at the last temperature, with ``n_samples``; those below come with them.
    metric_mean_, metric_std_ : ndarray of shape (n_features, n_features)
        Mean and standard deviation of M = A^T A over these maps.
    feature_weights_, feature_weights_std_ : ndarray of shape (n_features,)
        Share of every feature in the squared distances, M_jj Var(x_j), and its standard deviation.
    samples_r_hat_ : float
        Split R-hat of the trace of M between four chains; above 1.05 the error bars are too small.
    {n_iter} {classes} {features}

    See Also
    --------
    FreeEnergyClassifier : Many replicas that vote; usually more accurate.
    NCA : The nearest minimum of the same energy, by L-BFGS.

    References
    ----------
    D. Stosic, D. Stosic, T. B. Ludermir, B. Stosic, Distance metric learning through minimization of the free
    energy.

    Examples
    --------
    {wine}
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from freemetric import DMLFE
    >>> make_pipeline(DMLFE(random_state=0), KNeighborsClassifier()).fit(X, y).score(X, y) > 0.97
    True
    """

    n_components: int | None = None
    energy: Annotated[Any, str, HasMethods("bind"), callable] = parameter(
        "nca",
        'The objective, one of :mod:`freemetric.energies` such as "nca", "log-nca", "knn-error", "ranking", "lmnn" or '
        '"regression". A callable maps a stack (R, p, d) of maps to R values. Energies of regression learn from '
        "targets y of shape (n_samples,) or (n_samples, n_outputs); those of pairs and triplets need no y.",
        "Energy, its name or callable",
    )
    sampler: Annotated[Any, HasMethods("iterate"), None] = parameter(
        None,
        "Schedule, move and number of replicas; None is ``Annealing(Constant(1e-4), HamiltonianMove(), n_steps=40)``, "
        "with batches ``Annealing(Constant(1e-4), LangevinMove(), n_steps=60)``, and for energies without a gradient "
        "``Annealing(Geometric(0.01, 0.9), ElementMove(0.3, n_moves=50), n_steps=60)``.",
        "Sampler or None",
    )
    init: Annotated[Any, StrOptions({*INITS, *INITS_OF_REGRESSION}), np.ndarray, list] = parameter(
        "auto",
        'Start of every replica. "auto": the identity; for fewer dimensions "lda" with enough classes, else "pca"; '
        '"pls" in regression.',
    )
    confinement: NotNegative = parameter(
        1e-4, "lambda, the strength of a harmonic trap that makes P(A) a proper distribution; 0 is the paper's."
    )
    n_samples: Annotated[int, Interval(Integral, 0, None, closed="left")] = parameter(
        0, "Maps to sample at the last temperature after the search, for error bars on M; 0: none."
    )
    batch_size: int | None = None
    device: str = "cpu"
    n_jobs: int | None = parameter(None, "Threads over independent replicas. Results do not depend on it.")
    checkpoint: Annotated[Any, str, PathLike, None] = parameter(
        None,
        "Folder that keeps the walk. A killed fit resumes from it when it is called again with the same data and "
        "parameters; fits can share a folder. Needs a ``random_state`` and a sampler with ``begin`` and ``advance``.",
        "path-like or None",
    )
    warm_start: bool = False
    verbose: bool = False
    random_state: Any = None

    @classmethod
    def paper(cls, reading: str = "published", **overrides: Any) -> Self:
        """A configuration that the paper describes; it describes several.

        All anneal from T = 0.1 by factors of 0.9 without confinement. Convergence is measured over ten steps.

        Parameters
        ----------
        reading : {"published", "identity", "small-steps", "algorithm-1"}, default="published"
            "published": start from U(0, 1); a Monte Carlo step is as many trials as there are samples, each displacing
            one element by U(-1, 1). "identity": the same from the identity, as the caption of its Fig. 2 has it.
            "small-steps": from the identity with displacements by U(-0.1, 0.1), "a small random change".
            "algorithm-1": start from U(0, 1); every trial displaces all elements by U(-1, 1) and cools.
        **overrides : dict
            Parameters of DMLFE that differ.

        Returns
        -------
        model : DMLFE
            Not fitted.

        Examples
        --------
        >>> from freemetric import DMLFE
        >>> DMLFE.paper("small-steps", random_state=0).init
        'identity'
        """
        if reading not in READINGS:
            raise ValueError(f"reading must be one of {', '.join(map(repr, READINGS))}; got {reading!r}.")
        init, move = READINGS[reading]
        n_steps = 2000 if isinstance(move, MatrixMove) else 200
        sampler = Annealing(Geometric(0.1, 0.9), clone(move), n_steps=n_steps, tol=1e-5, window=10)
        return cls(**{"sampler": sampler, "init": init, "confinement": 0.0, **overrides})

    _can_weigh = property(lambda self: takes_weights(as_energy(self.energy)))
    _needs_labels = property(lambda self: needs_targets(as_energy(self.energy)))
    _is_regression = property(lambda self: is_regression(as_energy(self.energy)))
    _has_units = property(lambda self: not knows_its_data(as_energy(self.energy)))  # which may be in its own units

    def _learn(self, X, y, weights=None):
        rng = generator(self.random_state)
        energy: Energy = confined(as_energy(self.energy), self.confinement)
        sampler, n = Annealing(), self._rows_per_batch(len(X))
        if names_rows(energy):
            X, y, weights = self._in_the_order_given(X, y, weights)
            n = None  # pairs of a batch would name other rows
        if n is None:
            bound: Any = bind(energy, X / self._unit, y, weights, self.device)
        else:
            energy = MiniBatch(energy, n, sample_size=SUBSET, random_state=int(rng.integers(2**32)))
            bound = energy.bind(X, y, sample_weight=weights, device=self.device, unit=self._unit)
            sampler = Annealing(move=LangevinMove(), n_steps=60)
        if not hasattr(bound, "value_and_grad"):
            sampler = Annealing(Geometric(0.01, 0.9), ElementMove(0.3, n_moves=50), n_steps=60)
        sampler = sampler if self.sampler is None else self.sampler
        steps = FitSteps(self, X, y, steps_of(sampler, sampler.n_replicas))
        some = slice(None) if n is None else bound.sample
        start = self._starts(rng, sampler.n_replicas, X[some] / self._unit, None if y is None else y[some])
        parts = {"X": X, "y": y, "weights": weights, "energy": energy, "sampler": sampler, "start": start}
        own = {  # columns of the trace
            "confinement": lambda state, info: self.confinement * (state.A**2).sum(axis=(1, 2)),
            "norm": lambda state, info: np.sqrt((state.A**2).sum(axis=(1, 2))),
            "swaps": lambda state, info: info.swaps_with_next,
        }
        with self._checkpoint({**parts, "seed": rng.bit_generator.seed_seq}) as checkpoint:
            new_walk = partial(Walk, type(self).__name__, self.verbose, steps, observers=OBSERVERS | own)
            walks = Walks(new_walk, self.n_jobs, checkpoint)
            walks.run(sampler, rng, bound, start)
            steps.close()
        snapshots = walks.walks[0].snapshots
        self.snapshots_ = {**snapshots, "map": snapshots["map"] / self._unit}
        self.replicas_, self.trace_ = walks.replicas / self._unit, walks.trace
        if np.isnan(self.trace_["swaps"]).all():
            del self.trace_["swaps"]
        self.energy_, self.n_iter_ = walks.best.value, len(self.trace_["energy"])
        for name in KEPT:  # of an earlier fit with samples
            self.__dict__.pop(name, None)
        if self.n_samples:
            self._keep_samples(draws(rng, bound, walks, sampler, self.n_samples), X)
        return walks.best.item

    def _in_the_order_given(self, *arrays):
        """Samples, targets and weights in the order of the X that was given, of which no row may be left out."""
        if self._rows is None:
            return arrays
        order = np.argsort(self._rows)
        if not np.array_equal(self._rows[order], np.arange(len(order))):
            raise ValueError("The energy names rows of X, some of which are left out: they have no label or no weight.")
        return [None if array is None else array[order] for array in arrays]

    def _checkpoint(self, parts) -> Any:
        """A block in which a fit that depends on these parts keeps its walks."""
        if self.checkpoint is None:
            return nullcontext()
        if self.random_state is None:
            raise ValueError("checkpoint needs a random_state: without one every fit is another.")
        return WalkCheckpoint(self.checkpoint, parts)

    def _starts(self, rng, n_replicas, X, y):
        previous = getattr(self, "replicas_", None) if self.warm_start else None
        p = n_dimensions(self.n_components, X)
        if previous is not None and previous.shape == (n_replicas, p, X.shape[1]):
            return previous * self._unit
        return np.array([self._initial(rng, X, y) for _ in range(n_replicas)])

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
        unit = unit_of(samples) if twin._has_units else 1.0
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
