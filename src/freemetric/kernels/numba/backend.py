"""The CPU kernels: compiled once per machine, serial, without Python's lock."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..devices import Trials
from ..formulas import Loss, Similarity, constant_loss, filled_up, images, similarity
from . import all_pairs, element_trials, listed_pairs
from .all_pairs import log_partition
from .large_margin import (
    Margin,
    farthest_move,
    kept_loss,
    reaches,
    searched_loss,
    triplet_loss,
)
from .learner_loops import DualAverage, descend, logdet_cycle, mean_hinge
from .nearest import others_in_order, others_nearest
from .rows import LOG2E

__all__ = [
    "DualAverage",
    "Margin",
    "descend",
    "element_sweep",
    "energy",
    "energy_and_gradient",
    "farthest_move",
    "kept_loss",
    "log_partition",
    "logdet_cycle",
    "mean_hinge",
    "neighbor_lists",
    "others_in_order",
    "others_nearest",
    "prepare",
    "reaches",
    "searched_loss",
    "triplet_loss",
]

MOST_SWEPT = 8000  # samples, whose pairs take 256 MB
f32 = np.float32


class Data(NamedTuple):
    X: np.ndarray  # (B, N, d) float32, centred, which keeps more digits of distances
    wide: np.ndarray  # (B, N, d') the same with columns of zeros; X is a view of it
    weights: np.ndarray  # (B, N) float32, of sum one
    log_weights: np.ndarray  # (B, N) float32, to base 2
    y: np.ndarray
    cost: Any  # a Similarity or a Loss
    scale: np.ndarray  # (B, m), what a constant prediction costs


class Lists(NamedTuple):
    rows: np.ndarray  # (R, N, L) uint64, of all replicas' samples one after another
    own: np.ndarray  # (R, N, L) int32, of the samples of one replica
    log_weights: np.ndarray  # (R, N, L) float32
    near: np.ndarray  # similarities (R, N, L), or targets (R, m, N, L)


def prepare(
    X: NDArray,
    y: NDArray,
    cost: Similarity | Loss,
    device: str = "cpu",
    weights: NDArray | None = None,
) -> Data:
    X = np.asarray(X, dtype=np.float64)
    X = X - X.mean(axis=1, keepdims=True)
    weights = np.ones(X.shape[:2]) if weights is None else np.asarray(weights)
    weights = weights / weights.sum(axis=1, keepdims=True)
    scale = np.ones((len(X), 1))
    y = np.asarray(y)
    if isinstance(cost, Loss):
        y = np.asarray(y, dtype=np.float64)
        scale = constant_loss(cost, y, weights)
    elif cost.kind == "class":
        y = y.astype(np.int32)
    else:
        y = y.astype(f32)
    wide = filled_up(X)
    log_weights = np.log2(weights).astype(f32)
    view = wide[:, :, : X.shape[2]]
    return Data(view, wide, weights.astype(f32), log_weights, y, cost, scale)


def neighbor_lists(
    data: Data,
    A: NDArray,
    size: int,
    diagonal: bool = False,
    last: Lists | None = None,
) -> Lists:
    b = np.arange(len(A)) % len(data.X)
    Z = images(data.X[b], A.astype(f32), diagonal)
    guess = None if last is None or len(last.own) != len(A) else last.own
    rows = others_nearest(Z, size, guess)
    if isinstance(data.cost, Similarity):
        y = data.y[np.arange(len(A)) % len(data.y)]
        near = similarity(data.cost.kind, y[:, :, None], _listed(y, rows)).astype(f32)
    else:
        targets = _listed(data.y[b].swapaxes(1, 2), rows)  # (R, N, L, m)
        near = np.ascontiguousarray(np.moveaxis(targets, 3, 1))
    first = rows.shape[1] * np.arange(len(A), dtype=np.uint64)[:, None, None]
    return Lists(
        first + rows.astype(np.uint64), rows, _listed(data.log_weights[b], rows), near
    )


def _listed(values, rows):
    """Values (R, N, ...) of the samples on lists (R, N, L)."""
    return values[np.arange(len(rows))[:, None, None], rows]


def energy(
    data: Data, A: NDArray, lists: Lists | None = None, diagonal: bool = False
) -> NDArray:
    if lists is None:
        return all_pairs.evaluate(data, A, diagonal, with_gradient=False)[0]
    return listed_pairs.evaluate(data, A, lists, diagonal, with_gradient=False)[0]


def energy_and_gradient(
    data: Data, A: NDArray, lists: Lists | None = None, diagonal: bool = False
) -> tuple[NDArray, NDArray]:
    if lists is None:
        return all_pairs.evaluate(data, A, diagonal, with_gradient=True)
    return listed_pairs.evaluate(data, A, lists, diagonal, with_gradient=True)


def can_sweep(data: Data) -> bool:
    """Whether ``element_sweep`` takes such data: classes, and pairs that fit into
    memory.
    """
    is_class = isinstance(data.cost, Similarity) and data.cost.kind == "class"
    return is_class and data.X.shape[1] <= MOST_SWEPT


def element_sweep(
    data: Data, A: NDArray, trials: Trials, ridge: float = 0.0
) -> tuple[NDArray, NDArray, NDArray]:
    A = np.array(A, dtype=np.float64, order="C")
    accepted, energies = np.zeros(trials.rows.shape, dtype=bool), np.empty(len(A))
    for r in range(len(A)):
        b = r % len(data.X)
        y = data.y[b % len(data.y)]
        order = np.argsort(y, kind="stable")  # samples class by class
        end = np.searchsorted(y[order], y[order], side="right")
        X = np.ascontiguousarray(data.X[b, order].T)
        z = A[r] @ X
        Z = (z - z.mean(axis=1, keepdims=True)).T.astype(f32)
        square = np.einsum("np,np->n", Z, Z)
        H = 2 * LOG2E * (Z @ Z.T) - LOG2E * (square[:, None] + square)
        np.fill_diagonal(H, element_trials.FAR)
        w = data.weights[b, order]
        of_one = [part[r] for part in trials]
        energies[r] = element_trials.sweep(
            H,
            X,
            z,
            end,
            w,
            f32(data.cost.log_floor),
            A[r],
            *of_one,
            float(ridge),
            accepted[r],
        )
    return A, energies, accepted
