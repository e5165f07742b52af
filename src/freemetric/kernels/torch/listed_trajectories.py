"""NCA's energy, its gradient and whole leapfrog trajectories on lists of neighbours, in triton.

A gradient is two kernels. ``pull`` visits the listed pairs of some samples and keeps nothing of them but its part of
the gradient; ``advance`` adds the parts up in a fixed order and makes the next leapfrog step. A trajectory is launched
as a whole: nothing returns to Python on the way. Maps and velocities are float64, pairs float32.

What belongs to trajectories of R maps lies in one array, so that one copy brings it and one takes it back: R time
steps, R ridges, then the maps of the start, maps, velocities and gradients, ``size`` numbers each, then R energies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .soft_neighbors import HAS_TRITON, jit

if HAS_TRITON:
    import torch
    from triton import cdiv, next_power_of_2
    from triton import language as tl

if TYPE_CHECKING:
    from .blocks import Lists

PARTS = 128  # of the samples: whatever R is, so that a replica's sums do not depend on the others
FEWEST = 4  # samples of a part
WIDEST, LARGEST = 128, 16_384  # features of a map, and numbers of all on a list, that the registers hold
PER_WARP = 1024  # numbers of a tile
ANY_SIZE = ["N", "L", "p", "d", "n_samples", "n_parts", "size", "x_stride", "w_stride"]


def fits(n_features: int, n_listed: int, diagonal: bool) -> bool:
    """Whether so many features of so many listed neighbours fit the registers."""
    return padded(n_listed) * padded(n_features) <= LARGEST and (diagonal or n_features <= WIDEST)


def padded(n: int) -> int:
    """The length of a tile's side."""
    return max(16, next_power_of_2(n))


@jit(do_not_specialize=ANY_SIZE)
def pull(
    X, w, rows, same, flight, parts, costs, log_floor, N, L, p, d, n_samples, x_stride, w_stride,
    K: tl.constexpr, P: tl.constexpr, D: tl.constexpr, DIAGONAL: tl.constexpr,
):  # fmt: skip
    """Costs and their slopes over n_samples samples i: sum_j W_ij A (x_i - x_j) (x_i - x_j)^T, W = 2 dE/dD."""
    part, replica, R = tl.program_id(0), tl.program_id(1).to(tl.int64), tl.num_programs(1)
    X += replica * x_stride
    w += replica * w_stride
    j, k, q = tl.arange(0, K), tl.arange(0, D), tl.arange(0, P)
    maps = flight + 2 * R + (R + replica) * p * d
    if DIAGONAL:
        a = tl.load(maps + k, mask=k < d, other=0.0).to(tl.float32)
        slopes = tl.zeros((D,), tl.float32)
    else:
        inside = (k[:, None] < d) & (q[None, :] < p)
        a = tl.load(maps + q[None, :] * d + k[:, None], mask=inside, other=0.0).to(tl.float32)  # (D, P)
        slopes = tl.zeros((P, D), tl.float32)
    cost = 0.0
    for i in range(part * n_samples, tl.minimum((part + 1) * n_samples, N)):
        at = (replica * N + i) * L + j
        row = tl.load(rows + at, mask=j < L, other=0)
        alike = tl.load(same + at, mask=j < L, other=0.0)
        x = tl.load(X + i * d + k, mask=k < d, other=0.0)
        apart = x[None, :] - tl.load(X + row[:, None] * d + k[None, :], mask=k[None, :] < d, other=0.0)
        image = apart * a[None, :] if DIAGONAL else tl.dot(apart, a, input_precision="tf32x3")
        logit = tl.where(j < L, tl.log(tl.load(w + row)) - tl.sum(image * image, axis=1), float("-inf"))
        chance = tl.exp(logit - tl.max(logit, axis=0))
        chance = chance / tl.sum(chance, axis=0)
        right, weight = tl.sum(chance * alike, axis=0), tl.load(w + i)
        if log_floor > 0:
            cost += -weight * tl.log(right + log_floor)
            weight = weight / (right + log_floor)
        else:
            cost += weight * (1 - right)
        pulled = (2 * weight * chance * (alike - right))[:, None] * image
        if DIAGONAL:
            slopes += tl.sum(pulled * apart, axis=0)
        else:
            slopes = tl.dot(tl.trans(pulled), apart, slopes, input_precision="tf32x3")
    to = replica * tl.num_programs(0) + part
    tl.store(costs + to, cost)
    if DIAGONAL:
        tl.store(parts + to * d + k, slopes, mask=k < d)
    else:
        at = to * p * d + q[:, None] * d + k[None, :]
        tl.store(parts + at, slopes, mask=(q[:, None] < p) & (k[None, :] < d))


