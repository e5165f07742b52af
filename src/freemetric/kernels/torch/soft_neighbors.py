"""NCA's energy and gradient on CUDA, tile by tile; no pair is ever written to memory.

With y = sqrt(log2(e)) z the weight of neighbour j is 2**(x_ij - m_i), x_ij = 2 y_i y_j + a_j, a_j = log2 w_j - |y_j|^2,
and m_i the largest x of row i. ``gather`` finds m_i and the weight inside and outside the class of every row, ``weigh``
the costs, and ``push`` the forces: W_ij = dE/dD_ij is 2**(2 y_i y_j + a_j + b_i) but for its sign, with one b_i for
neighbours inside the class and one for those outside. D is symmetric, so the program of row i knows W_ji as well and
no two programs write to one place. Samples are sorted by class: most tiles need neither labels nor the diagonal.

Products run on tensor cores in float16, every number the sum of two: 22 digits. A replica's y are scaled to the end of
float16's range, and so are its forces: W_ij is at most f_i = w_i p_i (1 - p_i), whose largest is known before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

try:
    import torch
    from triton import cdiv, jit, next_power_of_2
    from triton import language as tl

    HAS_TRITON = True
except ImportError:  # then this file can be read, not run
    HAS_TRITON = False

    def jit(*_: Callable, **__: list[str]) -> Callable:
        return jit


SQRT_LOG2E = 1.4426950408889634**0.5
PADDING = 128  # samples are padded to a multiple of it, a multiple of all tiles
FULL, PROGRAMS = 256, 2048  # programs that fill a large card, and so many that their ends do not matter
SHORTEST = 16  # tiles in a part where the card is full without
MOST_GRAPHS = 8  # each keeps its buffers


class Tiles(NamedTuple):
    rows: int
    columns: int
    num_warps: int
    num_stages: int


# by the rows of a map, padded; measured on an H200
GATHER = {16: Tiles(64, 128, 4, 2), 32: Tiles(64, 128, 4, 2), 64: Tiles(128, 64, 4, 2), 128: Tiles(128, 64, 8, 1),
          256: Tiles(128, 64, 8, 1)}  # fmt: skip
PUSH = {16: Tiles(64, 128, 4, 2), 32: Tiles(64, 128, 4, 2), 64: Tiles(64, 128, 4, 2), 128: Tiles(64, 64, 4, 2),
        256: Tiles(128, 64, 8, 1)}  # fmt: skip
ANY_SIZE = ["N", "n_tiles", "n_parts", "p", "w_stride"]  # one compiled function serves all of them


@jit(do_not_specialize=ANY_SIZE)
def split(
    Y, w, largest, y_high, y_low, a, N, M, p, w_stride,
    P: tl.constexpr, I: tl.constexpr, FAR: tl.constexpr = -1e30,
):  # fmt: skip
    """Both parts of y, scaled, and a; padding is infinitely far."""
    replica = tl.program_id(1).to(tl.int64)
    i, k = tl.program_id(0) * I + tl.arange(0, I), tl.arange(0, P)
    y = tl.load(Y + (replica * N + i[:, None]) * p + k[None, :], mask=(i[:, None] < N) & (k[None, :] < p), other=0.0)
    at = (replica * M + i[:, None]) * P + k[None, :]
    scaled = y * scale_of(largest + replica)
    high = scaled.to(tl.float16)
    tl.store(y_high + at, high)
    tl.store(y_low + at, (scaled - high.to(tl.float32)).to(tl.float16))
    weight = tl.load(w + replica * w_stride + i, mask=i < N, other=1.0)
    tl.store(a + replica * M + i, tl.where(i < N, tl.log2(weight) - tl.sum(y * y, axis=1), FAR))


@jit
def scale_of(largest):
    """The power of two that brings the largest of all y near the end of float16's range."""
    return tl.exp2(13 - tl.floor(tl.log2(tl.maximum(tl.load(largest), 1e-15))))


@jit
def products(high, low, other_high, other_low):
    """Scaled y_i y_j of a tile; the product of the low parts is below the rounding of float32."""
    dots = tl.dot(low, tl.trans(other_high))
    dots = tl.dot(high, tl.trans(other_low), dots)
    return tl.dot(high, tl.trans(other_high), dots)


