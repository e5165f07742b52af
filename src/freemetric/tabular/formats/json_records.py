"""JSON: an object per line, or an array of them; every object is a row, whose values are cells."""

import json
from typing import Any

from ..cells import typed_table
from ..table import InputError, ReadingOptions, Table, quoted
from . import check_names
from .encodings import decoded

MANY_CELLS, MOST_PER_BYTE = 2 * 10**6, 10  # rows that have no name in common would be mostly gaps


class _Pairs(list[tuple[str, Any]]):
    """An object as it stands, in which a name may be twice."""


def read_json(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of a file of JSON lines, or of one array of records; a name that a row lacks is a gap."""
    text, lines = decoded(source, content, options.encoding), None
    if text.lstrip().startswith("["):
        rows = [_row(f"{source}, record {i}", record) for i, record in enumerate(_parsed(source, text), 1)]
    else:
        found = [(i, f"{source}, line {i}", line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
        rows, lines = [_row(where, _parsed(where, line)) for _, where, line in found], [i for i, *_ in found]
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise InputError(f"{source}: {'rows without columns' if rows else 'no rows'}")
    if len(rows) * len(names) > max(MANY_CELLS, MOST_PER_BYTE * len(content)):
        raise InputError(f"{source}: {len(names)} different names in {len(rows)} rows are too many for a table")
    check_names(source, names)
    return typed_table(source, {name: [row.get(name) for row in rows] for name in names}, options.missing, lines)


def _parsed(where: str, text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as problem:
        what = "too deeply nested" if isinstance(problem, RecursionError) else str(problem)
        raise InputError(f"{where}: not a record in JSON ({what})") from problem


def _row(where: str, record: Any) -> dict[str, Any]:
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
