"""A committee ready to be asked: what all its predictions share, made once."""

from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..kernels import kernels_for
from ..kernels.listed_neighbors import wide
from .ensemble import Ensemble
from .mixture import Mixture
from .places import Places
from .shortlist import Shortlist, seen_in
from .views import View
from .voters import Voters

BLOCK = 16_384  # rows that are looked at together
KEPT_BYTES = 256 << 20  # coordinates of the voters in all spaces; computed anew for the candidates beyond
# No attribute of a committee: predicting must not change it, and its file holds nothing that can be computed.
POLLS: "WeakKeyDictionary[object, Poll]" = WeakKeyDictionary()


class Poll:
    """The voters of a committee in every view, a shortlist over them, and the spaces in which they vote."""

    def __init__(
        self,
        views: Mapping[str, View],
        ensembles: Sequence[Ensemble],
        mixture: Mixture,
        voters: Voters,
        matrices: Mapping[str, NDArray],
    ) -> None:
        self.views, self.ensembles, self.places = views, ensembles, voters.places
        # of every number of neighbours in each space of an ensemble
        self.weights = [
            np.trim_zeros(row, "b").astype(np.float32) / len(ensemble)
            for ensemble, row in zip(ensembles, mixture.weights, strict=True)
        ]
        width = sum(len(ensemble) * wide(ensemble.n_coordinates) for ensemble in ensembles)
        are_few = 4 * width * len(self.places.rows) <= KEPT_BYTES
        self.seen = seen_in(views, voters.X[self.places.rows]) if are_few else self._seen_in_blocks(voters)
        self.shortlist = Shortlist.of(matrices, self.seen)
        self.coordinates = [mapped(ensemble, self.seen) for ensemble in ensembles] if are_few else None

    def _seen_in_blocks(self, voters):
        """Very many voters in every view, in single precision."""
        rows, seen = self.places.rows, {}
        for name, view in self.views.items():
            seen[name] = np.empty((len(rows), len(view.owner)), dtype=np.float32)
            for start in range(0, len(rows), BLOCK):
                part = slice(start, start + BLOCK)
                seen[name][part] = view(voters.X[rows[part]])
        return seen

    def recall(self, X: NDArray, size: int, most_spaces: int = 3) -> float:
        """Share of the neighbours that vote for patterns X (n, d) that are on a shortlist of that size.

        So many spaces of every ensemble are looked at, and count by its weight.
        """
        seen = seen_in(self.views, X)
        candidates, shares, trust = self.shortlist.nearest(seen, size), [], []
        query, M = np.arange(len(X))[:, None], len(self.places.rows)  # a number of its own for every place of a query
        for ensemble, weights in zip(self.ensembles, self.weights, strict=True):
            for r in np.unique(np.linspace(0, len(ensemble) - 1, most_spaces).astype(int)):
                search = kernels_for("cpu").NearestNeighbors(mapped(ensemble, self.seen, r)[0])
                nearest = search.kneighbors(mapped(ensemble, seen, r)[0], min(len(weights), M))
                shares.append(np.isin(nearest + M * query, candidates + M * query, kind="sort").mean())
                trust.append(len(ensemble) * weights.sum())
        return float(np.average(shares, weights=trust))

    def shares(self, X: NDArray, size: int | None, device: str) -> NDArray:
        """Mixed class shares (n, C) of patterns X (n, d); ``size`` candidates for each, all voters for None."""
        seen, M = seen_in(self.views, X), len(self.places.rows)
        if size is None or size >= M:
            candidates = np.broadcast_to(np.arange(M, dtype=np.int32), (len(X), M))
        else:
            candidates = self.shortlist.nearest(seen, size)
        asked, candidates, places = self._asked(candidates)
        total, vote = np.zeros((len(X), places.ballots.shape[1])), kernels_for(device).neighbor_shares
        votes = places.counts, places.ballots
        for number, (ensemble, weights) in enumerate(zip(self.ensembles, self.weights, strict=True)):
            if self.coordinates:
                Q = mapped(ensemble, seen)
                total += vote(self.coordinates[number], Q, candidates, *votes, weights, device)
                continue
            for r in range(len(ensemble)):  # one at a time, for the memory
                Z, Q = mapped(ensemble, asked, r), mapped(ensemble, seen, r)
                total += vote(Z, Q, candidates, *votes, weights, device)
        return total

    def _asked(self, candidates):
        """The views of the candidates, their numbers among these, and what lies there: all where spaces are kept."""
        if self.coordinates or candidates.shape[1] == len(self.places.rows):
            return self.seen, candidates, self.places
        rows, numbers = np.unique(candidates, return_inverse=True)
        places = Places(rows, rows, self.places.counts[rows], self.places.ballots[rows])
        asked = {name: V[rows] for name, V in self.seen.items()}
        return asked, numbers.reshape(candidates.shape).astype(np.int32), places


def mapped(ensemble: Ensemble, seen: Mapping[str, NDArray], replica: int | None = None) -> NDArray[np.float32]:
    """Coordinates (R, n, p') of patterns seen (n, d_view) in the spaces of all replicas, or in that of one, (1, n, p').

    Columns of zeros fill rows up to a length that the kernels like.
    """
    V = seen[ensemble.candidate.view]
    maps = ensemble.maps if replica is None else ensemble.maps[replica : replica + 1]
    out = np.zeros((len(ensemble) if replica is None else 1, len(V), wide(ensemble.n_coordinates)), dtype=np.float32)
    if not ensemble.form.learns:
        out[0, :, : V.shape[1]] = V
    for Z, A in zip(out, maps.astype(V.dtype), strict=ensemble.form.learns):
        Z[:, : ensemble.n_coordinates] = ensemble.form.map(V, A)
    return out
