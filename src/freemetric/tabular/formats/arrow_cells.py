"""Columns of Arrow tables, whose types Parquet and Feather files declare, as cells."""

import re
from collections.abc import Collection
from typing import Any

import numpy as np

from ...extras import require
from ...printable import counted
from ..table import LARGEST, InputError, Table, objects, quoted

INDEX = re.compile(r"__index_level_\d+__")  # pandas' own, no feature
MANY_CELLS, MOST_PER_BYTE = 2 * 10**6, 300  # more cells in fewer bytes are no data, but would take minutes to unpack


def check_size(source: str, n_rows: int, n_columns: int, n_bytes: int) -> None:
    """Unpacked, a few bytes can fill the memory."""
    n_cells = n_rows * n_columns
    if n_cells * 8 > LARGEST or n_cells > max(MANY_CELLS, MOST_PER_BYTE * n_bytes):
        size = f"{counted(n_rows, 'row')} of {counted(n_columns, 'column')}"
        raise InputError(f"{source}: {size} in {n_bytes} bytes are too many to unpack")


def from_arrow(source: str, columns: Any, missing: Collection[str]) -> Table:
    """The table of an Arrow table: numbers are numeric, truth values, texts and dictionaries nominal."""
    pa = require("pyarrow", "parquet")
    names = [name for name in columns.column_names if not INDEX.fullmatch(name)]
    if not names or not columns.num_rows:
        raise InputError(f"{source}: no rows or no columns")
    cells = {name: _cells(pa, source, name, columns.column(name), missing) for name in names}
    return Table(source, cells, {name: "numeric" for name in names if cells[name].dtype.kind == "f"})


def _cells(pa, source, name, column, missing):
    kind, named = column.type, pa.types.is_dictionary(column.type)
    kind = kind.value_type if named else kind
    if pa.types.is_nested(kind) or "binary" in str(kind):
        raise InputError(f"{source}: column {quoted(name)} holds {kind}, which is no cell of a table")
    if not named and (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return column.cast(pa.float64(), safe=False).to_numpy().astype("float64")
    try:
        return np.concatenate(
            [_texts(chunk if named else chunk.dictionary_encode(), missing) for chunk in column.chunks]
        )
    except (OverflowError, ValueError) as problem:  # dates that Python cannot hold
        raise InputError(f"{source}: column {quoted(name)}: {problem}") from problem


def _texts(encoded, missing):
    """Texts of a dictionary array, None for a gap; each different value becomes a text once."""
    texts = (None if value is None else str(value).strip() for value in encoded.dictionary.to_pylist())
    known = objects([*(None if text in missing else text for text in texts), None])
    return known[encoded.indices.fill_null(len(known) - 1).to_numpy(zero_copy_only=False)]
