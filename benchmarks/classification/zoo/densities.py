"""Classes of known density: Gaussians in many ways, rings and moons."""

import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm, ortho_group, t as student

from .problem import (
    by_class,
    gaussians,
    log_normal_density,
    seen_as,
    with_noise_features,
)

MISSING = np.array(
    [[0.15] * 6, [0.35, 0.15, 0.35, 0.15, 0.15, 0.15]]
)  # by class and feature
MOON_NOISE, RING_NOISE, RADII = 0.3, 0.35, np.array([1.0, 2.0, 3.0])


def chain(d, correlation):
    """Covariance of d features in a row, each correlated with the one before."""
    return correlation ** np.abs(np.subtract.outer(np.arange(d), np.arange(d)))


def linear():
    """Mahalanobis distance 2 between the centres: Bayes error Phi(-1)."""
    C = chain(10, 0.6)
    direction = np.random.default_rng(11).standard_normal(10)
    direction *= 2 / np.sqrt(direction @ np.linalg.solve(C, direction))
    return gaussians(
        "two Gaussians of one covariance in ten dimensions: a plane",
        [0 * direction, direction],
        C,
    )


def nested():
    about = "two Gaussians of one centre in eight dimensions, one 1.7 times as wide"
    return gaussians(about, np.zeros((2, 8)), np.stack([np.eye(8), 1.7**2 * np.eye(8)]))


def quadratic():
    rng = np.random.default_rng(12)
    roots = rng.standard_normal((3, 5, 5)) * 0.8
    covariances = roots @ roots.transpose(0, 2, 1) + 0.1 * np.eye(5)
    return gaussians(
        "three Gaussians of different covariance in five dimensions",
        rng.normal(0, 0.5, (3, 5)),
        covariances,
    )


def rotated_blocks():
    """Classes differ along two contrasts of 0.05 of the variance, rotated."""
    block = 0.05 * np.eye(3) + 0.95
    C = np.kron(np.eye(5), block)
    contrasts = np.zeros((2, 15))
    contrasts[0, :2] = contrasts[1, 3:5] = np.array([1, -1]) / np.sqrt(2)
    triangle = 1.5 * np.sqrt(0.05) * np.array([[1, 0], [-0.5, 0.866], [-0.5, -0.866]])
    Q = ortho_group.rvs(15, random_state=13)
    about = "five rotated blocks of three features; classes differ where little varies"
    return gaussians(about, triangle @ contrasts @ Q.T, Q @ C @ Q.T)


def letters():
    means = 1.3 * np.random.default_rng(14).standard_normal((26, 10))
    return gaussians("26 classes, round Gaussians in ten dimensions", means, np.eye(10))


def clusters():
    means = 2.2 * np.random.default_rng(15).standard_normal((15, 4))
    return with_noise_features(
        gaussians(
            "three classes of five clusters in 4 of 10 dimensions",
            means,
            np.eye(4),
            np.arange(15) % 3,
        ),
        6,
    )


def skewed():
    means = np.zeros((2, 5))
    means[1, :3] = 3 / np.sqrt(3)
    return gaussians(
        "a class of 2 %, three standard deviations away, in five dimensions",
        means,
        np.eye(5),
        prior=[0.98, 0.02],
    )


def wide():
    means = np.zeros((2, 150))
    means[1, ::5] = 3.5 / np.sqrt(30)
    about = "150 features, of which 30 differ a little"
    return gaussians(about, means, np.eye(150))


