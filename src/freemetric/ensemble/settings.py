"""Settings of a search, all of its constants: budget, sampling, selection and calibration."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from os import PathLike
from typing import Any, ClassVar

from sklearn.base import clone
from sklearn.metrics import get_scorer_names

from ..files.checks import is_count, is_number, require
from ..metrics import CLASS_DENSITIES, TRENDS
from ..metrics.forms import check_kind
from ..sklearn_compat import HasMethods, Interval, StrOptions, validate_params

ENERGIES = ("log-nca", "nca", "neighbor-likelihood", "regression")  # the last one is of several labels
TEMPERATURES = dict.fromkeys(ENERGIES, 1e-3) | {"nca": 3e-4}
TRAPS = dict.fromkeys(ENERGIES, 0.3) | {"nca": 0.1}  # lambda / T: then lambda |A|^2 / T is the same at all temperatures
SMALLEST_BLOCK = 100  # samples, of which a kernel regression can learn
CALIBRATIONS = ("full", "slope", "none")
# numbers that may be zero; all others are positive
FROM_ZERO = (
    *("colder", "density_margin", "kernel_block", "negligible", "plain_margin"),
    *("screened_features", "start_distance"),
)
COUNT, STRENGTH = Interval(Integral, 1, None, closed="left"), Interval(Real, 0, None, closed="left")


@dataclass(frozen=True, eq=False, repr=False)
class Recipe:
    """Every constant of a search: what it tries, how much it may cost, and how votes become predictions.

    A recipe is frozen: ``dataclasses.replace`` makes another one, and so does ``set_params(recipe__n_steps=9)`` of a
    model. A grid search over ``recipe__temperature`` needs no recipe to begin with.

    Parameters
    ----------
    candidates : sequence of str
        Budget. What is tried: a view of the features and a form of the map, "view/form": any of scaled, logs,
        quantiles, steps and whitened with any of identity, diagonal and full. "view/form/nca" samples NCA's own energy
        instead of its logarithmic form, for classes only. Where no feature is positive there are no logs. Of more than
        500 features "axes", their principal axes, stands in for "scaled".
        :func:`freemetric.metrics.register_view` and ``register_form`` add others.
    n_replicas : int, default=60
        Metrics to sample.
    cheap_bag : int, default=75
        Samples; smaller bags get more replicas, up to twice as many.
    affordable_bag : int, default=2000
        Samples; larger bags get fewer replicas.
    first_share : float, default=0.25
        Share of the replicas that is divided evenly among all candidates.
    scouts : int, default=4
        Replicas that a candidate is scored by instead where larger bags may follow.
    grown_share : float, default=0.5
        Share of the replicas on larger bags, where these are better.
    smallest_bag : int, default=1000
        Samples of the bags that all candidates are tried on. Smaller bags make fits faster, and on some data worse.
    bag_growth : int, default=4
        Factor of the size of larger bags, which are tried as long as they are better by more than a standard error.
    subsample : float, default=0.5
        Largest share of the samples, or of every class, in a bag.
    most_learned_on : int, default=4000
        Most samples of a bag. The cost of a replica grows with their square.
    most_searched : int, default=16384
        Most samples that bags are drawn from and that vote while metrics are compared; in the end all vote.
    most_scored : int, default=2000
        Most samples that are scored out of bag.
    vote_bytes, many_class_bytes : int, default=512 MiB and 128 MiB
        Most memory of the out-of-bag votes of all candidates, and of those of very many classes.
    map_bytes : int, default=8 GiB
        Most memory of maps and of what is computed from them.
    task_samples, task_replicas, device_replicas : int, default=4096, 16 and 64
        Most samples of all bags of a task, most replicas of it, and of a task on a GPU.
    wide : int, default=1000
        Columns of a view; tasks with more have fewer replicas.
    checkpoint : path-like or None, default=None
        Folder for intermediate results. After a crash the same fit resumes from there and ends with the same model. A
        fit that ends removes its files.
    energy : Energy, str, callable or "auto", default="auto"
        Sampling. What the replicas sample: "nca" and "log-nca" for classes, "neighbor-likelihood" for regression and
        "regression" for several labels; "auto" is the energy of each candidate. A callable knows its own data: only the
        full map of the features scaled to [0, 1] is then sampled.
    sampler : Sampler or None, default=None
        How to sample; None is ``Annealing(Constant(temperature), move, n_steps=n_steps)`` with
        ``move=HamiltonianMove("single", caution=caution, n_trajectories=n_trajectories, gain=gain)``. Replaces
        ``temperature``. Of coupled replicas, such as those of ``ParallelTempering``, the coldest is taken.
    temperature : float, dict or "auto", default="auto"
        Temperature T of the replicas. "auto" starts from 1e-3, or 3e-4 for NCA's own energy, and tries others, see
        ``other_temperatures``. A dict gives other starts by the name of the energy. A number stays as it is.
    confinement : float, dict or "auto", default="auto"
        Strength of the harmonic trap on A. "auto" is 0.3 T, or 0.1 T for NCA's own energy. A dict gives the strength at
        the first temperature by the name of the energy; it follows the temperature. A number stays as it is.
    other_temperatures, temperature_step : bool and float, default=True and 3.0
        Whether the best candidates are tried colder and hotter, and by what factor.
    colder : int, default=3
        Times that the best candidate is tried colder again, as long as that is better by more than a standard error, in
        walks that are as much longer, up to ``longest_walk`` times. Only for regression, and only on large bags.
    patient_bag, longest_walk : int, default=1000 and 4
        Samples of such a bag, and times the usual number of steps.
    n_steps, n_trajectories : int, default=3 and 2
        Monte Carlo steps of a replica, too few to forget the identity, and trajectories of a step.
    short_walk_bag : int, default=1000
        Samples of a bag; on larger ones, whose energies are sharper, walks are longer by the root of the ratio.
    screened_features : int, default=40
        Features from which on diagonal maps start with the columns that tell classes apart by themselves in the
        replica's own bag, since the gradient of one weight is lost among many; 0 always starts at the identity.
    screened_floor : float, default=0.03
        Weight that the other columns start with, where the best start with about 1.
    start_distance : float, default=4.0
        Mean squared distance of the samples of a bag that walks start with at least. A few features from 0 to 1 have
        shorter ones, at which stochastic neighbours are all samples alike; 0 always starts at the identity.
    n_components : int or None, default=None
        Dimension of the learned spaces; None keeps the number of features. A number leaves the diagonal maps out.
    complementary_bags : bool, default=True
        Whether all samples are left out about equally often; otherwise bags are independent.
    listed_neighbors : int, default=32
        Nearest neighbours that an energy looks at, see :class:`freemetric.energies.NCAEnergy`.
    short_list_bag : int, default=500
        Samples of a bag; on larger ones, where near neighbours alone say less about a metric, these lists are longer by
        the ratio, up to twice as long.
    caution, gain : float, default=0.5 and 1.0
        Of the first time step and of its adaptation, see :class:`freemetric.mc.HamiltonianMove`.
    n_neighbors : int or sequence of int, default=(1, 2, 3, 5, 8, 13, 20, 32)
        Selection. Number of neighbours that vote, or several, which are mixed by their out-of-bag scores.
    most_neighbors : int, default=40
        Neighbours up to which votes are counted.
    selection_temperature : float, default=0.5
        Of the weights of candidates and k, in standard errors of the best score.
    negligible : float, default=0.005
        Weight below which a candidate does not vote, nor the largest numbers of neighbours together.
    plain_margin : float, default=1.0
        Standard errors by which plain k-NN must be better to be taken instead, and a kernel regression to be added.
    shortlist : int, sequence of int or None, default=(64, 128, 256, 512, 1024)
        Number of training samples, the nearest in the averaged metric, whose distances a prediction computes in every
        replica's space; at least as many as neighbours vote. Of several the smallest is taken that hardly changes the
        votes of training samples; up to 256 samples are all looked at. None takes all, which is exact and slower.
    shortlist_samples : int, default=128
        Samples on which the change of votes by a shortlist is measured.
    shortlist_all : int, default=20000
        Training samples; with more, shortlists are compared with the longest instead of all samples.
    calibration : {"full", "slope", "none"}, default="full"
        Calibration. Slope and bias of every class, the slope alone, or shares as they are.
    scoring : str, callable or None, default=None
        What ``oob_score_`` is: a name of :func:`sklearn.metrics.get_scorer_names`, or a scorer
        ``scorer(estimator, X, y)``; None is accuracy or R^2. Where it is a score of labels, such as "f1", and
        ``class_weight`` is None, the weights of the classes are optimised for it. Metrics are chosen by the Brier score
        or the squared error in any case.
    calibration_prior : float, default=5.0
        Weight of the prior on slope and bias, in samples.
    share_floor : float, default=0.05
        Added to every share before its logarithm is taken.
    densities : tuple of str
        Class densities: "student-t", "naive-bayes" and "screened-naive-bayes".
    optional_densities : tuple of str, default=("shared-student-t", "boosted-trees")
        Class densities that join ``densities``, if there are any, where the out-of-bag log loss falls by more than a
        margin. Trees need 200 samples.
    density_margin, density_prior : float, default=2.0 and 0.5
        That margin, in standard errors; weight of the prior that holds the strengths of densities near 0, in samples.
    kernel_samples : int, default=250
        Fewest out-of-bag samples with which a kernel ridge regression in the averaged metric stands beside the votes of
        classes.
    kernel_block : int, default=1500
        Most samples of one of the blocks that it is made of, at least 100; 0 leaves it out.
    trends : tuple of str, default=("linear", "steps", "surface", "boosted-trees")
        Trends of a regression target. Surfaces are for at most 27 features, trees for at least 200 samples.
    trend_prior : float, default=0.05
        Weight of the prior that holds their strengths near 0, as a share of the samples.
    noises : tuple of str, default=("linear", "steps")
        Trends that the size of the errors of regression may follow.
    noise_prior : float, default=2.0
        Weight of the prior that holds the exponents of noises near 0, in samples.
    most_errors : int, default=4000
        Out-of-bag errors that a regressor keeps.
    fewest_errors : int, default=20
        Fewest out-of-bag errors that a spread is learned from; with fewer, that of the search is kept.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import FreeEnergyClassifier, Recipe
    >>> short = replace(Recipe(), n_replicas=12, n_steps=9)
    >>> FreeEnergyClassifier(recipe=short, random_state=0).fit(*load_iris(return_X_y=True)).oob_score_ > 0.9
    True
    """

    # budget
    candidates: Any = (
        *("scaled/identity", "quantiles/identity", "scaled/diagonal", "quantiles/diagonal", "steps/diagonal"),
        *("scaled/full", "logs/full", "quantiles/full", "scaled/full/nca"),
    )
    n_replicas: int = 60
    cheap_bag: int = 75
    affordable_bag: int = 2000
    first_share: float = 0.25
    scouts: int = 4
    grown_share: float = 0.5
    smallest_bag: int = 1000
    bag_growth: int = 4
    subsample: float = 0.5
    most_learned_on: int = 4000
    most_searched: int = 16_384
    most_scored: int = 2000
    vote_bytes: int = 512 << 20
    many_class_bytes: int = 128 << 20
    map_bytes: int = 8 << 30
    task_samples: int = 4096
    task_replicas: int = 16
    device_replicas: int = 64
    wide: int = 1000
    checkpoint: Any = None
    # sampling
    energy: Any = "auto"
    sampler: Any = None
    temperature: Any = "auto"
    confinement: Any = "auto"
    other_temperatures: bool = True
    temperature_step: float = 3.0
    colder: int = 3
    patient_bag: int = 1000
    longest_walk: int = 4
    n_steps: int = 3
    n_trajectories: int = 2
    short_walk_bag: int = 1000
    screened_features: int = 40
    screened_floor: float = 0.03
    start_distance: float = 4.0
    n_components: int | None = None
    complementary_bags: bool = True
    listed_neighbors: int = 32
    short_list_bag: int = 500
    caution: float = 0.5
    gain: float = 1.0
    # selection
    n_neighbors: Any = (1, 2, 3, 5, 8, 13, 20, 32)
    most_neighbors: int = 40
    selection_temperature: float = 0.5
    negligible: float = 0.005
    plain_margin: float = 1.0
    shortlist: Any = (64, 128, 256, 512, 1024)
    shortlist_samples: int = 128
    shortlist_all: int = 20_000
    # calibration
    calibration: str = "full"
    scoring: Any = None
    calibration_prior: float = 5.0
    share_floor: float = 0.05
    densities: tuple[str, ...] = ("student-t", "naive-bayes", "screened-naive-bayes")
    optional_densities: tuple[str, ...] = ("shared-student-t", "boosted-trees")
    density_margin: float = 2.0
    density_prior: float = 0.5
    kernel_samples: int = 250
    kernel_block: int = 1500
    trends: tuple[str, ...] = ("linear", "steps", "surface", "boosted-trees")
    trend_prior: float = 0.05
    noises: tuple[str, ...] = ("linear", "steps")
    noise_prior: float = 2.0
    most_errors: int = 4000
    fewest_errors: int = 20

    _parameter_constraints: ClassVar[dict[str, list]] = {
        "candidates": [list, tuple],
        "checkpoint": [str, PathLike, None],
        "energy": [str, HasMethods("bind"), callable],
        "sampler": [HasMethods("iterate"), None],
        **{name: [STRENGTH, dict, StrOptions({"auto"})] for name in ("temperature", "confinement")},
        "n_components": [COUNT, None],
        "n_neighbors": [COUNT, list, tuple],
        "shortlist": [COUNT, list, tuple, None],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
    }

    def __post_init__(self) -> None:
        validate_params(self)
        require(len(self.candidates), "candidates of Recipe", "are none")
        for name in self.candidates:
            check_kind(name)
        densities = (("densities", CLASS_DENSITIES), ("optional_densities", CLASS_DENSITIES))
        for name, known in (*densities, ("trends", TRENDS), ("noises", TRENDS)):
            some = getattr(self, name)
            fits = isinstance(some, list | tuple) and all(isinstance(one, str) and one in known for one in some)
            require(fits, f"{name} of Recipe", f"are not a tuple of some of {', '.join(known)}")
        require(self.calibration in CALIBRATIONS, "calibration of Recipe", f"is none of {', '.join(CALIBRATIONS)}")
        for place in fields(self):
            self._check_number(place.name, place.type)
        fits = self.kernel_block == 0 or self.kernel_block >= SMALLEST_BLOCK
        require(fits, "kernel_block of Recipe", f"is neither 0 nor at least {SMALLEST_BLOCK}: {self.kernel_block}")
        require(self.bag_growth > 1, "bag_growth of Recipe", "is no integer above 1")
        require(0 < self.subsample < 1, "subsample of Recipe", "is no share between 0 and 1")
        for name, given in (("temperature", self.temperature), ("confinement", self.confinement)):
            values = given if isinstance(given, dict) else {}
            fits = set(values) <= set(ENERGIES) and all(is_number(value) and value >= 0 for value in values.values())
            require(fits, f"{name} of Recipe", f"has other entries than numbers for some of {', '.join(ENERGIES)}")
        for name, some in (("n_neighbors", self.neighbors), ("shortlist", self.shortlists)):
            fits = all(map(is_count, some)) and (bool(some) or getattr(self, name) is None)
            require(fits, f"{name} of Recipe", "are no positive whole numbers")

    def _check_number(self, name, kind):
        """ValueError unless a field that holds a number or a flag, by its type, holds one that it may."""
        value, zero = getattr(self, name), name in FROM_ZERO
        if kind is int:
            fits = is_count(value) or (zero and type(value) is int and value == 0)
            require(fits, f"{name} of Recipe", f"is no {'' if zero else 'positive '}whole number: {value!r}")
        elif kind is float:
            fits = is_number(value) and (value > 0 or (zero and value == 0))
            require(fits, f"{name} of Recipe", f"is no {'' if zero else 'positive '}number: {value!r}")
        elif kind is bool:
            require(isinstance(value, bool), f"{name} of Recipe", f"is neither True nor False: {value!r}")

    @property
    def neighbors(self) -> tuple[int, ...]:
        """The numbers of neighbours that the prediction may mix."""
        return _several(self.n_neighbors)

    @property
    def shortlists(self) -> tuple[int, ...]:
        """The lengths of shortlists to choose from; none where all training samples are looked at."""
        return () if self.shortlist is None else _several(self.shortlist)

    @property
    def tunes_temperature(self) -> bool:
        """Whether the best candidates are tried colder and hotter."""
        return self.other_temperatures and self.sampler is None and not isinstance(self.temperature, Real)

    @property
    def moves_trap(self) -> bool:
        """Whether the confinement follows the temperature."""
        return not isinstance(self.confinement, Real)

    def usual_temperature(self, energy: str) -> float:
        """Where the temperature of an energy starts unless a number is given for all."""
        given = self.temperature if isinstance(self.temperature, dict) else {}
        return float({**TEMPERATURES, **given}[energy])

    def first_temperature(self, energy: str) -> float:
        """The temperature at which an energy is tried first."""
        return float(self.temperature) if isinstance(self.temperature, Real) else self.usual_temperature(energy)

    def first_confinement(self, energy: str) -> float:
        """The confinement at that temperature; at zero it is that of the usual one."""
        if isinstance(self.confinement, dict) and energy in self.confinement:
            return float(self.confinement[energy])
        if not self.moves_trap:
            return float(self.confinement)
        return TRAPS[energy] * (self.first_temperature(energy) or self.usual_temperature(energy))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Names and values of all fields; ``deep`` adds the parameters of their values, as scikit-learn names them."""
        own = {place.name: getattr(self, place.name) for place in fields(self)}
        inner = {name: value.get_params() for name, value in own.items() if deep and hasattr(value, "get_params")}
        return own | {f"{name}__{key}": value for name, some in inner.items() for key, value in some.items()}

    def with_params(self, **params: Any) -> "Recipe":
        """Another recipe with these fields; ``sampler__n_steps`` is a parameter of the sampler."""
        given: dict[str, Any] = {}
        for name, value in sorted(params.items()):  # a field comes before its parameters
            own, _, inner = name.partition("__")
            if own not in (known := self.get_params(deep=False)):
                raise ValueError(f"Invalid parameter {own!r} of Recipe. Valid parameters are: {', '.join(known)}.")
            given[own] = clone(given.get(own, getattr(self, own))).set_params(**{inner: value}) if inner else value
        return replace(self, **given)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recipe) and _values(self) == _values(other)

    def __repr__(self) -> str:
        own, plain, usual = self.get_params(deep=False), _values(self), _values(Recipe())
        changed = (f"{name}={value!r}" for name, value in own.items() if plain[name] != usual[name])
        return f"Recipe({', '.join(changed)})"

    def to_state(self) -> dict[str, Any]:
        return self.get_params(deep=False)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Recipe":
        unknown = set(state) - {place.name for place in fields(cls)}
        require(not unknown, "a Recipe", f"has unknown fields: {', '.join(sorted(map(repr, unknown)))}")
        return cls(**state)  # a file of an earlier release lacks fields that came later


def _several(value):
    return tuple(value) if isinstance(value, list | tuple) else (int(value),)


def _values(recipe):
    """Fields by name as values that can be compared: of objects with parameters their class, beside these."""

    def plain(value):
        if hasattr(value, "get_params"):
            return type(value)
        return list(value) if isinstance(value, tuple) else getattr(value, "tolist", lambda: value)()

    return {name: plain(value) for name, value in recipe.get_params().items()}


EFFORTS = {
    "low": Recipe(smallest_bag=250, most_learned_on=250, n_replicas=36, listed_neighbors=16, other_temperatures=False),
    "default": Recipe(),
    "high": Recipe(n_replicas=180, n_steps=6),
}
"""Recipes by effort; ``benchmarks/efforts.py`` measures what they cost and what they gain."""


def recipe_of(model: Any) -> Recipe:
    """The recipe of a model: the given one, or that of its effort."""
    if model.recipe is None:
        return EFFORTS[model.effort]
    if model.effort != "default":
        both = f"effort={model.effort!r} stands for a recipe, and recipe={model.recipe!r} is another one"
        raise ValueError(f"{both}; give one of them.")
    return model.recipe
