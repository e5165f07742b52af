"""One task for two libraries: the same pairs or quadruplets, and what both say they minimise, of any metric.

Needs numpy and scipy alone: it runs in the environment of the other library, too.
"""

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import softmax

N_TUPLES = 1000


def pairs_of(y):
    """Row numbers (n, 2), and +1 for the first half, of one class, and -1 for the others, of two."""
    rng = np.random.default_rng(0)
    candidates = rng.integers(len(y), size=(200 * N_TUPLES, 2))
    candidates = candidates[candidates[:, 0] != candidates[:, 1]]
    alike = y[candidates[:, 0]] == y[candidates[:, 1]]
    halves = [candidates[kind][: N_TUPLES // 2] for kind in (alike, ~alike)]
    return np.vstack(halves), np.repeat([1, -1], N_TUPLES // 2)


def quadruplets_of(y):
    pairs, labels = pairs_of(y)
    return np.hstack([pairs[labels == 1], pairs[labels == -1]])


def fit_options(learner, y):
    """What ours takes in place of labels, beside parameters that make its objective the same as the other's."""
    if learner == "mmc":
        pairs, labels = pairs_of(y)
        return {"pairs": pairs, "pair_labels": labels}
    if learner == "lsml":
        quadruplets = quadruplets_of(y)
        return {
            "quadruplets": quadruplets,
            "weights": np.full(len(quadruplets), 1 / len(quadruplets)),
        }
    return {"y": y}


def peer_input(learner, X, y):
    """What metric-learn's takes: tuples of samples."""
    if learner == "mmc":
        pairs, labels = pairs_of(y)
        return X[pairs], labels
    return (X[quadruplets_of(y)],) if learner == "lsml" else (X, y)


def objective(learner, A, X, y):
    """Of the metric |A u - A v|; None where it is not known, or where learners of one name minimise other things."""
    return OBJECTIVES[learner](X @ A.T, A.T @ A, y) if learner in OBJECTIVES else None


def left_out_variance(Z, M, y):
    """What kernel regression that leaves one out leaves of the variance of y."""
    return ((y - _picked(Z) @ y) ** 2).mean() / y.var()


def left_out_error(Z, M, y):
    """Expected error of stochastic neighbours that leaves one out: 1 - NCA's objective over N."""
    return 1 - (_picked(Z) * (y[:, None] == y)).sum() / len(y)


def near_dissimilar(Z, M, y):
    """MMC: how near dissimilar pairs are, in units of the similar ones' root mean square."""
    pairs, labels = pairs_of(y)
    apart = np.linalg.norm(Z[pairs[:, 0]] - Z[pairs[:, 1]], axis=1)
    return np.sqrt((apart[labels == 1] ** 2).mean()) / apart[labels == -1].mean()


def residuals(Z, M, y):
    """LSML: the LogDet divergence from the identity, and the mean square of what quadruplets miss."""
    a, b, c, d = quadruplets_of(y).T
    missing = np.maximum(
        np.linalg.norm(Z[a] - Z[b], axis=1) - np.linalg.norm(Z[c] - Z[d], axis=1), 0
    )
    return np.trace(M) - np.linalg.slogdet(M)[1] - len(M) + (missing**2).mean()


def _picked(Z):
    D = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    return softmax(-D, axis=1)


OBJECTIVES = {
    "mlkr": left_out_variance,
    "nca": left_out_error,
    "mmc": near_dissimilar,
    "lsml": residuals,
}
"""What both libraries minimise, by learner; MMC's is the reciprocal of what is maximised."""
