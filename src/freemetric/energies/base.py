"""Energies are parameter objects that add and scale; bound to data they are functions of A.

``energy.bind(X, y)`` returns a bound energy, callable (R, p, d) -> (R,). It may have more abilities, as optional
methods and attributes:

- ``value_and_grad(A) -> (R,), (R, p, d)``: Hamiltonian moves and L-BFGS need it;
- ``sweep(A, rows, columns, deltas, allowed, ridge=0.0) -> A, energy, accepted``: a whole Monte Carlo step of element
  trials, of the energy plus ridge * |A|^2;
- ``ridge``: the energy is ridge * |A|^2, so that it can join another one's sweep;
- ``n_patterns``: the number of patterns it was bound to;
- ``draw(rng) -> bound energy``: the energy of new mini-batches, one for each of the R replicas that ``rng``
  (``mc.Streams``) has streams for. Moves that know how to be honest about noise need it; to all others an energy with
  this ability is what it is when it is called, without noise.
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
    """An objective over maps A, to be minimised."""

    def bind(self, X: Array, y: NDArray, *, sample_weight: Array | None = None, device: str = "cpu") -> BoundEnergy:
        """The energy as a function of A alone.

        X is (N, d), or (R, N, d) with one data set per replica; y (N,) holds class numbers, or what an energy that says
        ``wants_numbers = True`` makes of numbers (N,), (N, m) or (R, N, m); ``sample_weight`` (N,) or (R, N) is
        positive. An energy that cannot weigh patterns has no such parameter: weights are then refused.
        ``device`` is a hint: an energy that knows only one way may take it as ``**options``.
        """
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
        return BoundSum([bind(term, X, y, sample_weight, device) for term in (self.first, self.second)])

    @property
    def takes_weights(self) -> bool:
        return takes_weights(self.first) and takes_weights(self.second)


class ScaledEnergy(Energy):
    """A positive multiple of an energy."""

    def __init__(self, energy, factor=1.0):
        self.energy = energy
        self.factor = factor

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        if not self.factor > 0:
            raise ValueError(f"An energy can only be scaled by a positive factor; got {self.factor}.")
        return BoundMultiple(bind(self.energy, X, y, sample_weight, device), self.factor)

    @property
    def takes_weights(self) -> bool:
        return takes_weights(self.energy)


class CallableEnergy(Energy):
    """Any function (R, p, d) -> (R,), or an object with more of a bound energy's abilities.

    It knows its own data, and their weights.
    """

    def __init__(self, function):
        self.function = function

    takes_weights = False

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        return self.function


def bind(energy: Energy, X: Array, y: NDArray, sample_weight: Array | None = None, device: str = "cpu") -> BoundEnergy:
    """Bind an energy of ours or a user's; weights only reach one that takes them."""
    options: dict[str, Any] = {"device": device}
    if sample_weight is not None:
        if not takes_weights(energy):
            raise ValueError(f"{type(energy).__name__} takes no sample_weight.")
        options["sample_weight"] = sample_weight
    return energy.bind(X, y, **options)


def takes_weights(energy: Energy) -> bool:
    """Whether patterns can weigh differently in an energy, as it says itself or by the parameters of ``bind``."""
    return getattr(energy, "takes_weights", "sample_weight" in signature(energy.bind).parameters)


def knows_its_data(energy: Any) -> bool:
    """Whether a part of an energy is a function that was given no data, and so is in units of its own."""
    parts = (part for part in vars(energy).values() if hasattr(part, "bind"))
    return isinstance(energy, CallableEnergy) or any(map(knows_its_data, parts))


def wants_numbers(energy: Any) -> bool:
    """Whether y of an energy, or of a part of it, are numbers and not classes."""
    parts = (part for part in vars(energy).values() if hasattr(part, "bind"))
    return getattr(energy, "wants_numbers", False) or any(map(wants_numbers, parts))


def _sweeping(terms):
    """The one term that sweeps if all others can join it, else None."""
    leaders = [term for term in terms if hasattr(term, "sweep") and not hasattr(term, "ridge")]
    others = [term for term in terms if term not in leaders]
    return leaders[0] if len(leaders) == 1 and all(hasattr(term, "ridge") for term in others) else None


class BoundSum:
    """A sum of bound energies; it can what all of its terms can."""

    def __init__(self, terms: Sequence[Any]) -> None:
        self.terms = terms

    def __call__(self, A: Array) -> Array:
        total = self.terms[0](A)
        for term in self.terms[1:]:
            total = total + term(A)
        return total

    @property
    def n_patterns(self) -> int | None:
        return next((term.n_patterns for term in self.terms if hasattr(term, "n_patterns")), None)

    @available_if(lambda self: all(hasattr(term, "value_and_grad") for term in self.terms))
    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        values, gradients = zip(*(term.value_and_grad(A) for term in self.terms), strict=True)
        return sum(values), sum(gradients)

    @available_if(lambda self: _sweeping(self.terms) is not None)
    def sweep(
        self, A: Array, rows: NDArray, columns: NDArray, deltas: Array, allowed: Array, ridge: float = 0.0
    ) -> tuple[Array, Array, NDArray]:
        leader = _sweeping(self.terms)
        ridge = ridge + sum(term.ridge for term in self.terms if term is not leader)
        return leader.sweep(A, rows, columns, deltas, allowed, ridge)

    @available_if(lambda self: any(hasattr(term, "draw") for term in self.terms))
    def draw(self, rng: Any) -> "BoundSum":
        return BoundSum([term.draw(rng) if hasattr(term, "draw") else term for term in self.terms])

    @available_if(lambda self: any(hasattr(term, "near") for term in self.terms))
    def near(self, A: Array) -> "BoundSum":
        return BoundSum([term.near(A) if hasattr(term, "near") else term for term in self.terms])

    @property
    def ridge(self) -> float:
        return sum(term.ridge for term in self.terms)  # AttributeError where a term has none: not a ridge


class BoundMultiple:
    """A positive multiple of a bound energy; it can what that one can."""

    def __init__(self, energy: Any, factor: float) -> None:
        self.energy = energy
        self.factor = factor

    def __call__(self, A: Array) -> Array:
        return self.factor * self.energy(A)

    @property
    def n_patterns(self) -> int:
        return self.energy.n_patterns

    @property
    def ridge(self) -> float:
        return self.factor * self.energy.ridge

    @available_if(lambda self: hasattr(self.energy, "near"))
    def near(self, A: Array) -> "BoundMultiple":
        return BoundMultiple(self.energy.near(A), self.factor)

    @available_if(lambda self: hasattr(self.energy, "value_and_grad"))
    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        value, gradient = self.energy.value_and_grad(A)
        return self.factor * value, self.factor * gradient

    @available_if(lambda self: hasattr(self.energy, "draw"))
    def draw(self, rng: Any) -> "BoundMultiple":
        return BoundMultiple(self.energy.draw(rng), self.factor)

    @available_if(lambda self: hasattr(self.energy, "sweep"))
    def sweep(
        self, A: Array, rows: NDArray, columns: NDArray, deltas: Array, allowed: Array, ridge: float = 0.0
    ) -> tuple[Array, Array, NDArray]:
        A, value, accepted = self.energy.sweep(A, rows, columns, deltas, allowed / self.factor, ridge / self.factor)
        return A, self.factor * value, accepted


def class_order(y: NDArray) -> tuple[np.ndarray, np.ndarray]:
    """The permutation that sorts patterns by class, and where the classes begin and end (C + 1,)."""
    order = np.argsort(y, kind="stable")
    return order, np.searchsorted(y[order], np.append(np.unique(y), np.inf))
