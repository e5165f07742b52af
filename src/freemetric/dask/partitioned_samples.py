"""References to training samples that stay in their Dask partitions, and their trends and quantiles."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ensemble.tasks.multi_label import MultiLabelEncoding
from ..ensemble.tasks.scales import Scale, encoded_target
from ..extras import require
from ..learners.training_rows import MOST_ORDERED, TrainingRows, canonical_order
from ..learners.validation import check_label_columns, check_labels, labelled
from ..metrics import ClassEncoding, TargetEncoding, TrainingSet, Trend
from ..metrics.training_set import Places, places_of
from ..metrics.trends import FOLDS, MOST_COLUMNS, Lines, Products, StandardColumns, fitted, has_few_products, units_of
from ..metrics.views import Scaled, Steps, View, step_levels
from .partition_index import PartitionIndex
from .partitions import Block, merged_in_steps

MOST_TOGETHER = 65_535  # samples of a part of a partition: their views are computed at once
RUNGS = 512  # of a ladder
Ladder = tuple[NDArray[np.float64], NDArray[np.intp]]  # sorted values (g, d) of every feature, and their ranks (g,)


class PartitionedSamples:
    """Features (n, d) and targets (n,) of Dask partitions, delayed arrays that stay where they are computed.

    Subclasses set y and rows (N,), the targets of the training samples and their rows in the table, in the order of one
    process, and ``vote_encoder``, which is sent to the partitions.
    """

    y: NDArray
    weights: None = None  # there are no sample weights on partitions
    rows: NDArray[np.intp]
    vote_encoder: Any

    def __init__(self, X: Sequence[Block], y: Sequence[Block], n_features: int):
        self.dask, self.n_features = require("dask", "dask"), n_features
        kept = self.dask.persist(*X, *y)
        self.blocks, self.targets = kept[: len(X)], kept[len(X) :]
        length = self.dask.delayed(len)
        lengths, own = self.dask.compute(list(map(length, self.blocks)), list(map(length, self.targets)))
        if lengths != own:
            few = [", ".join(map(str, some[:5])) + ", ..." * (len(some) > 5) for some in (lengths, own)]
            raise ValueError(f"The partitions of X and y must have the same rows; they have ({few[0]}) and ({few[1]}).")
        if not sum(lengths):
            raise ValueError("X has no rows.")
        self.starts = np.cumsum([0, *lengths])

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_parts(self) -> int:
        """Number of parts that :meth:`each` calls a function for."""
        return sum(len(range(start, end, MOST_TOGETHER)) for start, end in pairwise(self.starts))

    @property
    def is_ordered(self) -> bool:
        """Whether samples have an order of their own; very many stay in that of the table."""
        return len(self) <= MOST_ORDERED

    def put_in_order(self) -> None:
        """Give y and rows the order of one process."""
        if self.is_ordered:
            features: Any = self
            order = canonical_order(features, self.y, np.ones(len(self.y)))
            self.y, self.rows = self.y[order], self.rows[order]

    def only(self, numbers: NDArray) -> TrainingSet:
        """Fetch some of the samples."""
        raise NotImplementedError

    def features(self, numbers: NDArray) -> NDArray:
        """Fetch the features (n, d) of some of the samples."""
        rows = self.rows[numbers]
        X = np.concatenate(self._from_blocks(rows, slice(None)))
        X = X.astype(np.float64, copy=False) if self.is_ordered else X
        return X[np.argsort(np.argsort(rows))]

    @property
    def T(self) -> Iterator[NDArray]:
        """Features of all samples, in the order of the table, each fetched when it is needed."""
        for number in range(self.n_features):
            yield np.concatenate(self._from_blocks(self.rows, number)).astype(np.float64)

    def _from_blocks(self, rows, columns):
        """Some columns of these rows, block by block, in the order of the table."""
        rows = np.sort(rows)
        ends = np.searchsorted(rows, self.starts)
        parts = [rows[a:b] - start for a, b, start in zip(ends[:-1], ends[1:], self.starts[:-1], strict=True)]
        blocks = zip(self.blocks, parts, strict=True)
        return self.dask.compute(*(block[part, columns] for block, part in blocks if len(part)))

    def each(self, function: Callable, *first: Any) -> Iterator[Any]:
        """Delayed function(*first, X, y, ranks) of every partition or part of it, none of them empty.

        Ranks (n,) among all training samples, -1 for other rows; for very many rows the first rank, an int.
        """
        done = self.dask.delayed(_of_part, pure=False)
        ranks = np.full(self.starts[-1] if self.is_ordered else 0, -1)
        if self.is_ordered:
            ranks[self.rows] = np.arange(len(self.rows))
        sent = self.dask.delayed(partial(function, *first), traverse=False)  # once, not with every task
        for block, y, start, end in zip(self.blocks, self.targets, self.starts, self.starts[1:], strict=False):
            for a in range(start, end, MOST_TOGETHER):
                b = min(a + MOST_TOGETHER, end)
                known = ranks[a:b] if self.is_ordered else int(np.searchsorted(self.rows, a))
                yield done(sent, block, y, slice(a - start, b - start), known)

    def indices(self) -> Iterator[Any]:
        """Delayed neighbour indices, each with the samples of a partition or a part of it."""
        return self.each(index_of, self.vote_encoder)


def _of_part(function, X, y, part, ranks):
    return function(X[part], y[part], ranks)


def index_of(vote_encoder: Any, X: NDArray, y: NDArray, ranks: NDArray | int) -> PartitionIndex:
    """The neighbour index of a part of a block, in the order of ranks, of which an int is the first."""
    rows = vote_encoder.voting(y)
    if isinstance(ranks, int):
        known, taken = ranks + np.arange(len(rows)), X if len(rows) == len(X) else X[rows]
    else:
        rows = rows[np.argsort(ranks[rows])]
        known, taken = ranks[rows], X[rows].astype(np.float64, copy=False)
    return PartitionIndex.of(vote_encoder.places(taken, y[rows], known), taken, known)


class ClassVotes(NamedTuple):
    """Votes of samples for classes, given codes of their labels."""

    class_of_code: NDArray[np.intp]  # -1 where a code is no class
    n_classes: int

    def voting(self, y: NDArray) -> NDArray[np.intp]:
        """Rows with a label, of those with codes y (n,)."""
        return np.flatnonzero(self.class_of_code[y] >= 0)

    def places(self, X: NDArray, y: NDArray, ranks: NDArray) -> Places:
        """Places and votes of samples X (n, d) with codes y (n,)."""
        return places_of(X, self.class_of_code[y], ClassEncoding(self.n_classes))


class PartitionedClasses(PartitionedSamples):
    """Samples with labels; y are class numbers, ``classes`` (n_classes,) the labels."""

    def __init__(self, X: Sequence[Block], y: Sequence[Block], n_features: int):
        super().__init__(X, y, n_features)
        delayed, lengths = self.dask.delayed, np.diff(self.starts)
        found = self.dask.compute(*(delayed(np.unique)(block) for block in self.targets))
        names = np.unique(np.concatenate([some for some, n in zip(found, lengths, strict=True) if n]))
        self.targets = self.dask.persist(*(delayed(_codes)(block, names) for block in self.targets))
        codes = np.concatenate(self.dask.compute(*self.targets))
        has_label = labelled(names[codes]) if names.dtype.kind in "if" else np.ones(len(codes), dtype=bool)
        self.rows = np.flatnonzero(has_label)
        used = np.unique(codes[self.rows])
        self.classes, _ = check_labels(np.repeat(names[used], 3))  # labels that all differ would look like numbers
        class_of_code = np.full(len(names), -1)
        class_of_code[used] = np.arange(len(self.classes))
        self.y = class_of_code[codes[self.rows]]
        self.n_cells = len(self.classes)
        self.vote_encoder = ClassVotes(class_of_code, self.n_cells)
        self.put_in_order()

    def only(self, numbers: NDArray) -> TrainingSet:
        encoding = ClassEncoding(self.n_cells)
        return TrainingSet(self.features(numbers), self.y[numbers], encoding, None, self.rows[numbers])


def _codes(y, names):
    """Numbers of labels among all of them, in the smallest type."""
    return np.searchsorted(names, y).astype(np.min_scalar_type(len(names)))


class LabelVotes(NamedTuple):
    """Votes of samples for a class of every output, given class numbers (n, n_outputs)."""

    encoding: MultiLabelEncoding

    def voting(self, y: NDArray) -> NDArray[np.intp]:
        """All rows."""
        return np.arange(len(y))

    def places(self, X: NDArray, y: NDArray, ranks: NDArray) -> Places:
        """Places and votes of samples X (n, d) with class numbers y (n, n_outputs)."""
        return places_of(X, y.T, self.encoding)


class PartitionedLabels(PartitionedSamples):
    """Samples with several labels; y are zeros and ones of all classes, ``classes`` the labels of every output."""

    X: None = None  # stays in the partitions

    def __init__(self, X: Sequence[Block], y: Sequence[Block], n_features: int):
        super().__init__(X, y, n_features)
        delayed = self.dask.delayed
        labels = np.concatenate(self.dask.compute(*self.targets))
        self.classes, self.y = check_label_columns(labels)
        numbers = [self.y[start:end] for start, end in pairwise(self.starts)]
        self.targets = self.dask.persist(*(delayed(some, traverse=False) for some in numbers))
        self.rows = np.arange(len(self.y))
        self.put_in_order()
        self.encoding, self.values = MultiLabelEncoding(tuple(map(len, self.classes))), self.y.T
        self.y, self.n_cells = self.encoding.target(self.values), self.encoding.n_cells
        self.vote_encoder = LabelVotes(self.encoding)

    def only(self, numbers: NDArray) -> TrainingSet:
        values = np.ascontiguousarray(self.values[:, numbers])
        return TrainingSet(self.features(numbers), values, self.encoding, None, self.rows[numbers])


def quantiles_of(samples: Any, levels: NDArray) -> NDArray[np.float64]:
    """Quantiles (n, d) of all features at ``levels`` (n,), numpy's method "inverted_cdf"."""
    dask, features = samples.dask, range(samples.n_features)
    ladders = dask.compute(*samples.each(ladder_of))
    wanted = 1 + np.quantile(np.arange(len(samples)), levels, method="inverted_cdf").astype(np.intp)
    above, up_to = np.stack([brackets(ladders, wanted, j) for j in features], axis=-1)
    found = dask.compute(*samples.each(between, above, up_to))
    return np.array([[picked(found, n, j, k) for j in features] for n, k in enumerate(wanted)])


