"""Features and their columns: shares in the learned distance, and the cells of a column from its features."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from ..learners.learned_space import LearnedSpace
from .notation import START
from .preprocessing import features
from .schema import Column, Schema
from .table import objects

NEGLIGIBLE = 1e-9  # variance, relative to the largest, of directions in which rows do not differ
NEITHER, OTHER = "neither", "another"  # of two names, and one that is not in the training rows
DIGITS = 12  # of a number that was scaled and is scaled back


@dataclass(frozen=True)
class Weight:
    """Share in % of a feature: a column, or one of its values."""

    column: str
    value: str
    share: float

    @property
    def name(self) -> str:
        return f"{self.column} = {self.value}" if self.value else self.column


def shares(pipeline: Pipeline, frame: Any) -> NDArray | None:
    """Share of every feature in the squared distances, or None where there is no matrix M.

    The share of feature j is M_jj var(x_j), normalised; M is projected on the directions in which rows differ.
    """
    weights = getattr(pipeline[-1], "distance_weights_", None)
    if weights is not None:
        return np.asarray(weights)
    try:
        M = LearnedSpace(pipeline).matrix()
    except TypeError:
        return None
    covariance = np.atleast_2d(np.cov(pipeline[:-1].transform(frame), rowvar=False))
    values, vectors = np.linalg.eigh(covariance)
    seen = vectors[:, values > NEGLIGIBLE * values[-1]]
    projected = seen @ (seen.T @ M @ seen) @ seen.T
    parts = np.diag(projected) * np.diag(covariance)
    return parts / parts.sum() if parts.sum() > 0 else np.full(len(parts), 1 / len(parts))


def by_column(weights: Iterable[Weight]) -> dict[str, float]:
    """Share in % of every column, the largest first."""
    sums: dict[str, float] = defaultdict(float)
    for weight in weights:
        sums[weight.column] += weight.share
    return dict(sorted(sums.items(), key=lambda item: -item[1]))


class Originals:
    """The columns of a table that a model uses, for a report; ``as_frame`` makes a frame of the schema of rows X."""

    def __init__(self, pipeline: Pipeline, schema: Schema, as_frame: Callable[[Any], Any] | None = None):
        self.pipeline, self.as_frame = pipeline, as_frame
        self.features = features(pipeline.named_steps["columns"])
        parts = [part for part, _ in self.features]
        self.columns = [column for column in schema.columns if set(column.parts) & set(parts)]
        number = {part: i for i, column in enumerate(self.columns) for part in column.parts}
        self.owner: NDArray[np.intp] | None = np.array([number[part] for part in parts])
        self.names: Sequence[str] = [column.name for column in self.columns]

    def of_rows(self, X: Any) -> list[np.ndarray]:
        """The cells of every column of rows X."""
        frame = X if self.as_frame is None else self.as_frame(X)
        return [_cells(column, frame[column.parts[0]].to_numpy()) for column in self.columns]

    def of_features(self, values: NDArray) -> list[np.ndarray]:
        """The cells of every column, from features (n, d)."""
        values, made = self.pipeline.named_steps["scale"].inverse_transform(values), []
        for i, column in enumerate(self.columns):
            words = {self.features[j]: values[:, j] for j in np.flatnonzero(self.owner == i)}
            first = column.parts[0]
            missing = words.pop((first, "missing"), np.zeros(len(values))) > 0.5
            if column.kind == "nominal":
                cells = self._names(column, words)
            elif (first, "") in words:
                cells = _cells(column, np.array([float(f"{value:.{DIGITS}g}") for value in words[first, ""]]))
            else:  # whether there is a value is all that counts
                cells = objects(["there"] * len(values))
            made.append(objects(None if gap else cell for gap, cell in zip(missing, cells, strict=True)))
        return made

    def _names(self, column: Column, words: Mapping[tuple[str, str], NDArray]) -> np.ndarray:
        """The name whose feature is the largest."""
        names = [value for _, value in words]
        if len(names) == 1 and len(column.categories) == 2:  # 0 or 1
            (second,), (share,) = names, words.values()
            first = next(name for name in column.categories if name != second)
            return objects(NEITHER if 0.25 < s < 0.75 else second if s > 0.5 else first for s in share)
        shares = np.column_stack(list(words.values()))
        best = shares.argmax(axis=1)
        return objects(
            names[b] if row[b] > 0.5 else OTHER if column.categories else None
            for b, row in zip(best, shares, strict=True)
        )


def _cells(column: Column, values: np.ndarray) -> np.ndarray:
    """The cells of a column, from its first part in a frame: numbers, names, or dates as ISO 8601 writes them."""
    if column.kind != "date":
        return values
    return objects(None if np.isnan(days) else _date(days) for days in values.astype(np.float64))


def _date(days: float) -> str:
    """A day, with its time where it has one.

    Examples
    --------
    >>> _date(0.0), _date(19000.5)
    ('1970-01-01', '2022-01-08 12:00')
    """
    moment = START + timedelta(seconds=round(days * 86400))
    return moment.strftime("%Y-%m-%d" if moment.time() == START.time() else "%Y-%m-%d %H:%M")
