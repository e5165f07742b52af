"""Parquet, Feather and Arrow files, read by pyarrow."""

import io
import re
from typing import Any

import numpy as np

from ...extras import require
from ...printable import counted
from ..table import LARGEST, InputError, ReadingOptions, Table, as_text, cells, objects, quoted
from . import named, one_line_errors

ARROW, FEATHER_1 = b"ARROW1", b"FEA1"  # first bytes
INDEX = re.compile(r"__index_level_\d+__")  # pandas' own, no feature
MANY_CELLS, MOST_PER_BYTE = 2 * 10**6, 300  # more cells in fewer bytes are no data, but would take minutes to unpack
ALWAYS, MOST_UNPACKED = 1 << 25, 100  # bytes that a small file may unpack to, and those per byte of a larger one
HEAD = 8  # bytes in front of the stream in a file
FRAMES = re.compile(rb"\0\0\0(?:\x04\x22\x4d\x18|\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18)")
"""Where a buffer begins that is packed by lz4 or zstd: behind its unpacked size, of which these are the last bytes."""
BUFFERS = 3  # of a column at most: which cells are there, where texts begin, and the values
BUFFER = 16  # bytes in the head of a batch that tell where a buffer is


def read_parquet(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of a Parquet file; pandas' index is left out."""
    with one_line_errors(source, "a Parquet file"):
        file = require("pyarrow.parquet", "parquet").ParquetFile(io.BytesIO(content))
        _check_size(source, file.metadata.num_rows, file.metadata.num_columns, len(content))
        names = named(source, file.schema_arrow.names)
        return _from_arrow(source, file.read().rename_columns(names), options)


def read_feather(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of a Feather or Arrow file, or of Arrow's stream; packed by lz4 or zstd or not."""
    if content.startswith(FEATHER_1):
        raise InputError(f"{source}: a Feather file of version 1; write it again with a newer pandas or arrow")
    if content.startswith(ARROW) and not content.endswith(ARROW):
        raise InputError(f"{source}: a damaged or truncated Feather file")
    with one_line_errors(source, "a Feather file"):
        columns = _unpacked(source, content)
        _check_size(source, columns.num_rows, columns.num_columns, len(content))
        return _from_arrow(source, columns, options)


def _unpacked(source: str, content: bytes) -> Any:
    """All batches in order; the table of contents at the end of a file is not trusted.

    Arrow unpacks without a limit. The sum of all buffers is bounded. Columns can share a buffer, so that only as many
    columns are read at a time as stay within the bound even then.
    """
    pa, ipc = require("pyarrow", "parquet"), require("pyarrow.ipc", "parquet")
    stream = memoryview(content)[HEAD:] if content.startswith(ARROW) else memoryview(content)
    sizes = [int.from_bytes(content[max(0, at.start() - 5) : at.start()], "little") for at in FRAMES.finditer(content)]
    most = min(LARGEST, max(ALWAYS, MOST_UNPACKED * len(content)))
    schema = ipc.open_stream(stream).schema
    names = named(source, schema.names)
    _check_types(source, schema)
    columns: list[Any] = []
    size, largest = sum(sizes), BUFFERS * max(sizes, default=1)
    if sizes and any("view" in str(field.type) for field in schema):  # with any number of buffers that the head lists
        largest = max(sizes) * max(len(message.metadata) for message in ipc.MessageReader.open_stream(stream)) // BUFFER
        size = max(size, largest if largest > LARGEST else 0)
    for start in range(0, len(schema), step := max(1, most // largest)):
        if size > most:
            raise InputError(f"{source}: unpacks to {size >> 20} MB, too many from {len(content)} bytes")
        fields = list(range(start, min(start + step, len(schema))))
        with ipc.open_stream(stream, options=ipc.IpcReadOptions(included_fields=fields)) as reader:
            part = reader.read_all()
        columns += part.columns
        size = sum(column.get_total_buffer_size() for column in columns) if sizes else 0
    return pa.table(columns, names=names)


def _check_types(source, schema):
    types = require("pyarrow", "parquet").types
    for field in schema:
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        if types.is_nested(kind) or "binary" in str(kind):
            raise InputError(f"{source}: column {quoted(field.name)} holds {kind}, which is no cell of a table")


def _check_size(source: str, n_rows: int, n_columns: int, n_bytes: int) -> None:
    n_cells = n_rows * n_columns
    if n_cells * 8 > LARGEST or n_cells > max(MANY_CELLS, MOST_PER_BYTE * n_bytes):
        size = f"{counted(n_rows, 'row')} of {counted(n_columns, 'column')}"
        raise InputError(f"{source}: {size} in {n_bytes} bytes are too many to unpack")


def _from_arrow(source: str, columns: Any, options: ReadingOptions) -> Table:
    """The table of an Arrow table: numbers are numeric, truth values, texts and dictionaries nominal."""
    columns.validate(full=True)
    names = [name for name in columns.column_names if not INDEX.fullmatch(name)]
    if not names or not columns.num_rows:
        raise InputError(f"{source}: no rows or no columns")
    _check_types(source, columns.schema)
    made = {name: _cells(f"{source}: column {quoted(name)}", columns.column(name), options) for name in names}
    return Table(source, made, {name: "numeric" for name in names if made[name].dtype.kind == "f"})


def _cells(where: str, column: Any, options: ReadingOptions) -> np.ndarray:
    """Numbers, or texts; each different value becomes a text once. Categories that are numbers are names."""
    pa = require("pyarrow", "parquet")
    kind, named = column.type, pa.types.is_dictionary(column.type)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.float64(), safe=False).to_numpy().astype("float64")
    try:
        encoded = (column if named else column.dictionary_encode()).unify_dictionaries()
        values = encoded.chunk(0).dictionary.to_pylist()
    except (OverflowError, ValueError, pa.ArrowException) as problem:  # dates that Python cannot hold
        raise InputError(f"{where}: {problem}") from problem
    known = cells(objects([*values, None]), options.missing, where)
    if named and known.dtype.kind == "f":
        known = objects(None if np.isnan(number) else as_text(number) for number in known)
    places = (part.indices.fill_null(len(known) - 1) for part in encoded.chunks)
    return np.concatenate([known[place.to_numpy(zero_copy_only=False)] for place in places])
