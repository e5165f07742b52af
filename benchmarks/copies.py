"""Tables with few distinct rows and a known Bayes error: how far above it are our methods, and a forest?

    python benchmarks/copies.py                  # about three minutes
    python benchmarks/copies.py --seeds 3

A copy of a row is a row: where many rows are equal, their classes are evidence of P(y | x), and whoever leaves all of
them out together sees only the other class at their place.
"""

import argparse
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE, NCA, FreeEnergyClassifier, MetricKNeighborsClassifier

N_TRAIN, N_TEST = 2000, 20_000


def categories(rng, n):
    """Three columns of 2, 3 and 4 categories: 24 distinct rows; P(y = 1 | x) between 0.2 and 0.8."""
    chance = rng.uniform(0.2, 0.8, (2, 3, 4))

    def draw(n):
        X = np.column_stack([rng.integers(levels, size=n) for levels in chance.shape])
        return X.astype(float), rng.random(n) < chance[tuple(X.T)]

    return draw, np.minimum(chance, 1 - chance).mean()


def noisy_parity(rng, n):
    """The parity of three bits, wrong in one of ten rows: eight distinct rows."""

    def draw(n):
        X = rng.integers(2, size=(n, 3))
        return X.astype(float), (X.sum(axis=1) % 2 == 1) ^ (rng.random(n) < 0.1)

    return draw, 0.1


def followed_by_neighbors(learner, seed):
    return MetricKNeighborsClassifier(make_pipeline(MinMaxScaler(), learner), random_state=seed)


METHODS = {
    "FreeEnergyClassifier": lambda seed: FreeEnergyClassifier(random_state=seed),
    "NCA + k-NN": lambda seed: followed_by_neighbors(NCA(), seed),
    "DMLFE + k-NN": lambda seed: followed_by_neighbors(DMLFE(random_state=seed), seed),
    "forest (100)": lambda seed: RandomForestClassifier(random_state=seed),
    "5-NN": lambda seed: KNeighborsClassifier(),
}


def excess(problem, method, seed):
    """Error above Bayes' in points, on fresh rows."""
    draw, bayes = problem(np.random.default_rng(seed), N_TRAIN)
    (X, y), (X_test, y_test) = draw(N_TRAIN), draw(N_TEST)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return 100 * (np.mean(METHODS[method](seed).fit(X, y).predict(X_test) != y_test) - bayes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"\n| points above the Bayes error, {arguments.seeds} seeds | {' | '.join(METHODS)} |")
    print(f"|---|{'---|' * len(METHODS)}")
    for problem in (categories, noisy_parity):
        cells = [[excess(problem, method, seed) for seed in range(arguments.seeds)] for method in METHODS]
        row = " | ".join(f"{np.mean(values):.2f} (worst {max(values):.2f})" for values in cells)
        print(f"| {problem.__name__.replace('_', ' ')}, {N_TRAIN:,} rows | {row} |", flush=True)


if __name__ == "__main__":
    main()
