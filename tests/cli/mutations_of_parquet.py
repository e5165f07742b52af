"""What can befall Parquet files: bytes, footers, types, names, and what is noted beside the data."""

import io
import os
import pickle
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


class Ran:
    """Leaves a folder called ran when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("ran",)


def _file(table):
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


def _footer(content):
    """Where it begins."""
    return len(content) - 8 - struct.unpack("<i", content[-8:-4])[0]


def footer_flipped(rng, content):
    spoiled = bytearray(content)
    for place in rng.integers(_footer(content), len(content) - 8, size=int(rng.integers(1, 6))):
        spoiled[place] ^= 1 << int(rng.integers(8))
    return bytes(spoiled)


def pages_flipped(rng, content):
    spoiled = bytearray(content)
    for place in rng.integers(4, _footer(content), size=int(rng.integers(1, 6))):
        spoiled[place] = int(rng.integers(256))
    return bytes(spoiled)


def footers(content):
    for length in (0, -1, 7, len(content), 2**31 - 1, -(2**31)):
        yield content[:-8] + struct.pack("<i", length) + content[-4:]
    yield from (content[:-4], content[4:], content[:-4] + b"PARE", b"PAR1", b"PAR1" * 3, content + content[4:])


def columns(content):
    """A column of values that are no cells, or none of this table's."""
    table = pq.read_table(io.BytesIO(content))
    n = table.num_rows
    for odd in [
        pa.array([[1.0]] * n),
        pa.array([{"a": 1}] * n),
        pa.array([b"\xff\xfe"] * n),
        pa.nulls(n),
        pa.array([2**63] * n, pa.uint64()),
        pa.array([np.inf] * n),
        pa.array([np.nan] * n),
        pa.array([1e308, -1e308] * (n // 2)),
        pa.array(range(n), pa.timestamp("ns")),
        pa.array([2**62] * n, pa.timestamp("us")),
        pa.array(range(n), pa.duration("s")),
        pa.array([None] * n, pa.decimal128(38, 10)),
        pa.array(["\x1b[31m\0"] * n),
        pa.array(["x"] * n).dictionary_encode(),
        pa.array([[1]] * n, pa.list_(pa.int8(), 1)),
        pa.array(["g" * 50_000] * n),
        pa.Array.from_buffers(pa.string(), n, [None, *pa.array([b"\xff\xfe"] * n).buffers()[1:]]),
    ]:
        yield _file(table.set_column(0, "size", odd))


def tables(content):
    """Other names, other shapes."""
    table = pq.read_table(io.BytesIO(content))
    for name in ("", "age", "\x1b[31m\n", "__index_level_0__", "x" * 100_000, "size "):
        yield _file(table.rename_columns([name, *table.column_names[1:]]))
    for other in (table.slice(0, 0), table.select([]), table.slice(0, 1), pa.concat_tables([table] * 40)):
        yield _file(other)


def notes(content):
    """What pandas and pyarrow note beside the data: no JSON, other columns, and a type that is a pickle."""
    table = pq.read_table(io.BytesIO(content))
    for note in (b"{", b"null", b'{"index_columns": ["town"], "columns": []}', b"\xff"):
        yield _file(table.replace_schema_metadata({b"pandas": note}))
    extension = {b"ARROW:extension:name": b"arrow.py_extension_type", b"ARROW:extension:metadata": pickle.dumps(Ran())}
    yield _file(table.cast(pa.schema([table.schema.field(0).with_metadata(extension), *list(table.schema)[1:]])))


def many_rows(content):
    """A small file of very many rows."""
    yield _file(pa.table({"size": pa.array(np.zeros(50_000_000, dtype=np.int8)), "class": pa.nulls(50_000_000)}))


AT_RANDOM = [footer_flipped, pages_flipped, footer_flipped, pages_flipped]
ONE_BY_ONE = [footers, columns, tables, notes, many_rows]
