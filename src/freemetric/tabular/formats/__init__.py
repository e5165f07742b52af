"""File formats of tables: bytes in, a Table out. This module checks the names of columns."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...printable import printable
from ..table import InputError, note, noted_distinct

INDEX = "Unnamed: 0"  # as pandas calls an index without a name
EMPTY = (None, "")
Records = Sequence[Sequence[Any]]


@contextmanager
def one_line_errors(source: str, what: str) -> Iterator[None]:
    """Turn all errors of a library, which does not expect every file, into an InputError of one line."""
    try:
        yield
    except (InputError, ImportError):
        raise
    except MemoryError as problem:  # of a large file, or of a damaged one that only says that it is large
        raise InputError(f"{source}: takes more memory than there is, or is damaged") from problem
    except Exception as problem:
        reason = " ".join(printable(problem).split())[:120] or type(problem).__name__
        raise InputError(f"{source}: not {what}, or a damaged one ({reason})") from problem


def named(where: str, names: Sequence[str]) -> list[str]:
    """Distinct names of the columns; InputError where one has none."""
    for position, name in enumerate(names, 1):
        if not name:
            raise InputError(f"{where}: column {position} has no name; name it, or leave it out")
    return noted_distinct(where, names)


def completed(source: str, names: Sequence[str], rows: Records) -> tuple[Sequence[str], Records]:
    """Names and rows without empty columns; a first column without a name is an index.

    Rows with one field more than there are names end with a delimiter, or begin with their own names, as in R.
    """
    widths = {len(row) for row in rows}
    if widths == {len(names) + 1} and len(names) > 1:
        names = (*names, "") if all(row[-1] in EMPTY for row in rows) else ("", *names)
    elif widths != {len(names)}:
        return names, rows
    kept = [i for i, name in enumerate(names) if name or not all(row[i] in EMPTY for row in rows)]
    if len(kept) < len(names) and kept:
        n = len(names) - len(kept)
        word = "column without name and cells is" if n == 1 else "columns without names and cells are"
        note(f"{source}: {n} {word} left out")
        names, rows = tuple(names[i] for i in kept), [tuple(row[i] for i in kept) for row in rows]
    if len(names) > 1 and not names[0]:
        numbered = (INDEX if i == 0 else f"{INDEX}.{i}" for i in range(len(names) + 1))  # as pandas does
        names = (next(name for name in numbered if name not in names), *names[1:])
    return names, rows
