"""Kernel ridge regression of the classes in the averaged metric: a smooth model beside the votes of neighbours."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from ..files import register
from ..files.checks import check_array, is_number, require
from ..kernels import kernels_for
from .averaged_metric import Embedding, averaged_matrices, some_rows
from .class_densities import ClassEnergies
from .forms import Member
from .training_set import TrainingSet
from .views import VIEWS, View

LENGTHS = (0.25, 0.5, 1.0, 2.0)  # of the kernel, in median distances
RIDGES = (1e-3, 1e-2, 1e-1, 1.0)
MOST_TRIED_ON, MOST_TRIED_WITH = 256, 512  # samples that length and ridge are chosen on, and that are learned from
FLOOR = 0.05  # added to predictions before their logarithm is taken, as to shares of votes
NEGLIGIBLE = 1e-4  # share of the squared distances along axes that are left out
MOST_NUMBERS = 10_000_000  # coefficients of all blocks together
MOST_AT_ONCE = 1 << 22  # coordinates of samples in several spaces
OWN_SHARE = 0.5  # of a block, at most, is nearest to its centre; the others surround these
AT_ONCE = 64  # samples whose kernels fit the cache
LEAST_WEIGHT = 1e-6  # of a sample, whose ridge is finite


class OOBMetrics(NamedTuple):
    """Members of an ensemble with their weights, and the training samples that their replicas left out."""

    views: Mapping[str, View]
    members: Sequence[Member]
    weights: NDArray  # (n_members,)
    samples: NDArray  # (n,), those that all members left out
    left_out: Sequence[NDArray[np.bool_]]  # of every member (R, n), whether its replicas did
    device: str = "cpu"

    def embedding(self, X: NDArray) -> Embedding:
        """Coordinates in which the averaged metric of samples X (N, d) is Euclidean."""
        return Embedding.of(averaged_matrices(self.members, self.weights, self.views, X), self.views, X)

    def sizes(self, X: NDArray) -> list[NDArray[np.float64]]:
        """Mean squared distances (R,) of samples X (N, d) in the replicas of every member."""
        seen = {name: view(X).astype(np.float32) for name, view in self.views.items()}
        spaces = (member.spaces(seen[member.candidate.view]) for member in self.members)
        return [np.array([2 * Z.var(axis=0, ddof=1).sum(dtype=float) for Z in some]) for some in spaces]

    def distances(self, X: NDArray, some: NDArray, others: NDArray, sizes: Sequence[NDArray]) -> NDArray[np.float32]:
        """Distances (r, m) of ``some`` (r,) of the samples to others (m,), both of X (N, d), averaged over replicas.

        These are the replicas that left the sample out, with distances in units of their ``sizes``.
        """
        total, weight = np.zeros((len(some), len(others)), dtype=np.float32), np.zeros(len(some))
        both, squares = X[np.concatenate([self.samples[some], others])], kernels_for(self.device).weighted_squares
        seen = {name: self.views[name](both) for name in {member.candidate.view for member in self.members}}
        seen = {name: (V - V.mean(axis=0)).astype(np.float32) for name, V in seen.items()}
        for member, of_member, absent, size in zip(self.members, self.weights, self.left_out, sizes, strict=True):
            fair = absent[:, some] & (size > 0)[:, None]
            shares = fair * (of_member / np.maximum(absent[:, some].sum(axis=0), 1))
            weight += shares.sum(axis=0)
            shares[size > 0] /= size[size > 0, None]
            for Q, Z, part in _parts(member, seen[member.candidate.view], len(some), shares):
                total += squares(Q, Z, part, self.device)
        return np.sqrt(total / np.maximum(weight, np.finfo(float).tiny).astype(np.float32)[:, None])


def _parts(member, V, n, shares):
    """Spaces of the first n rows of a view V and of the others, (R, n, p) and (R, m, p), with shares (R, n).

    Where columns are only stretched, each of them is a space, for all replicas together. A few spaces come at a time.
    """
    apart, width = member.form.keeps_apart, 1 if member.form.keeps_apart else member.n_coordinates
    spaces = iter(V.T[:, :, None]) if apart else member.spaces(V)
    shares = member.diagonals().T @ shares if apart else shares
    for start in range(0, len(shares), step := max(1, MOST_AT_ONCE // (len(V) * width))):
        stack = np.stack(list(islice(spaces, step)))
        yield stack[:, :n], stack[:, n:], shares[start : start + step]


def _squares(Q, Z):
    """Squared distances (n, m) of Q (n, q) and Z (m, q)."""
    squares = (-2 * Q) @ Z.T
    squares += _lengths(Q)[:, None]
    squares += _lengths(Z)
    return np.maximum(squares, 0.0, out=squares)


def _lengths(Z):
    """Squared lengths (n,) of rows Z (n, q)."""
    return np.einsum("ij,ij->i", Z, Z)


@dataclass(frozen=True, eq=False)
class ClassKernelRidge(ClassEnergies):
    r"""F_c(x) = -log(max(f_c(x), 0) + 0.05), with f the kernel ridge regression of class c in the averaged metric.

    .. math:: f_c(x) = \bar y_c + \sum_l a_{lc} \exp(-|z(x) - z_l| / L), \qquad a = (K + R)^{-1} (Y - \bar y),

    where z are the coordinates of the averaged metric, z_l those of the samples of a block, K their kernels and Y
    indicators of their classes. A block holds the samples nearest to its centre, and a sample x belongs to the block
    of the nearest centre; few samples make one block.

    Parameters
    ----------
    views : dict of View
        What the averaged metric sees, by name.
    maps : dict of ndarray of shape (d_view, q)
        Of every view to coordinates; they add up.
    origin : ndarray of shape (q,)
        Of the coordinates.
    landmarks : ndarray of shape (N, q)
        Coordinates of the training samples.
    rows : ndarray of shape (N,)
        Their row numbers in the table given to fit.
    ridges : ndarray of shape (N,)
        The diagonal of R: the larger, the less a sample counts.
    centres : ndarray of shape (n_blocks, q)
        Of the blocks.
    blocks : ndarray of shape (n_blocks, m)
        Numbers of the samples in every block.
    coefficients : ndarray of shape (n_blocks, m, n_classes)
        a.
    base : ndarray of shape (n_classes,)
        The shares of the classes.
    length : float
        L.
    n_features : int
        Of the samples.
    """

    words = "a kernel regression in the averaged metric"

    views: dict[str, View]
    maps: dict[str, NDArray]
    origin: NDArray
    landmarks: NDArray
    rows: NDArray
    ridges: NDArray
    centres: NDArray
    blocks: NDArray
    coefficients: NDArray
    base: NDArray
    length: float
    n_features: int
    computed: dict[int, Any] = field(default_factory=dict, init=False)  # what can be computed again

    def to_state(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self) if part.init}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.to_state(), "computed": {}}

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.base), self.n_features

    def __call__(self, X: NDArray) -> NDArray[np.float64]:
        found = np.empty((len(X), len(self.base)))
        for number, some, K in self._kernels(X):
            found[some] = K @ self.coefficients[number]
        return energies(found + self.base)

    def _kernels(self, X):
        """Of blocks with samples among X (n, d): their numbers, those of some samples (r,), and kernels (r, m)."""
        Z = Embedding(self.maps, self.origin)(self.views, X)
        queries = Z / self.length
        queries = np.column_stack([-2 * queries, _lengths(queries), np.ones(len(Z))])
        for number, everyone in grouped(Z, self.centres):
            if number not in self.computed:  # (q + 2, m) of a block: products of queries with it are squared distances
                own = self.landmarks[self.blocks[number]].astype(float) / self.length
                self.computed[number] = np.vstack([own.T, np.ones(len(own)), _lengths(own)])
            for some in (everyone[start : start + AT_ONCE] for start in range(0, len(everyone), AT_ONCE)):
                # squares of short distances are differences of much larger ones, and need double precision
                squares = (queries[some] @ self.computed[number]).astype(np.float32)
                squares = np.maximum(squares, 0.0, out=squares)
                np.negative(np.sqrt(squares, out=squares), out=squares)
                yield number, some, np.exp(squares, out=squares)

    def left_out(self, training_set: TrainingSet) -> Callable[[NDArray, NDArray], NDArray]:
        """A function of X (n, d) and numbers (n,): energies (n, C) without the part that these training samples had."""
        landmarks = places_of(training_set.rows, self.rows)
        inverses: dict[int, NDArray] = {}

        def without(X, numbers):
            found = np.empty((len(X), len(self.base)))
            for block, some, K in self._kernels(X):
                members = self.blocks[block]
                if block not in inverses:
                    Z, everyone = self.landmarks[members].astype(float), np.arange(len(members))
                    of_block = Z, Z[:, :0], self.length, self.ridges[members], everyone
                    inverses[block] = kernels_for("cpu").ridge_regression(*of_block)[1]
                places = places_of(landmarks[numbers[some]], members)
                rows = inverses[block][places[places >= 0]]
                found[some] = _left_out(K, self.coefficients[block], rows, places)
            return energies(found + self.base)

        return without

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "ClassKernelRidge":
        views, maps, origin, landmarks = (state[name] for name in ("views", "maps", "origin", "landmarks"))
        known = type(views) is dict and all(VIEWS.get(name) is type(view) for name, view in views.items())
        require(known, "views of ClassKernelRidge", "are something else")
        fit = type(maps) is dict and bool(maps) and set(maps) == set(views)
        require(fit, "maps of ClassKernelRidge", "are of other views")
        check_array(origin, "origin of ClassKernelRidge", 1)
        for name, B in maps.items():
            check_array(B, "maps of ClassKernelRidge", 2, (len(views[name].owner), len(origin)))
        check_array(landmarks, "landmarks of ClassKernelRidge", 2)
        N, q = landmarks.shape
        require(N and q == len(origin), "landmarks of ClassKernelRidge", "have other coordinates")
        check_array(state["rows"], "rows of ClassKernelRidge", 1, (N,), "iu")
        check_array(state["ridges"], "ridges of ClassKernelRidge", 1, (N,))
        check_array(state["base"], "base of ClassKernelRidge", 1)
        check_array(state["centres"], "centres of ClassKernelRidge", 2)
        blocks = state["blocks"]
        check_array(blocks, "blocks of ClassKernelRidge", 2, None, "iu")
        inside = blocks.size and blocks.min() >= 0 and blocks.max() < N
        require(inside and state["centres"].shape == (len(blocks), q), "blocks of ClassKernelRidge", "do not fit")
        size = (*blocks.shape, len(state["base"]))
        check_array(state["coefficients"], "coefficients of ClassKernelRidge", 3, size)
        positive = is_number(state["length"]) and state["length"] > 0 and (state["ridges"] > 0).all()
        require(positive, "length and ridges of ClassKernelRidge", "are no positive numbers")
        whole = type(state["n_features"]) is int and state["n_features"] > 0
        require(whole, "n_features of ClassKernelRidge", "is no number of features")
        return cls(**state)


register("density:kernel-ridge", ClassKernelRidge)


def energies(f: NDArray) -> NDArray[np.float64]:
    """-log(max(f, 0) + 0.05)."""
    return -np.log(np.maximum(f, 0.0) + FLOOR)


def grouped(Z: NDArray, centres: NDArray) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Numbers of centres (P, q) and of the samples Z (n, q) that are nearest to each, where there are any."""
    nearest = _squares(Z, centres).argmin(axis=1) if len(centres) > 1 else np.zeros(len(Z), dtype=int)
    for number in np.unique(nearest).tolist():
        yield number, np.flatnonzero(nearest == number)