def ladder_of(X: NDArray, y: NDArray, ranks: Any) -> Ladder:
    """The ladder of features X (n, d); the smallest and the largest values are in it."""
    numbers = np.unique(np.linspace(0, len(X) - 1, RUNGS).astype(np.intp))
    return np.sort(X, axis=0)[numbers].astype(np.float64), numbers


def brackets(ladders: Sequence[Ladder], wanted: NDArray, feature: int) -> NDArray[np.float64]:
    """Values (2, n) such that the k-th smallest of a feature, k in ``wanted`` (n,), is above the one, up to the other.

    A rung bounds the rank of its value from below by the ranks up to it, and from above by those before the next rung.
    """
    values = np.concatenate([rungs[:, feature] for rungs, _ in ladders])
    at_least = np.concatenate([np.diff(ranks, prepend=-1) for _, ranks in ladders])
    at_most = np.concatenate([np.diff(ranks, append=ranks[-1] + 1) for _, ranks in ladders])
    order = np.argsort(values, kind="stable")
    values, at_least, at_most = values[order], np.cumsum(at_least[order]), np.cumsum(at_most[order])
    first = values[np.searchsorted(at_most, wanted)]  # that may be large enough
    below = np.append(-np.inf, values)[np.searchsorted(values, first)]
    return np.array([below, values[np.searchsorted(at_least, wanted)]])


