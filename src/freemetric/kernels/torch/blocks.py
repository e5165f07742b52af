"""Energies, means of targets and their gradients on a GPU without triton: pairs in blocks that fit the memory budget.

``AllPairs`` are those of every sample with all others, ``Listed`` those with the neighbours on its list. While a list
stays, so do the differences x_i - x_j of its pairs: images, distances and forces of all of them are a few large matrix
products, in a fixed order of summation.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

with suppress(ImportError):  # then this file can be read, not run
    import torch


class Lists(NamedTuple):
    rows: torch.Tensor  # (R, N, L)
    same: torch.Tensor | None  # (R, N, L) float32, whether a pair shares a class, or how far it is alike


def lists_of(Z: torch.Tensor, size: int, block_bytes: int) -> torch.Tensor:
    """The ``size`` nearest others (R, N, size) of all samples Z (R, N, p)."""
    R, N, _ = Z.shape
    block = max(1, block_bytes // (8 * R * N))
    lengths, others = (Z * Z).sum(2)[:, None], Z.transpose(1, 2)
    parts = []
    for start in range(0, N, block):
        distances = torch.baddbmm(lengths, Z[:, start : start + block], others, alpha=-2)  # but for a constant of a row
        distances.diagonal(offset=start, dim1=1, dim2=2).fill_(torch.inf)
        parts.append(distances.topk(size, dim=2, largest=False, sorted=False).indices)
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)


class AllPairs:
    """Samples X (R, N, d) of weights w (R, N) and labels (N,) under maps A (R, p, d), each with all others."""

    def __init__(
        self, X: torch.Tensor, w: torch.Tensor, A: torch.Tensor, label: torch.Tensor | None, block_bytes: int
    ) -> None:
        self.X, self.w, self.label, self.Z = X, w, label, X @ A.transpose(1, 2)
        R, N, _ = X.shape
        self.block = max(1, min(N, block_bytes // (4 * R * N)))

    def blocks(self) -> Iterator[tuple[slice, torch.Tensor]]:
        """Samples, and the chances p_ij (R, n, N) of their neighbours."""
        Z, N = self.Z, self.Z.shape[1]
        nearer = torch.log(self.w) - (Z * Z).sum(2)
        for start in range(0, N, self.block):
            rows = slice(start, min(start + self.block, N))
            # log w_j - D_ij plus a constant per row
            P = torch.bmm(Z[:, rows], Z.transpose(1, 2)).mul_(2).add_(nearer[:, None, :])
            P.diagonal(offset=start, dim1=1, dim2=2)[:] = -torch.inf
            yield rows, torch.softmax(P, dim=2)

    def add_forces(self, F: torch.Tensor, W: torch.Tensor, rows: slice) -> None:
        """Add dE/dZ / 2 from W = dE/dD of these rows, whose row sums vanish."""
        F[:, rows] -= torch.bmm(W, self.Z)
        F -= torch.bmm(W.transpose(1, 2), self.Z[:, rows])
        F += W.sum(1)[:, :, None] * self.Z

    def evaluate(self, log_floor: float, wants_gradient: bool) -> tuple[torch.Tensor, torch.Tensor | None]:
        """NCA's costs (R,) and their gradients (R, p, d); the weights have sum one."""
        cost, F = torch.zeros(len(self.w), dtype=torch.float64, device=self.w.device), torch.zeros_like(self.Z)
        for rows, P in self.blocks():
            same = (self.label[rows, None] == self.label[None, :]).to(P.dtype)  # type: ignore[index]
            p = (P * same).sum(2)
            costs, slope = costs_of(p, self.w[:, rows], log_floor)
            cost += costs
            if wants_gradient:
                self.add_forces(F, P.mul_(same - p[:, :, None]).mul_(slope[:, :, None]), rows)
        return cost, 2 * F.transpose(1, 2) @ self.X if wants_gradient else None

    def targets(self, t: torch.Tensor) -> torch.Tensor:
        """Targets (R, N, n) of all."""
        return t

    def means(self, t: torch.Tensor) -> torch.Tensor:
        """Means (R, N, n) of the targets of all others."""
        return torch.cat([torch.bmm(P, t) for _, P in self.blocks()], dim=1)

    def gradient(self, t: torch.Tensor, means: torch.Tensor, slopes: torch.Tensor) -> torch.Tensor:
        """The gradient that follows from the slopes of the means."""
        F, level = torch.zeros_like(self.Z), (slopes * means).sum(2)
        for rows, P in self.blocks():
            by_target = torch.bmm(slopes[:, rows], t.transpose(1, 2))
            self.add_forces(F, P.mul_(level[:, rows, None] - by_target), rows)
        return 2 * F.transpose(1, 2) @ self.X


