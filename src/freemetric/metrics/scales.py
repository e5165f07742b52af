"""Scales of a target: in which units numbers are averaged, so that what is skewed is not ruled by its largest."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.checks import is_number, require
from ..magnitudes import enlarged, exponent_of, reduced

SCALES = ("linear", "log", "asinh")
NEAR_ZERO = 0.05  # share of the positive numbers for which asinh is nearly straight
EXPONENTS = range(-1100, 1101)  # of all numbers that there are


class Scale:
    """z = (g(y / 2^exponent) - centre) / unit, with g(y) = y, log y, or asinh(y / bend).

    The last one is a logarithm far above ``bend``, straight around zero, and takes any number. The power of two keeps
    squares of very small and very large numbers apart from zero and infinity.

    Parameters
    ----------
    name : {"linear", "log", "asinh"}
        g.
    centre, unit : float
        Mean and standard deviation of g(y / 2^exponent).
    bend : float, default=1.0
        Where asinh turns from a straight line into a logarithm, in units of 2^exponent.
    exponent : int, default=0
        Numbers are taken in units of 2^exponent.
    """

    def __init__(self, name: str, centre: float, unit: float, bend: float = 1.0, exponent: int = 0):
        self.name, self.centre, self.unit, self.bend, self.exponent = name, centre, unit, bend, exponent

    @classmethod
    def of(cls, name: str, y: NDArray, weights: NDArray | None = None) -> "Scale":
        """The scale of that name on which numbers y (N,) have mean zero and variance one."""
        exponent = int(exponent_of(y))
        bend = _bend(reduced(y, exponent)) if name == "asinh" else 1.0
        g = cls(name, 0.0, 1.0, bend, exponent)(y)
        centre = float(np.average(g, weights=weights))
        unit = float(np.sqrt(np.average((g - centre) ** 2, weights=weights)))
        return cls(name, centre, unit if unit > 1e-12 * max(1.0, abs(centre)) else 1.0, bend, exponent)

    def __call__(self, y: NDArray) -> NDArray[np.float64]:
        """Numbers y on the scale."""
        if self.name == "log":
            mantissa, power = np.frexp(y)
            g = np.log(mantissa) + (power - self.exponent) * np.log(2)  # exact for powers of two
        else:
            g = reduced(y, self.exponent)
        if self.name == "asinh":
            g = np.arcsinh(g / self.bend)
        return (g - self.centre) / self.unit

    def back(self, z: NDArray) -> NDArray[np.float64]:
        """Numbers of z on the scale; none is infinite."""
        return enlarged(self.reduced_back(z), self.exponent)

    def reduced_back(self, z: NDArray) -> NDArray[np.float64]:
        """Numbers of z on the scale in units of 2^exponent, whose squares are numbers, too."""
        g = self.centre + self.unit * z
        with np.errstate(over="ignore"):
            return np.exp(g) if self.name == "log" else self.bend * np.sinh(g) if self.name == "asinh" else g

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Scale":
        name, centre, unit, bend = (state[part] for part in ("name", "centre", "unit", "bend"))
        require(name in SCALES, "name of Scale", "is unknown")
        require(is_number(centre) and is_number(unit) and unit > 0, "Scale", "has no unit")
        require(is_number(bend) and bend > 0, "bend of Scale", "is not positive")
        exponent = state.get("exponent", 0)  # files of earlier releases have none
        require(type(exponent) is int and exponent in EXPONENTS, "exponent of Scale", "is that of no number")
        return cls(name, centre, unit, bend, exponent)


def _bend(y):
    """Where asinh of numbers y of order one turns; no smaller than what y can be divided by."""
    above = y[y > 0]
    return max(float(np.quantile(above, NEAR_ZERO)), float(np.finfo(np.float64).tiny)) if len(above) else 1.0
