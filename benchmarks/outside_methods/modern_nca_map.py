"""The map of ModernNCA and the votes of its soft neighbours, in torch."""

import math

from freemetric.extras import require

torch = require("torch", "outside")
nn = torch.nn


class PeriodicEmbedding(nn.Module):
    """Each number x as relu(W [cos 2 pi c x, sin 2 pi c x] + b): frequencies c of its own, W and b shared by all."""

    def __init__(self, n_features, n_frequencies, frequency_scale, d_embedding):
        super().__init__()
        self.frequencies = nn.Parameter(frequency_scale * torch.randn(n_features, n_frequencies))
        self.mix = nn.Linear(2 * n_frequencies, d_embedding)

    def forward(self, X):
        phase = 2 * math.pi * self.frequencies * X[..., None]  # (n, d, frequencies)
        return torch.relu(self.mix(torch.cat([phase.cos(), phase.sin()], dim=-1)))


class Block(nn.Module):
    """z + W2 dropout(relu(W1 norm(z)))."""

    def __init__(self, dim, d_block, dropout):
        super().__init__()
        self.change = nn.Sequential(
            nn.BatchNorm1d(dim), nn.Linear(dim, d_block), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_block, dim)
        )

    def forward(self, Z):
        return Z + self.change(Z)


class FeatureMap(nn.Module):
    """Embedded numbers beside flags as they are, a linear map, and residual blocks if any.

    Parameters
    ----------
    is_flag : ndarray of bool, (n_features,)
        Features of two values, which are not embedded.
    dim : int
        Dimension of the learned space.
    n_blocks, d_block, dropout :
        Residual blocks, their width, and the share of it that is dropped.
    n_frequencies, frequency_scale, d_embedding :
        Frequencies of a feature, their standard deviation at the start, and the width of its embedding.
    """

    def __init__(self, is_flag, *, dim, n_blocks, d_block, dropout, n_frequencies, frequency_scale, d_embedding):
        super().__init__()
        flags = torch.as_tensor(is_flag)
        self.register_buffer("numbers", torch.nonzero(~flags).flatten())
        self.register_buffer("flags", torch.nonzero(flags).flatten())
        self.embedding = PeriodicEmbedding(len(self.numbers), n_frequencies, frequency_scale, d_embedding)
        self.linear = nn.Linear(len(self.numbers) * d_embedding + len(self.flags), dim)
        self.blocks = nn.Sequential(*(Block(dim, d_block, dropout) for _ in range(n_blocks)))

    def forward(self, X):
        embedded = self.embedding(X[:, self.numbers]).flatten(1)
        return self.blocks(self.linear(torch.cat([embedded, X[:, self.flags]], dim=1)))


def soft_votes(Z, candidates, votes, temperature=1.0, *, leave_out_own=False):
    """Shares of the classes, softmax of minus the distances times ``votes`` (candidates, classes).

    With ``leave_out_own``, candidate i is row i itself and does not vote for it.
    """
    distances = torch.cdist(Z, candidates, compute_mode="donot_use_mm_for_euclid_dist")
    if leave_out_own:
        own = torch.eye(len(Z), len(candidates), dtype=torch.bool)
        distances = distances.masked_fill(own, torch.inf)
    return torch.softmax(-distances / temperature, dim=1) @ votes
