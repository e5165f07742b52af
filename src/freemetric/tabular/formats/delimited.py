"""CSV and TSV files, read strictly: an error names the malformed line; another delimiter is recognised and said."""

import warnings
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from ...exceptions import DataWarning
from ...text_files import csv_records, text_of
from ..table import InputError, Table, few, objects, quoted

Records = tuple[list[tuple[str, ...]], Sequence[int]]  # fields, and the lines they end on

DELIMITERS = ";\t|,"


def read_delimited(source: str, content: bytes, missing: Collection[str], delimiter: str | None, usual: str) -> Table:
    """The table of a file whose first line names the columns; None is the usual delimiter, or another if it must be."""
    text = text_of(source, content, InputError)
    records, lines = _recognised(source, text, usual) if delimiter is None else _records(source, text, delimiter)
    header, rows = records[0], records[1:]
    check_names(f"{source}, line {lines[0]}", header)
    hint = _hint(header) if delimiter is None else ""
    if not rows:
        raise InputError(f"{source}: a header and no rows{hint}")
    if hint:
        raise InputError(f"{source}{hint.replace(';', ':', 1)}")
    return from_rows(source, header, rows, lines[1:], missing)


def _records(source: str, text: str, delimiter: str) -> Records:
    return csv_records(source, text, InputError, delimiter)


def _recognised(source: str, text: str, usual: str) -> Records:
    """The records by the usual delimiter, unless they are no table by that one and are one by another."""
    problem = None
    try:
        found = _records(source, text, usual)
        if _is_table(found[0]):
            return found
    except InputError as raised:
        problem = raised
    for other in DELIMITERS.replace(usual, ""):
        with suppress(InputError):
            again = _records(source, text, other)
            if len(again[0]) > 1 and _is_table(again[0]):
                warnings.warn(f"{source}: read with the delimiter {other!r}", DataWarning, 4)
                return again
    if problem is not None:
        raise problem
    return found


def _is_table(records: Sequence[Sequence[str]]) -> bool:
    """Whether there are at least two columns and every row has them all."""
    return len(records[0]) > 1 and all(len(record) == len(records[0]) for record in records)


def from_rows(
    source: str,
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    lines: Sequence[int],
    missing: Collection[str],
    kinds: Mapping[str, str] | None = None,
) -> Table:
    """The table of rows of text."""
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(names):
            raise InputError(f"{source}, line {line}: {len(row)} fields where there are {len(names)} columns")
    columns = zip(*rows, strict=True)
    cells = (objects(None if text in missing else text for text in column) for column in columns)
    return Table(source, dict(zip(names, cells, strict=True)), kinds or {}, lines)


def check_names(where: str, names: Sequence[str]) -> None:
    """Every column has a name of its own."""
    for position, name in enumerate(names, 1):
        if not name:
            raise InputError(f"{where}: column {position} has no name; an index must be named or left out")
    again = [name for name, count in Counter(names).items() if count > 1]
    if again:
        raise InputError(f"{where}: two columns are called {few(again)}")


def _hint(header: Sequence[str]) -> str:
    """What may have gone wrong where a file seems to have one column."""
    other = next((mark for mark in DELIMITERS if len(header) == 1 and mark in header[0]), None)
    return f"; one column, {quoted(header[0])}: --delimiter {other!r}?" if other else ""
