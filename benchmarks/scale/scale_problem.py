"""The problem of scale.py: clusters whose Bayes error is known."""

import numpy as np

N_FEATURES, N_INFORMATIVE, N_CLUSTERS, N_CLASSES = 30, 10, 24, 4


def clusters():
    """Return centres (24, 10) and their classes."""
    rng = np.random.default_rng(7)
    centres = 1.6 * rng.standard_normal((N_CLUSTERS, N_INFORMATIVE))
    return centres, rng.integers(0, N_CLASSES, N_CLUSTERS)


def problem(n, seed):
    centres, classes = clusters()
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, N_CLUSTERS, n)
    X = rng.standard_normal((n, N_FEATURES), dtype=np.float32)
    X[:, :N_INFORMATIVE] += centres[cluster]
    return X, classes[cluster]


def bayes_error(X, y):
    """Return the error of deciding for the class of the largest density."""
    centres, classes = clusters()
    squared = ((X[:, None, :N_INFORMATIVE] - centres) ** 2).sum(axis=2)
    density = np.exp(-(squared - squared.min(axis=1, keepdims=True)) / 2)
    return np.mean((density @ np.eye(N_CLASSES)[classes]).argmax(axis=1) != y)
