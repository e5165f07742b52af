"""Settings of a search: what it tries, and how much it may cost."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from ..files.checks import is_number, require
from ..metrics import CLASS_DENSITIES, FORMS, TRENDS, VIEWS

ENERGIES = ("log-nca", "nca", "likeness")
USUAL = {
    "temperatures": {"log-nca": 1e-3, "nca": 3e-4, "likeness": 1e-3},
    "traps": {
        "log-nca": 0.3,
        "nca": 0.1,
        "likeness": 0.3,
    },  # lambda / T: lambda |A|^2 / T is the same at every temperature
}
CALIBRATIONS = ("full", "slope", "none")
WHOLE_NUMBERS = (
    *("n_replicas", "cheap_bag", "affordable_bag", "smallest_bag", "most_learned_on", "most_searched"),
    *("most_judged", "n_steps", "listed_neighbors", "most_neighbors", "patient_bag"),
)
POSITIVE_NUMBERS = (
    *("first_share", "temperature_step", "caution", "selection_temperature", "share_floor"),
    *("basin_prior", "reading_prior"),
)


@dataclass(frozen=True)
class Recipe:
    """What a search tries and how much it may cost; ``dataclasses.replace`` makes another one.

    Parameters
    ----------
    kinds : tuple of str
        What is tried: a view of the features and a form of the map, "view/form", or "view/form/nca" for NCA's own
        energy instead of its logarithmic form.
    n_replicas : int, default=90
        Metrics to sample.
    cheap_bag : int, default=150
        Patterns; smaller bags get more replicas, up to twice as many: few patterns make metrics that vary more.
    affordable_bag : int, default=2000
        Patterns; larger bags get fewer replicas.
    first_share : float, default=0.5
        Share of the replicas that goes evenly to all kinds.
    smallest_bag : int, default=1000
        Patterns of the bags that all kinds are tried on, if there are so many; larger ones are then tried where there
        are more patterns. A smaller number makes fits faster, and on some data worse.
    bag_growth : int, default=4
        Factor by which larger bags are tried, as long as they are better out of bag by more than the error of that.
    subsample : float, default=0.5
        Largest share of every class in a bag.
    most_learned_on : int, default=4000
        Most patterns of a bag: the cost of a replica grows with their square.
    most_searched : int, default=16384
        Most patterns that bags and judges are drawn from, and that vote while metrics are compared; in the end all do.
    most_judged : int, default=4000
        Most patterns that judge.
    complementary_bags : bool, default=True
        Whether bags go round the patterns, so that all are left out about equally often.
    temperatures, traps : dict
        Temperature T by the name of the energy, and strength of the trap as a multiple of T; energies that are not
        given have the usual ones.
    other_temperatures : bool, default=True
        Whether the best kind is tried colder and hotter, by the factor ``temperature_step``.
    temperature_step : float, default=3.0
        That factor.
    colder : int, default=3
        Times that the best kind is tried colder again, as long as that is better by more than its error; in walks that
        are longer by as much as they are colder, up to four times. Of numbers only, and only on large bags: few
        patterns do not tell a cold metric from a warm one.
    patient_bag : int, default=1000
        Patterns of such a bag.
    n_steps : int, default=12
        Monte Carlo steps of a replica.
    listed_neighbors : int, default=32
        Nearest neighbours that an energy looks at, see :class:`freemetric.energies.NCAEnergy`.
    caution : float, default=0.5
        Of the first time step, see :class:`freemetric.mc.HamiltonianMove`.
    most_neighbors : int, default=40
        Neighbours up to which votes are counted.
    neighbors : tuple of int, default=(1, 2, 3, 5, 8, 13, 20, 32)
        Numbers of neighbours that the prediction may mix.
    selection_temperature : float, default=0.5
        Of the weights of candidates and k, in standard errors of the best score.
    negligible : float, default=0.005
        Weight below which a candidate does not vote.
    plain_margin : float, default=1.0
        Standard errors by which plain k-NN must be better to be taken instead.
    calibration : {"full", "slope", "none"}, default="full"
        Slope and bias of every class, the slope alone, or shares as they are.
    calibration_prior : float, default=5.0
        Weight of the prior on slope and bias, in patterns.
    share_floor : float, default=0.05
        Added to every share before its logarithm is taken.
    densities : tuple of str
        What is asked of the classes as wholes: "wells", "mean-field" and "screened-field".
    basin_prior : float, default=0.5
        Weight of the prior that holds their strengths near 0, in patterns.
    trends : tuple of str, default=("linear", "steps", "surface")
        What is asked of a target of numbers as a whole. Surfaces are for at most 27 features.
    noises : tuple of str, default=("linear", "steps")
        Trends that the size of errors of numbers may follow.
    reading_prior : float, default=0.05
        Weight of the prior that holds their strengths near 0, as a share of the patterns.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from sklearn.datasets import load_iris
    >>> from freemetric import FreeEnergyClassifier, Recipe
    >>> short = replace(Recipe(), n_replicas=12, n_steps=9)
    >>> FreeEnergyClassifier(recipe=short, random_state=0).fit(*load_iris(return_X_y=True)).oob_score_ > 0.9
    True
    """

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
    # how many replicas
    n_replicas: int = 90
    cheap_bag: int = 150
    affordable_bag: int = 2000  # metrics of larger ones vary less
    first_share: float = 0.5
    # what they learn on and are judged by
    smallest_bag: int = 1000
    bag_growth: int = 4
    subsample: float = 0.5
    most_learned_on: int = 4000
    most_searched: int = 16_384  # so that the cost of a search ends to grow
    most_judged: int = 4000  # enough to tell candidates apart
    complementary_bags: bool = True
    # how they are sampled
    temperatures: Mapping[str, float] = field(default_factory=dict)
    traps: Mapping[str, float] = field(default_factory=dict)
    other_temperatures: bool = True
    temperature_step: float = 3.0
    colder: int = 3
    patient_bag: int = 1000
    n_steps: int = 12  # enough to forget the identity
    listed_neighbors: int = 32
    caution: float = 0.5  # while a trajectory keeps its lists, neighbours that come near are not seen: no long ones
    # what their votes are worth
    most_neighbors: int = 40
    neighbors: tuple[int, ...] = (1, 2, 3, 5, 8, 13, 20, 32)  # evenly on a logarithmic scale: large k do not outnumber
    selection_temperature: float = 0.5
    negligible: float = 0.005
    plain_margin: float = 1.0
    calibration: str = "full"
    calibration_prior: float = 5.0
    share_floor: float = 0.05
    # what the classes as wholes are asked
    basins: tuple[str, ...] = ("wells", "mean-field", "screened-field")
    basin_prior: float = 0.5
    # what a target of numbers is asked
    trends: tuple[str, ...] = ("linear", "steps", "surface")
    noises: tuple[str, ...] = ("linear", "steps")
    reading_prior: float = 0.05

    def __post_init__(self) -> None:
        for name in self.kinds:
            check_kind(name)
        require(self.kinds, "kinds of Recipe", "are none")
        known = isinstance(self.basins, tuple) and all(isinstance(b, str) and b in CLASS_DENSITIES for b in self.basins)
        require(known, "basins of Recipe", f"are not a tuple of some of {', '.join(CLASS_DENSITIES)}")
        for name in ("trends", "noises"):
            some = getattr(self, name)
            known = isinstance(some, tuple) and all(isinstance(t, str) and t in TRENDS for t in some)
            require(known, f"{name} of Recipe", f"are not a tuple of some of {', '.join(TRENDS)}")
        require(self.calibration in CALIBRATIONS, "calibration of Recipe", f"is none of {', '.join(CALIBRATIONS)}")
        for name in WHOLE_NUMBERS:
            value = getattr(self, name)
            require(isinstance(value, int) and value > 0, f"{name} of Recipe", f"is no positive integer: {value!r}")
        for name in POSITIVE_NUMBERS:
            value = getattr(self, name)
            require(is_number(value) and value > 0, f"{name} of Recipe", f"is no positive number: {value!r}")
        require(isinstance(self.colder, int) and self.colder >= 0, "colder of Recipe", "is no whole number from 0 on")
        grows = isinstance(self.bag_growth, int) and self.bag_growth > 1
        require(grows, "bag_growth of Recipe", "is no integer above 1")
        require(0 < self.subsample < 1, "subsample of Recipe", "is no share between 0 and 1")
        whole = self.neighbors and all(isinstance(k, int) and k > 0 for k in self.neighbors)
        require(whole, "neighbors of Recipe", "are no positive whole numbers")
        for name, usual in USUAL.items():
            values = getattr(self, name)
            known = set(values) <= set(ENERGIES) and all(is_number(value) and value >= 0 for value in values.values())
            require(known, f"{name} of Recipe", f"are not numbers for some of {', '.join(ENERGIES)}")
            object.__setattr__(self, name, {**usual, **values})  # what is not given is as usual

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
