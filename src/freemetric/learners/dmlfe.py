"""DMLFE: the metric as the ground state of a physical system, and samples of it."""

from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray

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
from ..kernels import one_blas_thread
from ..mc import (
    Annealing,
    Constant,
    ElementMove,
    Geometric,
    LangevinMove,
    MatrixMove,
    Sampler,
)
from ..mc.diagnostics import split_r_hat
from ..sklearn_compat import HasMethods, Interval, generator
from .base import WeightedMetricLearner
from .constraints import (
    COUNT_OR_NONE,
    MAP,
    MAP_OF_REGRESSION,
    NOT_NEGATIVE,
    SEED,
    TWO_OR_MORE_OR_NONE,
)
from .descent import initial_map
from .minibatch import SUBSET
from .validation import check_samples, rows_per_batch, unit_of
from .walk import Walk, observers, side_by_side, walk_replicas

N_CHAINS = 4  # of samples
SPACING = 5  # steps from one sample to the next
BURN_IN = 0.4  # share of the steps
LEAST_BURN_IN = 40  # steps, as many as a search from the identity makes
HEAT = 10.0  # of the temperature, where chains begin that nothing confines
READINGS = ("published", "identity", "small-steps", "algorithm-1")


class DMLFE(WeightedMetricLearner):
    r"""Distance metric learning through minimisation of the free energy.

    The energy E(A) of a map A is an objective such as the expected leave-one-out error
    of stochastic neighbours. At temperature T the maps follow Boltzmann's distribution,

    .. math:: P(A) \propto \exp(-(E(A) + \lambda \|A\|_F^2) / T),

    whose free energy F = -T log sum exp(-E/T) tends to the lowest energy as T goes to
    zero. Metropolis Monte Carlo samples it; the lowest state becomes the metric.
    Element and matrix moves need no gradient, so that any energy will do.

    The default walk is cold, starts from the identity and makes 40 Hamiltonian steps of
    5 gradients. :meth:`paper` is the published configuration. Scale the features to [0,
    1] first. Large data are sampled by mini-batches,
    :class:`~freemetric.energies.MiniBatch`, with :class:`~freemetric.mc.LangevinMove`;
    moves that need the exact energy then see a subset of 4,096 samples.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the learned space; None keeps the number of features, or the rank
        of very wide data.
    energy : Energy, its name or callable, default="nca"
        The objective, one of :mod:`freemetric.energies` such as "nca", "log-nca",
        "knn-error", "ranking", "lmnn" or "regression". A callable maps a stack (R, p,
        d) of maps to R values. Energies of regression learn from targets y of shape
        (n_samples,) or (n_samples, n_outputs); those of pairs and triplets need no y.
    sampler : Sampler or None, default=None
        Schedule, move and number of replicas; None is ``Annealing(Constant(1e-4),
        HamiltonianMove(), n_steps=40)``, with batches ``Annealing(Constant(1e-4),
        LangevinMove(), n_steps=60)``, and for energies without a gradient
        ``Annealing(Geometric(0.01, 0.9), ElementMove(0.3, n_moves=50), n_steps=60)``.
    init : str or array-like of shape (p, n_features), default="auto"
        "auto", "identity", "lda", "pca", "pls", "random", "uniform" or a map.
        Start of every replica. "auto": the identity; for fewer dimensions "lda" with
        enough classes, else "pca"; "pls" in regression.
    confinement : float, default=0.0001
        lambda, the strength of a harmonic trap that makes P(A) a proper distribution; 0
        is the paper's.
    n_samples : int, default=0
        Maps to sample at the last temperature after the search, for error bars on M; 0:
        none.
    batch_size : int or None, default=None
        Samples of a batch. None: no batches up to 6,000 samples, batches of 2,048
        beyond.
    device : str, default="cpu"
        "cpu", a torch device such as "cuda" (extra ``gpu``), or "reference" for plain
        numpy, which is slow.
    n_jobs : int or None, default=None
        Threads over independent replicas. Results do not depend on it.
    checkpoint : path-like or None, default=None
        Folder that keeps the walk. A killed fit resumes from it when it is called again
        with the same data and parameters; fits can share a folder. Needs a
        ``random_state`` and a sampler with ``begin`` and ``advance``.
    random_state : int, RandomState or None, default=None
        Seed of starts, batches and moves.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map of lowest energy.
    energy_ : float
        Its energy, confinement included.
    replicas_ : ndarray of shape (n_replicas, n_components, n_features)
        The last state of every replica.
    trace_ : dict of ndarray of shape (n_iter_, n_replicas)
        Of every Monte Carlo step: "temperature", "energy", "acceptance"; "confinement",
        the part of the energy that is lambda |A|^2; "norm", |A| in the units of the
        walk; and with parallel tempering "swaps", 1 where a replica exchanged its map
        with the next warmer one, 0 where it did not, NaN where that was not tried.
    samples_ : ndarray of shape (n_samples, n_components, n_features)
        Maps at the last temperature, with ``n_samples``; map i is of chain i % 4. Two
        chains begin with the result of the search, two far from it.
    samples_r_hat_ : float
        R-hat of the trace of M between these chains, rank-normalised. Above 1.1 they
        disagree, and the spread of the samples is too small.
    n_iter_ : int
        Number of Monte Carlo steps.
    classes_ : ndarray of shape (n_classes,)
        Class labels; absent without labels.
    n_features_in_ : int
        Number of features of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X has string column names.

    See Also
    --------
    FreeEnergyClassifier : Many replicas that vote; usually more accurate.
    NCA : The nearest minimum of the same energy, by L-BFGS.

    References
    ----------
    .. [1] D. Stosic, D. Stosic, T. B. Ludermir, B. Stosic, Distance metric learning
           through minimization of the free energy.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from freemetric import DMLFE
    >>> model = make_pipeline(DMLFE(random_state=0), KNeighborsClassifier())
    >>> model.fit(X, y).score(X, y) > 0.97
    True
    """

    _parameter_constraints = {
        "n_components": COUNT_OR_NONE,
        "energy": [str, HasMethods("bind"), callable],
        "sampler": [HasMethods("iterate"), None],
        "init": [*MAP, *MAP_OF_REGRESSION],
        "confinement": NOT_NEGATIVE,
        "n_samples": [Interval(Integral, 0, None, closed="left")],
        "batch_size": TWO_OR_MORE_OR_NONE,
        "device": [str],
        "n_jobs": [Integral, None],
        "checkpoint": [str, PathLike, None],
        "random_state": SEED,
    }

    def __init__(
        self,
        n_components=None,
        *,
        energy="nca",
        sampler=None,
        init="auto",
        confinement=0.0001,
        n_samples=0,
        batch_size=None,
        device="cpu",
        n_jobs=None,
        checkpoint=None,
        random_state=None,
    ) -> None:
        self.n_components = n_components
        self.energy = energy
        self.sampler = sampler
        self.init = init
        self.confinement = confinement
        self.n_samples = n_samples
        self.batch_size = batch_size
        self.device = device
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.random_state = random_state

    @classmethod
    def paper(cls, reading: str = "published", **overrides: Any) -> Self:
        """Make a configuration that the paper describes; it describes several.

        All anneal from T = 0.1 by factors of 0.9 without confinement. Convergence is
        measured over ten steps.

        Parameters
        ----------
        reading : {"published", "identity", "small-steps", "algorithm-1"}, \
default="published"
            "published": start from U(0, 1); a Monte Carlo step is as many trials as
            there are samples, each displacing one element by U(-1, 1). "identity": the
            same from the identity, as the caption of its Fig. 2 has it. "small-steps":
            from the identity with displacements by U(-0.1, 0.1), "a small random
            change". "algorithm-1": start from U(0, 1); every trial displaces all
            elements by U(-1, 1) and cools.
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
            names = ", ".join(map(repr, READINGS))
            raise ValueError(f"reading must be one of {names}; got {reading!r}.")
        n_steps = 200
        size = 0.1 if reading == "small-steps" else 1.0
        move: Any = ElementMove(size, n_moves="samples", target_acceptance=None)
        if reading == "algorithm-1":
            n_steps = 2000
            move = MatrixMove(size, n_moves=1, target_acceptance=None)
        schedule = Geometric(0.1, 0.9)
        sampler = Annealing(schedule, move, n_steps=n_steps, tol=1e-5, window=10)
        starts_random = reading in ("published", "algorithm-1")
        options = {
            "sampler": sampler,
            "init": "uniform" if starts_random else "identity",
            "confinement": 0.0,
        }
        return cls(**{**options, **overrides})

    @property
    def _can_weigh(self):
        return takes_weights(as_energy(self.energy))

    @property
    def _needs_labels(self):
        return needs_targets(as_energy(self.energy))

    @property
    def _is_regression(self):
        return is_regression(as_energy(self.energy))

    @property
    def _names_rows(self):
        return names_rows(as_energy(self.energy))

    def _learn(self, X, y, weights=None):
        rng = generator(self.random_state)
        task = self._task(rng, X, y, weights)
        sampler = task.sampler
        start = np.array(
            [self._first_map(rng, task, X, y) for _ in range(sampler.n_replicas)]
        )
        noted = observers(self.confinement)
        seed = rng.bit_generator.seed_seq.state
        depends_on = (X, y, weights, task.energy, sampler, start, seed)
        path = self._checkpoint_path(depends_on)

        def new_walk(name):
            file = None if path is None else path.with_name(f"{path.name}-{name}.npz")
            return Walk(noted, file)

        walks = walk_replicas(new_walk, sampler, rng, task.bound, start, self.n_jobs)
        found = self._found(walks, task)
        if self.n_samples:
            maps, r_hat = draws(rng, task.bound, walks, sampler, self)
            found["samples_"] = maps / task.unit
            found["samples_r_hat_"] = r_hat
        for walk in walks:
            if walk.path is not None:
                walk.path.unlink(missing_ok=True)
        return found

    def _task(self, rng, X, y, weights):
        """The energy as a function of maps of X / unit, and how it is sampled."""
        energy: Energy = confined(as_energy(self.energy), self.confinement)
        unit = 1.0 if knows_its_data(energy) else unit_of(X)
        n = None if names_rows(energy) else rows_per_batch(self.batch_size, len(X))
        rows: Any = slice(None)
        sampler = Annealing()
        bound: Any
        if n is None:
            bound = bind(energy, X / unit, y, weights, self.device)
        else:
            seed = int(rng.integers(2**32))
            energy = MiniBatch(energy, n, sample_size=SUBSET, random_state=seed)
            bound = energy.bind(
                X, y, sample_weight=weights, device=self.device, unit=unit
            )
            rows = bound.sample
            sampler = Annealing(move=LangevinMove(), n_steps=60)
        if not hasattr(bound, "value_and_grad"):
            move = ElementMove(0.3, n_moves=50)
            sampler = Annealing(Geometric(0.01, 0.9), move, n_steps=60)
        sampler = sampler if self.sampler is None else self.sampler
        return _Task(energy, bound, unit, sampler, rows)

    def _first_map(self, rng, task, X, y):
        X = X[task.rows] / task.unit
        y = None if y is None else y[task.rows]
        is_regression = self._is_regression
        p = self.n_components
        return initial_map(self.init, rng, X, y, p, is_regression, task.unit)

    def _checkpoint_path(self, depends_on):
        """The beginning of the names of the walks' files; None without a checkpoint."""
        if self.checkpoint is None:
            return None
        if self.random_state is None:
            raise ValueError("checkpoint needs a random_state: fits differ without.")
        folder = Path(self.checkpoint)
        folder.mkdir(parents=True, exist_ok=True)
        return folder / joblib.hash(depends_on)

    def _found(self, walks, task):
        """Fitted attributes that follow from the walks."""
        best = min((walk.best for walk in walks), key=lambda best: best.value)
        if best.item is None:
            raise ValueError("The sampler has made no step.")
        trace = side_by_side(walks)
        if np.isnan(trace["swaps"]).all():
            del trace["swaps"]
        replicas = np.concatenate([walk.state.A for walk in walks])
        return {
            "components_": best.item / task.unit,
            "energy_": best.value,
            "replicas_": replicas / task.unit,
            "trace_": trace,
            "n_iter_": len(trace["energy"]),
        }


