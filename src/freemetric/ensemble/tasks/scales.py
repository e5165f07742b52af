"""The scale of a regression target: its units, its trends, what training samples vote for, and scores on it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import get_scorer

from ...files.checks import is_number, require
from ...learners.training_rows import TrainingRows
from ...magnitudes import enlarged, exponent_of, r2, reduced
from ...metrics import TRENDS, Trend
from ...metrics.trends import crossed_trend

MOST_NEGATIVE = 0.01  # share of a target that grows and is below zero by noise alone
MANY_ERRORS = 64  # that stand for all
SCALES = ("linear", "log", "asinh")
NEAR_ZERO = 0.05  # share of the positive numbers for which asinh is nearly straight
EXPONENTS = range(-1100, 1101)  # of all numbers that there are


@dataclass(frozen=True, eq=False)
class Scale:
    """z = (g(y / 2^exponent) - centre) / unit, with g(y) = y, log y, or asinh(y / bend).

    asinh is a logarithm far above ``bend``, and linear around zero. The power of two keeps squares of very small and
    very large targets apart from zero and infinity.

    Parameters
    ----------
    name : {"linear", "log", "asinh"}
        g.
    centre, unit : float
        Mean and standard deviation of g(y / 2^exponent).
    bend : float, default=1.0
        Where asinh turns from a straight line into a logarithm, in units of 2^exponent.
    exponent : int, default=0
        Targets are taken in units of 2^exponent.
    """

    name: str
    centre: float
    unit: float
    bend: float = 1.0
    exponent: int = 0

    @classmethod
    def of(cls, name: str, y: NDArray, weights: NDArray | None = None) -> "Scale":
        """The scale of that name on which targets y (N,) have mean zero and variance one."""
        exponent = int(exponent_of(y))
        bend = 1.0
        if name == "asinh" and (z := reduced(y, exponent)).max() > 0:  # no smaller than what z can be divided by
            bend = max(float(np.quantile(z[z > 0], NEAR_ZERO)), float(np.finfo(np.float64).tiny))
        g = cls(name, 0.0, 1.0, bend, exponent)(y)
        centre = float(np.average(g, weights=weights))
        unit = float(np.sqrt(np.average((g - centre) ** 2, weights=weights)))
        return cls(name, centre, unit if unit > 1e-12 * max(1.0, abs(centre)) else 1.0, bend, exponent)

    def __call__(self, y: NDArray) -> NDArray[np.float64]:
        """Targets y on the scale."""
        if self.name == "log":
            mantissa, power = np.frexp(y)
            g = np.log(mantissa) + (power - self.exponent) * np.log(2)  # exact for powers of two
        else:
            g = reduced(y, self.exponent)
        if self.name == "asinh":
            g = np.arcsinh(g / self.bend)
        return (g - self.centre) / self.unit

    def back(self, z: NDArray) -> NDArray[np.float64]:
        """Targets of z on the scale; none is infinite."""
        return enlarged(self.reduced_back(z), self.exponent)

    def reduced_back(self, z: NDArray) -> NDArray[np.float64]:
        """Targets of z on the scale in units of 2^exponent, whose squares do not overflow."""
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


def trend_of(kind: type[Trend], rows: TrainingRows, scale: Scale) -> tuple[Trend, NDArray] | None:
    """The trend of these rows on a scale, and its cross-fitted predictions; None if too expensive."""
    return crossed_trend(kind, rows.X, scale(rows.y), rows.weights)


def encoded_target(
    rows: TrainingRows, names: Sequence[str], scale: str, find: Callable[..., Any] = trend_of
) -> tuple[NDArray, list[Any], Scale]:
    """Values (2 + n_trends, N) that samples vote for, the trends as ``find`` gives them, and their scale."""
    best, *others = [_on_scale(rows, names, name, find) for name in _scales(rows.y, scale)]
    for other in others:
        gains = best[0] - other[0]
        if gains.mean() > gains.std() / np.sqrt(len(gains)):
            best = other
    return best[1:]


def _scales(y, scale):
    """Scales to try: log for positive targets that differ by more than a factor, asinh where few are not positive."""
    if scale == "log" and not (y > 0).all():
        raise ValueError(f"scale='log' is for positive numbers; the smallest of y is {y.min():g}.")
    if scale != "auto":
        return [scale]
    if (y > 0).all():
        return ["linear", "log"] if y.max() / 2 > y.min() else ["linear"]
    return ["linear", "asinh"] if (y < 0).mean() <= MOST_NEGATIVE and (y > 0).any() else ["linear"]


def _on_scale(rows, names, scale_name, find):
    """Squared errors (N,) of the best trend for rows left out, in units that all scales share; and encoded_target."""
    scale = Scale.of(scale_name, rows.y, rows.weights)
    z, y = scale(rows.y), reduced(rows.y, scale.exponent)
    found = [both for name in names if (both := find(TRENDS[name], rows, scale)) is not None]
    trends, left_out = [trend for trend, _ in found], [values for _, values in found]
    each = [_squared_errors(scale, values, z, y, rows.weights) for values in left_out] or [np.zeros(len(z))]
    return min(each, key=np.mean), np.array([z, z**2, *left_out]), trends, scale


def _squared_errors(scale, values, z, y, weights):
    """Of predictions by the mean over all errors, which a logarithm makes larger than the middle one."""
    errors, low, high = np.quantile(z - values, (np.arange(MANY_ERRORS) + 0.5) / MANY_ERRORS), y.min(), y.max()
    means = (np.clip(scale.reduced_back(values + error), low, high) for error in errors)  # saves memory
    squares = (y - sum(means) / MANY_ERRORS) ** 2
    return squares if weights is None else squares * weights


class KnownPredictions(RegressorMixin, BaseEstimator):
    """A regressor whose samples are predictions, for scorers."""

    def predict(self, X: NDArray) -> NDArray:
        """What was given."""
        return X[:, 0] if X.shape[1] == 1 else X


class RegressionScore:
    """A score of predicted targets, the larger the better; ``scoring`` is a scorer or its name, None is R^2.

    ``scale.back(z)`` gives the true targets.
    """

    def __init__(self, scoring: str | Callable[..., float] | None, scale: Any):
        self.scorer: Any = None if scoring in (None, "r2") else get_scorer(scoring)
        self.scale = scale

    def __call__(self, predictions: NDArray, z: NDArray, weights: NDArray | None = None) -> float:
        """The score of predictions (n, m) of samples whose targets on the scale are z (n,) or (n, m)."""
        y = self.scale.back(z)
        if len(y) < 2:
            return np.nan
        if self.scorer is None:
            return r2(y, KnownPredictions().predict(predictions), weights)
        options = {} if weights is None else {"sample_weight": weights}
        return float(self.scorer(KnownPredictions(), predictions, y, **options))
