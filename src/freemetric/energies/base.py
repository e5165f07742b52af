"""Energies are parameter objects that add and scale; bound to data they are functions
of A.

``energy.bind(X, y)`` returns a bound energy, callable (R, p, d) -> (R,), with these
optional methods and attributes:

- ``value_and_grad(A) -> (R,), (R, p, d)``: for Hamiltonian moves and L-BFGS;
- ``sweep(A, rows, columns, deltas, allowed, ridge=0.0) -> A, energy, accepted``: a
  Monte Carlo step of element trials, of the energy plus ridge * |A|^2;
- ``near(A) -> bound energy``: the energy whose lists of neighbours are those of A;
- ``of_weights() -> bound energy``: the energy of diagonal maps, of stacks (R, 1, d) of
  feature weights;
- ``ridge``: the energy is ridge * |A|^2 and can join another one's sweep;
- ``n_samples``: the number of samples it was bound to;
- ``draw(rng) -> bound energy``: the energy of new mini-batches, one for each replica of
  ``rng`` (``mc.Streams``).
"""

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

Array = NDArray[np.float64]
BoundEnergy = Callable[[Array], Array]  # (R, p, d) -> (R,), and perhaps more


class Energy(BaseEstimator):
    """An objective over maps A, to be minimised. If y are regression targets,
    ``is_regression`` is True.
    """

    def bind(
        self,
        X: Array,
        y: NDArray,
        *,
        sample_weight: Array | None = None,
        device: str = "cpu",
    ) -> BoundEnergy:
        """The energy as a function of A alone.

        X is (N, d), or (R, N, d) with one data set per replica; y (N,) holds class
        indices, or regression targets (N,), (N, m) or (R, N, m); ``sample_weight`` (N,)
        or (R, N) is positive. An energy without this parameter refuses weights."""
        raise NotImplementedError

    def __add__(self, other: "Energy") -> "SumEnergy":
        return SumEnergy(self, other)

    def __mul__(self, factor: float) -> "ScaledEnergy":
        return ScaledEnergy(self, factor)

    __rmul__ = __mul__


class SumEnergy(Energy):
    """The sum of two energies."""

    def __init__(self, first, second):
        self.first = first
        self.second = second

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        terms = (self.first, self.second)
        return BoundSum([bind(term, X, y, sample_weight, device) for term in terms])


class ScaledEnergy(Energy):
    """A positive multiple of an energy."""

    def __init__(self, energy, factor=1.0):
        self.energy = energy
        self.factor = factor

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        if not self.factor > 0:
            raise ValueError(
                f"An energy can only be scaled by a positive factor; got {self.factor}."
            )
        return BoundSum([bind(self.energy, X, y, sample_weight, device)], self.factor)


class Confinement(Energy):
    """E(A) = |A|_F^2, added to another energy with a small factor: makes exp(-E / T) a
    proper distribution.

    Examples
    --------
    >>> from freemetric.energies import Confinement, NCAEnergy
    >>> NCAEnergy() + 1e-4 * Confinement()
    SumEnergy(first=NCAEnergy(),
              second=ScaledEnergy(energy=Confinement(), factor=0.0001))
    """

    needs_targets = False

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        return BoundConfinement()


class Diagonal(Energy):
    """E(w) = energy(diag(w)) of stacks (R, 1, d) of feature weights: features are
    stretched, never mixed.

    Parameters
    ----------
    energy : Energy
        The energy of the diagonal map.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import Diagonal, NCAEnergy
    >>> X, y = load_iris(return_X_y=True)
    >>> Diagonal(NCAEnergy()).bind(X, y)(np.ones((1, 1, 4))).round(3)
    array([0.162])
    """

    def __init__(self, energy):
        self.energy = energy

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        bound = bind(self.energy, X, y, sample_weight, device)
        if hasattr(bound, "of_weights"):
            return bound.of_weights()
        return BoundDiagonal(bound)


class CallableEnergy(Energy):
    """Any function (R, p, d) -> (R,), or object with more of a bound energy's methods,
    that has its own data.
    """

    def __init__(self, function):
        self.function = function

    takes_weights = False

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        return self.function


def bind(
    energy: Energy,
    X: Array,
    y: NDArray,
    sample_weight: Array | None = None,
    device: str = "cpu",
) -> BoundEnergy:
    """Bind an energy of ours or a user's; weights only reach one that takes them."""
    options: dict[str, Any] = {"device": device}
    if sample_weight is not None:
        if not takes_weights(energy):
            raise ValueError(f"{type(energy).__name__} takes no sample_weight.")
        options["sample_weight"] = sample_weight
    return energy.bind(X, y, **options)


def confined(energy: Energy, confinement: float) -> Energy:
    """The energy plus confinement * |A|^2."""
    if confinement > 0:
        return SumEnergy(energy, ScaledEnergy(Confinement(), confinement))
    return energy


