"""A data set as text: the columns of a CSV file, read strictly, checked, encoded as numbers and written atomically."""

import csv
import hashlib
import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..files.atomic import replacing
from ..printable import counted
from ..text_files import content_of, csv_records, text_of


class DatasetError(ValueError):
    """A data set is missing, malformed or differs from the registry; the message is one line."""


@dataclass(frozen=True)
class TextColumns:
    """Records of text fields, the last of which is the class; an empty field is a missing value.

    ``source`` begins error messages, ``lines`` are the lines of rows in the file.
    """

    source: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    lines: Sequence[int] = range(2, sys.maxsize)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the features."""
        return self.header[:-1]

    @cached_property
    def fields(self) -> tuple[tuple[str, ...], ...]:
        """The fields of every feature, and the classes."""
        return tuple(zip(*self.rows, strict=True))


@dataclass(frozen=True)
class DataFile:
    """Expected content of a file.

    ``file`` is its path inside a data folder, with or without .gz. ``columns``, the names of the features, and
    ``class_counts``, the rows of every class, are None where they are not known. ``nominal`` has the values that a
    nominal column may take; other columns are numeric. ``sha256`` is that of the unpacked file.
    """

    file: str
    columns: tuple[str, ...] | None
    rows: int
    features: int
    class_counts: dict[str, int] | None
    nominal: dict[str, list[str]]
    sha256: str | None


def read_table(path: str | os.PathLike) -> tuple[TextColumns, str]:
    """The table of a CSV file, gzipped or not, and the sha256 of its unpacked content.

    The file is UTF-8 with a header line and the class in the last column.
    """
    content = content_of(Path(path), DatasetError)
    records, lines = csv_records(path, text_of(path, content, DatasetError), DatasetError)
    header, rows = records[0], records[1:]
    _check_header(path, header)
    if not rows:
        raise DatasetError(f"{path}: a header and no rows")
    for row, line in zip(rows, lines[1:], strict=True):
        if len(row) != len(header):
            raise DatasetError(f"{path}, line {line}: {counted(len(row), 'field')} where the header has {len(header)}")
        if not row[-1]:
            raise DatasetError(f"{path}, line {line}: the class (last column, {header[-1]!r}) is empty")
    return TextColumns(str(path), header, rows, lines[1:]), hashlib.sha256(content).hexdigest()


def _check_header(path, header):
    seen: set[str] = set()
    for position, name in enumerate(header, 1):
        if not name:
            raise DatasetError(f"{path}, line 1: column {position} has no name")
        if name in seen:
            raise DatasetError(f"{path}, line 1: column {position} repeats the name {name!r}")
        seen.add(name)
    if len(header) < 2:
        raise DatasetError(f"{path}, line 1: one column only, {header[0]!r}; features and a class are needed")


def verify(table: TextColumns, expected: DataFile) -> None:
    """DatasetError, in one line, where a table differs from the registry."""
    if table.header[-1] != "class":
        raise DatasetError(f"{table.source}: no class column: the last is {table.header[-1]!r}, expected 'class'")
    if len(table.columns) != expected.features:
        raise DatasetError(f"{table.source}: {counted(len(table.columns), 'feature')}, expected {expected.features}")
    for place, (name, right) in enumerate(zip(table.columns, expected.columns or table.columns, strict=True), 1):
        if name != right:
            raise DatasetError(f"{table.source}: column {place} is {name!r}, expected {right!r}")
    if len(table.rows) != expected.rows:
        raise DatasetError(f"{table.source}: {counted(len(table.rows), 'row')}, expected {expected.rows}")
    for column, fields in zip(table.columns, table.fields, strict=False):
        allowed = expected.nominal.get(column, ())  # none: a numeric column
        strange = next((row for row, text in enumerate(fields) if allowed and text and text not in allowed), None)
        if strange is not None:
            where = f"{table.source}, line {table.lines[strange]}: {fields[strange]!r} in column {column!r}"
            raise DatasetError(f"{where}, expected one of {', '.join(allowed)}")
    counts = Counter(table.fields[-1])
    if expected.class_counts is None or counts == expected.class_counts:
        return
    if len(counts) != len(expected.class_counts):
        raise DatasetError(
            f"{table.source}: {counted(len(counts), 'class', 'classes')}, expected {len(expected.class_counts)}"
        )
    label = next(label for label in expected.class_counts | counts if counts[label] != expected.class_counts.get(label))
    wanted = expected.class_counts.get(label, 0)
    raise DatasetError(f"{table.source}: {counted(counts[label], 'row')} of class {label!r}, expected {wanted}")


def encode(
    table: TextColumns, nominal: Mapping[str, Sequence[str]], rules: Mapping[str, str], missing: str = "mode"
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Encode the features of a table: an array (N, d) of float64 without gaps, unscaled, and the names of features.

    A column in ``nominal``, which has its values in order, is encoded by the rule in ``RULES`` that ``rules`` has for
    it or for "*". Its gaps become its most frequent value or, with ``missing="value"``, a value of their own. Every
    other column is numeric, and its gaps become its mean. Fillers come from the whole column, test rows included.
    """
    features: list[tuple[str, np.ndarray]] = []
    for column, fields in zip(table.columns, table.fields, strict=False):
        if column not in nominal:
            features.append((column, _numbers(table, column, fields)))
            continue
        filled, values = _fill(fields, list(nominal[column]), missing)
        features += RULES[rules.get(column, rules["*"])](column, np.array(filled), values)
    names, columns = zip(*features, strict=True)
    return np.column_stack(columns).astype(np.float64), names


