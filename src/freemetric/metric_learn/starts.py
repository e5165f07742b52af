"""Maps that a search begins with, and how many components they have: metric-learn's rules."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array


def check_n_components(n_components: Any, n_features: int) -> int:
    """The number of components, all where it is None."""
    if n_components is None:
        return n_features
    if not 0 < n_components <= n_features:
        raise ValueError(f"Invalid n_components, must be in [1, {n_features}]")
    return n_components


def start(init: Any, X: NDArray, n_components: Any, n_classes: int | None = None) -> str | NDArray[np.float64]:
    """The start by a name that our learners know, or the map that was given.

    "auto" is "lda" where there are classes enough for so many directions, else "pca" where there are fewer components
    than features and points, else "identity".
    """
    N, d = X.shape
    p = check_n_components(n_components, d)
    if isinstance(init, np.ndarray | list | tuple):
        return _given(init, n_components, d)
    known = ["auto", "pca", "identity", "random", *([] if n_classes is None else ["lda"])]
    if init not in known:
        names = ", ".join(f"'{name}'" for name in known)
        raise ValueError(f"`init` must be {names} or a numpy array of shape (n_components, n_features).")
    if init != "auto":
        return init
    if n_classes is not None and p <= min(d, n_classes - 1):
        return "lda"
    return "pca" if p < min(d, N) else "identity"


def _given(init, n_components, d):
    L = check_array(init, dtype=np.float64)
    if L.shape[1] != d:
        raise ValueError(
            f"The input dimensionality ({L.shape[1]}) of the given linear transformation `init` must match the "
            f"dimensionality of the given inputs `X` ({d})."
        )
    if L.shape[0] > L.shape[1]:
        raise ValueError(
            f"The output dimensionality ({L.shape[0]}) of the given linear transformation `init` cannot be greater "
            f"than its input dimensionality ({L.shape[1]})."
        )
    if n_components not in (None, L.shape[0]):
        raise ValueError(
            f"The preferred dimensionality of the projected space `n_components` ({n_components}) does not match the "
            f"output dimensionality of the given linear transformation `init` ({L.shape[0]})!"
        )
    return L
