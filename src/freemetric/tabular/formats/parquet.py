"""Parquet files, whose columns have types."""

import io

from ...extras import require
from ...printable import printable
from ..table import InputError, Table
from .arrow_cells import INDEX, check_size, from_arrow
from .names import check_names
from .reading_options import ReadingOptions


def read_parquet(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of a Parquet file; pandas' index is left out."""
    pa, pq = require("pyarrow", "parquet"), require("pyarrow.parquet", "parquet")
    try:
        file = pq.ParquetFile(io.BytesIO(content))
        names = [name for name in file.schema_arrow.names if not INDEX.fullmatch(name)]
        check_size(source, file.metadata.num_rows, file.metadata.num_columns, len(content))
        check_names(source, names)
        columns = file.read(columns=names)
        columns.validate(full=True)
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError) as problem:
        raise InputError(f"{source}: not a Parquet file ({' '.join(printable(problem).split())[:120]})") from problem
    return from_arrow(source, columns, options.missing)