def takes_weights(energy: Energy) -> bool:
    """Whether an energy and its parts take sample weights, by their attribute or the
    parameters of ``bind``.
    """
    is_taken = "sample_weight" in signature(energy.bind).parameters
    own = getattr(energy, "takes_weights", is_taken)
    return own and all(map(takes_weights, _parts(energy)))


def knows_its_data(energy: Any) -> bool:
    """Whether a part of an energy is a function that was given no data, and so is in
    units of its own.
    """
    if isinstance(energy, CallableEnergy):
        return True
    return any(map(knows_its_data, _parts(energy)))


def is_regression(energy: Any) -> bool:
    """Whether an energy, or a part of it, learns from targets of regression and not
    from classes.
    """
    if getattr(energy, "is_regression", False):
        return True
    return any(map(is_regression, _parts(energy)))


def needs_targets(energy: Any) -> bool:
    """Whether an energy, or a part of it, reads y; penalties and energies of tuples do
    not.
    """
    parts = list(_parts(energy))
    if parts:
        return any(map(needs_targets, parts))
    return getattr(energy, "needs_targets", True)


def names_rows(energy: Any) -> bool:
    """Whether an energy, or a part of it, names rows of X by their numbers, as pairs
    and triplets do.
    """
    return getattr(energy, "names_rows", False) or any(map(names_rows, _parts(energy)))


def _parts(energy):
    return (part for part in vars(energy).values() if hasattr(part, "bind"))


class BoundSum:
    """A multiple of a sum of bound energies; it has the abilities that all of its terms
    have.
    """

    def __init__(self, terms: Sequence[Any], factor: float = 1.0) -> None:
        self.terms = terms
        self.factor = factor

    def __call__(self, A: Array) -> Array:
        total = self.terms[0](A)
        for term in self.terms[1:]:
            total = total + term(A)
        return self.factor * total

    @property
    def n_samples(self) -> int | None:
        numbers = (t.n_samples for t in self.terms if hasattr(t, "n_samples"))
        return next(numbers, None)

    @property
    def ridge(self) -> float:
        # An AttributeError where a term has none: this sum then has none, either.
        return self.factor * sum(term.ridge for term in self.terms)

    @available_if(
        lambda self: all(hasattr(term, "value_and_grad") for term in self.terms)
    )
    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        found = [term.value_and_grad(A) for term in self.terms]
        values, gradients = zip(*found, strict=True)
        return self.factor * sum(values), self.factor * sum(gradients)

    @available_if(lambda self: self._leader() is not None)
    def sweep(
        self,
        A: Array,
        rows: NDArray,
        columns: NDArray,
        deltas: Array,
        allowed: Array,
        ridge: float = 0.0,
    ) -> tuple[Array, Array, NDArray]:
        leader = self._leader()
        others = [term.ridge for term in self.terms if term is not leader]
        joined = ridge / self.factor + sum(others)
        trials = rows, columns, deltas, allowed / self.factor
        A, values, accepted = leader.sweep(A, *trials, joined)
        return A, self.factor * values, accepted

    def _leader(self):
        """The one term with a sweep if all others can join it, else None."""
        leaders = [term for term in self.terms if not hasattr(term, "ridge")]
        if len(leaders) == 1 and hasattr(leaders[0], "sweep"):
            return leaders[0]
        return None

    @available_if(lambda self: any(hasattr(term, "draw") for term in self.terms))
    def draw(self, rng: Any) -> "BoundSum":
        terms = [t.draw(rng) if hasattr(t, "draw") else t for t in self.terms]
        return BoundSum(terms, self.factor)

    @available_if(lambda self: any(hasattr(term, "near") for term in self.terms))
    def near(self, A: Array) -> "BoundSum":
        terms = [t.near(A) if hasattr(t, "near") else t for t in self.terms]
        return BoundSum(terms, self.factor)


class BoundConfinement:
    """|A|^2."""

    ridge = 1.0

    def __call__(self, A: Array) -> Array:
        return (A**2).sum(axis=(1, 2))

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        return self(A), 2 * A


class BoundDiagonal:
    """The energy of diagonal matrices (R, d, d) with weights (R, 1, d)."""

    def __init__(self, energy: Any) -> None:
        self.energy = energy

    def __call__(self, w: Array) -> Array:
        return self.energy(w * np.eye(w.shape[2]))

    @property
    def n_samples(self) -> int:
        return self.energy.n_samples

    @available_if(lambda self: hasattr(self.energy, "value_and_grad"))
    def value_and_grad(self, w: Array) -> tuple[Array, Array]:
        value, gradient = self.energy.value_and_grad(w * np.eye(w.shape[2]))
        return value, np.diagonal(gradient, axis1=1, axis2=2)[:, None, :]
