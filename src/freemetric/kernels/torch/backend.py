"""The GPU kernels, all replicas in one batch: pairs tile by tile in triton, or stored in blocks that fit a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..numba.backend import ridge_regression as on_cpu
from ..numba.losses import KINDS, columns, cost
from ..protocol import Loss, Places, Trials

with suppress(ImportError):  # then this file can be read, not run
    import torch

from . import listed_trajectories
from .blocks import AllPairs, Listed, Lists, lists_of
from .element_trials import Sweep
from .soft_neighbors import HAS_TRITON, Pairs

BLOCK_BYTES = 1 << 30  # one (R, rows, N) float32 array; a gradient holds about four of them


class Data(NamedTuple):
    """Samples of classes, or where there are targets y of such that are alike."""

    X: torch.Tensor  # (B, N, d) float32, centred
    weights: torch.Tensor  # (B, N) float32, sum one
    log_floor: float
    sweeps: dict  # (R, p, n) -> Sweep, made at first use
    trajectories: dict  # shape of A, length of lists -> ListedPairs, likewise
    label: Any = None  # (N,)
    bounds: np.ndarray | None = None  # (C + 1,)
    pairs: Pairs | None = None  # where triton can visit them without storing any
    y: torch.Tensor | None = None  # (B, N) float32

    def same(self, rows: torch.Tensor) -> torch.Tensor:
        if self.y is None:
            return (self.label[rows] == self.label[:, None]).to(self.X.dtype)
        y = self.y.expand(len(rows), -1)
        apart = y[:, :, None] - torch.gather(y, 1, rows.flatten(1)).view(rows.shape)
        return torch.exp(-apart * apart)


class Targets(NamedTuple):
    X: torch.Tensor  # (B, N, d) float32, centred
    weights: torch.Tensor  # (B, N) float32, sum one
    t: torch.Tensor  # (B, N, n) float32: y and, where the loss needs it, y^2
    y: np.ndarray  # (B, m, N) of mean zero and variance one
    scale: np.ndarray  # (B, m)
    loss: Loss

    def same(self, rows: torch.Tensor) -> None:
        """Targets are neither the same nor alike; their means are taken."""


def prepare(
    X: NDArray, bounds: NDArray, device: str = "cuda", weights: NDArray | None = None, log_floor: float = 0.0
) -> Data:
    samples, shares = _samples(X, device, weights)
    bounds = np.asarray(bounds)
    label = torch.as_tensor(np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)), device=device)
    pairs = Pairs(samples, shares, bounds) if samples.is_cuda and HAS_TRITON else None
    return Data(samples, shares, log_floor, {}, {}, label, bounds, pairs)


def prepare_alike(
    X: NDArray, y: NDArray, device: str = "cuda", weights: NDArray | None = None, log_floor: float = 0.0
) -> Data:
    samples, shares = _samples(X, device, weights)
    return Data(samples, shares, log_floor, {}, {}, y=torch.as_tensor(y, dtype=samples.dtype, device=device))


def prepare_targets(
    X: NDArray, y: NDArray, scale: NDArray, loss: Loss, device: str = "cuda", weights: NDArray | None = None
) -> Targets:
    samples, shares = _samples(X, device, weights)
    t = torch.as_tensor(columns(loss.name, y)[:, :, 1:].copy(), dtype=samples.dtype, device=device)
    y, scale = np.ascontiguousarray(y, dtype=np.float64), np.ascontiguousarray(scale, dtype=np.float64)
    return Targets(samples, shares, t, y, scale, loss)


def _samples(X, device, weights):
    """Samples, centred, and weights with sum one."""
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if not available[device.split(":")[0]]:
        raise ValueError(f"device={device!r}, but torch finds no such device on this machine.")
    X = np.asarray(X, dtype=np.float64)
    X = X - X.mean(axis=1, keepdims=True)
    weights = np.ones(X.shape[:2]) if weights is None else np.asarray(weights)
    weights = weights / weights.sum(axis=1, keepdims=True)
    single = (np.ascontiguousarray(values, dtype=np.float32) for values in (X, weights))  # kernels count on the order
    return tuple(torch.as_tensor(values, device=device) for values in single)


def neighbor_lists(
    data: Data | Targets, A: NDArray, size: int, diagonal: bool = False, last: tuple[NDArray, Lists] | None = None
) -> Lists:
    maps = _maps(data, A)
    Z = data.X * maps if diagonal else data.X @ maps.transpose(1, 2)
    rows = lists_of(Z, size, BLOCK_BYTES)
    return Lists(rows, data.same(rows))


def energy(data: Data | Targets, A: NDArray, lists: Lists | None = None, diagonal: bool = False) -> NDArray:
    return _evaluate(data, A, lists, diagonal, wants_gradient=False)[0]


def energy_and_gradient(
    data: Data | Targets, A: NDArray, lists: Lists | None = None, diagonal: bool = False
) -> tuple[NDArray, NDArray]:
    return _evaluate(data, A, lists, diagonal, wants_gradient=True)


def _evaluate(data, A, lists, diagonal, wants_gradient):
    if diagonal and lists is None:
        energy, gradient = _evaluate(data, A * np.eye(A.shape[2]), None, False, wants_gradient)
        return energy, np.diagonal(gradient, axis1=1, axis2=2)[:, None] if wants_gradient else None
    if isinstance(data, Targets):
        pairs = _pairs_of(data, _maps(data, A), lists, diagonal)
        t = pairs.targets(data.t.expand(len(A), -1, -1))
        means = pairs.means(t)
        energy, slopes = _losses(data, means)
        return energy, pairs.gradient(t, means, slopes).cpu().numpy().astype(np.float64) if wants_gradient else None
    if lists is None and data.pairs is not None and A.shape[1] <= data.pairs.widest:
        with torch.cuda.device_of(data.X):
            found = data.pairs(A, data.log_floor, wants_gradient)
    elif (
        lists is not None
        and data.X.is_cuda
        and HAS_TRITON
        and listed_trajectories.fits(A.shape[2], lists.rows.shape[2], diagonal)
    ):
        with torch.cuda.device_of(data.X):
            return _trajectories(data, A, lists).evaluate(A, diagonal)
    else:
        found = _pairs_of(data, _maps(data, A), lists, diagonal).evaluate(data.log_floor, wants_gradient)
    energy, gradient = found
    return energy.cpu().numpy(), None if gradient is None else gradient.cpu().numpy().astype(np.float64)


def element_sweep(data: Data, A: NDArray, trials: Trials, ridge: float = 0.0) -> tuple[NDArray, NDArray, NDArray]:
    R, p, _ = A.shape
    size = R, p, trials[0].shape[1]
    with torch.cuda.device_of(data.X):
        if size not in data.sweeps:
            data.sweeps[size] = Sweep(data.X, data.weights, data.bounds, *size)
        return data.sweeps[size](A, *trials, ridge)


def trajectory(
    data: Data, start: tuple, lists: Lists, diagonal: bool = False, ridge: float | NDArray = 0.0
) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Where trajectories in E + ridge |A|^2 end, see ``ListedPairs.follow``; only where ``can_follow``."""
    with torch.cuda.device_of(data.X):
        return _trajectories(data, start[0], lists).follow(start, ridge, diagonal)