@jit
def near_tiles(begin, end, first_row, N, start, stop, I: tl.constexpr, J: tl.constexpr):
    """Of the tiles [start, stop) those where rows may meet themselves or others of their classes."""
    last_row = tl.minimum(first_row + I, N) - 1
    first = tl.load(begin + first_row) // J
    last = (tl.load(end + last_row) + J - 1) // J
    return tl.minimum(tl.maximum(first, start), stop), tl.minimum(tl.maximum(last, start), stop)


@jit(do_not_specialize=ANY_SIZE)
def gather(
    y_high, y_low, a, begin, end, largest, top, inside, outside, N, M, n_tiles,
    P: tl.constexpr, I: tl.constexpr, J: tl.constexpr, FAR: tl.constexpr = -1e30,
):  # fmt: skip
    """Weights of I rows inside and outside their classes over one part of the samples, relative to 2**top."""
    block, part, replica = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    y_high += replica * M * P
    y_low += replica * M * P
    a += replica * M
    row, k = block * I + tl.arange(0, I), tl.arange(0, P)
    at = row[:, None] * P + k[None, :]
    high, low = tl.load(y_high + at), tl.load(y_low + at)
    scale = scale_of(largest + replica)
    twice = 2 / (scale * scale)
    m = tl.full((I,), FAR, tl.float32)
    same = tl.zeros((I,), tl.float32)
    other = tl.zeros((I,), tl.float32)
    start, stop = part * n_tiles, tl.minimum((part + 1) * n_tiles, M // J)
    near, far = near_tiles(begin, end, block * I, N, start, stop, I, J)
    for step in range(start, stop - (far - near)):
        j = tl.where(step < near, step, step + far - near) * J + tl.arange(0, J)
        there = j[:, None] * P + k[None, :]
        x = products(high, low, tl.load(y_high + there), tl.load(y_low + there)) * twice + tl.load(a + j)[None, :]
        higher = tl.maximum(m, tl.max(x, axis=1))
        fade = tl.exp2(m - higher)
        same = same * fade
        other = other * fade + tl.sum(tl.exp2(x - higher[:, None]), axis=1)
        m = higher
    label = tl.load(begin + row)
    for step in range(near, far):
        j = step * J + tl.arange(0, J)
        there = j[:, None] * P + k[None, :]
        x = products(high, low, tl.load(y_high + there), tl.load(y_low + there)) * twice + tl.load(a + j)[None, :]
        x = tl.where(row[:, None] == j[None, :], FAR, x)
        higher = tl.maximum(m, tl.max(x, axis=1))
        fade = tl.exp2(m - higher)
        weight = tl.exp2(x - higher[:, None])
        own = label[:, None] == tl.load(begin + j)[None, :]
        same = same * fade + tl.sum(tl.where(own, weight, 0.0), axis=1)
        other = other * fade + tl.sum(tl.where(own, 0.0, weight), axis=1)
        m = higher
    to = (part * tl.num_programs(2) + replica) * M + row
    tl.store(top + to, m)
    tl.store(inside + to, same)
    tl.store(outside + to, other)


@jit(do_not_specialize=ANY_SIZE)
def weigh(
    top, inside, outside, w, cost, f, b_same, b_other, log_floor, N, M, n_parts, w_stride,
    I: tl.constexpr, FAR: tl.constexpr = -1e30,
):  # fmt: skip
    """Costs of I rows, their largest forces f as log2, and the exponents b of their forces inside and outside."""
    replica, n_replicas = tl.program_id(1).to(tl.int64), tl.num_programs(1)
    i = tl.program_id(0) * I + tl.arange(0, I)
    m = tl.full((I,), FAR, tl.float32)
    same = tl.zeros((I,), tl.float32)
    other = tl.zeros((I,), tl.float32)
    for part in range(n_parts):
        at = (part * n_replicas + replica) * M + i
        x = tl.load(top + at)
        higher = tl.maximum(m, x)
        fade, weight = tl.exp2(m - higher), tl.exp2(x - higher)
        same = same * fade + tl.load(inside + at) * weight
        other = other * fade + tl.load(outside + at) * weight
        m = higher
    right, wrong = same / (same + other), other / (same + other)
    weight = tl.load(w + replica * w_stride + i, mask=i < N, other=0.0)
    if log_floor > 0:
        costs = -tl.log(right + log_floor)
        slope = weight / (right + log_floor)
    else:
        costs = wrong
        slope = weight
    b = tl.log2(slope / (same + other)) - m
    tl.store(cost + replica * M + i, weight * costs)
    tl.store(f + replica * M + i, tl.log2(slope) + tl.log2(right) + tl.log2(wrong))
    tl.store(b_same + replica * M + i, b + tl.log2(wrong))
    tl.store(b_other + replica * M + i, b + tl.log2(right))


@jit
def pulled(force, other_high, other_low, F):
    """F plus the forces times y_j; tensor cores do not round their long sums, so each tile begins its own."""
    cut = (force.to(tl.int32, bitcast=True) & -8192).to(tl.float32, bitcast=True)  # as many digits as float16 has
    rough, rest = cut.to(tl.float16), (force - cut).to(tl.float16)
    sums = tl.dot(rest, other_high)
    sums = tl.dot(rough, other_low, sums)
    return F + tl.dot(rough, other_high, sums)


@jit(do_not_specialize=ANY_SIZE)
def push(
    y_high, y_low, a, b_same, b_other, begin, end, largest, strongest, forces, N, M, n_tiles,
    P: tl.constexpr, I: tl.constexpr, J: tl.constexpr, LARGEST: tl.constexpr = 32768.0,
):  # fmt: skip
    """sum_j (W_ij + W_ji) (y_i - y_j) for I rows i and the j of one part."""
    block, part, replica = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    y_high += replica * M * P
    y_low += replica * M * P
    a += replica * M
    b_same += replica * M
    b_other += replica * M
    row, k = block * I + tl.arange(0, I), tl.arange(0, P)
    at = row[:, None] * P + k[None, :]
    high, low = tl.load(y_high + at), tl.load(y_low + at)
    scale = scale_of(largest + replica)
    twice = 2 / (scale * scale)
    shift = 14 - tl.maximum(tl.load(strongest + replica), -100.0)
    ai, out_i = tl.load(a + row)[:, None] + shift, tl.load(b_other + row)[:, None] + shift
    F = tl.zeros((I, P), tl.float32)
    total = tl.zeros((I,), tl.float32)
    start, stop = part * n_tiles, tl.minimum((part + 1) * n_tiles, M // J)
    near, far = near_tiles(begin, end, block * I, N, start, stop, I, J)
    for step in range(start, stop - (far - near)):
        j = tl.where(step < near, step, step + far - near) * J + tl.arange(0, J)
        there = j[:, None] * P + k[None, :]
        other_high, other_low = tl.load(y_high + there), tl.load(y_low + there)
        x = products(high, low, other_high, other_low) * twice
        force = tl.exp2(x + tl.load(a + j)[None, :] + out_i) + tl.exp2(x + tl.load(b_other + j)[None, :] + ai)
        force = tl.minimum(force, LARGEST)  # it is, but for rounding of huge distances
        total += tl.sum(force, axis=1)
        F = pulled(force, other_high, other_low, F)
    F, total = -F, -total
    in_i, label = tl.load(b_same + row)[:, None] + shift, tl.load(begin + row)
    for step in range(near, far):
        j = step * J + tl.arange(0, J)
        there = j[:, None] * P + k[None, :]
        other_high, other_low = tl.load(y_high + there), tl.load(y_low + there)
        x = products(high, low, other_high, other_low) * twice
        own = label[:, None] == tl.load(begin + j)[None, :]
        bj = tl.where(own, tl.load(b_same + j)[None, :], tl.load(b_other + j)[None, :])
        force = tl.exp2(x + tl.load(a + j)[None, :] + tl.where(own, in_i, out_i)) + tl.exp2(x + bj + ai)
        force = tl.minimum(force, LARGEST)
        force = tl.where(row[:, None] == j[None, :], 0.0, tl.where(own, force, -force))
        total += tl.sum(force, axis=1)
        F = pulled(force, other_high, other_low, F)
    # loaded again: kept from before the loops, they would take its registers
    y = tl.load(y_high + at, volatile=True).to(tl.float32) + tl.load(y_low + at, volatile=True).to(tl.float32)
    to = ((part * tl.num_programs(2) + replica) * M + row[:, None]) * P + k[None, :]
    tl.store(forces + to, (total[:, None] * y - F) * (tl.exp2(-shift) / scale))


class Graph:
    """A function of A as one CUDA graph: a dozen small launches cost more than the pairs of a small bag."""

    def __init__(self, function: Callable, A: torch.Tensor) -> None:
        self.A, self.graph = A, torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.result = function(A)

    def __call__(self, A: torch.Tensor) -> tuple:
        self.A.copy_(A)
        self.graph.replay()
        return self.result


class Pairs:
    """All pairs of samples of a stack X (B, N, d) of data sets, sorted by class, with weights (B, N) of sum one."""

    widest = max(PUSH)  # rows of a map that the registers hold

    def __init__(self, X: torch.Tensor, weights: torch.Tensor, bounds: NDArray) -> None:
        N = X.shape[1]
        self.X, self.weights, self.M = X, weights, cdiv(N, PADDING) * PADDING
        size = np.append(np.diff(bounds), self.M - N)  # padding is a class, too
        first = np.append(bounds[:-1], N)
        spans = np.repeat(np.array([first, first + size]), size, axis=1)
        self.begin, self.end = torch.as_tensor(spans, dtype=torch.int32, device=X.device)
        self.graphs: dict = {}  # arguments -> None after the first call, later their Graph

    def __call__(self, A: NDArray, log_floor: float, wants_gradient: bool) -> tuple:
        """Energies (R,) in float64 and, if wanted, gradients (R, p, d) of the maps A (R, p, d).

        They stay in place until the next call.
        """
        maps = torch.as_tensor(np.asarray(A, dtype=np.float32))
        asked = maps.shape, float(log_floor), wants_gradient
        if asked not in self.graphs or not self.X.is_cuda:
            if len(self.graphs) == MOST_GRAPHS:
                self.graphs.clear()
            self.graphs[asked] = None
            return self._evaluate(maps.to(self.X.device), log_floor, wants_gradient)
        if self.graphs[asked] is None:
            self.graphs[asked] = Graph(lambda A: self._evaluate(A, log_floor, wants_gradient), maps.to(self.X.device))
        return self.graphs[asked](maps)

    def _evaluate(self, A, log_floor, wants_gradient):
        (R, p, _), N, M = A.shape, self.X.shape[1], self.M
        P = max(16, next_power_of_2(p))
        w_stride = N if len(self.weights) > 1 else 0
        a, cost, f, b_same, b_other = torch.empty((5, R, M), device=A.device)
        Y = torch.matmul(self.X, (SQRT_LOG2E * A).transpose(1, 2))
        largest = torch.linalg.vector_norm(Y, torch.inf, dim=(1, 2))
        y = torch.empty((2, R, M, P), dtype=torch.float16, device=A.device)
        split[M // PADDING, R](Y, self.weights, largest, *y, a, N, M, p, w_stride, P=P, I=PADDING)

        tiles = GATHER[P]
        n_parts, n_tiles = self._parts(R, tiles)
        sums = torch.empty((3, n_parts, R, M), device=A.device)
        gather[M // tiles.rows, n_parts, R](
            *y, a, self.begin, self.end, largest, *sums, N, M, n_tiles, P=P, I=tiles.rows, J=tiles.columns,
            num_warps=tiles.num_warps, num_stages=tiles.num_stages,
        )  # fmt: skip
        weigh[M // PADDING, R](
            *sums, self.weights, cost, f, b_same, b_other, float(log_floor), N, M, n_parts, w_stride, I=PADDING
        )
        energy = cost[:, :N].sum(1, dtype=torch.float64)
        if not wants_gradient:
            return energy, None

        tiles = PUSH[P]
        n_parts, n_tiles = self._parts(R, tiles)
        forces = torch.empty((n_parts, R, M, P), device=A.device)
        push[M // tiles.rows, n_parts, R](
            *y, a, b_same, b_other, self.begin, self.end, largest, f.amax(1), forces, N, M, n_tiles,
            P=P, I=tiles.rows, J=tiles.columns, num_warps=tiles.num_warps, num_stages=tiles.num_stages,
        )  # fmt: skip
        dY = forces.sum(0)[:, :N, :p] if n_parts > 1 else forces[0, :, :N, :p]
        return energy, torch.matmul(dY.transpose(1, 2), self.X) * (2 / SQRT_LOG2E)

    def _parts(self, R, tiles):
        """Parts of the columns, so many that the programs fill the card, and the tiles of each."""
        n_blocks, n_tiles = R * (self.M // tiles.rows), self.M // tiles.columns
        length = max(cdiv(n_tiles, cdiv(PROGRAMS, n_blocks)), SHORTEST if n_blocks >= FULL else 1)
        return cdiv(n_tiles, length), length
