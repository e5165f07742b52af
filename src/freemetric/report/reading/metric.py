"""The learned metric: its matrix, and what it weighs."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...learners.learned_space import LearnedSpace
from ..findings import Findings
from .parts import mapped


def weigh(findings: Findings, space: LearnedSpace) -> None:
    """M, and the weights of the features."""
    findings.embed = partial(mapped, space.learner)
    if findings.inputs is not None:
        findings.spread = findings.inputs.std(axis=0)
    if hasattr(space.learner, "components_"):
        findings.matrix = space.matrix()
    elif findings.inputs is not None and findings.Z is not None:
        findings.matrix, findings.linear_share = nearest_matrix(findings.inputs, findings.Z)
    if hasattr(space.learner, "distance_weights_"):
        _own_weights(findings, space.learner)
    elif findings.matrix is not None:
        _diagonal_weights(findings, space.replica_weights())


def nearest_matrix(X: NDArray, Z: NDArray) -> tuple[NDArray, float]:
    """M of the linear map that gives Z best from X, and the share of Z's variance that it gives."""
    X, Z = X - X.mean(axis=0), Z - Z.mean(axis=0)
    A = np.linalg.lstsq(X, Z, rcond=None)[0]
    total = (Z**2).sum()
    return A @ A.T, float(1 - ((Z - X @ A) ** 2).sum() / total) if total > 0 else 1.0


def _own_weights(findings, learner):
    findings.weights, error = learner.ensemble_.feature_shares(findings.owner)
    findings.weight_range = np.maximum(findings.weights - error, 0), findings.weights + error
    findings.weight_words = "one standard deviation over replicas"


def _diagonal_weights(findings, replicas):
    """Shares of the trace of M; replicas (R, d) hold the diagonals of each."""
    findings.weights = findings.by_name(_shares(np.diag(findings.scaled_matrix)))
    if replicas is not None:
        units = 1 if findings.spread is None else findings.spread**2
        findings.weight_range = tuple(np.quantile(findings.by_name(_shares(replicas * units)), [0.05, 0.95], axis=0))
        findings.weight_words = "the middle 90 % of the replicas"


def _shares(weights):
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total > 0, total, 1)
