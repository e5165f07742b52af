"""Multi-output regression: several targets of one sample, one set of metrics for all of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...files.checks import require
from ...learners.training_rows import TrainingRows
from ...metrics import TargetEncoding, TrainingSet
from ..model import Ensemble
from ..oob import OOBIndices
from ..population import Population
from ..settings import Recipe
from ..task import Head, OOBResult, Task
from .regression import (
    Prediction,
    RegressionHead,
    RegressionTask,
    mixed_votes,
    oob_attributes,
    shortlist_predictor,
    with_spread_of,
)
from .scales import RegressionScore, Scale, encoded_target


class Scales:
    """The scales of several targets, one for each column."""

    def __init__(self, scales: Sequence[Scale]):
        self.scales = scales

    @property
    def name(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(scale.name for scale in self.scales)

    def back(self, Z: NDArray) -> NDArray[np.float64]:
        """Targets (n, m) of Z (n, m) on the scales."""
        return np.column_stack([scale.back(z) for scale, z in zip(self.scales, Z.T, strict=True)])


class MultiTargetEncoding(TargetEncoding):
    """The values of several targets as votes, those of one target after the other.

    Parameters
    ----------
    low, high : ndarray of shape (n_values,)
        The ranges. Of every target, it comes first, then its square and its trends.
    sizes : tuple of int
        How many of the values belong to each target.
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