def between(above: NDArray, up_to: NDArray, X: NDArray, y: NDArray, ranks: Any) -> tuple[NDArray, list[list[NDArray]]]:
    """Numbers (n, d) of values below these brackets (n, d), and unique values inside with their counts."""
    values = np.sort(X, axis=0).astype(np.float64).T
    starts, ends = (
        np.array([np.searchsorted(column, cut, "right") for column, cut in zip(values, cuts.T, strict=True)])
        for cuts in (above, up_to)
    )
    inside = [
        [np.array(np.unique(column[a:b], return_counts=True)) for a, b in zip(*two, strict=True)]
        for column, *two in zip(values, starts, ends, strict=True)
    ]
    return starts.T, inside


def picked(found: Sequence[tuple[NDArray, list[list[NDArray]]]], bracket: int, feature: int, wanted: int) -> float:
    """The ``wanted``-th smallest value of a feature, which is in this bracket."""
    n_below = sum(below[bracket, feature] for below, _ in found)
    values, counts = np.concatenate([inside[feature][bracket] for _, inside in found], axis=1)
    order = np.argsort(values, kind="stable")
    return values[order][np.searchsorted(n_below + np.cumsum(counts[order]), wanted)]


class PartitionedTrend(NamedTuple):
    """A trend, and those of the same kind fitted without a tenth of the samples each."""

    trend: Trend
    lines: Lines

    def left_out(self, X: NDArray, ranks: NDArray) -> NDArray[np.float64]:
        """Predictions of the trend without them for samples X (n, d) with these ranks (n,) among all."""
        return self.lines.left_out(self.trend.columns, X, ranks % FOLDS)


