"""Features of few values: categories, bits, answers on a scale, copies of rows."""

import numpy as np
from scipy.stats import norm

from .problem import by_chance, by_class, seen_as, two_classes

LEVELS = (6, 6, 4, 4, 4)


def few_rows():
    chances = np.random.default_rng(1).dirichlet([0.6] * 3, (3, 4))

    def rows(rng, n):
        return np.column_stack(
            [rng.integers(3, size=n), rng.integers(4, size=n)]
        ).astype(float)

    return by_chance(
        "12 points of a 3 x 4 grid, chances of three classes at each",
        rows,
        lambda X: chances[tuple(X.astype(int).T)],
    )


def parity():
    def rows(rng, n):
        return rng.integers(2, size=(n, 10)).astype(float)

    def posterior(X):
        return two_classes(np.where(X[:, :3].sum(axis=1) % 2 == 1, 0.95, 0.05))

    return by_chance(
        "parity of three of ten bits, wrong in 5 % of the rows", rows, posterior
    )


def category_codes():
    """Of the two columns that count, each alone says next to nothing."""
    rng = np.random.default_rng(2)
    half = np.array([[0.1, 0.9, 0.1, 0.9, 0.1, 0.9]])
    chances = np.concatenate([rng.permuted(half, axis=1) for _ in range(6)])

    def rows(rng, n):
        return np.column_stack(
            [rng.integers(levels, size=n) for levels in LEVELS]
        ).astype(float)

    def posterior(X):
        return two_classes(chances[tuple(X[:, :2].astype(int).T)])

    about = "a 6 x 6 table of two categories, chances 0.1 or 0.9; codes without order"
    return by_chance(about, rows, posterior)


def category_one_hot():
    def indicators(X):
        return np.column_stack(
            [np.eye(levels)[X[:, j].astype(int)] for j, levels in enumerate(LEVELS)]
        )

    def codes(X):
        groups = np.split(X, np.cumsum(LEVELS)[:-1], axis=1)
        return np.column_stack([group.argmax(axis=1) for group in groups]).astype(float)

    return seen_as(
        category_codes(),
        "the same categories as 24 columns of zeros and ones",
        indicators,
        codes,
    )


def ordinal():
    """Answers are independent given the class, so that the density is a product."""
    weights = np.concatenate(
        [np.random.default_rng(3).uniform(0.2, 0.9, 6), np.zeros(4)]
    )
    cuts = np.array([-np.inf, -1.5, -0.5, 0.5, 1.5, np.inf])
    middles = np.array([-1.0, 0.0, 1.0])[:, None] * weights  # (3 classes, 10 questions)
    chances = np.diff(
        norm.cdf(cuts[:, None, None] - middles), axis=0
    )  # (5 answers, 3, 10)

    def rows(rng, y):
        return np.digitize(
            middles[y] + rng.standard_normal((len(y), 10)), cuts[1:-1]
        ).astype(float)

    def log_density(X):
        answers = X.astype(int)
        return np.log(chances[answers, :, np.arange(10)]).sum(axis=1)

    return by_class(
        "ten questions on a scale of five, three classes; four questions tell nothing",
        [1 / 3] * 3,
        rows,
        log_density,
    )


def copies():
    """Test rows are of the same pool, whose chances the best classifier knows."""
    rng = np.random.default_rng(4)
    pool = rng.standard_normal((80, 5))
    chances = rng.beta(0.5, 0.5, 80)
    frequency = 1 / np.arange(1, 81)
    frequency /= frequency.sum()

    def rows(rng, n):
        return pool[rng.choice(80, n, p=frequency)]

    def posterior(X):
        place = ((X[:, None, :] - pool) ** 2).sum(axis=2).argmin(axis=1)
        return two_classes(chances[place])

    about = "a pool of 80 points, drawn repeatedly; every copy draws its own class"
    return by_chance(about, rows, posterior)


PROBLEMS = {
    "few-rows": few_rows(),
    "parity": parity(),
    "category-codes": category_codes(),
    "category-one-hot": category_one_hot(),
    "ordinal": ordinal(),
    "copies": copies(),
}