class _Task(NamedTuple):
    """What DMLFE samples."""

    energy: Energy
    bound: Any  # the energy as a function of maps (R, p, d) of X / unit
    unit: float
    sampler: Any
    rows: Any  # of X, on which a start is made


def bound_energy(
    model: DMLFE, X: ArrayLike, y: ArrayLike | None = None
) -> tuple[Any, float]:
    """Bind the energy of a DMLFE, without its confinement, to samples.

    Parameters
    ----------
    model : DMLFE
        Fitted or not.
    X : array-like of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
        Labels or targets, as ``fit`` takes them.

    Returns
    -------
    energy : callable
        E (R,) of maps (R, p, d) of X / unit.
    unit : float
        The unit of X in which the model searches.
    """
    energy = as_energy(model.energy)
    if model._needs_labels:
        samples, targets, _, _ = model._data(X, y, None)
    else:
        samples = check_samples(model, X)
        targets = None
    unit = 1.0 if knows_its_data(energy) else unit_of(samples)
    return bind(energy, samples / unit, targets, None, model.device), unit


def draws(
    rng: np.random.Generator,
    energy: Any,
    walks: list[Walk],
    sampler: Sampler,
    model: DMLFE,
) -> tuple[NDArray, float]:
    """Maps (n_samples, p, d) at the last temperature of walks, and R-hat of the trace
    of M between their chains.

    Every fifth step of four chains; map i is one of chain i % 4. Every second chain
    begins with an end of the walks, the others with draws of the confinement alone, or
    hot without one: chains that agree have forgotten where they began.
    """
    last = side_by_side(walks)["temperature"][-1]
    T = float(np.nanmin(last))
    if not T > 0:
        what = "n_samples needs a walk that ends at a temperature above 0"
        raise ValueError(f"{what}: a quench has no spread.")
    coldest = np.flatnonzero(last == T)
    replicas = np.concatenate([walk.state.A for walk in walks])
    start = replicas[coldest[np.arange(N_CHAINS) % len(coldest)]]
    move = getattr(sampler, "move", None)
    hot = start[1::2]
    if model.confinement > 0:
        spread = np.sqrt(T / (2 * model.confinement))
        start[1::2] = spread * rng.standard_normal(hot.shape)
    else:
        heating = Annealing(Constant(HEAT * T), move, n_steps=LEAST_BURN_IN)
        for state, _ in heating.iterate(rng, energy, hot):
            start[1::2] = state.A
    n_draws = -(-model.n_samples // N_CHAINS)
    n_kept = SPACING * n_draws
    n_burn_in = max(LEAST_BURN_IN, round(n_kept * BURN_IN / (1 - BURN_IN)))
    n_steps = n_kept + n_burn_in
    run = Annealing(Constant(T), move, n_steps=n_steps, burn_in=n_burn_in / n_steps)
    with one_blas_thread():
        maps = [state.A.copy() for state, _ in run.iterate(rng, energy, start)]
    kept = np.array(maps[n_burn_in:])
    r_hat = split_r_hat((kept**2).sum(axis=(2, 3)))
    spaced = kept[SPACING - 1 :: SPACING].reshape(-1, *start.shape[1:])
    return spaced[: model.n_samples], r_hat
