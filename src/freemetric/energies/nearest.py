"""Energies of the nearest neighbours of every sample, itself left out."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..kernels import cpu_kernels, kernels_for
from .base import Array
from .soft_neighbors import checked_weights


def nearest_others(Z: Array, n_neighbors: int, device: str = "cpu") -> NDArray[np.intp]:
    """Rows (R, N, K) of the samples nearest to every sample but itself in spaces Z (R,
    N, p), nearest first.

    Of samples at equal distances the first comes first. A search costs O(R N^2 p) time
    and runs on the CPU."""
    largest = np.abs(Z).max(axis=(1, 2), keepdims=True)
    Z = Z / np.where(largest > 0, largest, 1)  # distances neither over- nor underflow
    kernels = kernels_for(device) if device == "reference" else cpu_kernels()
    return kernels.others_in_order(Z, n_neighbors)


class BoundNearest:
    """A loss of the nearest neighbours of every sample in the spaces of maps, which the
    energy makes of them.

    The data are one data set or one for each replica, all with the same classes.
    """

    def __init__(
        self,
        energy: Any,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        device: str,
    ) -> None:
        if not isinstance(energy.n_neighbors, Integral) or energy.n_neighbors < 1:
            raise ValueError(
                "n_neighbors of an energy must be a positive integer; "
                f"got {energy.n_neighbors!r}."
            )
        data = np.asarray(X, dtype=np.float64)
        stack: Array = data[None] if data.ndim == 2 else data  # (B, N, d)
        self.n_samples: int = stack.shape[1]
        if self.n_samples < 2:
            raise ValueError("Leave-one-out needs at least two samples; X has 1.")
        self.energy = energy
        self.device = device
        self.X: Array = stack - stack.mean(axis=1, keepdims=True)
        _, self.y, self.sizes = np.unique(y, return_inverse=True, return_counts=True)
        checked = checked_weights(sample_weight, stack)
        weights: Array = np.ones(stack.shape[:2]) if checked is None else checked
        # In units of the mean, because ones are summed without rounding.
        self.weights: Array = weights / weights.mean(axis=1, keepdims=True)
        self.n_neighbors: int = min(int(energy.n_neighbors), self.n_samples - 1)

    def __call__(self, A: Array) -> Array:
        rows = nearest_others(
            self.X @ np.swapaxes(A, 1, 2), self.n_neighbors, self.device
        )
        return self.energy.of_neighbors(
            rows, np.broadcast_to(self.weights, rows.shape[:2]), self.y, self.sizes
        )
