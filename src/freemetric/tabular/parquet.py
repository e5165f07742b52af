"""Parquet files, whose columns have types."""

import io
import re

from ..extras import require
from .table import InputError, Table, objects, quoted

INDEX = re.compile(r"__index_level_\d+__")  # pandas' own, no feature


def read_parquet(source, content, missing):
    """The table of a Parquet file: numbers are numeric, truth values, texts and dictionaries nominal."""
    pa, pq = require("pyarrow"), require("pyarrow.parquet")
    try:
        found = pq.read_table(io.BytesIO(content))
    except (pa.ArrowException, OSError, ValueError) as problem:
        raise InputError(f"{source}: not a Parquet file ({' '.join(str(problem).split())[:120]})") from problem
    names = [name for name in found.column_names if not INDEX.fullmatch(name)]
    if len(set(names)) < len(names):
        raise InputError(f"{source}: two columns have the same name")
    if not names or not found.num_rows:
        raise InputError(f"{source}: no rows or no columns")
    cells = {name: _cells(pa, source, name, found.column(name), missing) for name in names}
    return Table(source, cells, {name: "numeric" for name in names if cells[name].dtype.kind == "f"})


def _cells(pa, source, name, column, missing):
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.float64(), safe=False).to_numpy().astype("float64")
    elif pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise InputError(f"{source}: column {quoted(name)} holds {kind}, which is no cell of a table")
    texts = (None if value is None else str(value).strip() for value in column.to_pylist())
    return objects(None if text in missing else text for text in texts)
