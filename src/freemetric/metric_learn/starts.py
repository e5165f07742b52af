"""Starts and priors by metric-learn's rules: by name, or given as a matrix."""

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigvalsh, pinvh
from sklearn.datasets import make_spd_matrix
from sklearn.utils import check_array

from ..exceptions import warn_once


class NonPSDError(LinAlgError):
    """A matrix has negative eigenvalues."""

    def __init__(self) -> None:
        super().__init__("Matrix is not positive semidefinite (PSD).")


def metric_matrix(
    value: str | ArrayLike,
    X: NDArray,
    name: str,
    random_state: Any,
    definite: bool = True,
) -> NDArray:
    """M_0 (d, d) for points X (n, d) of a parameter called ``name``.

    "identity", "covariance" (the inverse), "random" or a symmetric matrix. If it must
    be ``definite``, eigenvalues of zero are an error; else a singular covariance is
    replaced by its pseudo-inverse, with a warning.
    """
    d = X.shape[1]
    if isinstance(value, np.ndarray | list | tuple):
        return _checked_matrix(value, d, name, definite)
    if value == "identity":
        return np.eye(d)
    if value == "random":
        return make_spd_matrix(d, random_state=random_state)
    if value == "covariance":
        return _inverse_covariance(X, name, definite)
    raise ValueError(
        f"`{name}` must be 'identity', 'covariance', 'random' or a numpy array of "
        "shape (n_features, n_features)."
    )


def is_definite(M: NDArray) -> bool:
    """Whether no eigenvalue is zero but for rounding; none may be negative."""
    values = eigvalsh(M)
    rounding = np.abs(values).max() * len(values) * np.finfo(np.float64).eps
    if (values < -rounding).any():
        raise NonPSDError
    return bool((np.abs(values) >= rounding).all())


def _inverse_covariance(X, name, definite):
    C = np.atleast_2d(np.cov(X, rowvar=False))
    if is_definite(C):
        return pinvh(C)
    if definite:
        raise LinAlgError(
            "Unable to get a true inverse of the covariance matrix since it is not "
            f"definite. Try another `{name}`, or an algorithm that does not require "
            f"the `{name}` to be strictly positive definite."
        )
    warn_once(
        "The covariance matrix is not invertible: using the pseudo-inverse instead."
        "To make the covariance matrix invertible you can remove any linearly "
        "dependent features and/or reduce the dimensionality of your input, for "
        "instance using `sklearn.decomposition.PCA` as a preprocessing step.",
        UserWarning,
    )
    return pinvh(C)


def _checked_matrix(value, d, name, definite):
    M = check_array(value, dtype=np.float64, copy=True)
    if M.shape != (d, d):
        raise ValueError(
            f"The input dimensionality {M.shape} of the given mahalanobis matrix "
            f"`{name}` must match the dimensionality of the given inputs ({d})."
        )
    if not np.allclose(M, M.T):
        raise ValueError(f"`{name}` is not symmetric.")
    if not is_definite(M) and definite:
        raise LinAlgError(
            f"You should provide a strictly positive definite matrix as `{name}`. This "
            f"one is not definite. Try another {name}, or an algorithm that does not "
            f"require the {name} to be strictly positive definite."
        )
    return M


def check_n_components(n_components: Any, n_features: int) -> int:
    """The number of components, all where it is None."""
    if n_components is None:
        return n_features
    if not 0 < n_components <= n_features:
        raise ValueError(f"Invalid n_components, must be in [1, {n_features}]")
    return n_components


def start(
    init: Any, X: NDArray, n_components: Any, n_classes: int | None = None
) -> str | NDArray[np.float64]:
    """The start by a name that our learners have, or the given map."""
    N, d = X.shape
    p = check_n_components(n_components, d)
    if isinstance(init, np.ndarray | list | tuple):
        return _checked_map(init, n_components, d)
    names = ["auto", "pca", "identity", "random"]
    if n_classes is not None:
        names.append("lda")
    if init not in names:
        options = ", ".join(f"'{name}'" for name in names)
        what = "or a numpy array of shape (n_components, n_features)"
        raise ValueError(f"`init` must be {options} {what}.")
    if init != "auto":
        return init
    if n_classes is not None and p <= min(d, n_classes - 1):
        return "lda"
    return "pca" if p < min(d, N) else "identity"


def _checked_map(init, n_components, d):
    L = check_array(init, dtype=np.float64)
    of_init = "of the given linear transformation `init`"
    if L.shape[1] != d:
        raise ValueError(
            f"The input dimensionality ({L.shape[1]}) {of_init} must match the "
            f"dimensionality of the given inputs `X` ({d})."
        )
    if L.shape[0] > L.shape[1]:
        raise ValueError(
            f"The output dimensionality ({L.shape[0]}) {of_init} cannot be greater "
            f"than its input dimensionality ({L.shape[1]})."
        )
    if n_components not in (None, L.shape[0]):
        raise ValueError(
            "The preferred dimensionality of the projected space `n_components` "
            f"({n_components}) does not match the output dimensionality {of_init} "
            f"({L.shape[0]})!"
        )
    return L
