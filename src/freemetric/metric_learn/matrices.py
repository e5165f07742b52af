"""The metric that a search begins with, or that its result stays close to: by name, or given."""

import warnings
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigvalsh, pinvh
from sklearn.datasets import make_spd_matrix
from sklearn.utils import check_array

from ..exceptions import callers_stacklevel
from .exceptions import NonPSDError


def metric_matrix(value: str | ArrayLike, X: NDArray, name: str, random_state: Any, definite: bool = True) -> NDArray:
    """M_0 (d, d) for points X (n, d): "identity", "covariance", "random", or a matrix that is given.

    Parameters
    ----------
    value : str or array of shape (d, d)
        "identity"; "covariance", the inverse covariance of the points; "random", of ``sklearn.datasets``; or a matrix.
    X : array of shape (n, d)
        Points.
    name : str
        What the parameter is called.
    random_state : int, RandomState or None
        Seed of a random matrix.
    definite : bool, default=True
        Whether eigenvalues of zero are refused; else the pseudo-inverse of a covariance is taken, with a warning.

    Returns
    -------
    M : ndarray of shape (d, d)
        Symmetric, without negative eigenvalues.
    """
    d = X.shape[1]
    if isinstance(value, str) and value == "identity":
        return np.eye(d)
    if isinstance(value, str) and value == "random":
        return make_spd_matrix(d, random_state=random_state)
    if isinstance(value, str) and value == "covariance":
        return _inverse_covariance(X, name, definite)
    if isinstance(value, np.ndarray | list | tuple):
        return _given(value, d, name, definite)
    known = f"`{name}` must be 'identity', 'covariance', 'random'"
    raise ValueError(f"{known} or a numpy array of shape (n_features, n_features).")


def is_definite(M: NDArray) -> bool:
    """Whether no eigenvalue of a symmetric matrix is zero but for rounding; NonPSDError where one is negative."""
    values = eigvalsh(M)
    rounding = np.abs(values).max() * len(values) * np.finfo(np.float64).eps
    if (values < -rounding).any():
        raise NonPSDError
    return bool((np.abs(values) >= rounding).all())


def _inverse_covariance(X, name, definite):
    C = np.atleast_2d(np.cov(X, rowvar=False))
    if not is_definite(C):
        if definite:
            raise LinAlgError(
                "Unable to get a true inverse of the covariance matrix since it is not definite. Try another "
                f"`{name}`, or an algorithm that does not require the `{name}` to be strictly positive definite."
            )
        warnings.warn(
            "The covariance matrix is not invertible: using the pseudo-inverse instead.To make the covariance matrix "
            "invertible you can remove any linearly dependent features and/or reduce the dimensionality of your "
            "input, for instance using `sklearn.decomposition.PCA` as a preprocessing step.",
            stacklevel=callers_stacklevel(),
        )
    return pinvh(C)


def _given(value, d, name, definite):
    M = check_array(value, dtype=np.float64, copy=True)
    if M.shape != (d, d):
        raise ValueError(
            f"The input dimensionality {M.shape} of the given mahalanobis matrix `{name}` must match the "
            f"dimensionality of the given inputs ({d})."
        )
    if not np.allclose(M, M.T):
        raise ValueError(f"`{name}` is not symmetric.")
    if not is_definite(M) and definite:
        raise LinAlgError(
            f"You should provide a strictly positive definite matrix as `{name}`. This one is not definite. Try "
            f"another {name}, or an algorithm that does not require the {name} to be strictly positive definite."
        )
    return M
