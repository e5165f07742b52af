"""JSON (lines), ARFF and LIBSVM files: records whose columns are named, declared or numbered."""

import csv
import json
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..table import LARGEST, InputError, ReadingOptions, Table, quoted, typed_table
from . import named
from .text import decoded, from_rows

MANY_CELLS, MOST_PER_BYTE = 2 * 10**6, 10  # rows that have no name in common would be mostly gaps
SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which cannot be written to a file


def read_json(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of a file of JSON lines, or of one array of records; a name that a row lacks is a gap."""
    text, lines = decoded(source, content, options.encoding), None
    if text.lstrip().startswith("["):
        rows = [_record(f"{source}, record {i}", record) for i, record in enumerate(_parsed(source, text), 1)]
    else:
        found = [(i, f"{source}, line {i}", line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
        rows, lines = [_record(where, _parsed(where, line)) for _, where, line in found], [i for i, *_ in found]
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise InputError(f"{source}: {'rows without columns' if rows else 'no rows'}")
    if len(rows) * len(names) > max(MANY_CELLS, MOST_PER_BYTE * len(content)):
        raise InputError(f"{source}: {len(names)} different names in {len(rows)} rows are too many for a table")
    named(source, names)
    return typed_table(source, {name: [row.get(name) for row in rows] for name in names}, options.missing, lines)


def _parsed(where: str, text: str) -> Any:
    """What JSON holds; an object, in which a name may occur twice, is a tuple of pairs."""
    try:
        return json.loads(text, object_pairs_hook=tuple)
    except (ValueError, RecursionError) as problem:
        what = "too deeply nested" if isinstance(problem, RecursionError) else str(problem)
        raise InputError(f"{where}: not a record in JSON ({what})") from problem


def _record(where: str, record: Any) -> dict[str, Any]:
    if not isinstance(record, tuple):
        hint = "pandas writes such by to_json(orient='records')"
        raise InputError(f"{where}: {quoted(json.dumps(record))} is no record, {{name: value, ...}}; {hint}")
    row = {name.strip(): value for name, value in record}
    if len(row) < len(record):
        raise InputError(f"{where}: a name stands twice in a record")
    nested = next((name for name, value in row.items() if isinstance(value, list | tuple)), None)
    if nested is not None:
        raise InputError(f"{where}: {quoted(nested)} holds several values, which are no cell of a table; flatten it")
    if any(SURROGATE.search(part) for pair in row.items() for part in pair if isinstance(part, str)):
        raise InputError(f"{where}: half a character, an escape such as \\ud800 without its other half")
    return row


LABEL = "label"  # what the class of a LIBSVM file is called
Numbered = tuple[int, str]  # a line and its number

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{'\"][^\s{{]*)\s*(\{{.*\}}.*|[^{{].*)", re.IGNORECASE)
KINDS = {"numeric": "numeric", "real": "numeric", "integer": "numeric", "string": "nominal", "date": "date"}


def read_arff(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of an ARFF file; kinds are as declared."""
    stripped = (line.strip() for line in decoded(source, content, options.encoding).splitlines())
    lines = [(number, line) for number, line in enumerate(stripped, 1) if line and not line.startswith("%")]
    start = next((i for i, (_, line) in enumerate(lines) if line.lower().startswith("@data")), None)
    if start is None:
        raise InputError(f"{source}: no line @data")
    kinds = _attributes(source, lines[:start])
    rows = [_fields(source, number, line) for number, line in lines[start + 1 :]]
    if not rows:
        raise InputError(f"{source}: attributes and no rows")
    numbers = [number for number, _ in lines[start + 1 :]]
    return from_rows(source, list(kinds), rows, numbers, options.missing, kinds)


def _attributes(source: str, lines: Iterable[Numbered]) -> dict[str, str]:
    names, kinds = [], []
    for number, line in lines:
        if line.lower().startswith("@relation"):
            continue
        attribute = ATTRIBUTE.fullmatch(line)
        declared = attribute[2] if attribute else "?"
        kind = "nominal" if declared.startswith("{") else KINDS.get(declared.split()[0].lower())
        if not attribute or not kind:
            raise InputError(f"{source}, line {number}: {quoted(line)} is no attribute of a known kind")
        name = attribute[1]
        names.append(re.sub(r"\\(.)", r"\1", name[1:-1]) if name[0] in "'\"" else name)
        kinds.append(kind)
    if not names:
        raise InputError(f"{source}: no line @attribute")
    return dict(zip(named(f"{source}, header", names), kinds, strict=True))


def _fields(source: str, number: int, line: str) -> list[str]:
    if line.startswith("{"):
        raise InputError(f"{source}, line {number}: a sparse row; only dense ARFF files are read")
    quote = '"' if '"' in line and "'" not in line else "'"
    try:
        (fields,) = csv.reader([line], quotechar=quote, escapechar="\\", skipinitialspace=True, strict=True)
    except (csv.Error, ValueError) as problem:
        raise InputError(f"{source}, line {number}: {problem}") from problem
    return [field.strip() for field in fields]


def read_libsvm(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of a LIBSVM file; a column that a file does not mention is zero.

    scikit-learn's reader would refuse indices beyond 31 bits and not say which line is at fault.
    """
    found = [(i, line.partition(b"#")[0].split()) for i, line in enumerate(content.split(b"\n"), 1)]
    rows = [_labelled(source, number, fields) for number, fields in found if fields]
    if not rows:
        raise InputError(f"{source}: no rows")
    # only the indices of the file: one of ten digits must not need as many columns
    indices = sorted(set().union(*(pairs for _, pairs in rows)))
    if len(rows) * len(indices) * 8 > LARGEST:
        raise InputError(f"{source}: {len(rows)} rows of {len(indices)} features are too many to fill in the zeros")
    place = {index: i for i, index in enumerate(indices)}
    values = np.zeros((len(indices), len(rows)))
    for row, (_, pairs) in enumerate(rows):
        values[[place[index] for index in pairs], row] = list(pairs.values())
    columns = {LABEL: np.array([label for label, _ in rows]), **dict(zip(map(str, indices), values, strict=True))}
    lines = [number for number, fields in found if fields]
    return Table(source, columns, dict.fromkeys(columns, "numeric"), lines, target=LABEL, sparse=True)


def _labelled(source: str, number: int, fields: list[bytes]) -> tuple[float, dict[int, float]]:
    try:
        label, *rest = fields
        pairs = [pair.split(b":") for pair in rest if not pair.startswith(b"qid:")]
        values = {int(index): float(value) for index, value in pairs}
        numbers = b"_" not in b"".join(fields) and all(index.isdigit() for index, _ in pairs)  # float skips _
        if len(values) < len(pairs) or np.isinf(float(label)) or not numbers:
            raise ValueError("an index twice, no index, or no class")
        return float(label) + 0.0, values  # -0 is 0
    except ValueError as problem:
        raise InputError(f"{source}, line {number}: not a label and index:value pairs") from problem
