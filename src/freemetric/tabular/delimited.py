"""CSV and TSV files, read strictly: an error names the malformed line, and nothing is guessed."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from ..text_files import csv_records, text_of
from .table import InputError, Table, few, objects, quoted


def read_delimited(source: str, content: bytes, missing: Collection[str], delimiter: str) -> Table:
    """The table of a file whose first line names the columns."""
    records, lines = csv_records(source, text_of(source, content, InputError), InputError, delimiter)
    header, rows = records[0], records[1:]
    check_names(f"{source}, line {lines[0]}", header)
    if not rows:
        raise InputError(f"{source}: a header and no rows{_hint(header)}")
    return from_rows(source, header, rows, lines[1:], missing)


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
    other = next((mark for mark in ";\t|," if len(header) == 1 and mark in header[0]), None)
    return f"; one column, {quoted(header[0])}: --delimiter {other!r}?" if other else ""
