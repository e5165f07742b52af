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
from ..learners.training_rows import MOST_ORDERED, canonical_order
from ..learners.validation import check_label_columns, check_labels, labelled
from ..metrics import BoostedTrend, ClassEncoding, TargetEncoding, TrainingSet, Trend
from ..metrics.boosted_trees import CrossedTrees, learned_rows
from ..metrics.training_set import Places, places_of
from ..metrics.trends import (
    FOLDS,
    MOST_COLUMNS,
    ColumnTrend,
    Lines,
    Products,
    StandardColumns,
    fitted,
    has_few_products,
    units_of,
)
from ..metrics.views import Scaled, Steps, View, step_levels
from .partition_index import PartitionIndex
from .partitions import Block, merged_in_steps

MOST_TOGETHER = 65_535  # samples of a part of a partition: their views are computed at once
RUNGS = 512  # of a ladder


class PartitionedSamples:
    """Features (n, d) and targets (n,) of Dask partitions, delayed arrays that stay where they are computed.

    Subclasses set y and rows (N,), the targets of the training samples and their rows in the table, in the order of one
    process; ``values``, (N,) or (m, N), of the ``encoding``; and ``places(X, y, ranks)``, which is sent to the
    partitions and returns the places and votes of their samples.
    """

    X: None = None  # stays in the partitions
    y: NDArray
    values: NDArray
    weights: None = None  # there are no sample weights on partitions
    rows: NDArray[np.intp]
    encoding: Any
    places: Callable[..., Places]

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
        values = np.ascontiguousarray(self.values[..., numbers])
        return TrainingSet(self.features(numbers), values, self.encoding, None, self.rows[numbers])

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

    def each(self, function: Callable) -> Iterator[Any]:
        """Delayed function(X, y, ranks) of every partition or part of it, none of them empty.

        Ranks (n,) are those among all training samples, -1 for other rows.
        """
        done = self.dask.delayed(_of_part, pure=False)
        ranks = np.full(self.starts[-1] if self.is_ordered else 0, -1)
        if self.is_ordered:
            ranks[self.rows] = np.arange(len(self.rows))
        sent = self.dask.delayed(function, traverse=False)  # once, not with every task
        for block, y, start, end in zip(self.blocks, self.targets, self.starts, self.starts[1:], strict=False):
            for a in range(start, end, MOST_TOGETHER):
                b = min(a + MOST_TOGETHER, end)
                known = ranks[a:b] if self.is_ordered else int(np.searchsorted(self.rows, a))
                yield done(sent, block, y, slice(a - start, b - start), known)

    def indices(self) -> Iterator[Any]:
        """Delayed neighbour indices, each with the samples of a partition or a part of it."""
        return self.each(partial(_index_of, self.places, np.float64 if self.is_ordered else None))


def _of_part(function, X, y, part, ranks):
    X, y = X[part], y[part]
    if isinstance(ranks, int):  # the first of very many
        is_class = y.dtype.kind == "i" and y.ndim == 1  # -1 where there is no label
        counts = y >= 0 if is_class else np.ones(len(y), dtype=bool)
        ranks = np.where(counts, ranks - 1 + np.cumsum(counts), -1)
    return function(X, y, ranks)


def _index_of(places, dtype, X, y, ranks):
    """The neighbour index of a part of a block, in the order of ranks."""
    rows = np.flatnonzero(ranks >= 0)
    rows = rows[np.argsort(ranks[rows])]
    X, known = np.asarray(X[rows], dtype), ranks[rows]
    return PartitionIndex.of(places(X, y[rows], known), X, known)


def _places_of_classes(encoding, X, y, ranks):
    """Places and votes of samples with class numbers y, (n,) or (n, n_outputs)."""
    return places_of(X, y.T, encoding)


