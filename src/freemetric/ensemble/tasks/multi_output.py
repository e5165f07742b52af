"""Multi-output regression: several targets of one sample, one set of metrics for all of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...files.checks import require
from ...learners.training_rows import TrainingRows
from ...metrics import TargetEncoding, TrainingSet
from ..settings import Recipe
from .regression import Prediction, RegressionHead, RegressionTask, TargetHead
from .scales import RegressionScore, Scale, encoded_target


@dataclass(frozen=True, eq=False)
class Scales:
    """The scales of several targets, one for each column."""

    scales: Sequence[Scale]

    @property
    def name(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(scale.name for scale in self.scales)

    def __call__(self, Y: NDArray) -> NDArray[np.float64]:
        """Targets Y (n, m) on the scales."""
        return np.column_stack([scale(y) for scale, y in zip(self.scales, Y.T, strict=True)])

    def back(self, Z: NDArray) -> NDArray[np.float64]:
        """Targets (n, m) of Z (n, m) on the scales."""
        return np.column_stack([scale.back(z) for scale, z in zip(self.scales, Z.T, strict=True)])


class MultiTargetEncoding(TargetEncoding):
    """The values of several targets as votes, those of one target after the other; ``sizes`` of them for each.

    Of every target, it comes first, then its square and its trends.
    """

    def __init__(self, low: NDArray, high: NDArray, sizes: tuple[int, ...]):
        super().__init__(low, high)
        self.sizes = sizes

    @property
    def parts(self) -> list[slice]:
        """Where the values of each target are."""
        ends = np.cumsum(self.sizes)
        return [slice(int(end) - size, int(end)) for end, size in zip(ends, self.sizes, strict=True)]

    @property
    def encodings(self) -> list[TargetEncoding]:
        """That of each target alone."""
        return [TargetEncoding(self.low[part], self.high[part]) for part in self.parts]

    def alone(self, training_set: TrainingSet) -> Iterator[TrainingSet]:
        """The training set of every target by itself."""
        for encoding, part in zip(self.encodings, self.parts, strict=True):
            yield TrainingSet(training_set.X, training_set.values[part], encoding)

    def target(self, values: NDArray) -> NDArray:
        """The targets (N, m) in the values (n_values, N)."""
        return values[[part.start for part in self.parts]].T

    def shares_of_each(self, shares: NDArray) -> Iterator[NDArray]:
        """Shares (..., n_cells) of the votes for each target, as if it were alone."""
        for part, size in zip(self.parts, self.sizes, strict=True):
            yield shares[..., 2 * part.start : 2 * part.stop] * (len(self) / size)

    def to_state(self) -> dict[str, Any]:
        return {**super().to_state(), "sizes": self.sizes}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "MultiTargetEncoding":
        plain, sizes = TargetEncoding.from_state(state), state["sizes"]
        whole = type(sizes) is tuple and all(type(size) is int and size >= 2 for size in sizes)
        require(whole and sum(sizes) == len(plain), "sizes of MultiTargetEncoding", "are those of other values")
        return cls(plain.low, plain.high, sizes)


@dataclass(frozen=True, eq=False)
class MultiOutputHead(TargetHead):
    """A head of regression for every target, each of which reads its own votes."""

    most_changed = RegressionHead.most_changed

    encoding: MultiTargetEncoding
    heads: list[RegressionHead]

    @property
    def scale(self) -> Scales:  # type: ignore[override]
        """On which locations are the targets."""
        return Scales([head.scale for head in self.heads])

    def __call__(self, shares: NDArray, wholes: NDArray) -> Prediction:
        """Locations and spreads (n, m) of shares (n, n_cells)."""
        ends = np.cumsum([len(head.trends) + len(head.noises) for head in self.heads])[:-1]
        parts = zip(self.heads, self.encoding.shares_of_each(shares), np.split(wholes, ends), strict=True)
        return side_by_side([head(votes, some) for head, votes, some in parts])

    def _of_each(self, name, prediction, *options):
        """What this method of every head gives, side by side."""
        columns = zip(prediction.location.T, prediction.spread.T, strict=True)
        parts = zip(self.heads, columns, strict=True)
        return np.stack([getattr(head, name)(Prediction(*column), *options) for head, column in parts], axis=1)

    def means(self, prediction: Prediction) -> NDArray[np.float64]:
        """Expected targets (n, m)."""
        return self._of_each("means", prediction)

    def quantiles(self, prediction: Prediction, chances: NDArray) -> NDArray[np.float64]:
        """Values (n, m, q) that the targets are below with these chances (q,)."""
        return self._of_each("quantiles", prediction, chances)

    def interval(self, prediction: Prediction, alpha: float) -> NDArray[np.float64]:
        """Ends (n, m, 2) of intervals, each of which misses a share alpha."""
        return self._of_each("interval", prediction, alpha)

    def wholes(self, X: NDArray) -> NDArray[np.float64]:
        """Values of the trends and noises of all targets for samples X (n, d)."""
        return np.vstack([head.wholes(X) for head in self.heads])

    def wholes_of(self, training_set: TrainingSet, numbers: NDArray) -> NDArray[np.float64]:
        """The same of training samples ``numbers`` (n,), trends without their own part in them."""
        parts = zip(self.heads, self.encoding.alone(training_set), strict=True)
        return np.vstack([head.wholes_of(one, numbers) for head, one in parts])

    def named_strengths(self) -> list[dict[str, float]]:
        """Strengths of votes and trends, for every target."""
        return [head.named_strengths() for head in self.heads]

    def check(self, training_set: TrainingSet) -> None:
        other: Any = training_set.encoding
        fits = isinstance(other, MultiTargetEncoding) and other.sizes == self.encoding.sizes
        require(fits, "head of Ensemble", "is of something else")
        for head, one in zip(self.heads, other.alone(training_set), strict=True):
            head.check(one)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "MultiOutputHead":
        encoding, heads = state["encoding"], state["heads"]
        require(type(encoding) is MultiTargetEncoding, "encoding of MultiOutputHead", "is something else")
        known = type(heads) is list and {type(head) for head in heads} == {RegressionHead}
        require(known and len(heads) == len(encoding.sizes), "heads of MultiOutputHead", "are something else")
        return cls(encoding, heads)


def side_by_side(predictions: Sequence[Prediction]) -> Prediction:
    """The predictions of every target as columns."""
    return Prediction(*(np.column_stack(some) for some in zip(*predictions, strict=True)))


class MultiOutputTask(RegressionTask):
    """Several targets, a task for each; deviations, scores and energies are means over them."""

    saved = {"multi-target-encoding": MultiTargetEncoding, "multi-output-head": MultiOutputHead}

    @classmethod
    def takes(cls, y: NDArray) -> bool:
        return y.ndim == 2

    @classmethod
    def of(cls, rows: TrainingRows, recipe: Recipe, scale: str) -> tuple["MultiOutputTask", TrainingSet]:
        found = [encoded_target(rows._replace(y=column), recipe.trends, scale) for column in rows.y.T]
        each, trends, scales = zip(*found, strict=True)
        values = np.vstack(each)
        plain = TargetEncoding.of(values)
        encoding = MultiTargetEncoding(plain.low, plain.high, tuple(map(len, each)))
        tasks = list(map(RegressionTask, encoding.encodings, trends, scales))
        score = RegressionScore(recipe.scoring, Scales(scales))
        return cls(encoding, tasks, score), TrainingSet(rows.X, values, encoding, rows.weights, rows.rows)

    encoding: MultiTargetEncoding

    def __init__(self, encoding: MultiTargetEncoding, tasks: list[RegressionTask], score: RegressionScore):
        super().__init__(encoding, score=score)
        self.tasks = tasks

    def strata(self, y: NDArray) -> list[NDArray]:
        """The quarters of y (N, m) along its leading principal axis."""
        centred = y - y.mean(axis=0)
        return super().strata(centred @ np.linalg.eigh(centred.T @ centred)[1][:, -1])

    def _each(self, shares, y):
        return zip(self.tasks, self.encoding.shares_of_each(shares), y.T, strict=True)

    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """Squared errors (..., N), the mean over targets."""
        return np.mean([task.deviations(votes, one) for task, votes, one in self._each(shares, y)], axis=0)

    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        return np.mean([task.errors(votes, one, weights) for task, votes, one in self._each(shares, y)], axis=0)

    def fitted_head(self, X, shares, values, weights, recipe, known=None):
        heads = [None] * len(self.tasks) if known is None else known.heads
        parts = zip(self.tasks, heads, self.encoding.shares_of_each(shares), self.encoding.parts, strict=True)
        found = [task.fitted_head(X, votes, values[part], weights, recipe, one) for task, one, votes, part in parts]
        heads, predictions = zip(*found, strict=True)
        return MultiOutputHead(self.encoding, list(heads)), side_by_side(predictions)
