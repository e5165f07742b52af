"""Basins: classes as wholes. Votes know what is near; a basin knows how its class fills the space, far away as well.

The free energy F_c(x) = -log p(x | c) of a pattern in a class, in an approximation that holds for the class as a whole,
is the second thing that is known about x beside the votes of its neighbours, and errs elsewhere. How far it counts is
found with the calibration, out of bag. A new approximation is a class with the verbs of :class:`Basins` and one line,
``register_basins(name, class)``.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..files import register


class Basins(ABC):
    """Free energies (n, C) that patterns X (n, d) have in every class, in units of sqrt(d).

    Constants that all classes share do not matter. Divided by sqrt(d) they are of order one, as the sum of d terms that
    differ by chance.
    """

    words: ClassVar[str]  # what is asked of a class, for reports

    @classmethod
    def affordable(cls, n_features: int, n_classes: int) -> bool:
        """Whether so many features and classes are not too many."""
        return True

    @classmethod
    @abstractmethod
    def of(cls, X: NDArray, y: NDArray, n_classes: int, weights: NDArray | None = None) -> "Basins":
        """The basins that rows X (N, d) of class numbers y (N,) and weights (N,) define; a class may have no rows."""

    @abstractmethod
    def __call__(self, X: NDArray) -> NDArray[np.float64]:
        """Free energies (n, C) of patterns X (n, d), up to what all classes share."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Numbers of classes and features."""

    def to_state(self) -> dict[str, Any]:
        """What a file holds of it."""
        return dict(vars(self))

    @classmethod
    @abstractmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Basins":
        """The basins that a file holds; ValueError where their parts do not fit together."""


BASINS: dict[str, type[Basins]] = {}
"""Basins by name."""


def register_basins(name: str, basins: type[Basins]) -> None:
    """Make basins known: to recipes by their name, and to model files.

    Parameters
    ----------
    name : str
        What recipes call them.
    basins : subclass of Basins
        The basins.
    """
    if not name:
        raise ValueError("Basins need a name.")
    register(f"basins:{name}", basins)
    BASINS[name] = basins


def basin_energies(basins: Sequence[Basins], X: NDArray, n_classes: int) -> NDArray[np.float64]:
    """Free energies (n_basins, n, C) of patterns X (n, d)."""
    return np.array([some(X) for some in basins]).reshape(len(basins), len(X), n_classes)


def weights_by_class(y: NDArray, n_classes: int, weights: NDArray | None) -> NDArray[np.float64]:
    """W (N, C): the weight of every row in the column of its class; their mean is one."""
    W = np.zeros((len(y), n_classes))
    W[np.arange(len(y)), y] = 1.0 if weights is None else weights / weights.mean()
    return W