def missing():
    """Values are missing at random in each class; the posterior counts gaps, too."""
    C, means = chain(6, 0.7), np.zeros((2, 6))
    means[1] = [1.2, 0, -0.6, 0.8, 0, 0]
    root = np.linalg.cholesky(C)

    def rows(rng, y):
        X = means[y] + rng.standard_normal((len(y), 6)) @ root.T
        X[rng.random(X.shape) < MISSING[y]] = np.nan
        return X

    def log_density(X):
        holes = np.isnan(X)
        density = np.stack(
            [np.where(holes, np.log(p), np.log(1 - p)).sum(axis=1) for p in MISSING],
            axis=1,
        )
        for pattern in np.unique(holes, axis=0):
            here, seen = (holes == pattern).all(axis=1), ~pattern
            for c in range(2):
                density[here, c] += log_normal_density(
                    X[np.ix_(here, seen)], means[c, seen], C[np.ix_(seen, seen)]
                )
        return density

    about = "correlated Gaussians with gaps, more of them in two features of one class"
    return by_class(about, [0.5, 0.5], rows, log_density)


def rings():
    """Angles are uniform and radii normal; negative ones lie on the other side."""

    def rows(rng, y):
        radius, angle = (
            RADII[y] + RING_NOISE * rng.standard_normal(len(y)),
            rng.uniform(0, 2 * np.pi, len(y)),
        )
        return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])

    def log_density(X):  # up to a factor of all classes
        r = np.hypot(*X.T)[:, None]
        return np.logaddexp(
            norm.logpdf(r, RADII, RING_NOISE), norm.logpdf(-r, RADII, RING_NOISE)
        )

    return with_noise_features(
        by_class("three rings in 2 of 6 dimensions", [1 / 3] * 3, rows, log_density), 4
    )


def moon(angle, y):
    """Points of the arcs, of shape (..., 2)."""
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return np.where(np.asarray(y)[..., None] == 0, upper, np.array([1, 0.5]) - upper)


def moons():
    """The density along an arc is integrated by Gauss' rule of 64 points."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    angles = np.pi / 2 * (1 + nodes)

    def rows(rng, y):
        return moon(
            rng.uniform(0, np.pi, len(y)), y
        ) + MOON_NOISE * rng.standard_normal((len(y), 2))

    def log_density(X):
        squared = [
            ((X[:, None, :] - moon(angles, np.full(64, c))) ** 2).sum(axis=2)
            for c in range(2)
        ]
        return np.column_stack(
            [logsumexp(-s / (2 * MOON_NOISE**2), b=weights, axis=1) for s in squared]
        )

    return by_class("two moons, blurred", [0.5, 0.5], rows, log_density)


def heavy_tails():
    """Student's t of 1.5 degrees of freedom: no variance."""
    centres, scales = np.zeros((2, 6)), np.ones((2, 6))
    centres[1, :3], scales[1, 3] = 1.5, 4.0

    def rows(rng, y):
        return centres[y] + scales[y] * rng.standard_t(1.5, (len(y), 6))

    def log_density(X):
        return np.column_stack(
            [
                student.logpdf(X, 1.5, centres[c], scales[c]).sum(axis=1)
                for c in range(2)
            ]
        )

    return by_class(
        "Student's t of 1.5 degrees, shifted in three of six features, wider in one",
        [0.5, 0.5],
        rows,
        log_density,
    )


WARPS = (np.exp, np.sinh, lambda x: x**3, lambda x: 10**x, lambda x: 1e4 * x)
UNWARPS = (np.log, np.arcsinh, np.cbrt, np.log10, lambda x: x / 1e4)


def warped():
    means = 1.7 * np.random.default_rng(16).standard_normal((12, 5))
    straight = gaussians("", means, np.eye(5), np.arange(12) % 4)

    def along(maps):
        return lambda X: np.column_stack(
            [f(column) for f, column in zip(maps, X.T, strict=True)]
        )

    about = "four classes of three clusters, through exp, sinh, cube, 10^x and 10000 x"
    return seen_as(straight, about, along(WARPS), along(UNWARPS))


PROBLEMS = {
    "linear": linear(),
    "nested": nested(),
    "quadratic": quadratic(),
    "rotated-blocks": rotated_blocks(),
    "letters": letters(),
    "clusters": clusters(),
    "skewed": skewed(),
    "wide": wide(),
    "missing": missing(),
    "rings": rings(),
    "moons": moons(),
    "heavy-tails": heavy_tails(),
    "warped": warped(),
}