def _numbers(table, column, fields):
    def number(text):
        try:
            return float(text)
        except ValueError:
            return np.nan

    numbers = np.array(list(map(number, fields)))
    present = np.array([bool(text) for text in fields])
    wrong = np.flatnonzero(present & ~np.isfinite(numbers))
    if len(wrong):
        where = f"{table.source}, line {table.lines[wrong[0]]}: {fields[wrong[0]]!r} in column {column!r}"
        raise DatasetError(f"{where} is not a finite number; a missing one is an empty field")
    if not present.any():
        raise DatasetError(f"{table.source}: column {column!r} has no value at all")
    numbers[~present] = numbers[present].mean()
    return numbers


def _fill(fields, values, missing):
    if "" not in fields:
        return fields, values
    if missing == "value":
        return [text or "(missing)" for text in fields], [*values, "(missing)"]
    counts = Counter(fields)
    mode = max(values, key=lambda value: counts[value])
    return [text or mode for text in fields], values


def _declared(column, fields, values):
    # one column is enough for two values; a column with one value stays, as a constant
    shown = values[1:] if len(values) == 2 else values
    return [(f"{column}={value}", fields == value) for value in shown]


def _bits(column, fields, values):
    places = np.array([values.index(text) for text in fields])
    width = max(1, (len(values) - 1).bit_length())
    return [(f"{column}:{bit}", places >> bit & 1) for bit in reversed(range(width))]


RULES: dict[str, Callable[[str, np.ndarray, Any], list[tuple[str, np.ndarray]]]] = {
    "onehot": lambda column, fields, values: _declared(column, fields, [v for v in values if (fields == v).any()]),
    "declared": _declared,
    "ordinal": lambda column, fields, values: [(column, np.array([values.index(text) + 1 for text in fields]))],
    "bits": _bits,
}
"""(column, fields, values in their order) -> names of features and the features."""


def as_text(value: object) -> str:
    """A number in its shortest form, anything else as it stands."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def as_csv(table: TextColumns) -> bytes:
    """The bytes of a table as a CSV file."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([table.header, *table.rows])
    return text.getvalue().encode()


def write_atomically(path: Path, content: bytes) -> None:
    """Write bytes to a file atomically; its folder is made if need be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        raise DatasetError(f"{path}: cannot be written ({error.strerror})") from error
