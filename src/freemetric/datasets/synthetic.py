"""Synthetic regression problems with known noise: y = f(x) + s(x) e, with f and s given and e standard normal."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray


class Sample(NamedTuple):
    """Samples of a problem: features (N, d), targets, their means f(x) and their noise s(x), all three (N,)."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    mean: NDArray[np.float64]
    noise: NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """A joint distribution of features and a target.

    Attributes
    ----------
    name, description : str
        Its name, and a few words about it.
    n_features : int
        Number of features, irrelevant ones included.
    features : callable
        (Generator, N) -> (N, d).
    mean, noise : callable
        (N, d) -> (N,): the expected target, and its standard deviation.
    """

    name: str
    description: str
    n_features: int
    features: Callable[[Generator, int], NDArray]
    mean: Callable[[NDArray], NDArray]
    noise: Callable[[NDArray], NDArray]

    @property
    def noise_varies(self) -> bool:
        """Whether the noise depends on x."""
        return bool(np.ptp(self.sample(100, 0).noise) > 0)

    def sample(self, n: int, seed: int | tuple[int, ...]) -> Sample:
        """Draw n samples; the same for the same seed."""
        rng = np.random.default_rng(seed)
        X = self.features(rng, n)
        mean, noise = self.mean(X), self.noise(X)
        return Sample(X, mean + noise * rng.standard_normal(n), mean, noise)


def _cube(n_features: int) -> Callable[[Generator, int], NDArray]:
    return lambda rng, n: rng.random((n, n_features))


def _ball(n_features: int) -> Callable[[Generator, int], NDArray]:
    return lambda rng, n: rng.standard_normal((n, n_features))


def _same(value: float) -> Callable[[NDArray], NDArray]:
    return lambda X: np.full(len(X), value)


def _circuit(rng, n):
    """Resistance, frequency, inductance and capacitance of Friedman's alternating currents."""
    low, high = np.array([0, 40 * np.pi, 0, 1]), np.array([100, 560 * np.pi, 1, 11])
    return low + (high - low) * rng.random((n, 4))


def _reactance(X):
    return X[:, 1] * X[:, 2] - 1 / (X[:, 1] * X[:, 3])


def _correlated(rng, n):
    common = rng.standard_normal((n, 1))
    return 0.7 * common + np.sqrt(1 - 0.7**2) * rng.standard_normal((n, 12))


def _annulus(rng, n):
    angle, radius = 2 * np.pi * rng.random(n), 1 + 0.1 * rng.standard_normal(n)
    others = rng.standard_normal((n, 3))
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), others])


def _friedman_1(X):
    return 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]


def _additive(X):
    parts = (np.sin(2 * np.pi * X[:, 0]), 4 * (X[:, 1] - 0.5) ** 2, np.exp(X[:, 2]), abs(X[:, 3] - 0.5), X[:, 4])
    return np.sum(parts, axis=0)


def _boxes(X):
    corner = (X[:, 1] > 0.3) & (X[:, 2] < 0.6)
    return 2.0 * (X[:, 0] > 0.5) + 3.0 * corner - 2.0 * ((X[:, 3] > 0.7) & (X[:, 0] > 0.5)) + (X[:, 4] > 0.8)


def _growth(X):
    return np.exp(0.8 * X[:, 0] + 0.4 * X[:, 1])


def _two_noises(X):
    return np.where(X[:, 1] > 0.5, 1.0, 0.2)


_SIGNS = np.array([1, -1, 1, -1, 1, -1, 1, -1])

_MEANS: dict[str, Callable[[NDArray], NDArray]] = {
    "friedman-1": _friedman_1,
    "friedman-2": lambda X: np.hypot(X[:, 0], _reactance(X)),
    "friedman-3": lambda X: np.arctan2(_reactance(X), X[:, 0]),
    "linear": lambda X: X[:, :6] @ np.array([3.0, -2.0, 1.5, -1.0, 1.0, 0.5]),
    "additive": _additive,
    "piecewise": _boxes,
    "ring": lambda X: np.sin(3 * np.arctan2(X[:, 1], X[:, 0])),
    "ridge": lambda X: np.sin(2 * X @ (_SIGNS / np.sqrt(8))),
    "products": lambda X: X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3],
    "doppler": lambda X: 4 * np.sqrt(X[:, 0] * (1 - X[:, 0])) * np.sin(2 * np.pi * 1.05 / (X[:, 0] + 0.15)),
    "fan": lambda X: np.sin(2 * np.pi * X[:, 0]) + 2 * X[:, 1],
    "two-noises": lambda X: 2 * X[:, 0],
    "growing": _growth,
}
_ROWS: dict[str, tuple[str, int, Callable[[Generator, int], NDArray], float | Callable[[NDArray], NDArray]]] = {
    "friedman-1": ("Friedman's first, five of ten features", 10, _cube(10), 1.0),
    "friedman-2": ("Friedman's second: impedance of a circuit", 4, _circuit, 125.0),
    "friedman-3": ("Friedman's third: phase of a circuit", 4, _circuit, 0.1),
    "linear": ("a plane, six of twelve correlated features", 12, _correlated, 2.0),
    "additive": ("a sum of five curves, 45 irrelevant features", 50, _cube(50), 0.3),
    "piecewise": ("constant in boxes of a tree on five of eight features", 8, _cube(8), 0.5),
    "ring": ("three waves around a ring, three irrelevant features", 5, _annulus, 0.2),
    "ridge": ("a wave along one oblique direction of eight", 8, _ball(8), 0.2),
    "products": ("x1 x2 + x3 x4, four irrelevant features", 8, _ball(8), 0.5),
    "doppler": ("a wave that quickens along one of two features", 2, _cube(2), 0.3),
    "fan": ("noise that grows tenfold along a feature of its own", 5, _cube(5), lambda X: 0.1 + 0.9 * X[:, 2]),
    "two-noises": ("a line, with a noise of 0.2 or 1 by a second feature", 4, _cube(4), _two_noises),
    "growing": ("growth, with a noise of 25 % of it", 6, _ball(6), lambda X: 0.25 * _growth(X)),
}
"""Description, number of features, features and noise; a number is the noise of all samples."""

SYNTHETIC = {
    name: Problem(name, text, n_features, features, _MEANS[name], noise if callable(noise) else _same(noise))
    for name, (text, n_features, features, noise) in _ROWS.items()
}
"""By name. Friedman's are of his Multivariate adaptive regression splines, Annals of Statistics 1991."""
