"""NCA's energy and gradient on lists of neighbours, on a GPU: the differences of listed pairs as one dense array.

While a list stays, so do the differences x_i - x_j of its pairs: images, distances and forces of all of them are a few
large matrix products, in a fixed order of summation. Patterns are taken in blocks that fit the memory budget.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch


class Lists(NamedTuple):
    rows: "torch.Tensor"  # (R, N, L)
    same: "torch.Tensor"  # (R, N, L) float32, whether a pair shares a class, or how far it is alike


def lists_of(Z: "torch.Tensor", size: int, block_bytes: int) -> "torch.Tensor":
    """The ``size`` nearest others (R, N, size) of all patterns Z (R, N, p)."""
    import torch

    R, N, _ = Z.shape
    block = max(1, block_bytes // (8 * R * N))
    parts = []
    for start in range(0, N, block):
        distances = torch.cdist(Z[:, start : start + block], Z)
        distances.diagonal(offset=start, dim1=1, dim2=2)[:] = torch.inf
        parts.append(distances.topk(size, dim=2, largest=False).indices)
    return torch.cat(parts, dim=1)


def evaluate(
    X: "torch.Tensor",
    w: "torch.Tensor",
    A: "torch.Tensor",
    lists: Lists,
    log_floor: float,
    diagonal: bool,
    wants_gradient: bool,
    block_bytes: int,
) -> tuple["torch.Tensor", "torch.Tensor"]:
    """Costs (R,) and their gradients, of the shape of A, for patterns X (R, N, d) of weights w (R, N), sum one."""
    import torch

    R, N, d = X.shape
    cost, gradient = torch.zeros(R, dtype=torch.float64, device=X.device), torch.zeros_like(A)
    block = max(1, block_bytes // (4 * R * lists.rows.shape[2] * d))
    replica = torch.arange(R, device=X.device)[:, None, None]
    for start in range(0, N, block):
        some = slice(start, min(start + block, N))
        rows, same = lists.rows[:, some], lists.same[:, some]
        apart = (X[:, some, None] - X[replica, rows]).flatten(1, 2)  # (R, n L, d)
        images = apart * A if diagonal else torch.bmm(apart, A.transpose(1, 2))
        logits = torch.log(w[replica, rows]) - (images * images).sum(2).view(rows.shape)
        P = torch.softmax(logits, dim=2)
        p = (P * same).sum(2)
        costs = -torch.log(p + log_floor) if log_floor > 0 else 1 - p
        cost += (w[:, some] * costs).sum(1, dtype=torch.float64)
        if wants_gradient:
            slope = w[:, some] / (p + log_floor) if log_floor > 0 else w[:, some]
            force = (2 * P * (same - p[:, :, None]) * slope[:, :, None]).flatten(1)[:, :, None]
            if diagonal:
                gradient += (force * images * apart).sum(1, keepdim=True)
            else:
                gradient += torch.bmm((force * images).transpose(1, 2), apart)
    return cost, gradient