def _trajectories(data, A, lists):
    """Trajectories of maps of the shape of A, made at first use."""
    key = A.shape, lists.rows.shape[2]
    if key not in data.trajectories:
        data.trajectories[key] = listed_trajectories.ListedPairs(data.X, data.weights, data.log_floor, *key)
    return data.trajectories[key].near(lists)


def _maps(data, A):
    return torch.as_tensor(np.asarray(A), dtype=data.X.dtype, device=data.X.device)


def _pairs_of(data, A, lists, diagonal):
    """Pairs of samples under maps, in blocks: those on lists, or all."""
    X, w = data.X.expand(len(A), -1, -1), data.weights.expand(len(A), -1)
    if lists is None:
        return AllPairs(X, w, A, getattr(data, "label", None), BLOCK_BYTES)
    return Listed(X, w, A, lists, diagonal, BLOCK_BYTES)


def _losses(data, means):
    """Energies (R,) and dE/dmeans (R, N, n): O(N) numbers, for which the CPU is good enough."""
    said, w = means.cpu().numpy().astype(np.float64).swapaxes(1, 2).copy(), data.weights.cpu().numpy()
    slopes, (B, N) = np.empty_like(said), w.shape
    kind, w = KINDS[data.loss.name], N * w
    energy = [
        cost(kind, data.loss.quantile, said[r], data.y[r % B], w[r % B], data.scale[r % B], slopes[r])
        for r in range(len(said))
    ]
    return np.array(energy), torch.as_tensor(slopes.swapaxes(1, 2).copy(), dtype=means.dtype, device=means.device)


