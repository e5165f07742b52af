"""The scale on which targets are averaged: as they are, or a logarithm of them."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import skew

SCALES = ("linear", "log", "asinh")
MOST_NEGATIVE = 0.01  # share of a growing target that is below zero by noise alone
NEAR_ZERO = 0.05  # share of the positive targets for which asinh is nearly straight
CONSTANT = 1e-12  # range of a target, against its size, that is but rounding
SKEWED = 1.0  # a target that is less skewed needs no logarithm
MANY_ERRORS = 64  # that stand for all
MOST_SPREAD = 1.0  # where means grow exponentially with the spread: that of all targets


@dataclass(frozen=True)
class Scale:
    """z = (g(y / magnitude) - centre) / unit, with g(y) = y, log y or asinh(y / bend).

    asinh is a logarithm far above ``bend``, and linear around zero.

    Parameters
    ----------
    name : {"linear", "log", "asinh"}
        g.
    magnitude : float
        A power of two near the largest target: squares neither overflow nor vanish.
    bend : float
        Where asinh turns into a logarithm.
    centre, unit : float
        Mean and standard deviation of g.
    """

    name: str
    magnitude: float
    bend: float = 1.0
    centre: float = 0.0
    unit: float = 1.0

    @classmethod
    def fit(cls, name, y, weights):
        """The scale on which targets y have mean zero and variance one."""
        largest = np.abs(y).max()
        magnitude = 1.0
        if largest > 0:
            magnitude = float(2.0 ** np.clip(np.floor(np.log2(largest)), -1000, 1000))
        bend = 1.0
        if name == "asinh" and (y > 0).any():
            positive = y[y > 0] / magnitude
            bend = max(float(np.quantile(positive, NEAR_ZERO)), 1e-300)
        g = cls(name, magnitude, bend)(y)
        centre = float(np.average(g, weights=weights))
        unit = float(np.sqrt(np.average((g - centre) ** 2, weights=weights)))
        if unit <= 1e-12 * max(1.0, abs(centre)):
            unit = 1.0
        return cls(name, magnitude, bend, centre, unit)

    def __call__(self, y):
        """Targets y on the scale."""
        g = y / self.magnitude
        if self.name == "log":
            if not (y > 0).all():
                raise ValueError(
                    "scale='log' is for positive targets; the smallest of y is "
                    f"{y.min():g}."
                )
            g = np.log(np.maximum(g, np.finfo(float).tiny))
        elif self.name == "asinh":
            g = np.arcsinh(g / self.bend)
        return (g - self.centre) / self.unit

    def back(self, z):
        """Targets of z on the scale."""
        return self.magnitude * self.back_in_magnitudes(z)

    def back_in_magnitudes(self, z):
        """Targets of z on the scale, in units of the magnitude."""
        g = self.centre + self.unit * z
        if self.name == "linear":
            return g
        with np.errstate(over="ignore"):
            back = np.exp(g) if self.name == "log" else self.bend * np.sinh(g)
        return np.clip(back, -1e150, 1e150)

    def means(self, location, spread, errors, limits=(-np.inf, np.inf)):
        """Expected targets, where errors are spread times one of ``errors``.

        Beyond the limits, which are on the scale, there are no targets: a rare error
        would otherwise decide about the mean of an exponential.
        """
        if self.name == "linear":
            return self.back(np.clip(location + spread * errors.mean(), *limits))
        levels = (np.arange(MANY_ERRORS) + 0.5) / MANY_ERRORS
        total = np.zeros(np.shape(location))
        for error in np.quantile(errors, levels):
            z = np.clip(location + spread * error, *limits)
            total += self.back_in_magnitudes(z)
        return self.magnitude * (total / MANY_ERRORS)

    @property
    def most_spread(self):
        """The largest spread of errors that predictions may have."""
        return np.inf if self.name == "linear" else MOST_SPREAD


def scales_to_try(y, name):
    """Names of the scales that may suit targets y.

    "auto" tries a logarithm where the target is skewed: "log" for positive targets,
    "asinh" where few are not positive.
    """
    if name not in ("auto", *SCALES):
        raise ValueError(f"scale is 'auto', 'linear', 'log' or 'asinh'; got {name!r}.")
    if name != "auto":
        return [name]
    largest = np.abs(y).max()
    y = y / max(largest, 1e-300)
    if np.ptp(y) < CONSTANT or not skew(y) > SKEWED:
        return ["linear"]
    if (y > 0).all():
        return ["linear", "log"]
    if (y < 0).mean() <= MOST_NEGATIVE:
        return ["linear", "asinh"]
    return ["linear"]


def squared_errors(scale, predictions, y):
    """Squared errors (n,) of expected targets, in units of the magnitude.

    ``predictions`` are on the scale, by models that have not learned from the samples.
    A logarithm makes the mean larger than the middle: the mean over all errors counts.
    """
    errors = scale(y) - predictions
    means = scale.means(predictions, 1.0, errors) / scale.magnitude
    y = y / scale.magnitude
    return (y - np.clip(means, y.min(), y.max())) ** 2
