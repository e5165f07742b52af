"""Forms: which maps a metric may have; candidates that a search tries, and members of an ensemble with their maps."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..energies import Diagonal, Energy
from ..energies.base import ENERGIES
from ..files.checks import check_array, is_number, require
from .views import VIEWS


class Form(ABC):
    """Linear maps of a view V (n, d), described by arrays A (p, d)."""

    learns: ClassVar[bool] = True  # whether there is anything to sample
    is_free: ClassVar[bool] = False  # whether A is the matrix itself, without any restriction
    reduces: ClassVar[bool] = False  # whether it can map to fewer dimensions than the view has
    keeps_apart: ClassVar[bool] = False  # whether A^T A is always diagonal: columns are stretched, never mixed

    @abstractmethod
    def start(self, n_features: int, n_components: int | None = None) -> NDArray:
        """Where sampling begins: A (p, d) of the identity, or of its first rows."""

    def restrict(self, energy: Energy) -> Energy:
        """An energy of matrices as one of A."""
        return energy

    @abstractmethod
    def map(self, V: Any, A: NDArray, ops: Any = np) -> Any:
        """V in the space of A; ``ops`` has numpy's ``matmul`` and ``multiply``, which may also write a graph."""

    @abstractmethod
    def components(self, A: NDArray) -> NDArray:
        """The matrix (p', d) of A: V is mapped to V @ components.T."""

    def seen_along(self, axes: NDArray, A: NDArray) -> NDArray:
        """Directions (m, p') of the space of A as directions (m, d) of the view."""
        return axes @ self.components(A)

    def n_coordinates(self, maps: NDArray) -> int:
        """Dimension of the spaces of a stack."""
        return maps.shape[2]

    def matrices(self, maps: NDArray) -> NDArray:
        """M = A^T A of every replica, (R, d, d)."""
        stack = np.array([self.components(A) for A in maps])
        return np.swapaxes(stack, 1, 2) @ stack

    def diagonals(self, maps: NDArray) -> NDArray:
        """The diagonals of these matrices, (R, d)."""
        return np.array([(self.components(A) ** 2).sum(axis=0) for A in maps])

    def check(self, maps: NDArray) -> None:
        """ValueError unless a stack is one of this form."""
        require(len(maps) > 0 and min(maps.shape) > 0, "maps of Member", f"have shape {maps.shape}")


class IdentityForm(Form):
    """Nothing is learned: the distance is that of the view, and there are no replicas."""

    learns = False
    reduces = True  # it does not, but may stand beside those that do
    keeps_apart = True

    def start(self, n_features, n_components=None):
        return np.empty((1, n_features))

    def map(self, V, A, ops=np):
        return V

    def components(self, A):
        return np.eye(A.shape[1])

    def matrices(self, maps):
        return np.eye(maps.shape[2])[None]

    def diagonals(self, maps):
        return np.ones((1, maps.shape[2]))

    def check(self, maps):
        require(len(maps) == 0 and maps.shape[2] > 0, "maps of Member", f"have shape {maps.shape}")


class DiagonalForm(Form):
    """Features are stretched, never mixed: A (1, d) holds their weights."""

    keeps_apart = True

    def start(self, n_features, n_components=None):
        return np.ones((1, n_features))

    def restrict(self, energy):
        return Diagonal(energy)

    def map(self, V, A, ops=np):
        return ops.multiply(V, A)

    def components(self, A):
        return np.diag(A[0])

    def matrices(self, maps):
        return maps**2 * np.eye(maps.shape[2])

    def diagonals(self, maps):
        return maps[:, 0] ** 2

    def check(self, maps):
        super().check(maps)
        require(maps.shape[1] == 1, "maps of Member", f"have shape {maps.shape}")


class LinearForm(Form):
    """Any matrix A (p, d)."""

    is_free = True
    reduces = True

    def start(self, n_features, n_components=None):
        return np.eye(n_features if n_components is None else n_components, n_features)

    def map(self, V, A, ops=np):
        return ops.matmul(V, A.T)

    def components(self, A):
        return A

    def n_coordinates(self, maps):
        return maps.shape[1]


FORMS: dict[str, Form] = {}
"""Forms by name, the simpler ones first."""


def register_form(name: str, form: Form) -> None:
    """Make a form known to candidates by its name.

    Parameters
    ----------
    name : str
        What candidates call it; no slash.
    form : Form
        The form; it has no state of its own, so that files need its name alone.
    """
    if not name or "/" in name:
        raise ValueError(f"A form needs a name without a slash; got {name!r}.")
    FORMS[name] = form


for _name, _form in {"identity": IdentityForm(), "diagonal": DiagonalForm(), "full": LinearForm()}.items():
    register_form(_name, _form)


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


def check_kind(name: str) -> None:
    """ValueError unless it is the name of a kind."""
    view, _, rest = name.partition("/") if isinstance(name, str) else ("", "", "")
    form, _, energy = rest.partition("/")
    if view not in VIEWS or form not in FORMS or energy not in ("", "nca"):
        known = f"a view ({', '.join(VIEWS)}), a form ({', '.join(FORMS)}) and perhaps nca, as in 'scaled/full/nca'"
        raise ValueError(f"candidates: {name!r} is unknown; a kind is {known}.")


@dataclass(frozen=True, eq=False)
class Member:
    """Sampled maps (R, p, d) of one candidate, as its form has them; none where nothing is learned.

    Parameters
    ----------
    candidate : Candidate
        What was sampled.
    maps : ndarray of shape (n_replicas, p, d)
        The replicas.
    """

    candidate: Candidate
    maps: NDArray

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
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Member":
        candidate, maps = state["candidate"], state["maps"]
        require(type(candidate) is Candidate, "candidate of Member", "is something else")
        check_array(maps, "maps of Member", 3)
        FORMS[candidate.form].check(maps)
        with np.errstate(over="ignore"):
            require(np.isfinite((maps**2).sum()), "maps of Member", "are too large for distances")
        return cls(candidate, maps)
