"""The judges of a committee, asked again: what would they have got out of bag, had their features other values?"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context

from ...kernels import kernels_for
from ...metrics import BaseCommittee, Committee, NumberCommittee, Voters
from ...metrics.polling import KEPT_BYTES, mapped
from ...metrics.shortlist import Shortlist, seen_in
from .crossing import CrossedBasins
from .jury import Jury

MOST_VOTERS = 16_384  # as in a search


class Hearing:
    """Some judges, and for each the replicas that left it out, the voters but itself, and basins of other rows.

    Asked about the judges as they are it gives their out-of-bag probabilities: those of the fit, where all voters fit
    and all replicas are asked.

    Parameters
    ----------
    committee : Committee
        Metrics, mixture, voters and basins.
    jury : Jury
        Its judges.
    size : int
        Voters that are asked in every space, the nearest in the averaged metric.
    most_judges : int
        Judges to take, from all over the jury; only those that every ensemble left out.
    most_replicas : int
        Of an ensemble, from all over it.
    """

    def __init__(self, committee: BaseCommittee, jury: Jury, size: int, most_judges: int, most_replicas: int):
        self.committee, self.size = committee, size
        thinned = [_some(len(ensemble), most_replicas) for ensemble in committee.ensembles]
        left_out = [some[kept] for some, kept in zip(jury.left_out(committee.ensembles), thinned, strict=True)]
        able = np.flatnonzero(np.all([some.any(axis=0) for some in left_out], axis=0))
        taken = able[_some(len(able), most_judges)]
        self.replicas = thinned
        self.left_out = [some[:, taken] for some in left_out]
        self.voters, self.judges = _electorate(committee.voters, jury.rows[taken])
        self.X: NDArray = self.voters.X[self.judges].astype(np.float64)
        self.y = self.voters.y[self.judges]
        self.weights = None if self.voters.weights is None else self.voters.weights[self.judges]
        if len(taken):
            self._prepare()

    def _prepare(self):
        """What all questions share. Every judge has a place of its own behind all others: its place without it."""
        committee, places, n = self.committee, self.voters.places, len(self.judges)
        self.places = places.of_row[self.judges]
        seen = seen_in(committee.views, self.voters.X[places.rows])
        self.shortlist = Shortlist.of(committee.averaged_matrices(), seen)
        counts = places.counts[self.places] - 1
        ballots = np.where(counts[:, None] > 0, places.ballots[self.places] - self.voters.ballots(self.judges), 0.0)
        self.votes = (
            np.concatenate([places.counts, counts]),
            np.concatenate([places.ballots, ballots.astype(np.float32)]),
        )
        self.seen = {name: np.concatenate([V, V[self.places]]) for name, V in seen.items()}
        self.n_places = len(places.rows)
        width = sum(len(some) * e.n_coordinates for some, e in zip(self.replicas, committee.ensembles, strict=True))
        self.spaces = [self._spaces(e) for e in range(len(self.replicas))] if self._fit(width, n) else None
        # a last k that nobody weighs: among the nearest may be the judge's own place, where nobody is left
        self.of_k = [np.append(np.trim_zeros(row, "b"), 0.0).astype(np.float32) for row in committee.mixture.weights]
        self.wholes = without_judges(committee, self.voters)

    def _fit(self, width, n):
        return 4 * width * (self.n_places + n) <= KEPT_BYTES

    def _spaces(self, number):
        ensemble = self.committee.ensembles[number]
        return [mapped(ensemble, self.seen, int(r)) for r in self.replicas[number]]

    def answers(self, X: NDArray, asked: NDArray) -> NDArray[np.float64]:
        """What is predicted of the judges number ``asked`` (n,), were X (n, d) their features.

        Class probabilities (n, C), or numbers (n, 1).
        """
        return self.committee.answers(self.shares(X, asked), self.wholes(X, self.judges[asked]))

    def shares(self, X: NDArray, asked: NDArray) -> NDArray[np.float64]:
        """Shares (n, n_cells) of all votes that they get."""
        with config_context(assume_finite=True, skip_parameter_validation=True):
            return self._shares(seen_in(self.committee.views, X), asked)

    def _shares(self, seen, asked):
        candidates, out = self._candidates(seen, asked), np.zeros((len(asked), self.voters.n_cells))
        vote = kernels_for("cpu").neighbor_shares
        for number, (ensemble, replicas) in enumerate(zip(self.committee.ensembles, self.replicas, strict=True)):
            left_out = self.left_out[number][:, asked]
            n_asked = left_out.sum(axis=0)[:, None]
            spaces = self._spaces(number) if self.spaces is None else self.spaces[number]
            for r, Z, fair in zip(replicas, spaces, left_out, strict=True):
                Q = mapped(ensemble, seen, int(r))[:, fair]
                out[fair] += vote(Z, Q, candidates[fair], *self.votes, self.of_k[number]) / n_asked[fair]
        return out

    def _candidates(self, seen, asked):
        """Places (n, size) to look at; in the place of a judge the one without it."""
        if self.size + 1 < self.n_places:
            places = self.shortlist.nearest(seen, self.size + 1)
        else:
            places = np.broadcast_to(np.arange(self.n_places, dtype=np.int32), (len(asked), self.n_places))
        own = (self.n_places + asked)[:, None]
        return np.where(places == self.places[asked][:, None], own, places).astype(np.int32)


def without_judges(committee: BaseCommittee, voters: Voters) -> Callable[[NDArray, NDArray], NDArray]:
    """What is known of the data as a whole of patterns (n, d), without the part that voters of these numbers had."""
    if isinstance(committee, NumberCommittee):
        return lambda X, numbers: committee.wholes(X)  # a single row hardly moves a trend
    assert isinstance(committee, Committee)
    return CrossedBasins([type(some) for some in committee.basins], voters)


def _some(n, most):
    """Numbers from all over n things, at most so many."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).round().astype(int)


def _electorate(voters: Voters, rows: NDArray) -> tuple[Voters, NDArray[np.intp]]:
    """The voters, of very many a part from all over them with these rows in it; and the numbers of these rows."""
    order = np.argsort(voters.rows)
    judges = order[np.searchsorted(voters.rows, rows, sorter=order)]
    if len(voters) <= MOST_VOTERS:
        return voters, judges
    taken = np.union1d(_some(len(voters), MOST_VOTERS - len(rows)), judges)
    return voters.only(taken), np.searchsorted(taken, judges)
