"""How large the batches of an Arrow stream say that they are, read from their heads alone.

Arrow unpacks a batch without a limit, so that a few bytes could fill the memory. A head is a flatbuffer: a table begins
with the distance back to its list of fields, 16 bits each, which are the places of the values in the table. Arrow's
``Message.fbs`` numbers these fields.
"""

import struct
from collections.abc import Iterator
from typing import Any

from ...extras import require

HEADER_TYPE, HEADER, DICTIONARY_BATCH = 1, 2, 2  # fields of a message, and the type of a head
DATA = 1  # field of a dictionary batch: the batch in it
BUFFERS, COMPRESSION = 2, 3  # fields of a batch


def unpacked_size(stream: memoryview) -> int:
    """Bytes that all packed buffers of a stream unpack to."""
    messages = require("pyarrow.ipc", "parquet").MessageReader.open_stream(stream)
    return sum(max(size, 0) for message in messages for size in _sizes(message))


def _sizes(message: Any) -> Iterator[int]:
    """What the packed buffers of a message begin with: their size when they are unpacked, -1 if they are not packed."""
    if message.type not in ("record batch", "dictionary"):
        return
    head = memoryview(message.metadata)
    try:
        batch = _batch(head, message.type == "dictionary")
        buffers = _vector(head, batch, BUFFERS)
        if _field(head, batch, COMPRESSION) is None or buffers is None:
            return
        body = memoryview(message.body)
        for i in range(_number(head, buffers, "<I")):
            start = _number(head, buffers + 4 + 16 * i, "<q")
            length = _number(head, buffers + 12 + 16 * i, "<q")
            if length >= 8:
                yield _number(body, start, "<q")
    except (struct.error, IndexError) as problem:
        raise ValueError("a damaged head of a batch") from problem


def _batch(head: memoryview, in_dictionary: bool) -> int:
    message = _number(head, 0, "<I")
    batch = _table(head, message, HEADER)
    return _table(head, batch, DATA) if in_dictionary else batch


def _table(head: memoryview, table: int, field: int) -> int:
    """Where the table begins that a field points to."""
    place = _field(head, table, field)
    if place is None:
        raise IndexError("a field that is not there")
    return place + _number(head, place, "<I")


_vector = _table


def _field(head: memoryview, table: int, field: int) -> int | None:
    """Where the value of a field is; None where it is not given."""
    fields = table - _number(head, table, "<i")
    if 4 + 2 * field >= _number(head, fields, "<H"):
        return None
    offset = _number(head, fields + 4 + 2 * field, "<H")
    return table + offset if offset else None


def _number(content: memoryview, place: int, form: str) -> int:
    if place < 0:
        raise IndexError("a place before the beginning")
    return struct.unpack_from(form, content, place)[0]
