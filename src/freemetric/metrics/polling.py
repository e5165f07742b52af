"""A committee ready to be asked: what all its predictions share, made once."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..kernels import kernels_for
from .ensemble import Ensemble
from .mixture import Mixture
from .places import Places
from .shortlist import Shortlist, seen_in
from .views import View
from .voters import Voters

KEPT_BYTES = 256 << 20  # coordinates of the voters in all spaces; computed anew for the candidates beyond
# No attribute of a committee: predicting must not change it, and its file holds nothing that can be computed.
POLLS: "WeakKeyDictionary[object, Poll]" = WeakKeyDictionary()


class Space(NamedTuple):
    """One replica: its coordinates of the voters, and how its neighbours count."""

    ensemble: int  # its number
    replica: int  # its number in the ensemble
    weights: NDArray[np.float32]  # (K,) of every number of neighbours


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
        self.seen = seen_in(views, voters.X[self.places.rows])
        self.shortlist = Shortlist.of(matrices, self.seen)
        self.spaces = [
            Space(e, r, np.trim_zeros(row, "b").astype(np.float32) / len(ensemble))
            for e, (ensemble, row) in enumerate(zip(ensembles, mixture.weights, strict=True))
            for r in range(len(ensemble))
        ]
        width = sum(ensembles[space.ensemble].n_coordinates for space in self.spaces)
        small = 4 * width * len(self.places.rows) <= KEPT_BYTES
        self.coordinates = [self._mapped(space, self.seen) for space in self.spaces] if small else None

    def recall(self, X: NDArray, size: int, most_spaces: int = 8) -> float:
        """Share of the neighbours that vote for patterns X (n, d) that are on a shortlist of that size."""
        seen = seen_in(self.views, X)
        candidates, hits = self.shortlist.nearest(seen, size), []
        for number in np.unique(np.linspace(0, len(self.spaces) - 1, most_spaces).astype(int)):
            space = self.spaces[number]
            search = kernels_for("cpu").NearestNeighbors(self._mapped(space, self.seen))
            nearest = search.kneighbors(self._mapped(space, seen), min(len(space.weights), len(self.places.rows)))
            hits += [np.isin(some, listed).mean() for some, listed in zip(nearest, candidates, strict=True)]
        return float(np.mean(hits))

    def shares(self, X: NDArray, size: int | None, device: str) -> NDArray:
        """Mixed class shares (n, C) of patterns X (n, d); ``size`` candidates for each, all voters for None."""
        seen, M = seen_in(self.views, X), len(self.places.rows)
        candidates = self.shortlist.nearest(seen, M if size is None else size)
        asked, candidates, places = self._asked(candidates)
        total, vote = np.zeros((len(X), places.ballots.shape[1])), kernels_for(device).neighbor_shares
        for number, space in enumerate(self.spaces):
            Z = self.coordinates[number] if self.coordinates else self._mapped(space, asked)
            Q = self._mapped(space, seen)
            total += vote(Z, Q, candidates, places.counts, places.ballots, space.weights, device)
        return total

    def _asked(self, candidates):
        """The views of the candidates, their numbers among these, and what lies there: all where spaces are kept."""
        if self.coordinates:
            return self.seen, candidates, self.places
        rows, numbers = np.unique(candidates, return_inverse=True)
        asked = {name: V[rows] for name, V in self.seen.items()}
        p = self.places
        return asked, numbers.reshape(candidates.shape), Places(rows, rows, p.counts[rows], p.ballots[rows])

    def _mapped(self, space, seen):
        ensemble = self.ensembles[space.ensemble]
        V = seen[ensemble.candidate.view]
        Z = ensemble.form.map(V, ensemble.maps[space.replica]) if ensemble.form.learns else V
        return np.asarray(Z, dtype=np.float32)
