"""The GPU kernels in plain torch: all replicas in one batch, pairs in blocks of rows
that fit a memory budget.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..devices import Trials
from ..formulas import (
    Loss,
    Similarity,
    constant_loss,
    images,
    mean_loss,
    similarity,
    similarity_cost,
    slopes,
)

with suppress(ImportError):  # then this file can be read, not run
    import torch

BLOCK_BYTES = 1 << 30  # of one array of pairs; a gradient holds about four of them


class Data(NamedTuple):
    X: torch.Tensor  # (B, N, d) float32, centred
    weights: torch.Tensor  # (B, N) float32, of sum one
    y: torch.Tensor
    cost: Any  # a Similarity or a Loss
    scale: NDArray  # (B, m), what a constant prediction costs


class Lists(NamedTuple):
    rows: torch.Tensor  # (R, N, L)
    near: torch.Tensor  # similarities (R, N, L), or targets (R, m, N, L)


def prepare(
    X: NDArray,
    y: NDArray,
    cost: Similarity | Loss,
    device: str = "cuda",
    weights: NDArray | None = None,
) -> Data:
    is_there = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if not is_there[device.split(":")[0]]:
        raise ValueError(f"torch finds no device {device!r} on this machine.")
    X = np.asarray(X, dtype=np.float64)
    X = X - X.mean(axis=1, keepdims=True)
    weights = np.ones(X.shape[:2]) if weights is None else np.asarray(weights)
    weights = weights / weights.sum(axis=1, keepdims=True)
    y, scale = np.asarray(y), np.ones((len(X), 1))
    if isinstance(cost, Loss):
        scale = constant_loss(cost, y, weights)
    of_y = (
        torch.int32
        if isinstance(cost, Similarity) and cost.kind == "class"
        else torch.float32
    )
    X, weights, y = _on(device, X), _on(device, weights), _on(device, y, of_y)
    return Data(X, weights, y, cost, scale)


def _on(device, values, dtype=None):
    single = torch.float32 if dtype is None else dtype
    return torch.as_tensor(np.ascontiguousarray(values)).to(single).to(device)


def neighbor_lists(
    data: Data, A: NDArray, size: int, diagonal: bool = False, last: Any = None
) -> Lists:
    maps = _on(data.X.device, A)
    Z = images(data.X, maps, diagonal)
    square = (Z * Z).sum(2)
    found = []
    n_maps, n_samples = Z.shape[:2]
    for rows in _blocks(n_maps, n_samples, 8 * n_samples):
        # Squared distances but for a constant of each row.
        D = torch.baddbmm(square[:, None], Z[:, rows], Z.transpose(1, 2), alpha=-2)
        D.diagonal(offset=rows.start, dim1=1, dim2=2).fill_(torch.inf)
        found.append(D.topk(size, dim=2, largest=False).indices)
    rows = torch.cat(found, dim=1)
    if isinstance(data.cost, Similarity):
        y = data.y.expand(len(A), *data.y.shape[1:])
        near = similarity(data.cost.kind, y[:, :, None], _listed(y, rows), torch)
    else:
        y = data.y.expand(len(A), -1, -1)
        near = _listed(y.transpose(1, 2), rows).movedim(3, 1)
    return Lists(rows, near.to(torch.float32))


def _blocks(R, N, row_bytes):
    """Slices of rows of all replicas that fit the memory budget."""
    step = max(1, min(N, BLOCK_BYTES // (row_bytes * R)))
    return [slice(start, min(start + step, N)) for start in range(0, N, step)]


def _listed(values, rows):
    """Values (R, N, ...) of the samples on lists (R, n, L)."""
    replica = torch.arange(len(rows), device=rows.device)[:, None, None]
    return values[replica, rows]


def energy(
    data: Data, A: NDArray, lists: Lists | None = None, diagonal: bool = False
) -> NDArray:
    return _evaluate(data, A, lists, diagonal, with_gradient=False)[0]


def energy_and_gradient(
    data: Data, A: NDArray, lists: Lists | None = None, diagonal: bool = False
) -> tuple[NDArray, NDArray]:
    return _evaluate(data, A, lists, diagonal, with_gradient=True)


def _evaluate(data, A, lists, diagonal, with_gradient):
    maps = _on(data.X.device, A)
    X, w = (part.expand(len(A), *part.shape[1:]) for part in (data.X, data.weights))
    pairs = (AllPairs if lists is None else Listed)(data, X, w, maps, diagonal, lists)
    is_similar = isinstance(data.cost, Similarity)
    of_pairs = _similarity_forces if is_similar else _prediction_forces
    energies, forces = of_pairs(data, pairs, w)
    WX, s = torch.zeros_like(X), torch.zeros_like(w)
    for rows in pairs.blocks:
        W = forces(rows)
        if with_gradient:
            pairs.pull(W, rows, WX, s)
    gradient = None
    if with_gradient:
        half = s[..., None] * X - 2 * WX
        gradient = slopes(X, maps, diagonal, half).cpu().numpy().astype(np.float64)
    return energies().cpu().numpy().astype(np.float64), gradient


def _similarity_forces(data, pairs, w):
    """The energies (R,) after all rows were asked for their forces, and these forces
    dE/dD (R, n, L) of some rows.
    """
    parts = []

    def forces(rows):
        similar = pairs.near(rows).to(torch.float32)
        energies, W = similarity_cost(
            data.cost, pairs.chances(rows), similar, w[:, rows], torch
        )
        parts.append(energies)
        return W

    return lambda: torch.stack(parts).sum(0), forces


def _prediction_forces(data, pairs, w):
    """The same of predictions; what follows from their means is O(N), for which the CPU
    is good enough.
    """
    means, spreads = [], []
    for rows in pairs.blocks:
        P = pairs.chances(rows)[:, None]
        y = pairs.near(rows)
        mean = (P * y).sum(3)
        means.append(mean)
        spreads.append((P * (y - mean[..., None]) ** 2).sum(3))
    mean, spread = torch.cat(means, dim=2), torch.cat(spreads, dim=2)
    b = np.arange(len(w)) % len(data.y)
    on_cpu = [
        part.cpu().numpy().astype(np.float64) for part in (data.y, w, mean, spread)
    ]
    y, weights, *of_means = on_cpu
    energies, *slope = mean_loss(data.cost, y[b], weights, *of_means, data.scale[b])
    by_mean, by_variance = (_on(w.device, part) for part in slope)

    def forces(rows):
        apart = pairs.near(rows) - mean[:, :, rows, None]
        pull = by_mean[:, :, rows, None] * apart
        pull += by_variance[:, :, rows, None] * (apart**2 - spread[:, :, rows, None])
        return -pairs.chances(rows) * pull.sum(1)

    return lambda: torch.as_tensor(energies), forces


class AllPairs:
    """Samples X (R, N, d) with weights w (R, N) under maps, each with all others."""

    def __init__(self, data, X, w, maps, diagonal, lists):
        R, N, _ = X.shape
        self.X = X
        self.y = data.y
        self.Z = images(X, maps, diagonal)
        self.is_similar = isinstance(data.cost, Similarity)
        self.kind = data.cost.kind if self.is_similar else None
        self.level = torch.log(w) - (self.Z * self.Z).sum(2)
        n_columns = data.y.shape[1] if not self.is_similar else data.y[0, 0].numel()
        self.blocks = _blocks(R, N, 4 * N * n_columns)

    def chances(self, rows):
        """p_ij (R, n, N) of some rows."""
        x = torch.baddbmm(
            self.level[:, None], self.Z[:, rows], self.Z.transpose(1, 2), alpha=2
        )
        x.diagonal(offset=rows.start, dim1=1, dim2=2).fill_(-torch.inf)
        return torch.softmax(x, dim=2)

    def near(self, rows):
        """Similarities (R or 1, n, N), or targets (R or 1, m, 1, N) of all."""
        if not self.is_similar:
            return self.y[:, :, None]
        return similarity(self.kind, self.y[:, rows, None], self.y[:, None], torch)

    def pull(self, W, rows, WX, s):
        """Add what some rows of W give to W X and its column sums."""
        WX[:, rows] = W @ self.X
        s += W.sum(1)


class Listed:
    """The same, each sample with those on its list."""

    def __init__(self, data, X, w, maps, diagonal, lists):
        (R, N, d) = X.shape
        self.lists = lists
        self.X = X
        self.Z = images(X, maps, diagonal)
        self.log_w = torch.log(w)
        n_outputs = 1 if isinstance(data.cost, Similarity) else data.y.shape[1]
        self.blocks = _blocks(R, N, 4 * lists.rows.shape[2] * max(d, n_outputs))

    def chances(self, rows):
        """p_ij (R, n, L) of some rows."""
        listed = self.lists.rows[:, rows]
        apart = self.Z[:, rows, None] - _listed(self.Z, listed)
        x = _listed(self.log_w, listed) - (apart * apart).sum(3)
        return torch.softmax(x, dim=2)

    def near(self, rows):
        """Similarities (R, n, L), or targets (R, m, n, L)."""
        return self.lists.near[..., rows, :]

    def pull(self, W, rows, WX, s):
        """Add what some rows of W give to W X and its column sums."""
        listed = self.lists.rows[:, rows]
        WX[:, rows] = (W[:, :, None] @ _listed(self.X, listed))[:, :, 0]
        s.scatter_add_(1, listed.flatten(1), W.flatten(1))


def can_sweep(data: Data) -> bool:
    """Whether ``element_sweep`` takes such data: classes, and pairs that fit into a
    block.
    """
    is_class = isinstance(data.cost, Similarity) and data.cost.kind == "class"
    return is_class and 4 * data.X.shape[1] ** 2 <= BLOCK_BYTES


def element_sweep(
    data: Data, A: NDArray, trials: Trials, ridge: float = 0.0
) -> tuple[NDArray, NDArray, NDArray]:
    from .element_trials import sweep  # needs torch

    R = len(A)
    N = data.X.shape[1]
    step = max(1, BLOCK_BYTES // (4 * N**2))
    floor = data.cost.log_floor if isinstance(data.cost, Similarity) else 0.0
    out, energies = np.empty(A.shape), np.empty(R)
    accepted = np.empty(trials.rows.shape, dtype=bool)
    X, y, w = (
        part.expand(R, *part.shape[1:]) for part in (data.X, data.y, data.weights)
    )
    for start in range(0, R, step):
        part = slice(start, start + step)
        maps = _on(data.X.device, A[part], torch.float64).clone()
        samples = X[part], y[part], w[part], floor
        of_part = Trials(*(values[part] for values in trials))
        values, accepted[part] = sweep(*samples, maps, of_part, ridge)
        energies[part] = values.cpu().numpy()
        out[part] = maps.cpu().numpy()
    return out, energies, accepted
