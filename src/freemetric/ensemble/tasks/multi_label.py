"""Several labels of one sample: classes of each output, one set of metrics for all of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...files.checks import check_array, require
from ...learners.training_rows import TrainingRows
from ...metrics import ClassEncoding, TrainingSet
from ...metrics.training_set import Encoding
from ...printable import counted
from ..task import Head
from .classification import ClassificationHead, ClassificationTask, calibrated, cross_fitted_densities
from .decisions import Decision, ProbabilityScore, favouring

FEWEST_ALIKE = 8  # samples with the same labels that are a stratum of their own


class MultiLabelEncoding(Encoding):
    """Class numbers of several outputs as votes: a cell for every class of every output.

    ``sizes`` are the numbers of classes. The target has the same cells, zeros and ones: its mean among any samples are
    their shares of votes.
    """

    def __init__(self, sizes: tuple[int, ...]):
        self.sizes, self.n_cells = sizes, sum(sizes)
        self.starts: NDArray = np.cumsum(sizes) - np.array(sizes)
        # one column tells two classes apart, and a constant label tells nothing
        columns = [range(start + (size < 3), start + size) for start, size in zip(self.starts, sizes, strict=True)]
        self.informative = np.concatenate(columns).astype(np.intp)

    def target(self, values: NDArray) -> NDArray[np.float64]:
        """Zeros and ones (N, n_cells) of class numbers (n_outputs, N)."""
        out = np.zeros((values.shape[1], self.n_cells))
        out[np.arange(len(out)), self.starts[:, None] + values] = 1.0
        return out

    def votes(self, values: NDArray) -> NDArray[np.float32]:
        return self.target(values).astype(np.float32)

    def learned(self, values: NDArray, bags: NDArray) -> NDArray:
        """Columns (R, n, m) of zeros and ones: one for every class, or one for two classes."""
        return self.target(values)[bags][..., self.informative]

    def each(self, columns: NDArray) -> Iterator[NDArray]:
        """Columns (..., n_classes) of every output among those of all (..., n_cells)."""
        return (columns[..., start : start + size] for start, size in zip(self.starts, self.sizes, strict=True))

    def shares_of_each(self, shares: NDArray) -> Iterator[NDArray]:
        """Shares (..., n_classes) of the votes for every output, as if it were alone."""
        return (len(self.sizes) * columns for columns in self.each(shares))

    def alone(self, training_set: TrainingSet) -> Iterator[TrainingSet]:
        """The training set of every output by itself."""
        X, weights, rows = training_set.X, training_set.weights, training_set.rows
        for numbers, size in zip(training_set.values, self.sizes, strict=True):
            yield TrainingSet(X, numbers, ClassEncoding(size), weights, rows)

    def check(self, values: NDArray, X: NDArray) -> None:
        check_array(values, "values of TrainingSet", 2, (len(self.sizes), len(X)), "iu")
        for numbers, size in zip(values, self.sizes, strict=True):
            ClassEncoding(size).check(numbers, X)

    def to_state(self) -> dict[str, Any]:
        return {"sizes": self.sizes}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "MultiLabelEncoding":
        sizes = state["sizes"]
        whole = type(sizes) is tuple and len(sizes) > 1 and all(type(size) is int and size > 0 for size in sizes)
        require(whole, "sizes of MultiLabelEncoding", "are no numbers of classes")
        return cls(sizes)


@dataclass(frozen=True, eq=False)
class MultiLabelHead(Head):
    """A head of classification for every output, each of which reads its own votes; columns stand side by side."""

    most_changed = ClassificationHead.most_changed

    encoding: MultiLabelEncoding
    heads: list[ClassificationHead]

    def answers(self, shares: NDArray, wholes: Any) -> NDArray:
        """Class probabilities (n, n_cells) of shares (n, n_cells), those of every output with sum one."""
        votes = self.encoding.shares_of_each(shares)
        parts = zip(self.heads, votes, wholes, strict=True)
        return np.concatenate([head.answers(some, energies) for head, some, energies in parts], axis=-1)

    def separate(self, answers: NDArray) -> list[NDArray]:
        """Class probabilities (n, n_classes) of every output."""
        return list(self.encoding.each(answers))

    def wholes(self, X: NDArray) -> list[NDArray]:
        """Free energies (n_densities, n, n_classes) of samples X (n, d), for every output."""
        return [head.wholes(X) for head in self.heads]

    def left_out(self, training_set: TrainingSet) -> Callable[[NDArray, NDArray], list[NDArray]]:
        alone = zip(self.heads, self.encoding.alone(training_set), strict=True)
        each = [head.left_out(one) for head, one in alone]
        return lambda X, numbers: [energies(X, numbers) for energies in each]

    def favouring(self, weights: NDArray) -> "MultiLabelHead":
        """The same with probabilities times these weights (n_cells,) of the classes of all outputs."""
        parts = zip(self.heads, self.encoding.each(weights), strict=True)
        return MultiLabelHead(self.encoding, [head.favouring(some) for head, some in parts])

    def check(self, training_set: TrainingSet) -> None:
        other = training_set.encoding
        fits = isinstance(other, MultiLabelEncoding) and other.sizes == self.encoding.sizes
        require(fits, "head of Ensemble", "is of something else")
        for head, one in zip(self.heads, self.encoding.alone(training_set), strict=True):
            head.check(one)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "MultiLabelHead":
        encoding, heads = state["encoding"], state["heads"]
        require(type(encoding) is MultiLabelEncoding, "encoding of MultiLabelHead", "is something else")
        known = type(heads) is list and {type(head) for head in heads} == {ClassificationHead}
        require(known and len(heads) == len(encoding.sizes), "heads of MultiLabelHead", "are something else")
        return cls(encoding, heads)


class LabelsScore:
    """A score of the probabilities of several outputs: the mean of theirs; None is the share of samples all right."""

    def __init__(self, scoring: Any, classes: Sequence[NDArray]):
        self.encoding = MultiLabelEncoding(tuple(map(len, classes)))
        self.scores = [ProbabilityScore(scoring, labels) for labels in classes]
        self.counts_whole_samples = scoring is None

    def __call__(self, probabilities: NDArray, y: NDArray, weights: NDArray | None = None) -> float:
        """The score of probabilities (n, n_cells) of samples with zeros and ones y (n, n_cells)."""
        each = self.encoding.each
        numbers = [columns.argmax(axis=1) for columns in each(y)]
        if self.counts_whole_samples:
            pairs = zip(each(probabilities), numbers, strict=True)
            return float(np.average(np.all([P.argmax(axis=1) == c for P, c in pairs], axis=0), weights=weights))
        parts = zip(self.scores, each(probabilities), numbers, strict=True)
        return float(np.mean([score(P, c, weights) for score, P, c in parts if P.shape[1] > 1]))


class LabelsDecision:
    """A ``Decision`` about every output; probabilities, zeros and ones, and weights stand side by side."""

    def __init__(self, class_weight: Any, scoring: Any, classes: Sequence[NDArray], training_set: TrainingSet):
        encoding: Any = training_set.encoding
        n, given = len(classes), class_weight
        if given is None or isinstance(given, str):
            given = [given] * n
        if not isinstance(given, list) or len(given) != n:
            wanted = f"a list with a dict for each of {counted(n, 'output')}"
            raise ValueError(f'class_weight of several outputs is "balanced", None or {wanted}; got {class_weight!r}.')
        self.score, self.each = LabelsScore(scoring, classes), encoding.each
        # a constant label has nothing to decide
        scorings = [scoring if len(labels) > 1 else None for labels in classes]
        self.decisions = list(map(Decision, given, scorings, classes, encoding.alone(training_set)))

    def class_weights(self, probabilities: NDArray, y: NDArray, weights: NDArray | None) -> NDArray[np.float64]:
        """Weights (n_cells,) of the classes, from out-of-bag probabilities (n, n_cells)."""
        parts = zip(self.decisions, self.each(probabilities), self.each(y), strict=True)
        return np.concatenate([one.class_weights(P, known.argmax(axis=1), weights) for one, P, known in parts])

    def favouring(self, probabilities: NDArray, factors: NDArray) -> NDArray:
        """Probabilities (n, n_cells) times factors (n_cells,), normalised again for every output."""
        return np.concatenate(list(map(favouring, self.each(probabilities), self.each(factors))), axis=1)

    def conformity(self, probabilities: NDArray, y: NDArray) -> NDArray[np.float64]:
        """None: there are no prediction sets of several labels."""
        return np.empty((0, 2))


@dataclass(frozen=True, eq=False)
class MultiLabelTask(ClassificationTask):
    """Classes of several outputs; deviations, errors and energies are means over them.

    The energy is :class:`freemetric.energies.RegressionEnergy` of the columns that tell classes apart: the Brier score
    of every label among soft neighbours, in units of its variance. It costs hardly more for many labels than for one.
    """

    energy = "regression"
    classes_are = list
    saved = {"multi-label-encoding": MultiLabelEncoding, "multi-label-head": MultiLabelHead}
    score_of, decision_of = LabelsScore, LabelsDecision

    encoding: Any = None

    @property
    def n_outputs(self) -> int:  # type: ignore[override]
        return len(self.encoding.sizes)

    @classmethod
    def training_set(cls, rows: TrainingRows) -> TrainingSet:
        encoding = MultiLabelEncoding(tuple(map(len, rows.classes)))
        return TrainingSet(rows.X, np.ascontiguousarray(rows.y.T), encoding, rows.weights, rows.rows)

    @classmethod
    def of_classes(cls, training_set: TrainingSet, classes: Any, class_weight: Any, scoring: Any) -> Self:
        task = super().of_classes(training_set, classes, class_weight, scoring)
        return replace(task, encoding=training_set.encoding)

    @classmethod
    def known_targets(cls, y: ArrayLike, classes: Any) -> NDArray:
        labels = np.asarray(y)
        if labels.ndim != 2 or labels.shape[1] != len(classes):
            raise ValueError(f"y must have the shape {('n_samples', len(classes))}, got {labels.shape}.")
        pairs = zip(labels.T, classes, strict=True)
        numbers = [super(MultiLabelTask, cls).known_targets(column, known) for column, known in pairs]
        return MultiLabelEncoding(tuple(map(len, classes))).target(np.array(numbers))

    def strata(self, y: NDArray) -> list[NDArray]:
        """Samples with the same labels, of the most frequent kinds; all others together."""
        _, first, kind, counts = np.unique(y, True, True, True, axis=0)
        frequent = np.lexsort((first, -counts))[: self.n_classes]  # whatever the order of the outputs
        alike = [np.flatnonzero(kind.ravel() == number) for number in frequent if counts[number] >= FEWEST_ALIKE]
        rest = np.setdiff1d(np.arange(len(y)), np.concatenate([*alike, np.empty(0, dtype=np.intp)]))
        return [*alike, rest] if len(rest) else alike

    def deviations(self, shares: NDArray, y: NDArray) -> NDArray:
        """Half the squared distances (..., N) of shares (..., N, n_cells), the mean over outputs."""
        m = self.n_outputs
        return m / 2 * np.square(shares - np.asarray(y / m, dtype=shares.dtype)).sum(axis=-1)

    def errors(self, shares: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray:
        """Hamming losses (...) of deciding for the largest of the shares of every output."""
        pairs = zip(self.encoding.each(shares), self.encoding.each(y), strict=True)
        wrong = np.mean([some.argmax(axis=-1) != known.argmax(axis=-1) for some, known in pairs], axis=0)
        return np.average(wrong, axis=-1, weights=weights)

    def _fitted_head(self, population, recipe, mixed, weights):
        oob, heads, probabilities = population.oob_samples, [], []
        alone = zip(self.encoding.alone(population.training_set), self.encoding.shares_of_each(mixed), strict=True)
        for one, votes in alone:
            recipe_of_one = recipe if one.n_cells > 1 else replace(recipe, calibration="none")
            names = () if recipe_of_one.calibration == "none" else recipe.densities
            densities, energies = cross_fitted_densities(names, one, oob)
            heads.append(calibrated(votes, one.y[oob], population.oob_weights, energies, densities, recipe_of_one))
            probabilities.append(heads[-1].answers(votes, energies))
        return MultiLabelHead(self.encoding, heads), np.concatenate(probabilities, axis=1)
