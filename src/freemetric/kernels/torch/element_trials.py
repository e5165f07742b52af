"""A Monte Carlo step of NCA's energy by element moves on a GPU; nothing returns to Python between trials.

As in ``element_trials`` a trial changes h_ij = -log2(e) |z_i - z_j|^2 by (x_i - x_j) (a_i - a_j). Most trials are
rejected, so a round weighs the next ``width`` of them against the same state: the distances are computed once for all.
The first one accepted changes the state and ends the round; those after it are weighed again in the next.

A round is three kernels. ``weigh`` gives every sample's weight in every part, a stretch of samples of one class, and
the shift it is relative to; ``merge`` the weight outside the class over the whole; ``decide`` accepts and updates.
Many rounds are one CUDA graph; a round that finds no trial left does nothing. The samples' own weights have sum one
and enter h as their logarithms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .soft_neighbors import HAS_TRITON, jit

if HAS_TRITON:
    import torch
    from triton import cdiv, next_power_of_2
    from triton import language as tl

BLOCK = 128  # rows of a program of ``weigh``
WARPS = 4
CHUNK = 16  # columns between two looks at the shift
MERGED = 64  # rows of a program of ``merge``
ROUNDS = 64  # in one graph
PROGRAMS = 2048  # of ``weigh``, where there is work for so many: they fill a large card a few times
SHORTEST = 32  # part
WIDTHS = {0.1: 8, 0.4: 4, 1.0: 2}  # trials weighed together where at most this share was accepted before


@jit
def weigh(
    x, z, log_w, begin, end, cursor, rows, columns, deltas, top, total, x_stride, w_stride, M, n,
    p: tl.constexpr, K: tl.constexpr, I: tl.constexpr, J: tl.constexpr,
    LOG2E: tl.constexpr = 1.4426950408889634, FAR: tl.constexpr = -1e30,
):  # fmt: skip
    """Weights of I rows in one part after each of the next K trials: 2**top * total."""
    block, part, replica = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    t = tl.load(cursor + replica)
    if t >= n:
        return
    x += replica * x_stride
    z += replica * p * M
    log_w += replica * w_stride
    k = tl.arange(0, K)
    trial = replica * n + t + k
    r = tl.load(rows + trial, mask=t + k < n, other=0) * M
    c = tl.load(columns + trial, mask=t + k < n, other=0) * M
    delta = tl.load(deltas + trial, mask=t + k < n, other=0.0).to(tl.float32)
    per_z, per_x = -2 * LOG2E * delta, -LOG2E * delta * delta
    row = block * I + tl.arange(0, I)
    i = tl.minimum(row, M - 1)
    xi = tl.load(x + c[:, None] + i[None, :])
    ai = per_z[:, None] * tl.load(z + r[:, None] + i[None, :]) + per_x[:, None] * xi
    zi = ()
    for q in tl.static_range(p):
        zi += (tl.load(z + q * M + i),)  # type: ignore[assignment]
    m = tl.full((K, I), FAR, tl.float32)
    s = tl.zeros((K, I), tl.float32)
    stop = tl.load(end + part)
    for start in range(tl.load(begin + part), stop, J):
        j = tl.multiple_of(start + tl.arange(0, J), J)
        D = tl.zeros((J, I), tl.float32)
        for q in tl.static_range(p):
            gap = tl.load(z + q * M + j)[:, None] - zi[q][None, :]
            D += gap * gap
        h = tl.where((j[:, None] == row[None, :]) | (j[:, None] >= stop), FAR, tl.load(log_w + j)[:, None] - LOG2E * D)
        xj = tl.load(x + c[:, None] + j[None, :])
        aj = per_z[:, None] * tl.load(z + r[:, None] + j[None, :]) + per_x[:, None] * xj
        h = h[None, :, :] + (xi[:, None, :] - xj[:, :, None]) * (ai[:, None, :] - aj[:, :, None])
        higher = tl.maximum(m, tl.max(h, axis=1))
        s = s * tl.exp2(m - higher) + tl.sum(tl.exp2(h - higher[:, None, :]), axis=1)
        m = higher
    at = ((replica * tl.num_programs(1) + part) * K + k[:, None]) * M + row[None, :]
    tl.store(top + at, m, mask=row[None, :] < M)
    tl.store(total + at, s, mask=row[None, :] < M)


@jit
def merge(
    weights, label, part_label, cursor, top, total, wrong, w_stride, M, n, n_parts,
    K: tl.constexpr, I: tl.constexpr, P: tl.constexpr = 16, FAR: tl.constexpr = -1e30,
):  # fmt: skip
    """Sum over I rows of the share of weight outside the class, after one of the K trials."""
    block, k, replica = tl.program_id(0), tl.program_id(1), tl.program_id(2).to(tl.int64)
    if tl.load(cursor + replica) >= n:
        return
    i = block * I + tl.arange(0, I)
    own = tl.load(label + i, mask=i < M, other=-1)
    m = tl.full((I,), FAR, tl.float32)
    inside = tl.zeros((I,), tl.float32)
    outside = tl.zeros((I,), tl.float32)
    for first in range(0, n_parts, P):
        part = first + tl.arange(0, P)
        here = (part[:, None] < n_parts) & (i[None, :] < M)
        at = ((replica * n_parts + part[:, None]) * K + k) * M + i[None, :]
        h = tl.load(top + at, mask=here, other=FAR)
        higher = tl.maximum(m, tl.max(h, axis=0))
        w = tl.load(total + at, mask=here, other=0.0) * tl.exp2(h - higher[None, :])
        same = tl.load(part_label + part, mask=part < n_parts, other=-2)[:, None] == own[None, :]
        fade = tl.exp2(m - higher)
        inside = inside * fade + tl.sum(tl.where(same, w, 0.0), axis=0)
        outside = outside * fade + tl.sum(tl.where(same, 0.0, w), axis=0)
        m = higher
    weight = tl.load(weights + replica * w_stride + i, mask=i < M, other=0.0)
    share = weight * outside / tl.maximum(inside + outside, 1.0)  # the one that counts most counts 1
    tl.store(wrong + (replica * K + k) * tl.num_programs(0) + block, tl.sum(share.to(tl.float64)))


@jit
def decide(
    x, z, z64, A, energy, accepted, cursor, rows, columns, deltas, allowed, ridge, wrong,
    x_stride, M, n, p, d, n_blocks, K: tl.constexpr, B: tl.constexpr, I: tl.constexpr = 1024,
):  # fmt: skip
    """Accept the first of the K trials whose energy rises by no more than it may, and go on behind it."""
    replica = tl.program_id(0).to(tl.int64)
    t = tl.load(cursor + replica)
    if t >= n:
        return
    k, b = tl.arange(0, K), tl.arange(0, B)
    trial = replica * n + t + k
    live = t + k < n
    share = tl.load(wrong + (replica * K + k[:, None]) * n_blocks + b[None, :], mask=b[None, :] < n_blocks, other=0.0)
    E = tl.sum(share, axis=1)
    delta = tl.load(deltas + trial, mask=live, other=0.0)
    element = tl.load(rows + trial, mask=live, other=0) * d + tl.load(columns + trial, mask=live, other=0)
    a = tl.load(A + replica * p * d + element)
    rise = E - tl.load(energy + replica) + tl.load(ridge) * delta * (2 * a + delta)
    good = live & (rise <= tl.load(allowed + trial, mask=live, other=0.0))
    first = tl.min(tl.where(good, k, K))
    tl.debug_barrier()  # every thread has read the state before one changes it
    tl.store(cursor + replica, t + tl.minimum(first + 1, K))
    if first < K:
        at = replica * n + t + first
        r, c, change = tl.load(rows + at), tl.load(columns + at), tl.load(deltas + at)
        chosen = k == first
        tl.store(accepted + at, 1)
        tl.store(energy + replica, tl.sum(tl.where(chosen, E, 0.0)))
        tl.store(A + (replica * p + r) * d + c, tl.sum(tl.where(chosen, a, 0.0)) + change)
        for start in range(0, M, I):
            i = start + tl.arange(0, I)
            moved = (replica * p + r) * M + i
            xi = tl.load(x + replica * x_stride + c * M + i, mask=i < M, other=0.0)
            zi = tl.load(z64 + moved, mask=i < M, other=0.0) + change * xi
            tl.store(z64 + moved, zi, mask=i < M)
            tl.store(z + moved, zi.to(tl.float32), mask=i < M)


def layout(bounds: NDArray, length: int) -> tuple[NDArray, NDArray, NDArray]:
    """Samples laid out so that every class begins at a multiple of CHUNK.

    Returns the place of each sample, the class at each place (-1: none) and three rows with begin, end and class of
    the parts, which have at most ``length`` places, a multiple of CHUNK.
    """
    size = np.diff(bounds)
    room = -(-size // CHUNK) * CHUNK
    first = np.cumsum(room) - room
    place = np.arange(bounds[-1]) + np.repeat(first - bounds[:-1], size)
    label = np.full(-(-room.sum() // 16) * 16, -1)  # rows of x and z are aligned for any loads
    label[place] = np.repeat(np.arange(len(size)), size)
    spans = zip(first, first + size, strict=True)
    parts = [(b, min(b + length, end), c) for c, (begin, end) in enumerate(spans) for b in range(begin, end, length)]
    return place, label, np.array(parts).T


class Sweep:
    """n trials of each of R maps (p, d) on a stack X (B, N, d) of data sets; buffers and graphs serve every call."""

    def __init__(self, X, weights, bounds, R, p, n):
        def zeros(*shape, dtype=torch.float64):
            return torch.zeros(shape, dtype=dtype, device=X.device)

        B, N, d = X.shape
        n += 1  # one in front, which changes nothing and is always accepted, measures the energy
        length = max(SHORTEST, N * cdiv(N, BLOCK) * R // PROGRAMS)
        place, label, parts = layout(np.asarray(bounds), cdiv(length, CHUNK) * CHUNK)
        M, self.size = len(label), (R, len(label), n, p, d)
        self.label = torch.as_tensor(label, dtype=torch.int32, device=X.device)
        self.parts = torch.as_tensor(np.ascontiguousarray(parts), dtype=torch.int32, device=X.device)
        self.x = zeros(B, d, M, dtype=torch.float32)
        self.w = zeros(B, M, dtype=torch.float32)  # sum one; padding weighs nothing
        place = torch.as_tensor(place, device=X.device)
        self.x[:, :, place], self.w[:, place] = X.transpose(1, 2), weights
        self.log_w = torch.log2(self.w.clamp(min=torch.finfo(torch.float32).tiny))
        self.z, self.z64 = zeros(R, p, M, dtype=torch.float32), zeros(R, p, M)
        self.A, self.energy, self.ridge = zeros(R, p, d), zeros(R), zeros(1)
        self.rows, self.columns = zeros(2, R, n, dtype=torch.int32)
        self.deltas, self.allowed = zeros(2, R, n)
        self.accepted, self.cursor = zeros(R, n, dtype=torch.int8), zeros(R, dtype=torch.int32)
        self.cursor.fill_(n)
        widest = max(WIDTHS.values())
        self.top, self.total = zeros(2, R, parts.shape[1], widest, M, dtype=torch.float32)
        self.wrong = zeros(R, widest, cdiv(M, MERGED))
        self.acceptance, self.graphs = 1.0, {}

    def __call__(self, A, rows, columns, deltas, allowed, ridge):
        width = next(width for most, width in WIDTHS.items() if self.acceptance <= most)
        advance, n_rounds = self._rounds(width)
        self._start(A, (rows, columns, deltas, allowed), ridge)
        while (left := len(self.accepted[0]) - int(self.cursor.min())) > 0:
            for _ in range(max(1, left // (width * n_rounds))):  # surely needed: no look at the cursor between
                advance()
        accepted = self.accepted[:, 1:].cpu().numpy().astype(bool)
        self.acceptance = accepted.mean()
        A = self.A.cpu().numpy().copy()
        return A, self.energy.cpu().numpy() + ridge * (A**2).sum(axis=(1, 2)), accepted

    def _start(self, A, trials, ridge):
        self.A.copy_(torch.as_tensor(A))
        torch.matmul(self.A, self.x.double(), out=self.z64)
        self.z.copy_(self.z64)
        for buffer, values in zip((self.rows, self.columns, self.deltas, self.allowed), trials, strict=True):
            buffer[:, 1:] = torch.as_tensor(values)
        self.allowed[:, 0] = torch.inf
        self.ridge.fill_(ridge)
        for buffer in (self.energy, self.accepted, self.cursor):
            buffer.zero_()

    def _rounds(self, width):
        """A function that makes rounds, and how many of them."""
        if not self.x.is_cuda:  # triton's interpreter
            return lambda: self._round(width), 1
        if width not in self.graphs:
            self._round(width)  # compiles; there is no trial left
            self.graphs[width] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graphs[width]):
                for _ in range(ROUNDS):
                    self._round(width)
        return self.graphs[width].replay, ROUNDS

    def _round(self, K):
        R, M, n, p, d = self.size
        begin, end, part_label = self.parts
        x_stride, w_stride = (d * M, M) if len(self.x) > 1 else (0, 0)
        n_parts, n_blocks = len(begin), cdiv(M, MERGED)
        trials = self.cursor, self.rows, self.columns, self.deltas
        weigh[cdiv(M, BLOCK), n_parts, R](
            self.x, self.z, self.log_w, begin, end, *trials, self.top, self.total, x_stride, w_stride, M, n,
            p=p, K=K, I=BLOCK, J=CHUNK, num_warps=WARPS,
        )  # fmt: skip
        merge[n_blocks, K, R](
            self.w, self.label, part_label, self.cursor, self.top, self.total, self.wrong, w_stride, M, n, n_parts,
            K=K, I=MERGED,
        )  # fmt: skip
        decide[(R,)](
            self.x, self.z, self.z64, self.A, self.energy, self.accepted, *trials, self.allowed, self.ridge, self.wrong,
            x_stride, M, n, p, d, n_blocks, K=K, B=next_power_of_2(n_blocks),
        )  # fmt: skip