def places_of(wanted: NDArray, members: NDArray) -> NDArray[np.intp]:
    """Where each of some numbers (n,) is among the members (m,); -1 where it is none of them."""
    order = np.argsort(members)
    nearest = order[np.searchsorted(members, wanted, sorter=order).clip(max=len(order) - 1)]
    return np.where(members[nearest] == wanted, nearest, -1)


def blocks_of(Z: NDArray, most: int) -> tuple[NDArray, NDArray[np.intp]]:
    """Centres (P, q) and blocks (P, m) of at most so many samples Z (N, q), which overlap.

    Samples are parted at the median along their principal axis, until a part has few enough.
    """
    if len(Z) <= most:
        return Z.mean(axis=0, keepdims=True), np.arange(len(Z))[None]
    parts, done = [np.arange(len(Z))], []
    while parts:
        part = parts.pop()
        if len(part) <= OWN_SHARE * most:
            done.append(part)
            continue
        centred = Z[part] - Z[part].mean(axis=0)
        order = part[np.argsort(centred @ np.linalg.eigh(centred.T @ centred)[1][:, -1], kind="stable")]
        parts += np.array_split(order, 2)
    centres = np.array([Z[part].mean(axis=0) for part in done])
    return centres, np.argpartition(_squares(centres, Z), most - 1, axis=1)[:, :most]


