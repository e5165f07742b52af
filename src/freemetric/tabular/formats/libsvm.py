"""LIBSVM files: a label, then index:value pairs. Columns are called by their index, as it stands in the file."""

import numpy as np

from ..table import LARGEST, InputError, Table
from .reading_options import ReadingOptions

LABEL = "label"


def read_libsvm(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of a LIBSVM file; a column that a file does not mention is zero."""
    labels, rows, lines = [], [], []
    for number, line in enumerate(content.split(b"\n"), 1):
        fields = line.partition(b"#")[0].split()
        if not fields:
            continue
        try:
            labels.append(_label(fields[0]))
            rows.append(_pairs(fields[1:]))
        except ValueError as problem:
            raise InputError(f"{source}, line {number}: not a label and index:value pairs") from problem
        lines.append(number)
    if not rows:
        raise InputError(f"{source}: no rows")
    # only what is mentioned: one index of ten digits must not ask for as many columns
    indices = sorted(set().union(*rows))
    if len(rows) * len(indices) * 8 > LARGEST:
        raise InputError(f"{source}: {len(rows)} rows of {len(indices)} features are too many to fill in the zeros")
    place = {index: i for i, index in enumerate(indices)}
    cells = np.zeros((len(indices), len(rows)))
    of_row = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    cells[[place[index] for row in rows for index in row], of_row] = [value for row in rows for value in row.values()]
    columns = {LABEL: np.array(labels), **{str(index): cells[i] for index, i in place.items()}}
    return Table(source, columns, dict.fromkeys(columns, "numeric"), lines, target=LABEL, sparse=True)


def _pairs(fields: list[bytes]) -> dict[int, float]:
    """Values by index; ValueError if there are no such pairs, or two of one index."""
    if fields and fields[0].startswith(b"qid:"):
        fields = fields[1:]
    pairs = [field.split(b":") for field in fields]
    values = {_index(index): _number(value) for index, value in pairs}
    if len(values) < len(pairs):
        raise ValueError("an index twice")
    return values


def _label(text: bytes) -> float:
    label = _number(text)
    if np.isinf(label):
        raise ValueError("no class")
    return label + 0.0  # -0 is 0


def _index(text: bytes) -> int:
    if not text.isdigit():
        raise ValueError("no index")
    return int(text)


def _number(text: bytes) -> float:
    if b"_" in text:  # which float would skip
        raise ValueError("no number")
    return float(text)
