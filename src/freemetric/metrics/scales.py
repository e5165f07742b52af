"""Scales of a target: in which units numbers are averaged, so that what is skewed is not ruled by its largest."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.checks import is_number, require

SCALES = ("linear", "log")


class Scale:
    """z = (g(y) - centre) / unit, with g the identity or the logarithm.

    Parameters
    ----------
    name : {"linear", "log"}
        g.
    centre, unit : float
        Mean and standard deviation of g(y).
    """

    def __init__(self, name: str, centre: float, unit: float):
        self.name, self.centre, self.unit = name, centre, unit

    @classmethod
    def of(cls, name: str, y: NDArray, weights: NDArray | None = None) -> "Scale":
        """The scale of that name on which numbers y (N,) have mean zero and variance one."""
        g = np.log(y) if name == "log" else y
        centre = float(np.average(g, weights=weights))
        unit = float(np.sqrt(np.average((g - centre) ** 2, weights=weights)))
        return cls(name, centre, unit if unit > 1e-12 * max(1.0, abs(centre)) else 1.0)

    def __call__(self, y: NDArray) -> NDArray[np.float64]:
        """Numbers y on the scale."""
        return ((np.log(y) if self.name == "log" else y) - self.centre) / self.unit

    def back(self, z: NDArray) -> NDArray[np.float64]:
        """Numbers of z on the scale."""
        g = self.centre + self.unit * z
        return np.exp(g) if self.name == "log" else g

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Scale":
        name, centre, unit = state["name"], state["centre"], state["unit"]
        require(name in SCALES, "name of Scale", "is unknown")
        require(is_number(centre) and is_number(unit) and unit > 0, "Scale", "has no unit")
        return cls(name, centre, unit)