def class_kernel_ridge(
    metrics: OOBMetrics, training_set: TrainingSet, voters: NDArray, most: int
) -> tuple[ClassKernelRidge, NDArray[np.float64]] | None:
    """The regression of the samples ``voters`` (N,) in blocks of at most so many, and energies (n, C) out of bag.

    A sample that is scored is left out of the regression, and its distances are those of replicas that left it out:
    otherwise it would seem closer to its class than new samples are. Length and ridge are chosen by these predictions.
    None where no two samples differ, or where so many samples and classes would take too much memory.
    """
    X = training_set.X.astype(np.float64)
    embedding = metrics.embedding(X)
    if not embedding.maps or 2 * len(voters) * training_set.n_cells > MOST_NUMBERS:
        return None
    rows = some_rows(X, sum(len(view.owner) for view in metrics.views.values()))
    carried = np.cumsum(embedding(metrics.views, rows).var(axis=0))  # the squared distances along its principal axes
    n_axes = int(np.searchsorted(carried, (1 - NEGLIGIBLE) * carried[-1])) + 1
    maps, origin = {name: B[:, :n_axes] for name, B in embedding.maps.items()}, embedding.centre[:n_axes]
    embedding = Embedding(maps, origin)
    Z, indicators = embedding(metrics.views, X[voters]), np.eye(training_set.n_cells)[training_set.y[voters]]
    weights = np.ones(len(voters)) if training_set.weights is None else training_set.weights[voters]
    base = np.average(indicators, axis=0, weights=weights)
    Y, scored = indicators - base, places_of(metrics.samples, voters)
    centres, blocks = blocks_of(Z, most)
    of_blocks = dict(grouped(embedding(metrics.views, X[metrics.samples]), centres))
    sizes = metrics.sizes(rows)

    def distances_in(number):
        return metrics.distances(X, of_blocks[number], voters[blocks[number]], sizes)

    tried = max(of_blocks, key=lambda number: len(of_blocks[number]))
    apart, places = distances_in(tried), places_of(scored[of_blocks[tried]], blocks[tried])
    if np.count_nonzero(places >= 0) < 2:  # nothing to choose the length on
        return None
    solve = partial(kernels_for(metrics.device).ridge_regression, device=metrics.device)
    length, ridge = _best(Z[blocks[tried]], apart, places, Y[blocks[tried]], solve)
    ridges = ridge / np.maximum(weights / weights.mean(), LEAST_WEIGHT)
    coefficients, found = np.empty((*blocks.shape, len(base))), np.empty((len(scored), len(base)))
    for number, members in enumerate(blocks):
        some = of_blocks.get(number, np.empty(0, dtype=int))
        places, of_block = places_of(scored[some], members), (Z[members], Y[members], length, ridges[members])
        coefficients[number], inverse = solve(*of_block, places[places >= 0])
        if len(some):
            Q = np.exp((apart if number == tried else distances_in(number)) / -length)
            found[some] = _left_out(Q, coefficients[number], inverse, places)
    views = {name: metrics.views[name] for name in maps}
    near = Z.astype(np.float32), training_set.rows[voters], ridges
    model = ClassKernelRidge(views, maps, origin, *near, centres, blocks, coefficients, base, length, X.shape[1])
    return model, energies(found + base)


