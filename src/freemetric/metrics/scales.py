"""Scales of a target: in which units numbers are averaged, so that what is skewed is not ruled by its largest."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.checks import is_number, require

SCALES = ("linear", "log", "asinh")
NEAR_ZERO = 0.05  # share of the positive numbers for which asinh is nearly straight


class Scale:
    """z = (g(y) - centre) / unit, with g(y) = y, log y, or asinh(y / bend).

    The last one is a logarithm far above ``bend``, straight around zero, and takes any number.

    Parameters
    ----------
    name : {"linear", "log", "asinh"}
        g.
    centre, unit : float
        Mean and standard deviation of g(y).
    bend : float, default=1.0
        Where asinh turns from a straight line into a logarithm.
    """

    def __init__(self, name: str, centre: float, unit: float, bend: float = 1.0):
        self.name, self.centre, self.unit, self.bend = name, centre, unit, bend

    @classmethod
    def of(cls, name: str, y: NDArray, weights: NDArray | None = None) -> "Scale":
        """The scale of that name on which numbers y (N,) have mean zero and variance one."""
        bend = float(np.quantile(y[y > 0], NEAR_ZERO)) if name == "asinh" and (y > 0).any() else 1.0
        g = cls(name, 0.0, 1.0, bend)(y)
        centre = float(np.average(g, weights=weights))
        unit = float(np.sqrt(np.average((g - centre) ** 2, weights=weights)))
        return cls(name, centre, unit if unit > 1e-12 * max(1.0, abs(centre)) else 1.0, bend)

    def __call__(self, y: NDArray) -> NDArray[np.float64]:
        """Numbers y on the scale."""
        g = np.log(y) if self.name == "log" else np.arcsinh(y / self.bend) if self.name == "asinh" else y
        return (g - self.centre) / self.unit

    def back(self, z: NDArray) -> NDArray[np.float64]:
        """Numbers of z on the scale."""
        g = self.centre + self.unit * z
        return np.exp(g) if self.name == "log" else self.bend * np.sinh(g) if self.name == "asinh" else g

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Scale":
        name, centre, unit, bend = (state[part] for part in ("name", "centre", "unit", "bend"))
        require(name in SCALES, "name of Scale", "is unknown")
        require(is_number(centre) and is_number(unit) and unit > 0, "Scale", "has no unit")
        require(is_number(bend) and bend > 0, "bend of Scale", "is not positive")
        return cls(name, centre, unit, bend)
