"""What the patterns outside of their bags make of replicas: pure functions of maps and bags."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context

from ...metrics import Ensemble, Voters
from ...metrics.votes import NeighborVotes


class Ballots(NamedTuple):
    """Out-of-bag votes for the patterns that judge, summed over replicas."""

    shares: NDArray[np.float32]  # (n_judged, K, C) sums of shares of votes
    counts: NDArray[np.int32]  # (n_judged,) replicas that have not seen the pattern

    @classmethod
    def none(cls, n_judged: int, n_neighbors: int, n_cells: int) -> "Ballots":
        """No votes yet."""
        size = n_judged, n_neighbors, n_cells
        return cls(np.zeros(size, dtype=np.float32), np.zeros(n_judged, dtype=np.int32))

    def add(self, other: "Ballots") -> None:
        """Count more votes."""
        self.shares[:] += other.shares
        self.counts[:] += other.counts


def judge(
    ensemble: Ensemble, seen: NDArray, voters: Voters, bags: NDArray, judged: NDArray, n_neighbors: int, device: str
) -> Ballots:
    """Votes that the rows ``judged`` get in every replica's space, where they are not in its bag.

    All rows vote, each leaves itself out. ``seen`` (M, d_view) are the places of the voters in the ensemble's view;
    ``bags`` (R, n) the rows that each replica has learned on, (0, n) where nothing is learned.
    """
    ballots = Ballots.none(len(judged), n_neighbors, voters.n_cells)
    own = voters.ballots(judged)
    bags = bags if ensemble.form.learns else np.empty((1, 0), dtype=int)
    with config_context(assume_finite=True, skip_parameter_validation=True):  # checked once, not by every replica
        for Z, bag in zip(ensemble.spaces(seen), bags, strict=True):
            outside = ~np.isin(judged, bag)
            if outside.any():
                search = NeighborVotes(Z, voters.places, n_neighbors, None, device)
                numbers = np.flatnonzero(outside)
                search.add_left_out_shares(judged[numbers], own[numbers], numbers, ballots.shares)
                ballots.counts[numbers] += 1
    return ballots
