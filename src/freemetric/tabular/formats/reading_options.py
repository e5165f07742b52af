"""What a user says about a file, for the readers of all formats."""

from collections.abc import Callable
from dataclasses import dataclass

from ..table import Table


@dataclass(frozen=True)
class ReadingOptions:
    """How a file is to be read; None is what the reader finds out by itself."""

    missing: frozenset[str] = frozenset([""])
    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None


Reader = Callable[[str, bytes, ReadingOptions], Table]
"""From what a message begins with, the bytes of a file and the options to its table; InputError is one line."""
