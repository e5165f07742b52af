"""The neighbour index of an ensemble: a shortlist in the averaged metric, then every metric's own distances."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels import cpu_kernels, kernels_for
from .averaged_metric import WIDE, followed_by, image, root, singular_vectors, some_rows
from .forms import Member
from .training_set import TrainingSet
from .views import View

MANY_PLACES = 16_384  # from which it pays to look at some cells only
CELLS_FOR = 8  # one cell is searched for so many neighbours wanted
MOST_AXES, ENOUGH = 32, 0.999  # of the averaged metric: as many as make up this share of the squared distances
BLOCK = 16_384  # rows that are mapped at a time
SEARCHED = 1 << 18  # places that are searched at a time
FARTHEST = 1e15  # of a coordinate; where rows are, views give some units


class Shortlist(NamedTuple):
    """Places (M,) by their coordinates in the averaged metric, ready to be searched."""

    maps: dict[str, NDArray]  # by view, (d_view, q): the images of all views add up to the coordinates
    centre: NDArray  # (q,)
    places: NDArray[np.float32] | None  # (M, q + 1)
    cells: Any  # where there are many

    @classmethod
    def of(cls, matrices: Mapping[str, NDArray], seen: Mapping[str, NDArray]) -> "Shortlist":
        """The shortlist of places seen (M, d_view) in every view, under the averaged matrices of the views."""
        maps = _principal_maps(matrices, seen)
        some = {name: some_rows(seen[name]) for name in maps}
        centre = _images(maps, some, 0.0).mean(axis=0) if maps else np.zeros(1)
        Z = _images(maps, seen, centre)
        if len(Z) < MANY_PLACES:
            return cls(maps, centre, cpu_kernels().as_places(Z), None)
        return cls(maps, centre, None, cpu_kernels().Cells.of(Z))

    def nearest(self, seen: Mapping[str, NDArray], size: int, device: str = "cpu") -> NDArray[np.int32]:
        """Numbers (n, size) of the places nearest to queries seen (n, d_view) in every view, nearest first.

        A GPU looks at all of them, however many.
        """
        Q = _images(self.maps, seen, self.centre)
        if device not in ("cpu", "reference"):
            places = self.places if self.cells is None else self.cells.rows
            assert places is not None
            search = kernels_for(device).NearestNeighbors(places[:, : Q.shape[1]], device)
            found = search.kneighbors(Q, min(size, len(places)))
            return (found if self.cells is None else self.cells.numbers[found]).astype(np.int32)
        if self.cells is not None:
            M = len(self.cells.numbers)
            return self.cells.nearest(Q, min(size, M), max(1, size // CELLS_FOR))
        assert self.places is not None
        cpu = cpu_kernels()
        return cpu.nearest(cpu.as_queries(Q), self.places, min(size, len(self.places)))


def seen_in(views: Mapping[str, View], X: NDArray) -> dict[str, NDArray]:
    """Samples X (n, d) in every view, none so far away that single precision cannot square it."""
    with np.errstate(over="ignore", invalid="ignore"):
        seen = {name: view(X) for name, view in views.items()}
        near = {name: np.abs(V).max(initial=0.0) <= FARTHEST for name, V in seen.items()}  # not where V has NaN
    return {name: V if near[name] else np.clip(np.nan_to_num(V), -FARTHEST, FARTHEST) for name, V in seen.items()}


def _principal_maps(matrices, seen):
    """Maps (d_view, q) of the views onto the principal axes of the averaged metric; those of little length are left."""
    roots = {name: root(M) for name, M in matrices.items()}
    if not roots:
        return {}
    width = sum(map(len, roots.values()))
    images = np.hstack([image(B, some_rows(seen[name], width)) for name, B in roots.items()])
    if width > WIDE:  # few rows, and no matrix of columns by columns
        lengths, axes = singular_vectors(images - images.mean(axis=0))
        lengths, axes = lengths**2, axes.T
    else:
        lengths, axes = np.linalg.eigh(np.atleast_2d(np.cov(images, rowvar=False)))
        lengths, axes = np.clip(lengths[::-1], 0, None), axes[:, ::-1]
    share = np.cumsum(lengths) / max(lengths.sum(), np.finfo(float).tiny)
    axes = axes[:, : min(MOST_AXES, int((share < ENOUGH).sum()) + 1)]
    ends = np.cumsum([len(B) for B in roots.values()])[:-1]
    return {name: followed_by(B, part) for (name, B), part in zip(roots.items(), np.split(axes, ends), strict=True)}


def _images(maps, seen, centre):
    """Coordinates (n, q) of samples seen (n, d_view) in every view."""
    n = len(next(iter(seen.values())))
    out = np.zeros((n, next(iter(maps.values())).shape[1] if maps else 1), dtype=np.float32)
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        for name, B in maps.items():
            out[rows] += seen[name][rows] @ B
        out[rows] -= centre
    return out


KEPT_BYTES = 256 << 20  # coordinates of the training samples in all spaces; computed anew for the candidates beyond
MAPPED, MAPPED_ON_DEVICE = 8192, 1 << 20  # candidates at a time
WIDE_SPACE = 1000  # coordinates: of rows that have more, fewer at a time


class NeighborIndex:
    """The training samples of an ensemble in every view, a shortlist over them, and the spaces in which they vote."""

    def __init__(
        self,
        views: Mapping[str, View],
        members: Sequence[Member],
        weights: NDArray,
        training_set: TrainingSet,
        matrices: Mapping[str, NDArray],
    ) -> None:
        self.views, self.members, self.places = views, members, training_set.places
        # of every number of neighbours in each space of an ensemble
        self.weights = [
            np.trim_zeros(row, "b").astype(np.float32) / len(member)
            for member, row in zip(members, weights, strict=True)
        ]
        width = sum(len(member) * cpu_kernels().wide(member.n_coordinates) for member in members)
        self.rows: dict[str, NDArray[np.float32]] = {}  # of the views, filled up
        self.are_few = 4 * width * len(self.places.rows) <= KEPT_BYTES
        self.seen = (
            seen_in(views, training_set.X[self.places.rows]) if self.are_few else self._seen_in_blocks(training_set)
        )
        # of a query: its views, and coordinates in all spaces of an ensemble or in one
        widest = max((len(e) if self.are_few else 1) * cpu_kernels().wide(e.n_coordinates) for e in members)
        self.most_queries = max(1, KEPT_BYTES // (4 * widest + 16 * sum(len(view.owner) for view in views.values())))
        self.shortlist = Shortlist.of(matrices, self.seen)
        if self.shortlist.cells is not None:
            self._sort_by_cell()
        counts, there = self.places.counts, self.places.votes
        # the kernels of the CPU need no counts where every place is one row with one vote
        self.votes = (counts, there), (counts[:0] if self.places.have_one_vote else counts, there)
        # of spaces that only stretch features the CPU needs no coordinates: by view, their squares and weights
        self.stretched: dict[str, tuple[list[NDArray], list[NDArray]]] = {}
        for member, own in zip(members, self.weights, strict=True):
            if member.form.keeps_apart:
                squares, of_spaces = self.stretched.setdefault(member.candidate.view, ([], []))
                squares.append(member.diagonals())
                of_spaces.append(own)
        missing = set(self.stretched) - set(self.rows)
        self.rows |= {name: cpu_kernels().filled_up(self.seen[name]) for name in missing}
        self.coordinates: dict[int, NDArray] = {}  # (R, M, p) of the training samples by member, where they are few

    def _seen_in_blocks(self, training_set):
        """Very many training samples in every view, in single precision."""
        rows, seen = self.places.rows, {}
        for name, view in self.views.items():
            self.rows[name] = np.zeros((len(rows), cpu_kernels().wide(len(view.owner))), dtype=np.float32)
            seen[name] = self.rows[name][:, : len(view.owner)]
            for start in range(0, len(rows), BLOCK):
                part = slice(start, start + BLOCK)
                seen[name][part] = view(training_set.X[rows[part]])
        return seen

    def _sort_by_cell(self):
        """Let neighbours lie side by side in memory: a prediction then finds most of them in the cache."""
        order = self.shortlist.cells.numbers
        self.places = self.places.sorted_by(order)
        for name, width in [(name, V.shape[1]) for name, V in self.seen.items()]:  # one by one, for the memory
            seen = self.seen.pop(name)
            if name in self.rows:
                del seen
                self.rows[name] = self.rows.pop(name)[order]
            self.seen[name] = self.rows[name][:, :width] if name in self.rows else seen[order]
        numbers = np.arange(len(order), dtype=np.int32)
        self.shortlist = self.shortlist._replace(cells=self.shortlist.cells._replace(numbers=numbers))

    def recall(self, X: NDArray, size: int, most_spaces: int = 3) -> float:
        """Share of the neighbours that vote for samples X (n, d) that are on a shortlist of that size.

        So many spaces of every ensemble are looked at, and count by its weight.
        """
        seen = seen_in(self.views, X)
        candidates, shares, member_weights = self.shortlist.nearest(seen, size), [], []
        query, M = np.arange(len(X))[:, None], len(self.places.rows)  # a number of its own for every place of a query
        for member, weights in zip(self.members, self.weights, strict=True):
            for r in np.unique(np.linspace(0, len(member) - 1, most_spaces).astype(int)):
                nearest = self._nearest_in_space(member, seen, r, min(len(weights), M))
                shares.append(np.isin(nearest + M * query, candidates + M * query, kind="sort").mean())
                member_weights.append(len(member) * weights.sum())
        return float(np.average(shares, weights=member_weights))

    def _nearest_in_space(self, member, seen, replica, n):
        """Numbers of the n places nearest to queries in a replica's space, some places at a time for the memory."""
        Q, view, numbers, apart = mapped(member, seen, replica)[0], member.candidate.view, [], []
        for start in range(0, len(self.places.rows), SEARCHED):
            Z = mapped(member, {view: self.seen[view][start : start + SEARCHED]}, replica)[0]
            nearest = kernels_for("cpu").NearestNeighbors(Z).kneighbors(Q, min(n, len(Z)))
            numbers.append(start + nearest)
            apart.append(np.square(Q[:, None] - Z[nearest]).sum(axis=2))
        return np.take_along_axis(np.hstack(numbers), np.hstack(apart).argsort(axis=1, kind="stable")[:, :n], axis=1)

    def shares(self, X: NDArray, size: int | None, device: str) -> NDArray:
        """Mixed shares (n, n_cells) of samples X (n, d) among ``size`` candidates each; among all for None."""
        seen, M = seen_in(self.views, X), len(self.places.rows)
        if size is None or size >= M:
            return self._shares(seen, np.broadcast_to(np.arange(M, dtype=np.int32), (len(X), M)), device)
        candidates = self.shortlist.nearest(seen, size, device)
        if self.shortlist.cells is None:
            return self._shares(seen, candidates, device)
        order, out = candidates[:, 0].argsort(), np.empty((len(X), self.places.votes.shape[1]))
        # queries of one cell look at the same places
        out[order] = self._shares({name: V[order] for name, V in seen.items()}, candidates[order], device)
        return out

    def _shares(self, seen, candidates, device):
        is_short = candidates.shape[1] < len(self.places.rows)
        total, votes = np.zeros((len(candidates), self.places.votes.shape[1])), self.votes[device == "cpu"]
        vote = kernels_for(device).neighbor_shares
        others = [
            (number, member, self.weights[number])
            for number, member in enumerate(self.members)
            if device != "cpu" or not member.form.keeps_apart
        ]
        for view, (squares, of_spaces) in self.stretched.items() if device == "cpu" else ():
            shared = self.rows[view], seen[view], squares, candidates, votes, of_spaces
            total += cpu_kernels().diagonal_shares(*shared)
        if others and is_short and not self.are_few:
            return total + self._shares_of_few(others, seen, candidates, device)
        for number, member, weights in others:
            if self.are_few:
                if number not in self.coordinates:
                    self.coordinates[number] = mapped(member, self.seen)
                total += vote(self.coordinates[number], mapped(member, seen), candidates, votes, weights, device)
                continue
            for r in range(len(member)):  # one at a time, for the memory
                Z, Q = mapped(member, self.seen, r), mapped(member, seen, r)
                total += vote(Z, Q, candidates, votes, weights, device)
        return total

    def _shares_of_few(self, members, seen, candidates, device):
        """Shares where only candidates are mapped, those of few samples at a time, which fit the cache."""
        vote, (n, size) = kernels_for(device).neighbor_shares, candidates.shape
        total = np.zeros((n, self.places.votes.shape[1]))
        used = {member.candidate.view for _, member, _ in members}
        widest = max(len(self.views[name].owner) for name in used)
        narrow = min(1.0, WIDE_SPACE / widest)
        few = max(1, int(narrow * (MAPPED if device == "cpu" else MAPPED_ON_DEVICE)) // size)
        for start in range(0, n, few):
            part = slice(start, start + few)
            rows = candidates[part].ravel()
            numbers = np.arange(len(rows), dtype=np.int32).reshape(-1, size)
            votes = self.places.counts[rows], self.places.votes[rows]
            places, queries = (
                {name: cpu_kernels().filled_up(V[some]) for name, V in both.items() if name in used}
                for both, some in ((self.seen, rows), (seen, part))
            )
            for _, member, weights in members:
                for r in range(len(member)):
                    Z, Q = (in_one_space(member, V[member.candidate.view], r) for V in (places, queries))
                    total[part] += vote(Z, Q, numbers, votes, weights, device)
        return total


def in_one_space(member: Member, V: NDArray[np.float32], replica: int) -> NDArray[np.float32]:
    """Coordinates (1, n, p') of filled up rows V (n, d') in the space of one replica."""
    if not member.form.learns:
        return V[None]
    A = member.maps[replica]
    padded = np.zeros((cpu_kernels().wide(len(A)) if member.form.is_free else len(A), V.shape[1]), dtype=np.float32)
    padded[: len(A), : A.shape[1]] = A
    return member.form.map(V, padded)[None]


def mapped(member: Member, seen: Mapping[str, NDArray], replica: int | None = None) -> NDArray[np.float32]:
    """Coordinates (R, n, p') of samples seen (n, d_view) in the spaces of all replicas, or in that of one, (1, n, p').

    Columns of zeros fill rows up to a length that the kernels like.
    """
    V = seen[member.candidate.view]
    maps = member.maps if replica is None else member.maps[replica : replica + 1]
    out = np.zeros(
        (len(member) if replica is None else 1, len(V), cpu_kernels().wide(member.n_coordinates)), dtype=np.float32
    )
    if not member.form.learns:
        out[0, :, : V.shape[1]] = V
    for Z, A in zip(out, maps.astype(V.dtype), strict=member.form.learns):
        Z[:, : member.n_coordinates] = member.form.map(V, A)
    return out
