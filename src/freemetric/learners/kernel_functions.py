"""Kernels k(u, v): their names, the numbers they take, and matrices of them, in blocks."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import (
    cosine_similarity,
    laplacian_kernel,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)

PRECOMPUTED = "precomputed"
WITH_GAMMA = ("rbf", "laplacian", "poly", "sigmoid")
SPREADING = {"rbf": "sqeuclidean", "laplacian": "cityblock"}  # kernels of a distance, and which
MOST_COMPARED = 1000  # rows whose distances have a median
BLOCK = 2**22  # values of a kernel held at once, 32 MB


class Kernel(NamedTuple):
    """A kernel with its numbers; called with samples (n, d) and landmarks (m, d) it gives (n, m)."""

    kind: str | Callable[[NDArray, NDArray], Any]
    gamma: float = 1.0
    degree: float = 3.0
    coef0: float = 1.0

    def __call__(self, X: NDArray, landmarks: NDArray) -> NDArray[np.float64]:
        if callable(self.kind):
            return _checked(self.kind(X, landmarks), (len(X), len(landmarks)))
        return KINDS[self.kind](self, X, landmarks)

    def blocks(self, X: NDArray, landmarks: NDArray) -> Iterator[NDArray[np.float64]]:
        """The same for a few rows after the other."""
        step = max(1, BLOCK // len(landmarks))
        for start in range(0, len(X), step):
            yield self(X[start : start + step], landmarks)


def _around_landmarks(function):
    """A kernel of differences, which is more exact around zero."""

    def kernel(self, X, landmarks):
        centre = landmarks.mean(axis=0)
        return function(X - centre, landmarks - centre, gamma=self.gamma)

    return kernel


def _powers(self, X, landmarks):
    return polynomial_kernel(X, landmarks, degree=self.degree, gamma=self.gamma, coef0=self.coef0)


def _sigmoid(self, X, landmarks):
    return sigmoid_kernel(X, landmarks, gamma=self.gamma, coef0=self.coef0)


KINDS: dict[str, Callable[[Kernel, NDArray, NDArray], NDArray[np.float64]]] = {
    "rbf": _around_landmarks(rbf_kernel),
    "laplacian": _around_landmarks(laplacian_kernel),
    "poly": _powers,
    "sigmoid": _sigmoid,
    "cosine": lambda self, X, landmarks: cosine_similarity(X, landmarks),
    "linear": lambda self, X, landmarks: linear_kernel(X, landmarks),
    PRECOMPUTED: lambda self, X, landmarks: X[:, landmarks],  # values are there; landmarks are numbers of columns
}


def _checked(values, shape):
    """What somebody's function gave; ValueError unless it is a matrix of that shape."""
    K = np.asarray(values)
    if K.shape != shape or K.dtype.kind not in "fiub":
        what = f"kernel must be a function of two arrays of samples that gives a matrix {shape}"
        raise ValueError(f"{what}; it gave {K.dtype} of shape {K.shape}.")
    return K.astype(np.float64, copy=False)


def width(gamma: float | str, kind: Any, X: NDArray, rng: np.random.Generator) -> float:
    """gamma as a number: one that was given, or what a rule makes of X.

    "median": one over the median distance that the kernel is of, among at most 1,000 rows; for kernels of products over
    the median square of the samples. "scale": 1 / (d var X). "auto": 1 / d.
    """
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "auto" or kind not in WITH_GAMMA:  # where it is not asked for it may be anything
        return 1 / X.shape[1]
    size = X.shape[1] * X.var() if gamma == "scale" else _median_size(kind, X, rng)
    return 1 / size if size > 0 else 1.0


def _median_size(kind, X, rng):
    rows = X if len(X) <= MOST_COMPARED else X[rng.choice(len(X), MOST_COMPARED, replace=False)]
    sizes = pdist(rows, SPREADING[kind]) if kind in SPREADING else np.einsum("ni,ni->n", rows, rows)
    sizes = sizes[sizes > 0]  # copies say nothing of distances
    return float(np.median(sizes)) if len(sizes) else 0.0
