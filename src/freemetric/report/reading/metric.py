"""The learned metric: its matrix, and what it weighs."""

from functools import partial

import numpy as np

from .parts import mapped


def weigh(found, space):
    """M, and the weights of the features."""
    found.embed = partial(mapped, space.learner)
    if found.inputs is not None:
        found.spread = found.inputs.std(axis=0)
    if hasattr(space.learner, "components_"):
        found.matrix = space.matrix()
    elif found.inputs is not None:
        found.matrix, found.linear_share = nearest_matrix(found.inputs, found.Z)
    if hasattr(space.learner, "feature_importances_"):
        _own_weights(found, space.learner)
    elif found.matrix is not None:
        _diagonal_weights(found, space.replica_weights())


def nearest_matrix(X, Z):
    """M of the linear map that tells Z best from X, and the share of Z's variance that it tells."""
    X, Z = X - X.mean(axis=0), Z - Z.mean(axis=0)
    A = np.linalg.lstsq(X, Z, rcond=None)[0]
    total = (Z**2).sum()
    return A @ A.T, float(1 - ((Z - X @ A) ** 2).sum() / total) if total > 0 else 1.0


def _own_weights(found, learner):
    found.weights = np.asarray(learner.feature_importances_, dtype=np.float64)
    error = getattr(learner, "feature_importances_std_", None)
    if error is not None:
        found.weight_range = np.maximum(found.weights - error, 0), found.weights + error
        found.weight_words = "one standard deviation over replicas"


def _diagonal_weights(found, replicas):
    """Shares of the trace of M; replicas (R, d) hold the diagonals of each."""
    found.weights = _shares(np.diag(found.scaled_matrix))
    if replicas is not None:
        units = 1 if found.spread is None else found.spread**2
        found.weight_range = tuple(np.quantile(_shares(replicas * units), [0.05, 0.95], axis=0))
        found.weight_words = "the middle 90 % of the replicas"


def _shares(weights):
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total > 0, total, 1)
