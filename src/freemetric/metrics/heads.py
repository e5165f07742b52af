"""Heads: from mixed votes to class probabilities, or to a target with its spread."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from ..files.checks import check_array, is_number, require
from ..magnitudes import enlarged, exponent_of, reduced
from .training_set import TargetEncoding

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


BEYOND = 0.1  # of the range of the target: so far may predictions leave it
LEAST_VARIANCE = 1e-4  # among neighbours, in units of the target's


class Outlook(NamedTuple):
    """What is expected, (n,) each."""

    place: NDArray[np.float64]
    spread: NDArray[np.float64]


class Reading:
    r"""What votes and trends say together.

    With m(x) the mean of the target among the neighbours that vote, f_t(x) the trends and :math:`\bar f_t(x)` their
    means among the same neighbours,

    .. math:: z(x) = c + s (m - c) + \sum_t a_t (f_t - m) + \sum_t b_t (f_t - \bar f_t).

    The last term carries the numbers of neighbours over the distance to x, along the trend: what local regression does.
    All coefficients are not negative. The spread,

    .. math:: \log \sigma(x) = \alpha + \tfrac12 \beta \log v(x) + \tfrac12 \sum_t \gamma_t h_t(x),

    follows the variance v of the target among neighbours, since predictions are far off where they disagree, and the
    noises h, trends of the logarithm of squared errors: noise may grow along a feature that says nothing else.

    Parameters
    ----------
    told : TargetEncoding
        What voters tell: the target, its square, and every trend.
    centre : float
        c.
    strengths : ndarray of shape (1 + 2 n_trends,)
        s, all a and all b.
    spread : ndarray of shape (2 + n_noises,)
        alpha, beta and all gamma.
    errors : ndarray of shape (n,)
        Errors out of bag in units of the spread, sorted: the law that predictions are off by.
    seen : ndarray of shape (n_noises, 2)
        Least and largest of every noise among the rows that judged; it is not followed beyond.
    """

    def __init__(
        self, told: TargetEncoding, centre: float, strengths: NDArray, spread: NDArray, errors: NDArray, seen: NDArray
    ) -> None:
        self.told, self.centre, self.strengths = told, centre, strengths
        self.spread, self.errors, self.seen = spread, errors, seen

    def __call__(self, shares: NDArray, wholes: NDArray) -> Outlook:
        """Place and spread of shares (n, n_cells) and wholes (n_trends + n_noises, n)."""
        terms, variance = terms_of(self.told, shares, wholes, self.centre)
        place = self._within(self.centre + terms @ self.strengths)
        noises = np.clip(wholes[len(self.told) - 2 :], self.seen[:, :1], self.seen[:, 1:])
        logs = self.spread[1] * np.log(variance) + self.spread[2:] @ noises
        return Outlook(place, np.exp(self.spread[0] + logs / 2))

    def without_spread(self) -> "Reading":
        """The same places, and nothing known of how far they are off."""
        return Reading(
            self.told, self.centre, self.strengths, np.zeros(2), np.array([-1.0, 0.0, 1.0]), np.empty((0, 2))
        )

    def _within(self, place):
        low, high = self.told.low[0], self.told.high[0]
        return np.clip(place, low - BEYOND * (high - low), high + BEYOND * (high - low))

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Reading":
        told, centre, strengths, spread, errors, seen = (
            state[name] for name in ("told", "centre", "strengths", "spread", "errors", "seen")
        )
        require(type(told) is TargetEncoding, "told of Reading", "is something else")
        require(is_number(centre), "centre of Reading", "is no number")
        check_array(strengths, "strengths of Reading", 1, (2 * len(told) - 3,))
        check_array(seen, "seen of Reading", 2)
        require(seen.shape[1] == 2 and (seen[:, 0] <= seen[:, 1]).all(), "seen of Reading", "are no ranges")
        check_array(spread, "spread of Reading", 1, (2 + len(seen),))
        check_array(errors, "errors of Reading", 1)
        require(len(errors) and (np.diff(errors) >= 0).all(), "errors of Reading", "are not sorted")
        return cls(told, centre, strengths, spread, errors, seen)


def terms_of(told: TargetEncoding, shares: NDArray, wholes: NDArray, centre: float) -> tuple[NDArray, NDArray]:
    """What strengths are multiplied with, (n, 1 + 2 n_trends), and the variance (n,) among neighbours.

    Wholes begin with the trends.
    """
    mean, square, *means = np.moveaxis(told.means(shares), -1, 0)
    variance = np.maximum(square - mean**2, LEAST_VARIANCE)
    low, high = told.low[0], told.high[0]
    inside = np.clip(wholes[: len(told) - 2], low - BEYOND * (high - low), high + BEYOND * (high - low))
    beside = [f - mean for f in inside]
    along = [f - over for f, over in zip(inside, means, strict=True)]
    return np.stack([mean - centre, *beside, *along], axis=1), variance


MANY_CLASSES = 64  # shares of so many are mixed one by one: together, and in double precision, they are too large


class Calibration:
    """P_c = softmax_c(slope * log(share_c + floor) - sum_b strength_b F_bc + bias_c).

    The slope says how far shares of votes are from probabilities; the strengths, how far the free energies F of the
    classes as wholes count beside them; the bias moves votes towards classes that are scattered among others and get
    too few of them.

    Parameters
    ----------
    slope : float
        Positive; 1 leaves shares as they are, but for the floor.
    bias : ndarray of shape (n_classes,)
        Added to the logarithms.
    floor : float, default=0.05
        Added to every share, so that a class without votes keeps a chance.
    strengths : ndarray of shape (n_basins,) or None, default=None
        Not negative, of every basin; None where there are none.
    """

    def __init__(self, slope: float, bias: NDArray, floor: float = 0.05, strengths: NDArray | None = None):
        self.slope, self.bias, self.floor = slope, bias, floor
        self.strengths = np.empty(0) if strengths is None else strengths

    def __call__(self, shares: NDArray, energies: NDArray | None = None) -> NDArray:
        """Class probabilities (..., C) of shares (..., C) and free energies (n_basins, ..., C)."""
        logits = self.slope * np.log(shares + self.floor) + self.bias
        if len(self.strengths):
            assert energies is not None
            logits -= np.tensordot(self.strengths, energies, 1)
        return softmax(logits, axis=-1)

    def favouring(self, weights: NDArray) -> "Calibration":
        """The same with probabilities times these weights (C,) of the classes, normalised again."""
        return Calibration(self.slope, self.bias + np.log(weights), self.floor, self.strengths)

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Calibration":
        slope, bias, floor, strengths = (state[name] for name in ("slope", "bias", "floor", "strengths"))
        for name, value in (("slope", slope), ("floor", floor)):
            require(is_number(value) and value > 0, f"{name} of Calibration", "is no positive number")
        check_array(bias, "bias of Calibration", 1)
        check_array(strengths, "strengths of Calibration", 1)
        require((strengths >= 0).all(), "strengths of Calibration", "are negative")
        return cls(slope, bias, floor, strengths)


def mixed_shares(weights: NDArray, shares: NDArray) -> NDArray:
    """Shares (n, C) from those of every ensemble and k, (n_ensembles, n_neighbors, n, C), by their weights."""
    if shares.shape[-1] <= MANY_CLASSES:
        return np.tensordot(weights, shares, 2)
    total = np.zeros(shares.shape[2:])
    for pair in zip(*np.nonzero(weights), strict=True):
        total += weights[pair] * shares[pair]
    return total


class Mixture:
    """P = calibration(sum over ensembles e and k of weights[e, k] * shares[e, k], free energies of the classes).

    Parameters
    ----------
    weights : ndarray of shape (n_ensembles, n_neighbors)
        Not negative, with sum one.
    calibration : Calibration or Reading
        What makes probabilities, or numbers, of the mixed shares.
    """

    def __init__(self, weights: NDArray, calibration: Any):
        self.weights, self.calibration = weights, calibration

    def __call__(self, shares: NDArray, energies: NDArray | None = None) -> NDArray:
        """Class probabilities (n, C) from shares (n_ensembles, n_neighbors, n, C) and energies (n_basins, n, C)."""
        return self.calibration(mixed_shares(self.weights, shares), energies)

    def restricted(self, members: NDArray | Sequence[int]) -> "Mixture":
        """The same with some of the ensembles only, those that matter."""
        weights = self.weights[members]
        return Mixture(weights / weights.sum(), self.calibration)

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Mixture":
        weights, calibration = state["weights"], state["calibration"]
        check_array(weights, "weights of Mixture", 2)
        # 1e-6: they are normalised in double precision
        whole = weights.size and (weights >= 0).all() and abs(weights.sum() - 1) < 1e-6
        require(whole, "weights of Mixture", "do not add up to one")
        known = type(calibration) in (Calibration, Reading)
        require(known, "calibration of Mixture", "is something else")
        return cls(weights, calibration)
