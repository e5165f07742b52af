"""ARFF files, Weka's, and LIBSVM files: formats of machine learning, whose columns are declared or numbered."""

import csv
import re
from collections.abc import Iterable

import numpy as np

from ..table import LARGEST, InputError, ReadingOptions, Table, quoted
from . import check_names
from .delimited import from_rows
from .encodings import decoded

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


def read_libsvm(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of a LIBSVM file; a column that a file does not mention is zero.

    scikit-learn's reader would refuse indices beyond 31 bits and not say which line is at fault.
    """
    found = [(i, line.partition(b"#")[0].split()) for i, line in enumerate(content.split(b"\n"), 1)]
    rows = [_row(source, number, fields) for number, fields in found if fields]
    if not rows:
        raise InputError(f"{source}: no rows")
    # only what is mentioned: one index of ten digits must not ask for as many columns
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


def _row(source: str, number: int, fields: list[bytes]) -> tuple[float, dict[int, float]]:
    """The label, and values by index."""
    try:
        label, *rest = fields
        pairs = [pair.split(b":") for pair in rest if not pair.startswith(b"qid:")]
        values = {_index(index): _number(value) for index, value in pairs}
        if len(values) < len(pairs) or np.isinf(_number(label)):
            raise ValueError("an index twice, or no class")
        return _number(label) + 0.0, values  # -0 is 0
    except ValueError as problem:
        raise InputError(f"{source}, line {number}: not a label and index:value pairs") from problem


def _index(text: bytes) -> int:
    if not text.isdigit():
        raise ValueError("no index")
    return int(text)


def _number(text: bytes) -> float:
    if b"_" in text:  # which float would skip
        raise ValueError("no number")
    return float(text)
