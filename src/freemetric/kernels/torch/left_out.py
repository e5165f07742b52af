"""Out-of-bag votes on a GPU: nearest places and shares of votes in many spaces, added up where they are computed."""

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

    def add(self, Z: "torch.Tensor", numbers: NDArray, block_bytes: int) -> None:
        """Count the votes for samples number ``numbers`` in a space of places Z (M, p)."""
        import torch

        Z = Z - Z.mean(dim=0)
        Z = (Z / Z.abs().amax().clamp(min=torch.finfo(Z.dtype).tiny)).float()  # single precision holds few magnitudes
        lengths = (Z * Z).sum(1)
        for some in torch.as_tensor(numbers, device=Z.device).split(max(1, block_bytes // (4 * len(Z)))):
            distances = torch.addmm(lengths, Z[self.place[some]], Z.T, alpha=-2)  # but for a constant of every row
            nearest = distances.topk(min(len(self.k) + 1, len(Z)), largest=False).indices
            votes = self._votes(nearest, some)
            self.total[some] += votes / votes.sum(2, keepdim=True)

    def _votes(self, nearest, some):
        """Votes (n, K, C) of the k nearest samples; of a place that is not needed as a whole a part."""
        is_own = nearest == self.place[some, None]
        n = self.counts[nearest] - is_own.long()
        votes = (self.votes[nearest] - self.own[some, None] * is_own[:, :, None]) * (n > 0)[:, :, None]
        before = n.cumsum(1) - n
        part = ((self.k[:, None] - before[:, None, :]) / n.clamp(min=1)[:, None, :]).clamp(0, 1)  # (n, K, places)
        return part @ votes

    def sums(self) -> NDArray[np.float32]:
        """The sums so far."""
        return self.total.cpu().numpy()
