"""LIBSVM files: a label, then index:value pairs. Columns are called by their index, as it stands in the file."""

import numpy as np

from ..reading_options import ReadingOptions
from ..table import LARGEST, InputError, Table

LABEL = "label"


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
