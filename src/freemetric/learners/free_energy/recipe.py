"""The recipe of a free-energy model: what its search tries, and how much it may cost. Every constant is here."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from ...files.checks import is_number, require
from ...metrics import FORMS, VIEWS

ENERGIES = ("log-nca", "nca")
CALIBRATIONS = ("full", "slope", "none")


@dataclass(frozen=True)
class Recipe:
    """What a search tries and how much it may cost; ``dataclasses.replace`` makes another one.

    A kind is a view of the features and a form of the map, "view/form", or "view/form/nca" for NCA's own energy instead
    of its logarithmic form.

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
    affordable_bag: int = 2000  # patterns; larger bags get fewer replicas, whose metrics vary less
    first_share: float = 0.5  # of the replicas go evenly to all kinds
    # what they learn on and are judged by
    subsample: float = 0.5  # share of every class in a bag
    most_learned_on: int = 4000  # patterns a bag: a metric has few parameters, and its cost grows with their square
    most_judged: int = 4000  # patterns that judge: enough to tell candidates apart
    complementary_bags: bool = True  # bags go round the patterns, so that all are left out about equally often
    # how they are sampled
    temperatures: Mapping[str, float] = field(default_factory=lambda: {"log-nca": 1e-3, "nca": 3e-4})
    traps: Mapping[str, float] = field(default_factory=lambda: {"log-nca": 0.3, "nca": 0.1})
    # lambda / T: the trap lambda |A|^2 / T is the same at every temperature
    other_temperatures: bool = True  # whether the best kind is tried colder and hotter, by this factor
    temperature_step: float = 3.0
    n_steps: int = 18  # enough to forget the identity where the first time step is not too long
    caution: float = 0.5  # of the first time step
    # what their votes are worth
    most_neighbors: int = 40
    neighbors: tuple[int, ...] = (1, 2, 3, 5, 8, 13, 20, 32)  # evenly on a logarithmic scale: large k do not outnumber
    selection_temperature: float = 0.5  # of candidates and k, in standard errors of the best score
    negligible: float = 0.005  # weight of a candidate that is not asked
    plain_margin: float = 1.0  # standard errors by which plain k-NN must be better to be taken instead
    calibration: str = "full"  # or "slope", without bias, or "none"
    calibration_prior: float = 5.0  # weight of the prior on slope and bias, in patterns
    share_floor: float = 0.05  # added to every share

    def __post_init__(self) -> None:
        for name in self.kinds:
            check_kind(name)
        require(self.kinds, "kinds of Recipe", "are none")
        require(self.calibration in CALIBRATIONS, "calibration of Recipe", f"is none of {', '.join(CALIBRATIONS)}")
        for name in ("n_replicas", "affordable_bag", "most_learned_on", "most_judged", "n_steps", "most_neighbors"):
            value = getattr(self, name)
            require(isinstance(value, int) and value > 0, f"{name} of Recipe", f"is no positive integer: {value!r}")
        for name in ("first_share", "temperature_step", "caution", "selection_temperature", "share_floor"):
            value = getattr(self, name)
            require(is_number(value) and value > 0, f"{name} of Recipe", f"is no positive number: {value!r}")
        require(0 < self.subsample < 1, "subsample of Recipe", "is no share between 0 and 1")
        require(self.neighbors and min(self.neighbors) > 0, "neighbors of Recipe", "are no positive numbers")

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
    if view not in VIEWS or form not in FORMS or energy not in ("", *ENERGIES[1:]):
        known = f"a view ({', '.join(VIEWS)}), a form ({', '.join(FORMS)}) and perhaps nca, as in 'scaled/full/nca'"
        raise ValueError(f"candidates: {name!r} is unknown; a kind is {known}.")
