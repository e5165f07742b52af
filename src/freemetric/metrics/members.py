"""Members of an ensemble: the sampled metrics of one candidate."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..energies import ENERGIES
from ..files.checks import check_array, is_number, require
from .forms import FORMS, Form
from .views import VIEWS

OWN = "own"  # an energy that the user has given


@dataclass(frozen=True)
class Candidate:
    """What may be sampled: a view of the features, a form of the map, an energy, a temperature, a trap.

    Parameters
    ----------
    view, form : str
        Names in ``VIEWS`` and ``FORMS``.
    energy : str
        "log-nca", "nca", or "own" for one that the user has given.
    temperature : float, default=0.0
        At which its replicas are sampled.
    confinement : float, default=0.0
        Strength of the harmonic trap.
    bag_size : int, default=0
        Samples that each replica learns on.
    """

    view: str
    form: str
    energy: str
    temperature: float = 0.0
    confinement: float = 0.0
    bag_size: int = 0

    @property
    def learns(self) -> bool:
        """Whether there is anything to sample."""
        return FORMS[self.form].learns

    def is_of_the_kind(self, other: "Candidate") -> bool:
        """Whether it differs at most in temperature, trap and bags."""
        return (self.view, self.form, self.energy) == (other.view, other.form, other.energy)

    def on_bags_of(self, size: int) -> "Candidate":
        """The same, with replicas that learn on so many samples; itself where nothing is learned."""
        return replace(self, bag_size=size) if self.learns else self

    def to_state(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Candidate":
        names = [state[name] for name in ("view", "form", "energy")]
        texts = all(type(name) is str for name in names)
        known = texts and names[0] in VIEWS and names[1] in FORMS and names[2] in (*ENERGIES, OWN)
        require(known, "a Candidate", f"of the unknown kind {'/'.join(map(str, names))[:80]!r}")
        for name in ("temperature", "confinement"):
            value = state[name]
            require(is_number(value) and value >= 0, f"{name} of Candidate", "is not a number of at least 0")
        size = state["bag_size"]
        require(type(size) is int and size >= 0, "bag_size of Candidate", "is no number of samples")
        return cls(**state)


class Member:
    """Sampled maps (R, p, d) of one candidate, as its form has them; none where nothing is learned.

    Parameters
    ----------
    candidate : Candidate
        What was sampled.
    maps : ndarray of shape (n_replicas, p, d)
        The replicas.
    """

    def __init__(self, candidate: Candidate, maps: NDArray):
        self.candidate, self.maps = candidate, maps

    @property
    def form(self) -> Form:
        """The form of the maps."""
        return FORMS[self.candidate.form]

    def __len__(self) -> int:
        """Number of spaces in which neighbours vote."""
        return len(self.maps) if self.form.learns else 1

    def spaces(self, V: Any, ops: Any = np) -> Iterator[Any]:
        """The view V (n, d) in every replica's space; in its own where nothing is learned."""
        if not self.form.learns:
            yield V
        for A in self.maps:
            yield self.form.map(V, A, ops)

    @property
    def n_coordinates(self) -> int:
        """Dimension of these spaces."""
        return self.form.n_coordinates(self.maps)

    def matrices(self) -> NDArray:
        """M = A^T A of every replica, (R, d, d); the squared distance is (u - v)^T M (u - v)."""
        return self.form.matrices(self.maps)

    def diagonals(self) -> NDArray:
        """Diagonals of M of every replica, (R, d)."""
        return self.form.diagonals(self.maps)

    def to_state(self) -> dict[str, Any]:
        return {"candidate": self.candidate, "maps": self.maps}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Member":
        candidate, maps = state["candidate"], state["maps"]
        require(type(candidate) is Candidate, "candidate of Member", "is something else")
        check_array(maps, "maps of Member", 3)
        FORMS[candidate.form].check(maps)
        with np.errstate(over="ignore"):
            require(np.isfinite((maps**2).sum()), "maps of Member", "are too large for distances")
        return cls(candidate, maps)
