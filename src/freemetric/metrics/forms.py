"""Forms of the map: which maps a metric may have, and what is kept of one.

A replica of a form is an array (p, d), and a stack of replicas (R, p, d) is what samplers move. A new form is a class
with the verbs of :class:`Form` and one line, ``register_form(name, form)``.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..energies import Diagonal, Energy
from ..files.checks import require


class Form(ABC):
    """Linear maps of a view V (n, d), described by arrays A (p, d)."""

    learns: ClassVar[bool] = True  # whether there is anything to sample
    is_free: ClassVar[bool] = False  # whether A is the matrix itself, without any restriction
    reduces: ClassVar[bool] = False  # whether it can map to fewer dimensions than the view has
    keeps_apart: ClassVar[bool] = False  # whether A^T A is always diagonal: columns are stretched, never mixed

    @abstractmethod
    def start(self, n_features: int, n_components: int | None = None) -> NDArray:
        """Where sampling begins: A (p, d) of the identity, or of its first rows."""

    @abstractmethod
    def restrict(self, energy: Energy) -> Energy:
        """An energy of matrices as one of A."""

    @abstractmethod
    def map(self, V: Any, A: NDArray, ops: Any = np) -> Any:
        """V in the space of A; ``ops`` has numpy's ``matmul`` and ``multiply``, which may also write a graph."""

    @abstractmethod
    def components(self, A: NDArray) -> NDArray:
        """The matrix (p', d) of A: V is mapped to V @ components.T."""

    @abstractmethod
    def seen_along(self, axes: NDArray, A: NDArray) -> NDArray:
        """Directions (m, p') of the space of A as directions (m, d) of the view: axes @ components."""

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

    def restrict(self, energy):
        return energy

    def map(self, V, A, ops=np):
        return V

    def components(self, A):
        return np.eye(A.shape[1])

    def seen_along(self, axes, A):
        return axes

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

    def seen_along(self, axes, A):
        return axes * A

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

    def restrict(self, energy):
        return energy

    def map(self, V, A, ops=np):
        return ops.matmul(V, A.T)

    def components(self, A):
        return A

    def seen_along(self, axes, A):
        return axes @ A

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
