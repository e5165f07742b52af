"""Known chances over plain rows: boards, boxes, waves, sums, and local features."""

import numpy as np

from .densities import clusters
from .problem import by_chance, by_logit, two_classes, with_wrong_labels

SURE = 0.95


def uniform(d, low=0.0):
    return lambda rng, n: rng.uniform(low, 1, (n, d))


def normal(d):
    return lambda rng, n: rng.standard_normal((n, d))


def by_side(about, rows, side, sure=SURE):
    """The second class has the chance ``sure`` where side(X) holds."""
    return by_chance(
        about, rows, lambda X: two_classes(np.where(side(X), sure, 1 - sure))
    )


def xor():
    return by_side(
        "sign of the product of 2 of 12 features",
        uniform(12, -1),
        lambda X: X[:, 0] * X[:, 1] > 0,
    )


def rotated_xor():
    def side(X):
        return (X[:, 0] - X[:, 1]) * (X[:, 2] + X[:, 3]) > 0

    return by_side("sign of (x1 - x2) (x3 + x4) in eight features", normal(8), side)


def checkerboard():
    about = "a board of 4 x 4 fields in 2 of 5 features"
    return by_side(
        about, uniform(5), lambda X: np.floor(4 * X[:, :2]).sum(axis=1) % 2 == 1
    )


def rectangles():
    """A tree of depth four: a feature and a threshold for every node."""
    rng = np.random.default_rng(21)
    features = [rng.integers(8, size=2**level) for level in range(4)]
    thresholds = [rng.uniform(0.25, 0.75, 2**level) for level in range(4)]
    chances = rng.dirichlet([0.15] * 3, 16)

    def posterior(X):
        node = np.zeros(len(X), dtype=int)
        for split, threshold in zip(features, thresholds, strict=True):
            node = 2 * node + (X[np.arange(len(X)), split[node]] > threshold[node])
        return chances[node]

    return by_chance(
        "16 boxes of a tree on eight features, three classes", uniform(8), posterior
    )


def friedman():
    def logit(X):
        a, b, c, d, e = X[:, :5].T
        return (
            10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e - 14.4
        ) / 1.5

    return by_chance(
        "Friedman's function of five of ten features as a logit",
        uniform(10),
        by_logit(logit),
    )


def interactions():
    def logit(X):
        return 2 * X[:, 0] * X[:, 1] + 2 * X[:, 2] - X[:, 3] * np.abs(X[:, 4])

    return by_chance(
        "a smooth logit with products, five of ten features",
        normal(10),
        by_logit(logit),
    )


def sparse_linear():
    weights = np.zeros(100)
    weights[:6] = [2, -2, 1.5, -1.5, 1, 1]
    return by_chance(
        "a linear logit of 6 of 100 features",
        normal(100),
        by_logit(lambda X: X @ weights),
    )


def periodic():
    return by_side(
        "six half-waves along one of five features",
        uniform(5),
        lambda X: np.sin(6 * np.pi * X[:, 0]) > 0,
    )


def waves():
    def logit(X):
        return 2 * np.sin(2 * np.pi * X[:, :6]).sum(axis=1)

    return by_chance(
        "a sum of waves, one along each of six features", uniform(6), by_logit(logit)
    )


def gated():
    """The sign of a feature says which of the others count."""

    def logit(X):
        return 4 * np.where(X[:, 0] > 0, X[:, 1] + X[:, 2], X[:, 3] - X[:, 4])

    return by_chance(
        "which two of eight features count depends on the sign of another",
        normal(8),
        by_logit(logit),
    )


def two_scales():
    """Half of the rows lie in a corner of a hundredth of the area."""

    def rows(rng, n):
        return uniform(2)(rng, n) * np.where(rng.random(n) < 0.5, 0.1, 1)[:, None]

    def side(X):
        fine = (X < 0.1).all(axis=1)
        return np.floor(np.where(fine, 40, 4)[:, None] * X).sum(axis=1) % 2 == 1

    return by_side(
        "a board of 4 x 4 fields, and a finer one in its corner with half of the rows",
        rows,
        side,
    )


def one_of_hundreds():
    def side(X):
        return np.abs(X[:, 17] - 0.5) < 0.25

    return by_side("an interval of one of 200 features", uniform(200), side, 0.92)


def wrong_labels():
    return with_wrong_labels(
        clusters(), "clusters, with 25 % of the labels replaced by another class", 0.25
    )


PROBLEMS = {
    "xor": xor(),
    "rotated-xor": rotated_xor(),
    "checkerboard": checkerboard(),
    "rectangles": rectangles(),
    "friedman": friedman(),
    "interactions": interactions(),
    "sparse-linear": sparse_linear(),
    "periodic": periodic(),
    "waves": waves(),
    "gated": gated(),
    "two-scales": two_scales(),
    "one-of-hundreds": one_of_hundreds(),
    "wrong-labels": wrong_labels(),
}