def costs_of(p: torch.Tensor, w: torch.Tensor, log_floor: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Costs (R,) of samples of weights w (R, n) that are right with chances p (R, n), and how fast they fall with p."""
    costs, slope = (-torch.log(p + log_floor), w / (p + log_floor)) if log_floor > 0 else (1 - p, w)
    return (w * costs).sum(1, dtype=torch.float64), slope


class Listed:
    """Samples X (R, N, d) of weights w (R, N) under maps A, or where ``diagonal`` weights of features (R, 1, d)."""

    def __init__(
        self, X: torch.Tensor, w: torch.Tensor, A: torch.Tensor, lists: Lists, diagonal: bool, block_bytes: int
    ) -> None:
        self.X, self.w, self.A, self.lists, self.diagonal = X, w, A, lists, diagonal
        self.block = max(1, block_bytes // (4 * len(X) * lists.rows.shape[2] * X.shape[2]))

    def blocks(self) -> Iterator[tuple]:
        """Samples, the differences (R, n L, d) to those on their lists, the images of these, and chances (R, n, L)."""
        replica = torch.arange(len(self.X), device=self.X.device)[:, None, None]
        for start in range(0, self.X.shape[1], self.block):
            some = slice(start, min(start + self.block, self.X.shape[1]))
            rows = self.lists.rows[:, some]
            apart = (self.X[:, some, None] - self.X[replica, rows]).flatten(1, 2)
            images = apart * self.A if self.diagonal else torch.bmm(apart, self.A.transpose(1, 2))
            logits = torch.log(self.w[replica, rows]) - (images * images).sum(2).view(rows.shape)
            yield some, apart, images, torch.softmax(logits, dim=2)

    def slope(self, W: torch.Tensor, apart: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        """dE/dA from W = dE/dD (R, n, L)."""
        force = 2 * W.flatten(1)[:, :, None]
        if self.diagonal:
            return (force * images * apart).sum(1, keepdim=True)
        return torch.bmm((force * images).transpose(1, 2), apart)

    def evaluate(self, log_floor: float, wants_gradient: bool) -> tuple[torch.Tensor, torch.Tensor | None]:
        """NCA's costs (R,) and their gradients, of the shape of A; the weights have sum one."""
        cost, gradient = torch.zeros(len(self.w), dtype=torch.float64, device=self.w.device), torch.zeros_like(self.A)
        for some, apart, images, P in self.blocks():
            same = self.lists.same[:, some]  # type: ignore[index]
            p = (P * same).sum(2)
            costs, slope = costs_of(p, self.w[:, some], log_floor)
            cost += costs
            if wants_gradient:
                gradient += self.slope(P * (same - p[:, :, None]) * slope[:, :, None], apart, images)
        return cost, gradient if wants_gradient else None

    def targets(self, t: torch.Tensor) -> torch.Tensor:
        """Targets (R, N, L, n) of those on the lists, from t (R, N, n)."""
        return t[torch.arange(len(t), device=t.device)[:, None, None], self.lists.rows]

    def means(self, t: torch.Tensor) -> torch.Tensor:
        """Means (R, N, n) of these targets."""
        parts = [(P[..., None] * t[:, some]).sum(2) for some, _, _, P in self.blocks()]
        return torch.cat(parts, dim=1)

    def gradient(self, t: torch.Tensor, means: torch.Tensor, slopes: torch.Tensor) -> torch.Tensor:
        """The gradient that follows from the slopes of the means."""
        total = torch.zeros_like(self.A)
        for some, apart, images, P in self.blocks():
            above = t[:, some] - means[:, some, None]
            W = -P * (above * slopes[:, some, None]).sum(3)
            total += self.slope(W, apart, images)
        return total
