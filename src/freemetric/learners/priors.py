"""The metric that a learner stays close to where nothing speaks against it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import inv
from sklearn.utils import check_array

from ..sklearn_compat import StrOptions
from .linear_algebra import covariance

PRIOR = [StrOptions({"identity", "covariance"}), np.ndarray, list]
"""What the parameter ``prior`` may be."""


def prior_metric(prior: str | ArrayLike, X: NDArray, unit: float = 1.0) -> NDArray[np.float64]:
    """M_0 (d, d), symmetric and positive definite.

    "identity", "covariance" (the inverse of that of X, shrunk where it is singular), or an array of that shape: a
    metric of X times ``unit``, the data that users gave.
    """
    if not isinstance(prior, str):
        return unit**2 * _given(prior, X.shape[1])
    return np.eye(X.shape[1]) if prior == "identity" else inv(covariance(X - X.mean(axis=0)))


def _given(prior, d):
    M = check_array(prior, dtype=np.float64)
    if M.shape != (d, d):
        raise ValueError(f"prior has shape {M.shape}; expected ({d}, {d}).")
    if not np.allclose(M, M.T) or np.linalg.eigvalsh(M)[0] <= 0:
        raise ValueError("prior must be symmetric and positive definite.")
    return (M + M.T) / 2