class PartitionedClasses(PartitionedSamples):
    """Samples with labels; y are class numbers, ``classes`` (n_classes,) the labels."""

    def __init__(self, X: Sequence[Block], y: Sequence[Block], n_features: int):
        super().__init__(X, y, n_features)
        delayed, lengths = self.dask.delayed, np.diff(self.starts)
        found = self.dask.compute(*(delayed(np.unique)(block) for block in self.targets))
        names = np.unique(np.concatenate([some for some, n in zip(found, lengths, strict=True) if n]))
        coded = self.dask.persist(*(delayed(_codes)(block, names) for block in self.targets))
        codes = np.concatenate(self.dask.compute(*coded))
        has_label = labelled(names[codes]) if names.dtype.kind in "if" else np.ones(len(codes), dtype=bool)
        self.rows = np.flatnonzero(has_label)
        used = np.unique(codes[self.rows])
        self.classes, _ = check_labels(np.repeat(names[used], 3))  # labels that all differ would look like numbers
        class_of_code = np.full(len(names), -1)
        class_of_code[used] = np.arange(len(self.classes))
        numbers = class_of_code.astype(np.min_scalar_type(-len(names)))
        self.targets = self.dask.persist(*(delayed(np.take)(numbers, some) for some in coded))
        self.y = class_of_code[codes[self.rows]]
        self.put_in_order()
        self.values, self.encoding = self.y, ClassEncoding(len(self.classes))
        self.n_cells, self.places = self.encoding.n_cells, partial(_places_of_classes, self.encoding)


def _codes(y, names):
    """Numbers of labels among all of them, in the smallest type."""
    return np.searchsorted(names, y).astype(np.min_scalar_type(len(names)))


class PartitionedLabels(PartitionedSamples):
    """Samples with several labels; y are zeros and ones of all classes, ``classes`` the labels of every output."""

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
        self.places = partial(_places_of_classes, self.encoding)


def quantiles_of(samples: Any, levels: NDArray) -> NDArray[np.float64]:
    """Quantiles (n, d) of all features at ``levels`` (n,), numpy's method "inverted_cdf"."""
    dask, features = samples.dask, range(samples.n_features)
    ladders = dask.compute(*samples.each(_ladder_of))
    wanted = 1 + np.quantile(np.arange(len(samples)), levels, method="inverted_cdf").astype(np.intp)
    above, up_to = np.stack([_brackets(ladders, wanted, j) for j in features], axis=-1)
    found = dask.compute(*samples.each(partial(_between, above, up_to)))
    return np.array([[picked(found, n, j, k) for j in features] for n, k in enumerate(wanted)])


def _ladder_of(X, y, ranks):
    """Sorted values (g, d) of every feature with the smallest and the largest, and their ranks (g,)."""
    numbers = np.unique(np.linspace(0, len(X) - 1, RUNGS).astype(np.intp))
    return np.sort(X, axis=0)[numbers].astype(np.float64), numbers


def _brackets(ladders, wanted, feature):
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


def _between(above, up_to, X, y, ranks):
    """By feature and bracket (n, d): the number of values below, and unique values inside with their counts."""
    found = []
    for column, low, high in zip(np.sort(X, axis=0).astype(np.float64).T, above.T, up_to.T, strict=True):
        starts, ends = np.searchsorted(column, low, "right"), np.searchsorted(column, high, "right")
        inside = [np.unique(column[a:b], return_counts=True) for a, b in zip(starts, ends, strict=True)]
        found.append(list(zip(starts, inside, strict=True)))
    return found


def picked(found: Sequence[list], bracket: int, feature: int, wanted: int) -> float:
    """The ``wanted``-th smallest value of a feature, which is in this bracket."""
    parts = [part[feature][bracket] for part in found]
    values, counts = (np.concatenate([inside[i] for _, inside in parts]) for i in (0, 1))
    order = np.argsort(values, kind="stable")
    n_below = sum(below for below, _ in parts)
    return values[order][np.searchsorted(n_below + np.cumsum(counts[order]), wanted)]


class PartitionedTrend(NamedTuple):
    """A trend, and those of the same kind fitted without a tenth of the samples each."""

    trend: ColumnTrend
    lines: Lines

    def left_out(self, X: NDArray, ranks: NDArray) -> NDArray[np.float64]:
        """Predictions of the trend without them for samples X (n, d) with these ranks (n,) among all."""
        return self.lines.left_out(self.trend.columns, X, ranks % FOLDS)