@jit(do_not_specialize=ANY_SIZE)
def advance(
    flight, parts, costs, n_parts, size,
    LAST: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr, COSTS: tl.constexpr, FAR: tl.constexpr = 1e300,
):  # fmt: skip
    """Energy and gradient of one map plus ridge |A|^2, and the step that follows: of a lost map the velocity is NaN."""
    replica, R = tl.program_id(0).to(tl.int64), tl.num_programs(0)
    e, row = tl.arange(0, BLOCK), tl.arange(0, ROWS)
    inside = e < size
    start = flight + 2 * R + replica * size + e
    A, v, slope = start + R * size, start + 2 * R * size, start + 3 * R * size
    tau, ridge, a = tl.load(flight + replica), tl.load(flight + R + replica), tl.load(A, mask=inside, other=0.0)
    g = 2 * ridge * a
    for first in range(0, n_parts, ROWS):
        some = (first + row)[:, None]
        at = (replica * n_parts + some) * size + e[None, :]
        g += tl.sum(tl.load(parts + at, mask=(some < n_parts) & inside[None, :], other=0.0), axis=0).to(tl.float64)
    tl.store(slope, g, mask=inside)
    if LAST:
        tl.store(v, tl.load(v, mask=inside, other=0.0) - tau / 2 * g, mask=inside)
        c = tl.arange(0, COSTS)
        cost = tl.sum(tl.load(costs + replica * n_parts + c, mask=c < n_parts, other=0.0).to(tl.float64), axis=0)
        tl.store(flight + 2 * R + 4 * R * size + replica, cost + ridge * tl.sum(a * a, axis=0))
    else:
        faster = tl.load(v, mask=inside, other=0.0) - tau * g
        b = a + tau * faster
        is_lost = tl.max(tl.where(tl.abs(b) < FAR, 0, 1), axis=0) > 0  # NaN is not below it
        tl.store(v, tl.where(is_lost, float("nan"), faster), mask=inside)
        tl.store(A, tl.where(is_lost, tl.load(start, mask=inside, other=0.0), b), mask=inside)


compiled: set[tuple] = set()  # arguments that the kernels have run with: only then can they be recorded


