"""Whether a table is the data set it is said to be."""

from collections import Counter

from ..printable import counted
from .registry import DataFile
from .table import DatasetError, TextColumns


def verify(table: TextColumns, expected: DataFile) -> None:
    """Raise a DatasetError that says what was expected and what was found, or return nothing.

    Parameters
    ----------
    table : TextColumns
        What was read.
    expected : DataFile
        What the registry says.
    """
    _verify_columns(table, expected)
    if len(table.labels) != expected.rows:
        raise DatasetError(f"{table.source}: {counted(len(table.labels), 'row')}, expected {expected.rows}")
    _verify_values(table, expected)
    counts = Counter(table.labels)
    if expected.class_counts is None or counts == expected.class_counts:
        return
    if len(counts) != len(expected.class_counts):
        raise DatasetError(
            f"{table.source}: {counted(len(counts), 'class', 'classes')}, expected {len(expected.class_counts)}"
        )
    label = next(label for label in expected.class_counts | counts if counts[label] != expected.class_counts.get(label))
    wanted = expected.class_counts.get(label, 0)
    raise DatasetError(f"{table.source}: {counted(counts[label], 'row')} of class {label!r}, expected {wanted}")


def _verify_columns(table, expected):
    if table.class_column != "class":
        raise DatasetError(f"{table.source}: no class column: the last is {table.class_column!r}, expected 'class'")
    if len(table.columns) != expected.features:
        raise DatasetError(f"{table.source}: {counted(len(table.columns), 'feature')}, expected {expected.features}")
    for place, (name, wanted) in enumerate(zip(table.columns, expected.columns or table.columns, strict=True), 1):
        if name != wanted:
            raise DatasetError(f"{table.source}: column {place} is {name!r}, expected {wanted!r}")


def _verify_values(table, expected):
    for column, fields in zip(table.columns, table.fields, strict=True):
        if column not in expected.nominal:
            continue
        allowed = {"", *expected.nominal[column]}
        strange = next((row for row, text in enumerate(fields) if text not in allowed), None)
        if strange is not None:
            line, values = table.lines[strange], ", ".join(expected.nominal[column])
            raise DatasetError(
                f"{table.source}, line {line}: {fields[strange]!r} in column {column!r}, expected one of {values}"
            )