class TrendFinder:
    """Finds trends of PartitionedSamples; shared quantities are computed once."""

    def __init__(self, samples: Any):
        self.samples = samples
        self.columns: dict[type[Trend], StandardColumns] = {}

    @cached_property
    def views(self) -> dict[type, View]:
        """Views of which the columns of trends consist."""
        levels = np.array([0.0, *step_levels(self.samples.n_features), 1.0])
        low, *inner, high = quantiles_of(self.samples, levels)
        scaled = Scaled(low, np.where(high > low, high - low, 1.0))
        return {Scaled: scaled, Steps: Steps.at(np.array(inner), low, high), Products: Products.within(low, high)}

    def __call__(self, kind: type[Trend], rows: TrainingRows, scale: Scale) -> tuple[PartitionedTrend, NDArray] | None:
        """The trend of that kind on a scale, and its cross-fitted predictions; None if it costs too much."""
        if not has_few_products(kind, self.samples.n_features):
            return None
        views = [self.views[view] for view in kind.parts]
        if min(len(self.samples), sum(len(view.owner) for view in views)) > MOST_COLUMNS:
            return None
        if kind not in self.columns:
            self.columns[kind] = self._columns(views)
        columns = self.columns[kind]
        lines = fitted(columns, self._summed(moments, columns, scale))
        found = PartitionedTrend(kind(views, lines.slopes[0], float(lines.bases[0])), lines)
        values = np.concatenate(self.samples.dask.compute(*self.samples.each(values_left_out, found)))
        return found, values[self.samples.rows]

    def _columns(self, views):
        """Columns with centres and units; along the rows if they outnumber the samples."""
        N, p = len(self.samples), sum(len(view.owner) for view in views)
        columns = StandardColumns(views, np.zeros(p), np.ones(p))
        columns = columns._replace(centre=self._summed(sums, columns, 1) / N)
        columns = columns._replace(unit=units_of(views, self._summed(sums, columns, 2) / N))
        return columns.along_rows(self.samples.features(np.arange(N))) if p > N else columns  # few samples then

    def _summed(self, function, *given):
        """A sum over all samples."""
        return merged_in_steps(list(self.samples.each(function, *given)), partial(np.sum, axis=0)).compute()


def sums(columns: StandardColumns, power: int, X: NDArray, y: NDArray, ranks: NDArray | int) -> NDArray[np.float64]:
    """Sums (p,) of columns to that power."""
    return columns.sums(X, np.ones(len(X)), power)


def moments(
    columns: StandardColumns, scale: Scale, X: NDArray, y: NDArray, ranks: NDArray | int
) -> NDArray[np.float64]:
    """For every fold the products (r + 2, r + 2) of columns, one and the target on its scale, summed over samples."""
    return columns.moments(X, scale(y), all_ranks(ranks, len(X)) % FOLDS, np.ones(len(X)))


def values_left_out(found: PartitionedTrend, X: NDArray, y: NDArray, ranks: NDArray | int) -> NDArray[np.float64]:
    """Predictions (n,) of the trends without each sample."""
    return found.left_out(X, all_ranks(ranks, len(X)))


def all_ranks(ranks: NDArray | int, n: int) -> Any:
    """The ranks (n,) of samples, of which an int is the first."""
    return ranks + np.arange(n) if isinstance(ranks, int) else ranks


class TargetVotes(NamedTuple):
    """Votes of samples for the values of their encoded target: itself, its square, and predictions of trends."""

    scale: Scale
    trends: list[PartitionedTrend]
    encoding: TargetEncoding

    def voting(self, y: NDArray) -> NDArray[np.intp]:
        """All rows."""
        return np.arange(len(y))

    def values(self, X: NDArray, z: NDArray, ranks: NDArray) -> NDArray[np.float64]:
        """Values (2 + n_trends, n) of samples X (n, d) with z (n,) on the scale."""
        return np.array([z, z**2, *(trend.left_out(X, ranks) for trend in self.trends)])

    def places(self, X: NDArray, y: NDArray, ranks: NDArray) -> Places:
        """Places and votes of samples X (n, d) with targets y (n,)."""
        return places_of(X, self.values(X, self.scale(y), ranks), self.encoding)


class PartitionedTargets(PartitionedSamples):
    """Samples with a numeric target; after ``encode`` y are on their scale."""

    def __init__(self, X: Sequence[Block], y: Sequence[Block], n_features: int):
        super().__init__(X, y, n_features)
        self.y = np.concatenate(self.dask.compute(*self.targets))
        self.rows = np.arange(len(self.y))
        if len(self.rows) < 2:
            raise ValueError("X has 1 row; at least 2 are needed.")
        self.put_in_order()

    def encode(self, names: Sequence[str], scale: str) -> None:
        """Find trends of these kinds and the scale of the target, and encode both."""
        rows = TrainingRows(np.empty((0, self.n_features)), self.y, None, self.rows, np.empty(0))  # X stays away
        values, trends, self.scale = encoded_target(rows, names, scale, TrendFinder(self))
        self.y, self.encoding, self.trends = values[0], TargetEncoding.of(values), [found.trend for found in trends]
        self.vote_encoder = TargetVotes(self.scale, trends, self.encoding)

    def only(self, numbers: NDArray) -> TrainingSet:
        X = self.features(numbers)
        values = self.vote_encoder.values(X, self.y[numbers], numbers)
        return TrainingSet(X, values, self.encoding, None, self.rows[numbers])
