"""Settings of a search, all of its constants: budget, sampling, selection and calibration."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from ..files.checks import is_number, require
from ..metrics import CLASS_DENSITIES, FORMS, TRENDS, VIEWS

ENERGIES = ("log-nca", "nca", "neighbor-likelihood")
USUAL = {
    "temperatures": {"log-nca": 1e-3, "nca": 3e-4, "neighbor-likelihood": 1e-3},
    # lambda / T: lambda |A|^2 / T is the same at every temperature
    "traps": {"log-nca": 0.3, "nca": 0.1, "neighbor-likelihood": 0.3},
}
CALIBRATIONS = ("full", "slope", "none")
FROM_ZERO = ("colder", "negligible", "plain_margin")  # numbers that may be zero; all others are positive


@dataclass(frozen=True)
class Recipe:
    """Every constant of a search: what it tries, how much it may cost, and how votes become predictions.

    ``dataclasses.replace`` makes another one.

    Parameters
    ----------
    kinds : tuple of str
        Budget. What is tried: a view of the features and a form of the map, "view/form", or "view/form/nca" for NCA's
        own energy instead of its logarithmic form.
    n_replicas : int, default=90
        Metrics to sample.
    cheap_bag : int, default=150
        Samples; smaller bags get more replicas, up to twice as many.
    affordable_bag : int, default=2000
        Samples; larger bags get fewer replicas.
    first_share : float, default=0.5
        Share of the replicas that is divided evenly among all kinds.
    scouts : int, default=6
        Replicas that a candidate is scored by where larger bags may follow.
    grown_share : float, default=0.5
        Share of the replicas on larger bags, where these are better.
    smallest_bag : int, default=1000
        Samples of the bags that all kinds are tried on. Smaller bags make fits faster, and on some data worse.
    bag_growth : int, default=4
        Factor of the size of larger bags, which are tried as long as they are better by more than a standard error.
    subsample : float, default=0.5
        Largest share of every class in a bag.
    most_learned_on : int, default=4000
        Most samples of a bag. The cost of a replica grows with their square.
    most_searched : int, default=16384
        Most samples that bags are drawn from and that vote while metrics are compared; in the end all vote.
    most_scored : int, default=4000
        Most samples that are scored out of bag.
    vote_bytes, many_class_bytes : int, default=512 MiB and 128 MiB
        Most memory of the out-of-bag votes of all candidates, and of those of very many classes.
    map_bytes : int, default=8 GiB
        Most memory of maps and of what is computed from them.
    task_samples, task_replicas, device_replicas : int, default=2048, 16 and 64
        Most samples of all bags of a task, most replicas of it, and of a task on a GPU.
    wide : int, default=1000
        Columns of a view; tasks with more have fewer replicas.
    complementary_bags : bool, default=True
        Sampling. Whether all samples are left out about equally often; otherwise bags are independent.
    temperatures, traps : dict
        Temperature T by the name of the energy, and strength of the trap as a multiple of T; energies that are not
        given have the usual ones.
    other_temperatures : bool, default=True
        Whether the best kind is tried colder and hotter, by the factor ``temperature_step``.
    temperature_step : float, default=3.0
        That factor.
    colder : int, default=3
        Times that the best kind is tried colder again, as long as that is better by more than a standard error, in
        walks that are as much longer, up to ``longest_walk`` times. Only for regression, and only on large bags.
    patient_bag : int, default=1000
        Samples of such a bag.
    longest_walk : int, default=4
        Times the usual number of steps.
    n_steps : int, default=12
        Monte Carlo steps of a replica: enough to forget the identity.
    listed_neighbors : int, default=32
        Nearest neighbours that an energy looks at, see :class:`freemetric.energies.NCAEnergy`.
    caution : float, default=0.5
        Of the first time step, see :class:`freemetric.mc.HamiltonianMove`.
    most_neighbors : int, default=40
        Selection. Neighbours up to which votes are counted.
    neighbors : tuple of int, default=(1, 2, 3, 5, 8, 13, 20, 32)
        Numbers of neighbours that the prediction may mix.
    selection_temperature : float, default=0.5
        Of the weights of candidates and k, in standard errors of the best score.
    negligible : float, default=0.005
        Weight below which a candidate does not vote.
    plain_margin : float, default=1.0
        Standard errors by which plain k-NN must be better to be taken instead.
    shortlists : tuple of int, default=(128, 256, 512, 1024)
        Numbers of training samples that predictions may look at in every space; the smallest that hardly changes the
        votes is taken.
    shortlist_samples : int, default=128
        Samples on which the change of votes by a shortlist is measured.
    shortlist_all : int, default=20000
        Training samples; with more, shortlists are compared with the longest instead of all samples.
    calibration : {"full", "slope", "none"}, default="full"
        Calibration. Slope and bias of every class, the slope alone, or shares as they are.
    calibration_prior : float, default=5.0
        Weight of the prior on slope and bias, in samples.
    share_floor : float, default=0.05
        Added to every share before its logarithm is taken.
    densities : tuple of str
        Class densities: "student-t", "naive-bayes" and "screened-naive-bayes".
    density_prior : float, default=0.5
        Weight of the prior that holds their strengths near 0, in samples.
    trends : tuple of str, default=("linear", "steps", "surface")
        Trends of a regression target. Surfaces are for at most 27 features.
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
    kinds: tuple[str, ...] = (
        "scaled/identity",
        "quantiles/identity",
        "scaled/diagonal",
        "quantiles/diagonal",
        "steps/diagonal",
        "scaled/full",
        "quantiles/full",
        "scaled/full/nca",
    )
    n_replicas: int = 90
    cheap_bag: int = 150
    affordable_bag: int = 2000
    first_share: float = 0.5
    scouts: int = 6
    grown_share: float = 0.5
    smallest_bag: int = 1000
    bag_growth: int = 4
    subsample: float = 0.5
    most_learned_on: int = 4000
    most_searched: int = 16_384
    most_scored: int = 4000
    vote_bytes: int = 512 << 20
    many_class_bytes: int = 128 << 20
    map_bytes: int = 8 << 30
    task_samples: int = 2048
    task_replicas: int = 16
    device_replicas: int = 64
    wide: int = 1000
    # sampling
    complementary_bags: bool = True
    temperatures: Mapping[str, float] = field(default_factory=dict)
    traps: Mapping[str, float] = field(default_factory=dict)
    other_temperatures: bool = True
    temperature_step: float = 3.0
    colder: int = 3
    patient_bag: int = 1000
    longest_walk: int = 4
    n_steps: int = 12
    listed_neighbors: int = 32
    caution: float = 0.5
    # selection
    most_neighbors: int = 40
    neighbors: tuple[int, ...] = (1, 2, 3, 5, 8, 13, 20, 32)
    selection_temperature: float = 0.5
    negligible: float = 0.005
    plain_margin: float = 1.0
    shortlists: tuple[int, ...] = (128, 256, 512, 1024)
    shortlist_samples: int = 128
    shortlist_all: int = 20_000
    # calibration
    calibration: str = "full"
    calibration_prior: float = 5.0
    share_floor: float = 0.05
    densities: tuple[str, ...] = ("student-t", "naive-bayes", "screened-naive-bayes")
    density_prior: float = 0.5
    trends: tuple[str, ...] = ("linear", "steps", "surface")
    trend_prior: float = 0.05
    noises: tuple[str, ...] = ("linear", "steps")
    noise_prior: float = 2.0
    most_errors: int = 4000
    fewest_errors: int = 20

    def __post_init__(self) -> None:
        for name in self.kinds:
            check_kind(name)
        require(self.kinds, "kinds of Recipe", "are none")
        for name, known in (("densities", CLASS_DENSITIES), ("trends", TRENDS), ("noises", TRENDS)):
            some = getattr(self, name)
            fits = isinstance(some, tuple) and all(isinstance(one, str) and one in known for one in some)
            require(fits, f"{name} of Recipe", f"are not a tuple of some of {', '.join(known)}")
        require(self.calibration in CALIBRATIONS, "calibration of Recipe", f"is none of {', '.join(CALIBRATIONS)}")
        for place in fields(self):
            self._check_number(place.name, place.type)
        require(self.bag_growth > 1, "bag_growth of Recipe", "is no integer above 1")
        require(0 < self.subsample < 1, "subsample of Recipe", "is no share between 0 and 1")
        for name, usual in USUAL.items():
            values = getattr(self, name)
            fits = set(values) <= set(ENERGIES) and all(is_number(value) and value >= 0 for value in values.values())
            require(fits, f"{name} of Recipe", f"are not numbers for some of {', '.join(ENERGIES)}")
            object.__setattr__(self, name, {**usual, **values})  # what is not given is as usual

    def _check_number(self, name, kind):
        """ValueError unless a field that holds numbers, by its type, holds positive ones."""
        value, zero = getattr(self, name), name in FROM_ZERO
        if kind is int:
            fits = type(value) is int and (value > 0 or (zero and value == 0))
            require(fits, f"{name} of Recipe", f"is no {'' if zero else 'positive '}whole number: {value!r}")
        elif kind is float:
            fits = is_number(value) and (value > 0 or (zero and value == 0))
            require(fits, f"{name} of Recipe", f"is no {'' if zero else 'positive '}number: {value!r}")
        elif kind == tuple[int, ...]:
            fits = isinstance(value, tuple) and bool(value) and all(isinstance(one, int) and one > 0 for one in value)
            require(fits, f"{name} of Recipe", "are no positive whole numbers")

    def to_state(self) -> dict[str, Any]:
        return {**asdict(self), "temperatures": dict(self.temperatures), "traps": dict(self.traps)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Recipe":
        for place in fields(cls):
            usual, value = getattr(cls(), place.name), state[place.name]
            same = type(value) is type(usual) or (is_number(value) and is_number(usual))
            require(same, f"{place.name} of Recipe", "is of another type")
        return cls(**state)


def check_kind(name: str) -> None:
    """ValueError unless it is the name of a kind."""
    view, _, rest = name.partition("/") if isinstance(name, str) else ("", "", "")
    form, _, energy = rest.partition("/")
    if view not in VIEWS or form not in FORMS or energy not in ("", "nca"):
        known = f"a view ({', '.join(VIEWS)}), a form ({', '.join(FORMS)}) and perhaps nca, as in 'scaled/full/nca'"
        raise ValueError(f"candidates: {name!r} is unknown; a kind is {known}.")
