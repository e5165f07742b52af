"""Out-of-bag votes on a GPU: nearest places and shares of votes in many spaces, added up where they are computed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..protocol import Places

if TYPE_CHECKING:
    import torch


class LeftOutShares:
    """Sums over spaces of the shares of votes (n, K, C) that samples get, each without its own vote.

    ``place`` (n,) says where the samples lie, and ``own`` (n, C) what each of them votes for.
    """

    def __init__(self, places: Places, place: NDArray, own: NDArray, n_neighbors: int, device: str) -> None:
        import torch

        counts, votes = places
        self.counts, self.place = (torch.as_tensor(np.asarray(some), device=device) for some in (counts, place))
        self.votes, self.own = (torch.as_tensor(some, dtype=torch.float32, device=device) for some in (votes, own))
        self.k = torch.arange(1, n_neighbors + 1, device=device)
        self.total = torch.zeros((len(place), n_neighbors, votes.shape[1]), device=device)

    def add(self, Z: "torch.Tensor", outside: Sequence[NDArray], block_bytes: int) -> None:
        """Count the votes in R spaces of places Z (R, M, p), for the samples that are outside of each one's bag."""
        import torch

        Z = Z - Z.mean(dim=1, keepdim=True)
        tiny = torch.finfo(Z.dtype).tiny
        Z = (Z / Z.abs().amax(dim=(1, 2), keepdim=True).clamp(min=tiny)).float()  # few magnitudes fit single precision
        is_outside = np.zeros((len(Z), len(self.place)), dtype=np.float32)
        for row, numbers in zip(is_outside, outside, strict=True):
            row[numbers] = 1.0
        counts = torch.as_tensor(is_outside, device=Z.device)
        lengths, (K, M) = (Z * Z).sum(2)[:, None], (len(self.k), Z.shape[1])
        block = max(1, block_bytes // (4 * len(Z) * (M + 2 * K * K)))
        for some in torch.arange(len(self.place), device=Z.device).split(block):
            # squared distances but for a constant of every row
            distances = torch.baddbmm(lengths, Z[:, self.place[some]], Z.transpose(1, 2), alpha=-2)
            votes = self._votes(distances.topk(min(K + 1, M), largest=False).indices, some)
            shares = votes / votes.sum(3, keepdim=True)
            self.total[some] += (shares * counts[:, some, None, None]).sum(0)

    def _votes(self, nearest, some):
        """Votes (R, n, K, C) of the k nearest samples; of a place that is not needed as a whole a part."""
        is_own = nearest == self.place[some, None]
        n = self.counts[nearest] - is_own.long()
        votes = (self.votes[nearest] - self.own[some, None] * is_own[..., None]) * (n > 0)[..., None]
        before = n.cumsum(2) - n
        part = ((self.k[:, None] - before[:, :, None]) / n.clamp(min=1)[:, :, None]).clamp(0, 1)  # (R, n, K, places)
        return part @ votes

    def sums(self) -> NDArray[np.float32]:
        """The sums so far."""
        return self.total.cpu().numpy()
