"""Out-of-bag predictions after the fit: which samples each replica left out, and what they get."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context

from ..files.checks import check_array, require
from ..kernels import kernels_for
from ..metrics import Member, TrainingSet
from ..metrics.index import KEPT_BYTES, Shortlist, mapped, seen_in
from .model import Ensemble


class OOBIndices:
    """Judges, and for every replica those that it left out: what it takes to ask them again after the fit.

    A bit for each replica and judge, so that the largest jury takes a hundred kilobytes.

    Parameters
    ----------
    rows : ndarray of shape (n_judges,)
        Numbers of the judges in the table that the learner was given.
    bits : ndarray of shape (n_replicas, ceil(n_judges / 8)) of uint8
        Whether a replica left a judge out of its bag, packed; replicas stand in the order of their ensembles.
    """

    def __init__(self, rows: NDArray, bits: NDArray[np.uint8]):
        self.rows, self.bits = rows, bits

    @classmethod
    def of(cls, rows: NDArray, left_out: Iterable[NDArray[np.bool_]]) -> "OOBIndices":
        """A jury of these rows, with an array (R, n_judges) for every ensemble that learns."""
        every = [np.empty((0, len(rows)), dtype=bool), *left_out]
        return cls(rows, np.packbits(np.concatenate(every), axis=1))

    def __len__(self) -> int:
        return len(self.rows)

    def left_out(self, members: Sequence[Member]) -> list[NDArray[np.bool_]]:
        """For every ensemble (R, n_judges): which judges its replicas left out, all where nothing is learned."""
        known = np.unpackbits(self.bits, axis=1, count=len(self.rows)).astype(bool)
        learned = np.split(known, np.cumsum([len(e.maps) for e in members if e.form.learns])[:-1])
        everyone, of_learned = np.ones((1, len(self.rows)), dtype=bool), iter(learned)
        return [next(of_learned) if member.form.learns else everyone for member in members]

    def check(self, members: Sequence[Member], training_set: TrainingSet) -> None:
        """ValueError unless the jury belongs to these metrics and rows."""
        n_replicas = sum(len(member.maps) for member in members if member.form.learns)
        require(len(self.bits) == n_replicas, "bits of OOBIndices", "are of other replicas")
        require(np.isin(self.rows, training_set.rows).all(), "rows of OOBIndices", "are not in the training set")

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "OOBIndices":
        rows, bits = state["rows"], state["bits"]
        check_array(rows, "rows of OOBIndices", 1, None, "iu")
        require(len(np.unique(rows)) == len(rows), "rows of OOBIndices", "are there twice")
        check_array(bits, "bits of OOBIndices", 2, None, "u")
        whole = bits.dtype == np.uint8 and bits.shape[1] == -(-len(rows) // 8)
        require(
            whole and not np.unpackbits(bits, axis=1)[:, len(rows) :].any(),
            "bits of OOBIndices",
            "are of other samples",
        )
        return cls(rows, bits)


def left_out_of(rows: NDArray, training_set: TrainingSet, bags: NDArray) -> NDArray[np.bool_]:
    """Which of the rows (n,), by their numbers in the table given, are not in bags (R, m) of these voters: (R, n)."""
    return np.array([~np.isin(rows, training_set.rows[bag]) for bag in bags], dtype=bool).reshape(len(bags), len(rows))


MOST_VOTERS = 16_384  # as in a search


class OOBPredictor:
    """Some judges, and for each the replicas that left it out, the voters but itself, and basins of other rows.

    Asked about the judges as they are it gives their out-of-bag probabilities: those of the fit, where all voters fit
    and all replicas are asked.

    Parameters
    ----------
    ensemble : Ensemble
        Metrics, mixture, voters and basins.
    oob_indices : OOBIndices
        Its judges.
    size : int
        Voters that are asked in every space, the nearest in the averaged metric.
    most_judges : int
        Judges to take, from all over the jury; only those that every ensemble left out.
    most_replicas : int
        Of an ensemble, from all over it.
    """

    def __init__(self, ensemble: Ensemble, oob_indices: OOBIndices, size: int, most_judges: int, most_replicas: int):
        self.ensemble, self.size = ensemble, size
        thinned = [_some(len(member), most_replicas) for member in ensemble.members]
        left_out = [some[kept] for some, kept in zip(oob_indices.left_out(ensemble.members), thinned, strict=True)]
        able = np.flatnonzero(np.all([some.any(axis=0) for some in left_out], axis=0))
        taken = able[_some(len(able), most_judges)]
        self.replicas = thinned
        self.left_out = [some[:, taken] for some in left_out]
        self.training_set, self.judges = _electorate(ensemble.training_set, oob_indices.rows[taken])
        self.X: NDArray = self.training_set.X[self.judges].astype(np.float64)
        self.y = self.training_set.y[self.judges]
        self.weights = None if self.training_set.weights is None else self.training_set.weights[self.judges]
        if len(taken):
            self._prepare()

    def _prepare(self):
        """What all questions share. Every judge has a place of its own behind all others: its place without it."""
        ensemble, places, n = self.ensemble, self.training_set.places, len(self.judges)
        self.places = places.of_row[self.judges]
        seen = seen_in(ensemble.views, self.training_set.X[places.rows])
        self.shortlist = Shortlist.of(ensemble.averaged_matrices(), seen)
        counts = places.counts[self.places] - 1
        votes = np.where(counts[:, None] > 0, places.votes[self.places] - self.training_set.votes(self.judges), 0.0)
        self.votes = (
            np.concatenate([places.counts, counts]),
            np.concatenate([places.votes, votes.astype(np.float32)]),
        )
        self.seen = {name: np.concatenate([V, V[self.places]]) for name, V in seen.items()}
        self.n_places = len(places.rows)
        width = sum(len(some) * e.n_coordinates for some, e in zip(self.replicas, ensemble.members, strict=True))
        self.spaces = [self._spaces(e) for e in range(len(self.replicas))] if self._fit(width, n) else None
        # a last k that nobody weighs: among the nearest may be the judge's own place, where nobody is left
        self.of_k = [np.append(np.trim_zeros(row, "b"), 0.0).astype(np.float32) for row in ensemble.weights]
        self.wholes = ensemble.head.left_out(self.training_set)

    def _fit(self, width, n):
        return 4 * width * (self.n_places + n) <= KEPT_BYTES

    def _spaces(self, number):
        member = self.ensemble.members[number]
        return [mapped(member, self.seen, int(r)) for r in self.replicas[number]]

    def answers(self, X: NDArray, asked: NDArray) -> NDArray[np.float64]:
        """What is predicted of the judges number ``asked`` (n,), were X (n, d) their features.

        Class probabilities (n, C), or numbers (n, 1).
        """
        return self.ensemble.head.answers(self.shares(X, asked), self.wholes(X, self.judges[asked]))

    def shares(self, X: NDArray, asked: NDArray) -> NDArray[np.float64]:
        """Shares (n, n_cells) of all votes that they get."""
        with config_context(assume_finite=True, skip_parameter_validation=True):
            return self._shares(seen_in(self.ensemble.views, X), asked)

    def _shares(self, seen, asked):
        candidates, out = self._candidates(seen, asked), np.zeros((len(asked), self.training_set.n_cells))
        vote = kernels_for("cpu").neighbor_shares
        for number, (member, replicas) in enumerate(zip(self.ensemble.members, self.replicas, strict=True)):
            left_out = self.left_out[number][:, asked]
            n_asked = left_out.sum(axis=0)[:, None]
            spaces = self._spaces(number) if self.spaces is None else self.spaces[number]
            for r, Z, fair in zip(replicas, spaces, left_out, strict=True):
                Q = mapped(member, seen, int(r))[:, fair]
                out[fair] += vote(Z, Q, candidates[fair], self.votes, self.of_k[number]) / n_asked[fair]
        return out

    def _candidates(self, seen, asked):
        """Places (n, size) to look at; in the place of a judge the one without it."""
        if self.size + 1 < self.n_places:
            places = self.shortlist.nearest(seen, self.size + 1)
        else:
            places = np.broadcast_to(np.arange(self.n_places, dtype=np.int32), (len(asked), self.n_places))
        own = (self.n_places + asked)[:, None]
        return np.where(places == self.places[asked][:, None], own, places).astype(np.int32)


def _some(n, most):
    """Numbers from all over n things, at most so many."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).round().astype(int)


def _electorate(training_set: TrainingSet, rows: NDArray) -> tuple[TrainingSet, NDArray[np.intp]]:
    """The voters, of very many a part from all over them with these rows in it; and the numbers of these rows."""
    order = np.argsort(training_set.rows)
    judges = order[np.searchsorted(training_set.rows, rows, sorter=order)]
    if len(training_set) <= MOST_VOTERS:
        return training_set, judges
    taken = np.union1d(_some(len(training_set), MOST_VOTERS - len(rows)), judges)
    return training_set.only(taken), np.searchsorted(taken, judges)
