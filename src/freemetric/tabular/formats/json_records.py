"""JSON: an object per line, or an array of them; every object is a row, whose values are cells."""

import json
from collections.abc import Sequence
from typing import Any

from ..table import InputError, Table, quoted
from .cells import column_of
from .encodings import decoded
from .names import check_names
from .reading_options import ReadingOptions

MANY_CELLS, MOST_PER_BYTE = 2 * 10**6, 10  # rows that have no name in common would be mostly gaps
Row = dict[str, Any]


def read_json(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of a file of JSON lines, or of one array of records; a name that a row lacks is a gap."""
    text = decoded(source, content, options.encoding)
    rows, lines = (_array(source, text), None) if text.lstrip().startswith("[") else _of_lines(source, text)
    if not rows:
        raise InputError(f"{source}: no rows")
    names = list(dict.fromkeys(name for row in rows for name in row))
    if len(rows) * len(names) > max(MANY_CELLS, MOST_PER_BYTE * len(content)):
        raise InputError(f"{source}: {len(names)} different names in {len(rows)} rows are too many for a table")
    if not names:
        raise InputError(f"{source}: rows without columns")
    check_names(source, names)
    cells = {name: column_of([row.get(name) for row in rows], options.missing) for name in names}
    return Table(source, cells, {name: "numeric" for name in names if cells[name].dtype.kind == "f"}, lines)


def _of_lines(source: str, text: str) -> tuple[list[Row], Sequence[int]]:
    numbered = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    rows = [_row(f"{source}, line {number}", _parsed(f"{source}, line {number}", line)) for number, line in numbered]
    return rows, [number for number, _ in numbered]


def _array(source: str, text: str) -> list[Row]:
    return [_row(f"{source}, record {i}", record) for i, record in enumerate(_parsed(source, text), 1)]


def _parsed(where: str, text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as problem:
        what = "too deeply nested" if isinstance(problem, RecursionError) else str(problem)
        raise InputError(f"{where}: not a record in JSON ({what})") from problem


class _Pairs(list[tuple[str, Any]]):
    """An object as it stands, in which a name may be twice."""


def _row(where: str, record: Any) -> Row:
    if not isinstance(record, _Pairs):
        hint = "pandas writes such by to_json(orient='records')"
        raise InputError(f"{where}: {quoted(json.dumps(record))} is no record, {{name: value, ...}}; {hint}")
    row = {name.strip(): value for name, value in record}
    if len(row) < len(record):
        raise InputError(f"{where}: a name stands twice in a record")
    nested = next((name for name, value in row.items() if isinstance(value, list)), None)
    if nested is not None:
        raise InputError(f"{where}: {quoted(nested)} holds several values, which are no cell of a table; flatten it")
    if not all(_is_text(part) for pair in row.items() for part in pair if isinstance(part, str)):
        raise InputError(f"{where}: half a character, an escape such as \\ud800 without its other half")
    return row


def _is_text(part: str) -> bool:
    """Whether it can be written to a file."""
    return part.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in part)
