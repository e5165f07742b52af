"""Synthetic regression problems whose mean and noise are known: y = f(x) + s(x) e."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Function = Callable[[NDArray], NDArray]


class Sample(NamedTuple):
    """Samples of a problem: features (n, d); targets, means and noise, each (n,)."""

    X: NDArray
    y: NDArray
    mean: NDArray
    noise: NDArray


@dataclass(frozen=True)
class Problem:
    """A joint distribution of features and a target.

    Attributes
    ----------
    name : str
        Its name.
    n_features : int
        Number of features, irrelevant ones included.
    features : callable
        ``features(rng, n)`` draws the features, (n, n_features).
    mean, noise : callable
        Expected target (n,) of features (n, n_features), and its standard deviation.
    """

    name: str
    n_features: int
    features: Callable[[np.random.Generator, int], NDArray]
    mean: Function
    noise: Function

    def sample(self, n_samples, seed):
        """Draw samples; the same seed gives the same ones.

        Parameters
        ----------
        n_samples : int
            Number of samples.
        seed : int or tuple of int
            Seed.

        Returns
        -------
        sample : Sample
            Features, targets, means and noise.
        """
        rng = np.random.default_rng(seed)
        X = self.features(rng, n_samples)
        mean = self.mean(X)
        noise = self.noise(X)
        y = mean + noise * rng.standard_normal(n_samples)
        return Sample(X, y, mean, noise)


# Distributions of features.


def cube(n_features):
    """Uniform in the unit cube."""
    return lambda rng, n: rng.random((n, n_features))


def ball(n_features):
    """Normal, independent."""
    return lambda rng, n: rng.standard_normal((n, n_features))


def circuit(rng, n):
    """Resistance, frequency, inductance and capacitance of Friedman's circuit."""
    low = np.array([0, 40 * np.pi, 0, 1])
    high = np.array([100, 560 * np.pi, 1, 11])
    return low + (high - low) * rng.random((n, 4))


# Means.


def friedman_1(X):
    wave = 10 * np.sin(np.pi * X[:, 0] * X[:, 1])
    return wave + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]


def reactance(X):
    return X[:, 1] * X[:, 2] - 1 / (X[:, 1] * X[:, 3])


def impedance(X):
    return np.hypot(X[:, 0], reactance(X))


def phase(X):
    return np.arctan2(reactance(X), X[:, 0])


def wave_and_line(X):
    return np.sin(2 * np.pi * X[:, 0]) + 2 * X[:, 1]


def line(X):
    return 2 * X[:, 0]


def growth(X):
    return np.exp(0.8 * X[:, 0] + 0.4 * X[:, 1])


# Noise.


def constant(value):
    """The same noise for all samples."""
    return lambda X: np.full(len(X), value)


def fan(X):
    return 0.1 + 0.9 * X[:, 2]


def two_noises(X):
    return np.where(X[:, 1] > 0.5, 1.0, 0.2)


def share_of_growth(X):
    return 0.25 * growth(X)


PROBLEMS = (
    # Friedman's first, five of ten features.
    Problem(
        "friedman-1",
        10,
        cube(10),
        friedman_1,
        constant(1.0),
    ),
    # Friedman's second: impedance of a circuit.
    Problem(
        "friedman-2",
        4,
        circuit,
        impedance,
        constant(125.0),
    ),
    # Friedman's third: phase of a circuit.
    Problem(
        "friedman-3",
        4,
        circuit,
        phase,
        constant(0.1),
    ),
    # Noise that grows tenfold along a feature of its own.
    Problem(
        "fan",
        5,
        cube(5),
        wave_and_line,
        fan,
    ),
    # A line, with a noise of 0.2 or 1 by a second feature.
    Problem(
        "two-noises",
        4,
        cube(4),
        line,
        two_noises,
    ),
    # Growth, with a noise of 25 % of it.
    Problem(
        "growing",
        6,
        ball(6),
        growth,
        share_of_growth,
    ),
)
"""Friedman's problems are those of Multivariate adaptive regression splines, 1991."""

SYNTHETIC = {problem.name: problem for problem in PROBLEMS}
"""The problems by name."""