class NearestNeighbors:
    """Brute-force search, queries in blocks that fit the memory budget."""

    def __init__(self, Z: NDArray, device: str = "cuda", n_jobs: int | None = None) -> None:
        self.Z = torch.as_tensor(np.asarray(Z), dtype=torch.float32, device=device)

    def kneighbors(self, Q: NDArray, n_neighbors: int) -> NDArray:
        block = max(1, BLOCK_BYTES // (4 * len(self.Z)))
        parts = []
        for start in range(0, len(Q), block):
            some = torch.as_tensor(np.asarray(Q[start : start + block]), dtype=torch.float32, device=self.Z.device)
            parts.append(torch.cdist(some, self.Z).topk(n_neighbors, largest=False).indices)
        return torch.cat(parts).cpu().numpy()


def left_out_shares(
    spaces: Callable[..., Iterable[torch.Tensor]],
    seen: NDArray,
    maps: NDArray,
    outside: Sequence[NDArray],
    votes: tuple[Places, NDArray, NDArray, int],
    device: str = "cuda",
) -> NDArray[np.float32]:
    """Sums over spaces of the shares of votes (n, K, n_cells) that samples get without their own.

    ``spaces(seen, maps, ops)`` gives places (M, p) of every space, ``outside`` the numbers of the samples that get
    votes in it. ``votes`` are ``Places``, the places (n,) of the samples, their own votes (n, n_cells), and K.
    """
    (counts, votes_there), place, own, K = votes
    precise = torch.float32 if device.startswith("mps") else torch.float64
    V, A = (torch.as_tensor(values, dtype=precise, device=device) for values in (seen, maps))
    Z = torch.stack(list(spaces(V, A, torch)))
    Z = Z - Z.mean(dim=1, keepdim=True)
    tiny = torch.finfo(Z.dtype).tiny
    Z = (Z / Z.abs().amax(dim=(1, 2), keepdim=True).clamp(min=tiny)).float()  # few magnitudes fit single precision
    is_outside = np.zeros((len(Z), len(place)), dtype=np.float32)
    for row, numbers in zip(is_outside, outside, strict=True):
        row[numbers] = 1.0
    rows, at = (torch.as_tensor(np.asarray(some), device=device) for some in (counts, place))
    box, mine, counted = (
        torch.as_tensor(some, dtype=torch.float32, device=device) for some in (votes_there, own, is_outside)
    )
    lengths, M = (Z * Z).sum(2)[:, None], Z.shape[1]
    total = torch.zeros((len(place), K, box.shape[1]), device=device)
    block = max(1, BLOCK_BYTES // (4 * len(Z) * (M + 2 * K * K)))
    for some in torch.arange(len(place), device=device).split(block):
        # squared distances but for a constant of every row
        distances = torch.baddbmm(lengths, Z[:, at[some]], Z.transpose(1, 2), alpha=-2)
        nearest = distances.topk(min(K + 1, M), largest=False).indices
        is_own = nearest == at[some, None]
        n = rows[nearest] - is_own.long()
        others = (box[nearest] - mine[some, None] * is_own[..., None]) * (n > 0)[..., None]
        total[some] += (_shares(n, others, K) * counted[:, some, None, None]).sum(0)
    return total.cpu().numpy()


def _shares(n, votes, K):
    """Shares (R, m, K, C) of votes of the k = 1 to K nearest samples.

    The nearest places have n (R, m, S) samples and votes (R, m, S, C); of one that is not needed as a whole a part
    counts.
    """
    k, before = torch.arange(1, K + 1, device=n.device), n.cumsum(2) - n
    part = ((k[:, None] - before[:, :, None]) / n.clamp(min=1)[:, :, None]).clamp(0, 1)  # (R, m, K, S)
    counted = part @ votes
    return counted / counted.sum(3, keepdim=True)


def neighbor_shares(
    Z: NDArray, Q: NDArray, candidates: NDArray, places: tuple[NDArray, NDArray], weights: NDArray, device: str = "cuda"
) -> NDArray:
    counts, votes_there = places
    z, queries, box, w = (
        torch.as_tensor(values, dtype=torch.float32, device=device) for values in (Z, Q, votes_there, weights)
    )
    listed, rows = (torch.as_tensor(np.array(a), device=device).long() for a in (candidates, counts))
    K, S = len(weights), candidates.shape[1]
    block = max(1, BLOCK_BYTES // (4 * len(Z) * (S * Z.shape[2] + K * min(K, S))))
    out = torch.zeros((Q.shape[1], votes_there.shape[1]), device=device)
    for total, some, q in zip(out.split(block), listed.split(block), queries.split(block, dim=1), strict=True):
        distances = ((z[:, some] - q[:, :, None]) ** 2).sum(3)
        among = distances.topk(min(K, S), dim=2, largest=False).indices
        nearest = some.expand(len(z), -1, -1).gather(2, among)
        total += torch.einsum("k,rnkc->nc", w, _shares(rows[nearest], box[nearest], K))
    return out.cpu().numpy()


def weighted_squares(Q: NDArray, Z: NDArray, shares: NDArray, device: str = "cuda") -> NDArray[np.float32]:
    q, z, s = (torch.as_tensor(part, dtype=torch.float32, device=device) for part in (Q, Z, shares))
    squares = torch.tensordot(-2 * s[:, :, None] * q, z, dims=((0, 2), (0, 2)))
    squares += s.T @ (z * z).sum(2)
    squares += (s * (q * q).sum(2)).sum(0)[:, None]
    return squares.clamp_(min=0).cpu().numpy()


def ridge_regression(
    Z: NDArray, Y: NDArray, length: float, ridges: NDArray, some: NDArray, device: str = "cuda"
) -> tuple[NDArray, NDArray]:
    if device.startswith("mps"):  # which has no double precision
        return on_cpu(Z, Y, length, ridges, some)
    z, y, r = (torch.as_tensor(part, dtype=torch.float64, device=device) for part in (Z, Y, ridges))
    K = torch.cdist(z, z, compute_mode="donot_use_mm_for_euclid_dist").div_(-length).exp_()
    K.diagonal().add_(r)
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(K))
    return (inverse @ y).cpu().numpy(), inverse[torch.as_tensor(some, device=device)].cpu().numpy()