class ListedPairs:
    """Trajectories of maps (R, p, d) of one shape over the listed pairs of samples X (B, N, d), w of sum one.

    Every kind of call is recorded once as a CUDA graph and then replayed: on small bags launches cost more than pairs.
    """

    def __init__(
        self, X: torch.Tensor, w: torch.Tensor, log_floor: float, shape: tuple[int, ...], n_listed: int
    ) -> None:
        (R, p, d), N = shape, X.shape[1]
        self.X, self.w, self.log_floor, self.shape, self.n_listed = X, w, float(log_floor), shape, n_listed
        self.n_samples = max(FEWEST, cdiv(N, PARTS))
        self.n_parts, self.planes = cdiv(N, self.n_samples), R * p * d  # numbers of maps, velocities, ...
        self.flight = torch.empty(3 * R + 4 * self.planes, dtype=torch.float64, device=X.device)
        self.parts = torch.empty((R, self.n_parts, p * d), device=X.device)
        self.costs = torch.empty((R, self.n_parts), device=X.device)
        self.rows = torch.empty((R, N, n_listed), dtype=torch.int64, device=X.device)
        self.same = torch.empty((R, N, n_listed), device=X.device)
        self.lists: Lists | None = None  # whose numbers are in rows and same
        self.graphs: dict[tuple, torch.cuda.CUDAGraph] = {}

    def near(self, lists: Lists) -> ListedPairs:
        """The same with these lists."""
        if lists is not self.lists:
            assert lists.same is not None
            self.lists = lists
            self.rows.copy_(lists.rows)
            self.same.copy_(lists.same)
        return self

    def evaluate(self, A: NDArray, diagonal: bool) -> tuple[NDArray, NDArray]:
        """Energies (R,) and gradients of maps A (R, p, d)."""
        R = len(A)
        self._launch([np.zeros(2 * R), A, A], 1, diagonal)
        end = self.flight[2 * R + 3 * self.planes :].cpu().numpy()
        return end[-R:], end[:-R].reshape(A.shape)

    def follow(self, start: tuple, ridge: float | NDArray, diagonal: bool) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """Maps, energies, gradients and velocities at the end of trajectories.

        ``start`` are maps, gradients and velocities (R, p, d), time steps (R,) and their number. A map that was lost on
        the way is where it began, and its velocity is NaN.
        """
        A, gradient, velocity, time_step, n_leapfrog = start
        R, tau = len(A), time_step[:, None, None]
        v = velocity - tau / 2 * gradient
        B = A + tau * v
        is_lost = ~np.isfinite(B).all(axis=(1, 2), keepdims=True)
        if is_lost.any():
            v, B = np.where(is_lost, np.nan, v), np.where(is_lost, A, B)
        self._launch([tau, np.broadcast_to(ridge, R), A, B, v], n_leapfrog, diagonal)
        end = self.flight[2 * R + self.planes :].cpu().numpy()
        maps, velocity, gradient = end[:-R].reshape(3, *A.shape)
        return maps, end[-R:], gradient, velocity

    def _launch(self, begin, n_leapfrog, diagonal):
        """Compute so many gradients, each but the last with a step after it."""
        numbers = np.concatenate([np.ravel(part) for part in begin])
        self.flight[: len(numbers)].copy_(torch.as_tensor(numbers))
        asked = n_leapfrog, diagonal
        kind = self.shape[1:], self.n_listed, self.parts.shape[1], diagonal, n_leapfrog > 1
        if asked not in self.graphs and (kind not in compiled or not self.X.is_cuda):
            compiled.add(kind)
            return self._gradients(*asked)
        if asked not in self.graphs:
            self.graphs[asked] = recorded(lambda: self._gradients(*asked))
        return self.graphs[asked].replay()

    def _gradients(self, n_leapfrog, diagonal):
        (R, p, d), N, L, size = self.shape, self.X.shape[1], self.n_listed, self.planes // self.shape[0]
        K, D, block = padded(L), padded(d), next_power_of_2(size)
        for left in reversed(range(n_leapfrog)):
            pull[self.n_parts, R](
                self.X, self.w, self.rows, self.same, self.flight, self.parts, self.costs, self.log_floor, N, L, p, d,
                self.n_samples, N * d if len(self.X) > 1 else 0, N if len(self.w) > 1 else 0,
                K=K, P=padded(p), D=D, DIAGONAL=diagonal, num_warps=min(8, max(1, K * D // PER_WARP)),
            )  # fmt: skip
            advance[R,](
                self.flight, self.parts, self.costs, self.n_parts, size, LAST=left == 0,
                BLOCK=block, ROWS=max(1, min(PARTS, 8192 // block)), COSTS=next_power_of_2(self.n_parts),
            )  # fmt: skip


def recorded(work: Callable[[], None]) -> torch.cuda.CUDAGraph:
    """The launches of some work as a graph; it allocates nothing, so that memory need not be cleaned up before."""
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        graph.capture_begin(capture_error_mode="thread_local")
        work()
        graph.capture_end()
    torch.cuda.current_stream().wait_stream(stream)
    return graph
