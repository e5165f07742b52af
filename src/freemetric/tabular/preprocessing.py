"""Preprocessing: which columns become features, by which transformers, and what features say about their columns."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from ..learners.learned_space import LearnedSpace
from .notation import START
from .schema import Column, Schema
from .table import InputError, Table, note, objects, quoted

MOST_CATEGORIES = 32  # features a nominal column may become; the rarest categories share one
OFTEN_ENOUGH = 2  # rows of a name that has a feature of its own
MOST_NAMED = 8  # columns or values in a message
MANY_OF_THE_ROWS = 0.5  # share of different values from which on they are nearly a name of the row
WORDS_OF_A_TEXT = 4
CALLED_A_KEY = re.compile(r"(?i:(?:.*[^a-z])?(?:id|key|index|idx|row|rowid|nr|no))|.*[a-z]I[dD]")  # and no "acid"
WITHOUT_NAME = re.compile(r"Unnamed: 0(\.\d+)*")  # as pandas and our readers call an index
MANY_GAPS = 0.05  # share of a numeric column from which on a gap is a feature of its own
NEGLIGIBLE = 1e-9  # variance, relative to the largest, of directions in which rows do not differ
NEITHER, OTHER = "neither", "another"  # of two names, and one that is not in the training rows
DIGITS = 12  # of a number that was scaled and is scaled back


@dataclass(frozen=True)
class Plan:
    """Columns by their treatment, and the reasons why others are left out."""

    groups: dict[str, list[str]]
    left_out: dict[str, str]

    def transformer(self) -> ColumnTransformer:
        return ColumnTransformer([(name, TREATMENTS[name](), columns) for name, columns in self.groups.items()])


def _one_hot():
    """A feature per name, and one for all rare names, which also stands for unseen names.

    By Good and Turing, the share of new rows with unseen names is about that of training rows with names that occur
    once. Both share a feature, so that scores of the training rows hold for new ones.
    """
    return OneHotEncoder(
        min_frequency=OFTEN_ENOUGH,
        max_categories=MOST_CATEGORIES,
        handle_unknown="infrequent_if_exist",
        sparse_output=False,
    )


TREATMENTS = {
    "numbers": lambda: SimpleImputer(strategy="median"),
    "numbers with gaps": lambda: SimpleImputer(strategy="median", add_indicator=True),
    "gaps": lambda: MissingIndicator(features="all"),
    "two names": lambda: make_pipeline(  # 0 and 1, and halfway between them for what is neither
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan),
        SimpleImputer(strategy="constant", fill_value=0.5),
    ),
    "names": _one_hot,
    "names with gaps": _one_hot,
}
"""Transformers by the name of their group."""


def plan(frame: Any, schema: Schema) -> Plan:
    """The treatment of each column, from the frame of the training rows."""
    groups: dict[str, list[str]] = {name: [] for name in TREATMENTS}
    left_out: dict[str, str] = {}
    for column in schema.columns:
        first, *others = column.parts  # of a date the first tells most, and is constant where all parts are
        n_values, n_present = frame[first].nunique(), int(frame[first].count())
        if n_present == 0:
            left_out[column.name] = "it has no value at all"
        elif n_values == 1 and n_present == len(frame):
            left_out[column.name] = "it is constant"
        elif column.kind == "nominal" and n_values == n_present > MOST_CATEGORIES:
            left_out[column.name] = "it names every row differently"
        else:
            groups[_treatment(frame[first], column.kind)].append(first)
            groups["numbers"] += [part for part in others if frame[part].nunique() > 1]  # their gaps are the first's
    return Plan({name: columns for name, columns in groups.items() if columns}, left_out)


def _treatment(values: Any, kind: str) -> str:
    n_values, gaps = values.nunique(), values.isna().sum()
    if kind == "nominal":
        both = n_values == 2 and values.value_counts().min() >= OFTEN_ENOUGH
        return "names with gaps" if gaps else "two names" if both else "names"
    if n_values == 1:
        return "gaps"
    return "numbers with gaps" if gaps >= MANY_GAPS * len(values) else "numbers"


def useful_plan(source: str, frame: Any, schema: Schema) -> Plan:
    """The plan, with a warning about columns that are left out; InputError where all are."""
    made = plan(frame, schema)
    _note_left_out(source, made.left_out, not made.groups)
    return made


def _note_left_out(source, left_out, all_are, hint=""):
    useless = [f"column {quoted(name)}, {reason}" for name, reason in left_out.items()]
    useless[MOST_NAMED:] = [f"{len(useless) - MOST_NAMED} more"] if len(useless) > MOST_NAMED else []
    if all_are:
        raise InputError(f"{source}: no column is of use; {'; '.join(useless)}{hint}")
    if useless:
        note(f"{source}: left out: {'; '.join(useless)}{hint}")


def usable(
    table: Table, target: str | None = None, *, keep: Collection[str] = (), **kinds: Collection[str]
) -> tuple[Schema, dict[str, str]]:
    """The schema of a table without columns that identify its rows, and the reasons why those are left out.

    Columns in ``keep``, and those whose kind is given, are always features; ``drop``, ``numeric`` and ``nominal`` are
    those of ``Schema.infer``.
    """
    for name in keep:
        table.check(name)
    schema = Schema.infer(table, target, **kinds)
    spared = {*keep, *kinds.get("numeric", ()), *kinds.get("nominal", ())}
    reasons = {column.name: _why(table, column) for column in schema.columns if column.name not in spared}
    left_out = {name: reason for name, reason in reasons.items() if reason}
    all_are = len(left_out) == len(schema.columns)
    _note_left_out(table.source, left_out, all_are, f"; {table.option('keep')} keeps one")
    columns = tuple(column for column in schema.columns if column.name not in left_out)
    return Schema(schema.target, columns), left_out


def _why(table: Table, column: Column) -> str:
    """Why a column should not be a feature, empty if it may be one."""
    if WITHOUT_NAME.fullmatch(column.name):
        return "it is an index without a name"
    if column.kind == "numeric" and not column.unit:  # else a quantity, not a number of a row
        return "it numbers the rows" if _numbers_the_rows(table.numbers(column.name, column.marks), column) else ""
    if column.kind != "nominal" or len(column.categories) <= MOST_CATEGORIES:
        return ""
    n_values, n_present = len(column.categories), table.n_rows - column.missing
    if np.mean([len(text.split()) for text in column.categories]) >= WORDS_OF_A_TEXT:
        return "it is free text"
    if n_values >= MANY_OF_THE_ROWS * n_present:
        return f"it has {n_values} different values in {n_present} rows"
    return ""


def _numbers_the_rows(numbers: np.ndarray, column: Column) -> bool:
    """Whether they are consecutive whole numbers, or different ones in a column that is called a key.

    In a short table both are needed.
    """
    is_key = bool(CALLED_A_KEY.fullmatch(column.name))
    if is_key and any(np.array_equal(numbers, np.arange(len(numbers)) + start) for start in (0, 1)):
        return True
    if len(numbers) <= MOST_CATEGORIES or column.missing or (numbers != np.round(numbers)).any():
        return False
    return len(np.unique(numbers)) == len(numbers) and (is_key or bool(np.ptp(numbers) == len(numbers) - 1))


def features(transformer: ColumnTransformer) -> list[tuple[str, str]]:
    """Column of every feature, and its value where a column is several features."""
    names: list[tuple[str, str]] = []
    for group, fitted, columns in transformer.transformers_:
        if group == "two names":
            names += [(column, str(pair[1])) for column, pair in zip(columns, fitted[0].categories_, strict=True)]
        elif group.startswith("names"):
            for column, words, rare in zip(columns, fitted.categories_, fitted.infrequent_categories_, strict=True):
                unusual = [] if rare is None else rare.tolist()
                usual = [word for word in words.tolist() if word not in unusual]
                names += [(column, word if isinstance(word, str) else "missing") for word in usual]
                names += [(column, "others")] if unusual else []
        elif group == "gaps":
            names += [(column, "missing") for column in columns]
        elif group in TREATMENTS:
            names += [(column, "") for column in columns]
            indicator = getattr(fitted, "indicator_", None)
            names += [(columns[i], "missing") for i in indicator.features_] if indicator else []
    return names


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
            made.append(objects(None if gap else cell for gap, cell in zip(missing, cells.tolist(), strict=True)))
        return made

    def _names(self, column: Column, words: Mapping[tuple[str, str], NDArray]) -> np.ndarray:
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
    """A day, with its time where it has one."""
    moment = START + timedelta(seconds=round(days * 86400))
    return moment.strftime("%Y-%m-%d" if moment.time() == START.time() else "%Y-%m-%d %H:%M")
