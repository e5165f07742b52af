"""ARFF files, Weka's: attributes with declared kinds, then rows. Dense rows only."""

import csv
import re
from collections.abc import Iterable

from ..reading_options import ReadingOptions
from ..table import InputError, Table, quoted
from .delimited import from_rows
from .encodings import decoded
from .names import check_names

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
    """Kinds by name, in order."""
    names, kinds = [], []
    for number, line in lines:
        if line.lower().startswith("@relation"):
            continue
        attribute = ATTRIBUTE.fullmatch(line)
        kind = attribute and _kind(attribute[2])
        if not attribute or not kind:
            raise InputError(f"{source}, line {number}: {quoted(line)} is no attribute of a known kind")
        names.append(_bare(attribute[1]))
        kinds.append(kind)
    if not names:
        raise InputError(f"{source}: no line @attribute")
    check_names(f"{source}, header", names)
    return dict(zip(names, kinds, strict=True))


def _kind(declared: str) -> str | None:
    """Nominal where the values are listed, None for a kind that is not known."""
    return "nominal" if declared.startswith("{") else KINDS.get(declared.split()[0].lower())


def _fields(source: str, number: int, line: str) -> list[str]:
    if line.startswith("{"):
        raise InputError(f"{source}, line {number}: a sparse row; only dense ARFF files are read")
    quote = '"' if '"' in line and "'" not in line else "'"
    try:
        (fields,) = csv.reader([line], quotechar=quote, escapechar="\\", skipinitialspace=True, strict=True)
    except (csv.Error, ValueError) as problem:
        raise InputError(f"{source}, line {number}: {problem}") from problem
    return [field.strip() for field in fields]


def _bare(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name[1:-1]) if name[0] in "'\"" else name