def _left_out(Q, coefficients, rows, places):
    """Predictions (n, C) for kernels Q (n, m), by the regression without the sample at a place (n,), if not -1.

    ``rows`` (r, m) are those of the inverse at the places that are not -1.
    """
    Q = Q.astype(np.float64)  # once, not by every product
    found, inside = Q @ coefficients, np.flatnonzero(places >= 0)
    own = np.einsum("im,im->i", Q[inside], rows) / rows[np.arange(len(rows)), places[inside]]
    found[inside] -= own[:, None] * coefficients[places[inside]]
    return found


def _best(Z, apart, places, Y, solve):
    """Length and ridge of least squared errors of some samples, each left out.

    Of the samples Z (m, q) of a block with targets Y (m, C), those at ``places`` (r,), or some of them, are left out;
    their distances to all are ``apart`` (r, m). Where these are few, others of the block are learned from as well: what
    is best for few samples is not for many.
    """
    inside = np.flatnonzero(places >= 0)[:MOST_TRIED_ON]
    scored, everyone = places[inside], np.arange(len(inside))
    others = np.setdiff1d(np.arange(len(Z)), scored)
    n = min(len(others), MOST_TRIED_WITH - len(scored)) if len(scored) < MOST_TRIED_ON else 0
    among = np.concatenate([scored, others[np.linspace(0, len(others) - 1, n).astype(int)]])
    Z, Y, apart, own = Z[among], Y[among], apart[np.ix_(inside, among)], pdist(Z[among])
    found = []
    for length in (np.median(own) or own.mean() or 1.0) * np.array(LENGTHS):
        Q = np.exp(apart / -length)
        for ridge in RIDGES:
            coefficients, inverse = solve(Z, Y, length, np.full(len(Z), ridge), everyone)
            errors = _left_out(Q, coefficients, inverse, everyone) - Y[everyone]
            found.append((np.square(errors).sum(), float(length), ridge))
    return min(found)[1:]
