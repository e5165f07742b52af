"""Feather files, that is Arrow's own: the file format and the stream, packed by lz4 or zstd or not."""

from typing import Any

from ...extras import require
from ...printable import printable
from ..table import LARGEST, InputError, Table
from .arrow_cells import check_size, from_arrow
from .arrow_messages import unpacked_size
from .names import check_names
from .reading_options import ReadingOptions
from .signatures import ARROW, FEATHER_1

HEAD = 8  # bytes in front of the stream in a file
ALWAYS, MOST_PER_BYTE = 1 << 25, 100  # bytes that a small file may unpack to, and those per byte of a larger one


def read_feather(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of a Feather or Arrow file."""
    if content.startswith(FEATHER_1):
        raise InputError(f"{source}: a Feather file of version 1; write it again with a newer pandas or arrow")
    pa = require("pyarrow", "parquet")
    try:
        columns = _columns(source, content)
        check_size(source, columns.num_rows, columns.num_columns, len(content))
        check_names(source, columns.column_names)
        columns.validate(full=True)
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError) as problem:
        reason = " ".join(printable(problem).split())[:120]
        raise InputError(f"{source}: not a Feather file, or a damaged one ({reason})") from problem
    return from_arrow(source, columns, options.missing)


def _columns(source: str, content: bytes) -> Any:
    """All batches, read as they follow each other; the table of contents at the end of a file is not trusted."""
    ipc = require("pyarrow.ipc", "parquet")
    if content.startswith(ARROW) and not content.endswith(ARROW):
        raise InputError(f"{source}: a damaged or truncated Feather file")
    stream = memoryview(content)[HEAD:] if content.startswith(ARROW) else memoryview(content)
    size = unpacked_size(stream)
    if size > min(LARGEST, max(ALWAYS, MOST_PER_BYTE * len(content))):
        raise InputError(f"{source}: unpacks to {size >> 20} MB, too many from {len(content)} bytes")
    with ipc.open_stream(stream) as reader:
        return reader.read_all()