class TrendFinder:
    """Finds trends of PartitionedSamples; shared quantities are computed once."""

    def __init__(self, samples: Any):
        self.samples = samples
        self.columns: dict[type[ColumnTrend], StandardColumns] = {}

    @cached_property
    def views(self) -> dict[type, View]:
        """Views of which the columns of trends consist."""
        levels = np.array([0.0, *step_levels(self.samples.n_features), 1.0])
        low, *inner, high = quantiles_of(self.samples, levels)
        scaled = Scaled(low, np.where(high > low, high - low, 1.0))
        return {Scaled: scaled, Steps: Steps.at(np.array(inner), low, high), Products: Products.within(low, high)}

    def __call__(self, kind: type[Trend], rows: Any, scale: Scale) -> tuple[Any, NDArray] | None:
        """The trend of that kind on a scale, and its cross-fitted predictions; None if it costs too much."""
        found: Any = self._trees(scale) if issubclass(kind, BoostedTrend) else self._lines(kind, scale)
        if found is None:
            return None
        left_out = self.samples.each(lambda X, y, ranks: found.left_out(X, ranks))
        return found, np.concatenate(self.samples.dask.compute(*left_out))[self.samples.rows]

    def _trees(self, scale):
        """Trees of a few rows, which come out of the partitions."""
        N = len(self.samples)
        if not BoostedTrend.is_for(N, self.samples.n_features):
            return None
        numbers = learned_rows(N)
        X = self.samples.features(numbers).astype(np.float64)
        return CrossedTrees.of(X, scale(self.samples.y[numbers]), numbers)

    def _lines(self, kind, scale):
        """Linear in columns, by sums over the partitions."""
        if not has_few_products(kind, self.samples.n_features):
            return None
        views = [self.views[view] for view in kind.parts]
        if min(len(self.samples), sum(len(view.owner) for view in views)) > MOST_COLUMNS:
            return None
        if kind not in self.columns:
            self.columns[kind] = self._columns(views)
        columns = self.columns[kind]
        lines = fitted(
            columns, self._summed(lambda X, y, ranks: columns.moments(X, scale(y), ranks % FOLDS, np.ones(len(X))))
        )
        return PartitionedTrend(kind(views, lines.slopes[0], float(lines.bases[0])), lines)

    def _columns(self, views):
        """Columns with centres and units; along the rows if they outnumber the samples."""
        N, p = len(self.samples), sum(len(view.owner) for view in views)
        columns = StandardColumns(views, np.zeros(p), np.ones(p))
        columns = columns._replace(centre=self._power_sums(columns, 1) / N)
        columns = columns._replace(unit=units_of(views, self._power_sums(columns, 2) / N))
        return columns.along_rows(self.samples.features(np.arange(N))) if p > N else columns  # few samples then

    def _power_sums(self, columns, power):
        return self._summed(lambda X, y, ranks: columns.sums(X, np.ones(len(X)), power))

    def _summed(self, function):
        """The sum of what function(X, y, ranks) returns over all samples."""
        return merged_in_steps(list(self.samples.each(function)), partial(np.sum, axis=0)).compute()


def _target_values(trends, X, z, ranks):
    """What samples X (n, d) vote for, (2 + n_trends, n): z (n,) on the scale, its square, and trends without them."""
    return np.array([z, z**2, *(trend.left_out(X, ranks) for trend in trends)])


def _places_of_targets(scale, trends, encoding, X, y, ranks):
    """Places and votes of samples with targets y (n,)."""
    return places_of(X, _target_values(trends, X, scale(y), ranks), encoding)


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
        samples: Any = self  # without X, which stays in the partitions
        values, self.found, self.scale = encoded_target(samples, names, scale, TrendFinder(self))
        self.y, self.encoding, self.trends = values[0], TargetEncoding.of(values), [some.trend for some in self.found]
        self.places = partial(_places_of_targets, self.scale, self.found, self.encoding)

    def only(self, numbers: NDArray) -> TrainingSet:
        X = self.features(numbers)
        values = _target_values(self.found, X, self.y[numbers], numbers)
        return TrainingSet(X, values, self.encoding, None, self.rows[numbers])
