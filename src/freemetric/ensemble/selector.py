"""FreeEnergySelector: features that replicas keep while the others freeze out at falling temperatures."""

from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.utils.validation import check_is_fitted

from ..energies import Diagonal, Energy, LogNCAEnergy, Sparsity, as_energy, is_regression
from ..files import Savable
from ..files.checks import check_array, require
from ..files.estimators import check_attributes
from ..forking import effective_n_threads
from ..learners.base import one_blas_thread
from ..learners.fitting import AtomicFit
from ..learners.parameters import Count, NotNegative, Positive, estimator
from ..learners.validation import check_labels, check_magnitude, check_samples, labelled
from ..mc import Annealing, Constant, HamiltonianMove, Streams
from ..mc.streams import seed_sequence
from ..sklearn_compat import HasMethods, Interval, validate_params
from .sampling import Bags

LISTED = 32  # neighbours that count in the energy
BAG, MOST_IN_BAG = 0.7, 1000  # share and number of samples that a replica learns on
LEFT = 0.7  # share of the features that is left after a temperature
STEPS, MEASURED = 10, 6  # Monte Carlo steps at a temperature, and the last of them that weights are averaged over
COLDEST = 0.1  # of the first temperature
N_NEIGHBORS = 5  # nearest neighbours that classify samples out of bag


