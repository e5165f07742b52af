"""Out-of-bag predictions after the fit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context

from ..files.checks import check_array, require
from ..kernels import cpu_kernels
from ..metrics import Member, TrainingSet
from ..metrics.index import KEPT_BYTES, Shortlist, mapped, seen_in
from .model import Ensemble

MOST_LOOKED_AMONG = 16_384  # as in a search


@dataclass(frozen=True, eq=False)
class OOBIndices:
    """Samples that were scored out of bag, and which of them every replica left out."""

    rows: NDArray  # (n_oob,) in the table given to fit
    bits: NDArray[np.uint8]  # (n_replicas, ceil(n_oob / 8)), packed; replicas are in the order of their members

    @classmethod
    def of(cls, rows: NDArray, left_out: Iterable[NDArray[np.bool_]]) -> "OOBIndices":
        """The indices of these rows, with an array (R, n_oob) for every member that learns."""
        every = [np.empty((0, len(rows)), dtype=bool), *left_out]
        return cls(rows, np.packbits(np.concatenate(every), axis=1))

    def __len__(self) -> int:
        return len(self.rows)

    def left_out(self, members: Sequence[Member]) -> list[NDArray[np.bool_]]:
        """For every member (R, n_oob): which samples its replicas left out, all where nothing is learned."""
        known = np.unpackbits(self.bits, axis=1, count=len(self.rows)).astype(bool)
        learned = np.split(known, np.cumsum([len(e.maps) for e in members if e.form.learns])[:-1])
        everyone, of_learned = np.ones((1, len(self.rows)), dtype=bool), iter(learned)
        return [next(of_learned) if member.form.learns else everyone for member in members]

    def check(self, members: Sequence[Member], training_set: TrainingSet) -> None:
        """ValueError unless they belong to these metrics and rows."""
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
        fit = whole and not np.unpackbits(bits, axis=1)[:, len(rows) :].any()
        require(fit, "bits of OOBIndices", "are of other samples")
        return cls(rows, bits)


class OOBPredictor:
    """Out-of-bag predictions for modified feature values; used by permutation importances and intervals.

    Every sample is predicted by the replicas that left it out, by all training samples but itself, and by densities of
    other samples. ``size`` training samples are looked at in every space; at most ``most_samples`` are predicted, by at
    most ``most_replicas`` of a member, both spread evenly. Only samples that every member left out are taken.
    """

    def __init__(self, ensemble: Ensemble, oob_indices: OOBIndices, size: int, most_samples: int, most_replicas: int):
        self.ensemble, self.size = ensemble, size
        replicas = [some_of(len(member), most_replicas) for member in ensemble.members]
        pairs = list(zip(ensemble.members, replicas, strict=True))
        self.members = [replace(member, maps=member.maps[r]) if member.form.learns else member for member, r in pairs]
        left_out = [some[r] for some, r in zip(oob_indices.left_out(ensemble.members), replicas, strict=True)]
        able = left_out_by_all(left_out)
        taken = able[some_of(len(able), most_samples)]
        self.left_out = [some[:, taken] for some in left_out]
        self.training_set, rows = ensemble.training_set, oob_indices.rows[taken]
        if (N := len(self.training_set)) > MOST_LOOKED_AMONG:
            others = some_of(N, MOST_LOOKED_AMONG - len(rows))
            self.training_set = self.training_set.only(np.union1d(others, numbers_of(rows, self.training_set.rows)))
        self.oob_samples = numbers_of(rows, self.training_set.rows)
        self.X: NDArray = self.training_set.X[self.oob_samples].astype(np.float64)
        self.y = self.training_set.y[self.oob_samples]
        self.weights = None if self.training_set.weights is None else self.training_set.weights[self.oob_samples]
        if len(taken):
            self._prepare()

    def _prepare(self):
        """Compute what all predictions share.

        Where places hold several samples, every sample has one more place, behind all others: without itself.
        """
        ensemble, places, n = self.ensemble, self.training_set.places, len(self.oob_samples)
        self.places = places.of_row[self.oob_samples]
        seen = seen_in(ensemble.views, self.training_set.X[places.rows])
        self.shortlist = Shortlist.of(ensemble.averaged_matrices(), seen)
        self.n_places, self.are_single = len(places.rows), places.have_one_vote
        if self.are_single:
            self.votes, self.seen = (places.counts[:0], places.votes), seen
        else:
            counts = places.counts[self.places] - 1
            own = self.training_set.votes(self.oob_samples)
            votes = np.where(counts[:, None] > 0, places.votes[self.places] - own, 0.0).astype(np.float32)
            self.votes = np.concatenate([places.counts, counts]), np.concatenate([places.votes, votes])
            self.seen = {name: np.concatenate([V, V[self.places]]) for name, V in seen.items()}
        width = sum(len(member) * member.n_coordinates for member in self.members)
        few = 4 * width * (self.n_places + n) <= KEPT_BYTES
        self.spaces = [_spaces(member, self.seen) for member in self.members] if few else None
        # one more k without weight: among the nearest may be the sample's own place, where nothing is left
        zero = [] if self.are_single else [0.0]
        self.of_k = [np.append(np.trim_zeros(row, "b"), zero).astype(np.float32) for row in ensemble.weights]
        self.wholes = ensemble.head.left_out(self.training_set)

    def answers(self, X: NDArray, numbers: NDArray) -> NDArray[np.float64]:
        """Probabilities or targets (n, m) of samples number ``numbers`` (n,), if their features were X (n, d)."""
        return self.ensemble.head.answers(self.shares(X, numbers), self.wholes(X, self.oob_samples[numbers]))

    def shares(self, X: NDArray, numbers: NDArray) -> NDArray[np.float64]:
        """Shares (n, n_cells) of all votes that they get."""
        size, views = len(self.oob_samples), self.ensemble.views  # queries at a time, for the memory
        with config_context(assume_finite=True, skip_parameter_validation=True):
            parts = (slice(start, start + size) for start in range(0, len(X), size))
            return np.concatenate([self._shares(seen_in(views, X[some]), numbers[some]) for some in parts])

    def _shares(self, seen, numbers):
        """The same for samples that are seen in the views."""
        candidates, out = self._candidates(seen, numbers), np.zeros((len(numbers), self.training_set.n_cells))
        for number, member in enumerate(self.members):
            fair, apart = self.left_out[number][:, numbers], member.form.keeps_apart
            shared = candidates, self.votes, self.of_k[number], member.diagonals() if apart else None
            for r in [None] if apart or self.spaces else range(len(member)):  # one at a time, for the memory
                Z = self.spaces[number] if self.spaces else _spaces(member, self.seen, r)
                used = fair if r is None else fair[r : r + 1]
                votes = cpu_kernels().shares_in_some(Z, _spaces(member, seen, r), used, *shared)
                out += votes / fair.sum(axis=0)[:, None]
        return out

    def _candidates(self, seen, numbers):
        """Places (n, size) to look at, without a sample's own one, or instead of it the one without the sample."""
        if self.size + 1 < self.n_places:
            places = self.shortlist.nearest(seen, self.size + 1)
        else:
            places = np.broadcast_to(np.arange(self.n_places, dtype=np.int32), (len(numbers), self.n_places))
        is_own = places == self.places[numbers][:, None]
        if self.are_single:
            is_own[~is_own.any(axis=1), -1] = True  # all keep as many: of other samples the farthest is left out
            return places[~is_own].reshape(len(numbers), -1)
        return np.where(is_own, (self.n_places + numbers)[:, None], places).astype(np.int32)


def _spaces(member, seen, replica=None):
    """Coordinates (R, n, p') of samples seen in the views; their view alone where spaces only weigh its columns."""
    if member.form.keeps_apart:
        return cpu_kernels().filled_up(seen[member.candidate.view])
    return mapped(member, seen, replica)


def some_of(n: int, most: int) -> NDArray[np.intp]:
    """Numbers from all over n things, at most so many."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).round().astype(int)


def left_out_by_all(left_out: Sequence[NDArray[np.bool_]]) -> NDArray[np.intp]:
    """The samples that some replica of every member left out, from which of them (R, n) each did."""
    return np.flatnonzero(np.all([some.any(axis=0) for some in left_out], axis=0))


def numbers_of(wanted: NDArray, rows: NDArray) -> NDArray[np.intp]:
    """The number of each of some wanted rows among all rows; -1 where it is none of them."""
    order = np.argsort(rows)
    at = np.searchsorted(rows, wanted, sorter=order).clip(max=len(rows) - 1)
    return np.where(rows[order[at]] == wanted, order[at], -1)