class MultiOutputHead(Head):
    """A head of regression for every target, each of which reads its own votes.

    Parameters
    ----------
    encoding : MultiTargetEncoding
        Of all targets.
    heads : list of RegressionHead
        One for each.
    """

    most_changed = RegressionHead.most_changed

    def __init__(self, encoding: MultiTargetEncoding, heads: list[RegressionHead]):
        self.encoding, self.heads = encoding, heads

    @property
    def scale(self) -> Scales:
        """On which locations are the targets."""
        return Scales([head.scale for head in self.heads])

    def __call__(self, shares: NDArray, wholes: NDArray) -> Prediction:
        """Locations and spreads (n, m) of shares (n, n_cells)."""
        ends = np.cumsum([len(head.trends) + len(head.noises) for head in self.heads])[:-1]
        parts = zip(self.heads, self.encoding.shares_of_each(shares), np.split(wholes, ends), strict=True)
        locations, spreads = zip(*(head(votes, some) for head, votes, some in parts), strict=True)
        return Prediction(np.column_stack(locations), np.column_stack(spreads))

    def _each(self, prediction: Prediction) -> Iterator[tuple[RegressionHead, Prediction]]:
        columns = zip(prediction.location.T, prediction.spread.T, strict=True)
        return zip(self.heads, (Prediction(*column) for column in columns), strict=True)

    def means(self, prediction: Prediction) -> NDArray[np.float64]:
        """Expected targets (n, m)."""
        return np.column_stack([head.means(one) for head, one in self._each(prediction)])

    def quantiles(self, prediction: Prediction, chances: NDArray) -> NDArray[np.float64]:
        """Values (n, m, q) that the targets are below with these chances (q,)."""
        return np.stack([head.quantiles(one, chances) for head, one in self._each(prediction)], axis=1)

    def interval(self, prediction: Prediction, alpha: float) -> NDArray[np.float64]:
        """Ends (n, m, 2) of intervals, each of which misses a share alpha."""
        return np.stack([head.interval(one, alpha) for head, one in self._each(prediction)], axis=1)

    def answers(self, shares: NDArray, wholes: NDArray) -> NDArray[np.float64]:
        """Expected targets (n, m) of mixed votes (n, n_cells)."""
        return self.means(self(shares, wholes))

    def wholes(self, X: NDArray) -> NDArray[np.float64]:
        """What trends and noises of all targets say of samples X (n, d)."""
        return np.vstack([head.wholes(X) for head in self.heads])

    def wholes_of(self, training_set: TrainingSet, numbers: NDArray) -> NDArray[np.float64]:
        """The same of training samples ``numbers`` (n,), trends without their own part in them."""
        values, X = training_set.values[:, numbers], training_set.X[numbers]
        parts = zip(self.heads, self.encoding.parts, strict=True)
        return np.vstack([head.known_wholes(values[part], X) for head, part in parts])

    def left_out(self, training_set: TrainingSet) -> Callable[[NDArray, NDArray], NDArray]:
        """``wholes``: a single sample hardly moves a trend."""
        return lambda X, numbers: self.wholes(X)

    def truth(self, training_set: TrainingSet) -> NDArray[np.float64]:
        """The targets (N, m) as they were given."""
        return self.scale.back(training_set.y)

    def named_strengths(self) -> list[dict[str, float]]:
        """How far votes and trends count, for every target."""
        return [head.named_strengths() for head in self.heads]

    def check(self, training_set: TrainingSet) -> None:
        """ValueError unless it belongs to this training set."""
        other = training_set.encoding
        if not isinstance(other, MultiTargetEncoding) or other.sizes != self.encoding.sizes:
            raise ValueError("head of Ensemble is of something else")
        for head, encoding, part in zip(self.heads, other.encodings, other.parts, strict=True):
            head.check(TrainingSet(training_set.X, training_set.values[part], encoding))

    def to_state(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "MultiOutputHead":
        encoding, heads = state["encoding"], state["heads"]
        require(type(encoding) is MultiTargetEncoding, "encoding of MultiOutputHead", "is something else")
        known = type(heads) is list and {type(head) for head in heads} == {RegressionHead}
        require(known and len(heads) == len(encoding.sizes), "heads of MultiOutputHead", "are something else")
        return cls(encoding, heads)


class MultiOutputTask(Task):
    """Several targets; deviations, scores and energies are means over them.

    Parameters
    ----------
    encoding : MultiTargetEncoding
        Of all targets.
    tasks : list of RegressionTask
        One for each.
    score : RegressionScore
        What is reported.
    """

    energy, score_words, columns = RegressionTask.energy, RegressionTask.score_words, RegressionTask.columns
    saved = {"multi-target-encoding": MultiTargetEncoding, "multi-output-head": MultiOutputHead}

    @classmethod
    def takes(cls, y: NDArray) -> bool:
        """Whether y holds several targets."""
        return y.ndim == 2

    @classmethod
    def of(cls, rows: TrainingRows, recipe: Recipe, scale: str, scoring: Any) -> tuple["MultiOutputTask", TrainingSet]:
        """The task of these rows, and what they vote for."""
        found = [encoded_target(rows._replace(y=column), recipe.trends, scale) for column in rows.y.T]
        plain = TargetEncoding.of(np.vstack([values for values, _, _ in found]))
        encoding = MultiTargetEncoding(plain.low, plain.high, tuple(len(values) for values, _, _ in found))
        parts = zip(encoding.encodings, found, strict=True)
        tasks = [RegressionTask(one, trends, on) for one, (_, trends, on) in parts]
        values = np.vstack([values for values, _, _ in found])
        score = RegressionScore(scoring, Scales([on for _, _, on in found]))
        return cls(encoding, tasks, score), TrainingSet(rows.X, values, encoding, rows.weights, rows.rows)

    def __init__(self, encoding: MultiTargetEncoding, tasks: list[RegressionTask], score: RegressionScore):
        self.encoding, self.tasks, self.score = encoding, tasks, score

    def strata(self, y: NDArray) -> list[NDArray]:
        """The quarters of y (N, m) along its leading principal axis."""
        centred = y - y.mean(axis=0)
        return self.tasks[0].strata(centred @ np.linalg.eigh(centred.T @ centred)[1][:, -1])

    def _each(self, shares, y):
        return zip(self.tasks, self.encoding.shares_of_each(shares), y.T, strict=True)

    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """Squared errors (..., N), the mean over targets."""
        return np.mean([task.deviations(votes, one) for task, votes, one in self._each(shares, y)], axis=0)

    def scores(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Mean squared errors (...)."""
        return np.average(self.deviations(shares, y), axis=-1, weights=weights)

    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Mean absolute errors (...)."""
        return np.mean([task.errors(votes, one, weights) for task, votes, one in self._each(shares, y)], axis=0)

    def error_of(self, score: float, n_scored: float) -> float:
        """The standard error of a mean squared error of so many samples, if errors are normal."""
        return self.tasks[0].error_of(score, n_scored)

    def result(self, population: Population, recipe: Recipe, n_rows: int | None) -> OOBResult:
        """Weights of the candidates for all targets together, and a head for each."""
        assert n_rows is not None
        weights, shares = mixed_votes(population, recipe)
        values = population.training_set.values
        parts = zip(self.tasks, self.encoding.shares_of_each(shares), self.encoding.parts, strict=True)
        found = [task.fitted_head(population, votes, values[part], recipe) for task, votes, part in parts]
        known = np.column_stack([predictions for _, predictions in found])
        head = MultiOutputHead(self.encoding, [head for head, _ in found])
        return OOBResult(weights, head, oob_attributes(known, population, self.score, n_rows))

    def recalibrated(
        self, ensemble: Ensemble, oob_indices: OOBIndices, shortlist: int | None, recipe: Recipe
    ) -> Ensemble:
        """The ensemble with spreads for predictions that look at a shortlist."""
        predictor = shortlist_predictor(ensemble, oob_indices, shortlist, recipe.fewest_errors)
        if predictor is None:
            return ensemble
        votes = self.encoding.shares_of_each(predictor.shares(predictor.X, np.arange(len(predictor.oob_samples))))
        values = predictor.training_set.values[:, predictor.oob_samples]
        parts = zip(ensemble.head.heads, votes, self.encoding.parts, strict=True)
        heads = [with_spread_of(head, predictor, some, values[part], recipe) for head, some, part in parts]
        return ensemble.with_head(MultiOutputHead(self.encoding, heads))