@estimator
class FreeEnergySelector(AtomicFit, Savable, SelectorMixin, BaseEstimator):
    r"""Select the features that sampled metrics keep while the temperature falls.

    Each replica samples weights w of the features on its own 70 % of the samples, from Boltzmann's distribution

    .. math:: P(w) \propto \exp(-(E(\mathrm{diag}(w)) + \lambda \sum_j |w_j|) / T),

    features in units of their standard deviation. From one temperature to the next it freezes the features with the
    smallest mean :math:`|w_j|` at zero and keeps 70 % of them, until one is left. At every temperature 5 nearest
    neighbours under its weights classify the samples out of bag. This error belongs to the procedure and not to the
    samples that chose the features. The number of features is the smallest one whose error is larger than the best by
    no more than the standard error of this difference over replicas. At this number, the features that enough replicas
    keep are selected (stability selection).

    Neighbours see features together, so that a feature which only matters together with another is found as well.
    A replica costs about 60 gradients of O(n L d) and searches of O(n^2 d) for bags of n samples, at most 1,000, L = 32
    neighbours and d features; the colder half of the temperatures has few features and costs little.

    Parameters
    ----------
    n_features_to_select : int or None, default=None
        How many features to select, the first ones by ``ranking_``. None: by out-of-bag error and ``threshold``.
    threshold : float in (0, 1], default=0.4
        Share of the replicas that must keep a feature; only without ``n_features_to_select``. The first feature by
        ``ranking_`` is always selected.
    energy : Energy, its name or None, default=None
        The energy of a diagonal map, with a gradient; None is ``LogNCAEnergy(32)``. With one of regression, such as
        ``NeighborLikelihoodEnergy(n_neighbors=32)``, y are targets.
    penalty : float, default=0.005
        lambda.
    temperature : float, default=1e-3
        The first temperature; the last is a tenth of it.
    n_replicas : int, default=20
        Sampled walks.
    n_jobs : int or None, default=None
        Threads over replicas. Results do not depend on it.
    {random_state}

    Attributes
    ----------
    support_ : ndarray of shape (n_features,)
        Which features are selected.
    ranking_ : ndarray of shape (n_features,)
        1 for the feature that replicas keep longest, up to n_features.
    stability_ : ndarray of shape (n_features,)
        Share of the replicas that keep a feature, where ``n_features_`` are left to each of them.
    freezing_temperatures_ : ndarray of shape (n_features,)
        Temperature at which a replica freezes the feature, the geometric mean over replicas. Features that are last
        have the coldest ones.
    n_features_ : int
        Number of features left to each replica that ``stability_`` is about.
    path_ : dict of ndarray of shape (n_temperatures,)
        "temperature", "n_features" that are sampled there, "oob_error" and its "standard_error". The error is that of
        classification, or the mean squared error in units of the variance.
    {features}

    References
    ----------
    N. Meinshausen, P. Bühlmann, Stability selection, JRSS B 72, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric import FreeEnergySelector
    >>> X = np.random.default_rng(0).standard_normal((200, 12))
    >>> y = X[:, 3] * X[:, 7] > 0  # neither feature alone says anything
    >>> FreeEnergySelector(n_replicas=5, random_state=0).fit(X, y).get_support(indices=True)
    array([3, 7])
    """

    n_features_to_select: Annotated[int | None, Interval(Integral, 1, None, closed="left"), None] = None
    _: KW_ONLY
    threshold: Annotated[float, Interval(Real, 0, 1, closed="right")] = 0.4
    energy: Annotated[Any, str, HasMethods("bind"), None] = None
    penalty: NotNegative = 0.005
    temperature: Positive = 1e-3
    n_replicas: Count = 20
    n_jobs: int | None = None
    random_state: Any = None

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Sample the weights of the features, and select.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels, or targets where the energy is one of regression.

        Returns
        -------
        self : object
            The fitted selector.
        """
        validate_params(self)
        problem, wanted = self._problem(X, y), self.n_features_to_select
        d = problem.X.shape[1]
        if wanted is not None and wanted > d:
            raise ValueError(f"n_features_to_select={wanted} is larger than n_features={d}.")
        first, *seeds = seed_sequence(self.random_state).spawn(self.n_replicas + 1)
        bags = Bags(np.random.default_rng(first), problem.strata, BAG, MOST_IN_BAG).first(self.n_replicas)
        jobs = (delayed(_walk)(problem, self.temperature, bag, seed) for bag, seed in zip(bags, seeds, strict=True))
        with one_blas_thread():
            walks = Parallel(n_jobs=effective_n_threads(self.n_jobs), require="sharedmem")(jobs)
        levels, of_walks, errors = (np.array(some) for some in zip(*walks, strict=True))
        counts, temperatures = _levels(d, self.temperature)
        self.path_ = {"temperature": temperatures, "n_features": counts, **_mean_errors(errors)}
        self.freezing_temperatures_ = np.exp(np.log(temperatures)[levels].mean(axis=0))
        order = np.lexsort((-of_walks.mean(axis=0), -levels.mean(axis=0)))  # equally long: the heavier first
        self.ranking_ = np.empty(d, dtype=np.int64)
        self.ranking_[order] = np.arange(1, d + 1)
        if wanted is not None:
            at = np.flatnonzero(counts >= wanted)[-1]
        elif np.isnan(errors).any():  # no sample is out of bag
            at = 0
        else:
            rise = _mean_errors(errors - errors[:, [errors.mean(axis=0).argmin()]])  # of the same replicas
            at = np.flatnonzero(rise["oob_error"] <= rise["standard_error"])[-1]
        self.n_features_, self.stability_ = int(counts[at]), (levels >= at).mean(axis=0)
        is_stable = (self.stability_ >= self.threshold) | (self.ranking_ == 1)
        self.support_ = is_stable if wanted is None else self.ranking_ <= wanted
        return self

    def _problem(self, X, y):
        energy = LogNCAEnergy(LISTED) if self.energy is None else as_energy(self.energy)
        is_numeric = is_regression(energy)
        options = {"y_numeric": True, "multi_output": True} if is_numeric else {}
        X, y = check_samples(self, X, y, dtype=np.float64, ensure_min_samples=2, **options)
        check_magnitude(X)
        if is_numeric:
            strata, y = [np.arange(len(X))], y.astype(np.float64)
        else:
            rows = labelled(y)
            X, (classes, y) = X[rows], check_labels(y[rows])
            strata = [np.flatnonzero(y == c) for c in range(len(classes))]
        if not hasattr(energy.bind(X[:2], y[:2]), "value_and_grad"):
            raise ValueError(f"{type(energy).__name__} has no gradient, by which FreeEnergySelector samples weights.")
        X = X - X.mean(axis=0)
        spread = X.std(axis=0)
        penalized = Diagonal(energy) + Sparsity() * self.penalty if self.penalty > 0 else Diagonal(energy)
        return _Problem(X / np.where(spread > 0, spread, 1), y, strata, penalized)

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def check_state(self) -> None:
        """Check that the fitted attributes are consistent; called when a model is saved or loaded."""
        check_attributes(self, ("n_features_in_", "support_", "ranking_", "stability_", "freezing_temperatures_"))
        if hasattr(self, "support_"):
            for name, kind in (("support_", "b"), ("ranking_", "i"), ("stability_", "f")):
                check_array(getattr(self, name), f"{name} of FreeEnergySelector", 1, (self.n_features_in_,), kind)
            require(self.support_.any(), "support_ of FreeEnergySelector", "has no feature")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


class _Problem(NamedTuple):
    """Standardised samples, class indices or targets, strata of the samples, and the energy of feature weights."""

    X: NDArray
    y: NDArray
    strata: list[NDArray]
    energy: Energy


def _levels(n_features, temperature):
    """Numbers of features and temperatures, both falling, of the levels of a walk."""
    counts = [n_features]
    while counts[-1] > 1:
        counts.append(max(1, min(counts[-1] - 1, round(LEFT * counts[-1]))))
    return np.array(counts), temperature * COLDEST ** np.linspace(0, 1, len(counts))


def _walk(problem, temperature, bag, seed):
    """Sample on a bag, freeze the lightest features, and go on colder with the others.

    Gives the last temperature of every feature, its weight there, and out-of-bag errors at all temperatures.
    """
    X, y, streams = problem.X[bag], problem.y[bag], Streams.from_seeds([seed])
    d = X.shape[1]
    kept, w = np.arange(d), np.full(d, np.sqrt(2 / d))  # a mean squared distance of four
    level, weights, errors = np.zeros(d, dtype=np.intp), np.zeros(d), []
    counts, temperatures = _levels(d, temperature)
    for number, (count, T) in enumerate(zip(counts, temperatures, strict=True)):
        if count < len(kept):
            heaviest = np.sort(np.argsort(-weights[kept], kind="stable")[:count])
            kept, w = kept[heaviest], w[heaviest]
        bound = problem.energy.bind(X[:, kept], y)
        sampler = Annealing(Constant(T), HamiltonianMove(), n_steps=STEPS)
        states = [state.A[0, 0] for state, _ in sampler.iterate(streams, bound, w[None, None])]
        w, level[kept] = states[-1], number
        weights[kept] = np.abs(states[-MEASURED:]).mean(axis=0)
        errors.append(_oob_error(problem, bag, kept, weights[kept]))
    return level, weights, np.array(errors)


def _oob_error(problem, bag, kept, weights):
    """The error of nearest neighbours in the bag about all other samples, by the features that are kept."""
    others, of_targets = np.setdiff1d(np.arange(len(problem.X)), bag), is_regression(problem.energy)
    if not len(others):
        return np.nan
    k = min(N_NEIGHBORS, len(bag))
    model = KNeighborsRegressor(k) if of_targets else KNeighborsClassifier(k)
    X, y = problem.X[:, kept] * weights, problem.y
    predicted = model.fit(X[bag], y[bag]).predict(X[others])
    if not of_targets:
        return np.mean(predicted != y[others])
    return np.mean((predicted - y[others]) ** 2) / max(np.var(y, axis=0).mean(), np.finfo(float).tiny)


def _mean_errors(errors):
    """Means over replicas (R, n), and their standard errors."""
    deviation = errors.std(axis=0, ddof=1) if len(errors) > 1 else np.zeros(errors.shape[1])
    return {"oob_error": errors.mean(axis=0), "standard_error": deviation / np.sqrt(len(errors))}
