"""Files that are there whole or not at all, whatever interrupts."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `path` once it is complete and on the disk."""
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with open(draft, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    with suppress(OSError):  # not every system can; the file is whole either way
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def remove_with_drafts(path: Path) -> None:
    """Remove a file, and what processes that were killed while they wrote it have left."""
    path.unlink(missing_ok=True)
    for draft in path.parent.glob(f".{escape(path.name)}.*.tmp"):
        draft.unlink(missing_ok=True)
