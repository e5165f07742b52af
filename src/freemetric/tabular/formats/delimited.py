"""Delimited text, read strictly: an error names the malformed line; another delimiter is recognised and said."""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from ...printable import counted
from ...text_files import csv_records
from ..notation import plain
from ..table import BLANKS, InputError, ReadingOptions, Table, note, objects, quoted
from . import check_names, completed, note_if_data
from .encodings import decoded

Records = tuple[list[tuple[str, ...]], Sequence[int]]  # fields, and the lines they end on

DELIMITERS = ";\t|,"
DECLARED = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)  # a first line that Excel writes and reads
COMMENTS = re.compile(r"(?:[ \t]*#.*(?:\r\n|\r|\n))+")


def read_delimited(source: str, content: bytes, options: ReadingOptions, delimiters: str, usual: str) -> Table:
    """The table by the first of the delimiters that makes one; a warning names it where it is not the usual one."""
    text, delimiter = decoded(source, content, options.encoding), options.delimiter
    declared = DECLARED.match(text)
    if declared and delimiter is None:
        delimiter, text = declared[1], "\n" * declared[0].count("\n") + text[declared.end() :]
    if delimiter is None:
        records, lines = _recognised(source, text, delimiters, usual)
    else:
        records, lines = _records(source, text, delimiter)
    where = f"{source}, line {lines[0]}"
    header, rows = completed(source, records[0], records[1:])
    check_names(where, header)
    hint = _hint(header) if delimiter is None else ""
    if not rows:
        raise InputError(f"{source}: a header and no rows{hint and '; '}{hint}")
    if hint:
        raise InputError(f"{source}: {hint}")
    note_if_data(where, header)
    return from_rows(source, header, rows, lines[1:], options.missing)


def _records(source: str, text: str, delimiter: str) -> Records:
    return csv_records(source, _single_blanks(text) if delimiter == BLANKS else text, InputError, delimiter)


def _single_blanks(text: str) -> str:
    return re.sub(r" ?(\r\n|\r|\n|\A|\Z) ?", r"\1", re.sub(r"[ \t]+", " ", text))


def _recognised(source: str, text: str, delimiters: str, usual: str) -> Records:
    """The records by the first delimiter with which they are a table; by the first of all where they never are."""
    variants = list(_uncommented(text, delimiters))
    for delimiter in delimiters:
        for variant in variants:
            with suppress(InputError):
                found = _records(source, variant, delimiter)
                if _is_table(found[0]) and (delimiter == usual or len(found[0]) > 1):
                    if delimiter != usual:
                        how = "blanks between the columns" if delimiter == BLANKS else f"the delimiter {delimiter!r}"
                        note(f"{source}: read with {how}")
                    return found
    return _records(source, variants[-1], delimiters[0])


def _uncommented(text: str, delimiters: str) -> Iterator[str]:
    """The text; where it begins with # and may have comments, with the last of them as names or without any."""
    comments = COMMENTS.match(text) if BLANKS in delimiters else None
    if comments is None:
        yield text
        return
    *others, last = comments[0].splitlines()
    rest = text[comments.end() :]
    first, _, second = rest.partition("\n")
    if _has_number(first) or not _has_number(second.partition("\n")[0]):  # the first line is no line of names
        yield "\n" * len(others) + last.strip().lstrip("# ") + "\n" + rest
    yield "\n" * (len(others) + 1) + rest


def _has_number(line: str) -> bool:
    return any(math.isfinite(plain(word)) for word in re.split(r"[\s,;|\"]+", line) if word)


def _is_table(records: Sequence[Sequence[str]]) -> bool:
    """Whether there are at least two columns and every row has them all, or all have one field more."""
    widths = {len(record) for record in records[1:]} or {len(records[0])}
    return len(records[0]) > 1 and widths in ({len(records[0])}, {len(records[0]) + 1})


def from_rows(
    source: str,
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    lines: Sequence[int],
    missing: Collection[str],
    kinds: Mapping[str, str] | None = None,
) -> Table:
    """The table of rows of text."""
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(names):
            raise InputError(
                f"{source}, line {line}: {counted(len(row), 'field')} in a table of {counted(len(names), 'column')}"
            )
    columns = zip(*rows, strict=True)
    cells = (objects(None if text in missing else text for text in column) for column in columns)
    return Table(source, dict(zip(names, cells, strict=True)), kinds or {}, lines)


def _hint(header: Sequence[str]) -> str:
    """What may have gone wrong where a file seems to have one column."""
    other = next((mark for mark in DELIMITERS if len(header) == 1 and mark in header[0]), None)
    return f"one column, {quoted(header[0])}: --delimiter {other!r}?" if other else ""
