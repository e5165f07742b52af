"""NCA's energy and gradient on lists of neighbours, on a GPU: the differences of listed pairs as one dense array.

While a list stays, so do the differences x_i - x_j of its pairs: images, distances and forces of all of them are a few
large matrix products, in a fixed order of summation. Samples are taken in blocks that fit the memory budget.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch


class Lists(NamedTuple):
    rows: "torch.Tensor"  # (R, N, L)
    same: "torch.Tensor | None"  # (R, N, L) float32, whether a pair shares a class, or how far it is alike


def lists_of(Z: "torch.Tensor", size: int, block_bytes: int) -> "torch.Tensor":
    """The ``size`` nearest others (R, N, size) of all samples Z (R, N, p)."""
    import torch

    R, N, _ = Z.shape
    block = max(1, block_bytes // (8 * R * N))
    lengths, others = (Z * Z).sum(2)[:, None], Z.transpose(1, 2)
    parts = []
    for start in range(0, N, block):
        distances = torch.baddbmm(lengths, Z[:, start : start + block], others, alpha=-2)  # but for a constant of a row
        distances.diagonal(offset=start, dim1=1, dim2=2).fill_(torch.inf)
        parts.append(distances.topk(size, dim=2, largest=False, sorted=False).indices)
    return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)


class Listed:
    """Samples X (R, N, d) of weights w (R, N) under maps A, or where ``diagonal`` weights of features (R, 1, d)."""

    def __init__(
        self,
        X: "torch.Tensor",
        w: "torch.Tensor",
        A: "torch.Tensor",
        lists: Lists,
        diagonal: bool,
        block_bytes: int,
    ) -> None:
        self.X, self.w, self.A, self.lists, self.diagonal = X, w, A, lists, diagonal
        self.block = max(1, block_bytes // (4 * len(X) * lists.rows.shape[2] * X.shape[2]))

    def blocks(self) -> Iterator[tuple]:
        """Samples, the differences (R, n L, d) to those on their lists, the images of these, and chances (R, n, L)."""
        import torch

        replica = torch.arange(len(self.X), device=self.X.device)[:, None, None]
        for start in range(0, self.X.shape[1], self.block):
            some = slice(start, min(start + self.block, self.X.shape[1]))
            rows = self.lists.rows[:, some]
            apart = (self.X[:, some, None] - self.X[replica, rows]).flatten(1, 2)
            images = apart * self.A if self.diagonal else torch.bmm(apart, self.A.transpose(1, 2))
            logits = torch.log(self.w[replica, rows]) - (images * images).sum(2).view(rows.shape)
            yield some, apart, images, torch.softmax(logits, dim=2)

    def slope(self, W: "torch.Tensor", apart: "torch.Tensor", images: "torch.Tensor") -> "torch.Tensor":
        """dE/dA from W = dE/dD (R, n, L)."""
        import torch

        force = 2 * W.flatten(1)[:, :, None]
        if self.diagonal:
            return (force * images * apart).sum(1, keepdim=True)
        return torch.bmm((force * images).transpose(1, 2), apart)


def evaluate(listed: Listed, log_floor: float, wants_gradient: bool) -> tuple["torch.Tensor", "torch.Tensor"]:
    """NCA's costs (R,) and their gradients, of the shape of A; the weights have sum one."""
    import torch

    w = listed.w
    cost, gradient = torch.zeros(len(w), dtype=torch.float64, device=w.device), torch.zeros_like(listed.A)
    for some, apart, images, P in listed.blocks():
        same = listed.lists.same[:, some]  # type: ignore[index]
        p = (P * same).sum(2)
        costs = -torch.log(p + log_floor) if log_floor > 0 else 1 - p
        cost += (w[:, some] * costs).sum(1, dtype=torch.float64)
        if wants_gradient:
            slope = w[:, some] / (p + log_floor) if log_floor > 0 else w[:, some]
            gradient += listed.slope(P * (same - p[:, :, None]) * slope[:, :, None], apart, images)
    return cost, gradient


class Means:
    """Means (R, N, n) of the targets t (R, N, n) of those on the lists, and what follows from their slopes."""

    def __init__(self, listed: Listed, t: "torch.Tensor") -> None:
        import torch

        replica = torch.arange(len(t), device=t.device)[:, None, None]
        self.listed, self.t = listed, t[replica, listed.lists.rows]  # (R, N, L, n)

    def means(self) -> "torch.Tensor":
        import torch

        parts = [(P[..., None] * self.t[:, some]).sum(2) for some, _, _, P in self.listed.blocks()]
        self.known = torch.cat(parts, dim=1)
        return self.known

    def gradient(self, slopes: "torch.Tensor") -> "torch.Tensor":
        import torch

        total = torch.zeros_like(self.listed.A)
        for some, apart, images, P in self.listed.blocks():
            above = self.t[:, some] - self.known[:, some, None]
            W = -P * (above * slopes[:, some, None]).sum(3)
            total += self.listed.slope(W, apart, images)
        return total
