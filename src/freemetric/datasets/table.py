"""A data set as text: the columns of a CSV file, read strictly and written atomically."""

import csv
import hashlib
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..files.atomic import replacing
from ..printable import counted
from ..text_files import content_of, csv_records, text_of


class DatasetError(ValueError):
    """A data set is missing, malformed or not what its name says; the message is one line."""


@dataclass(frozen=True)
class TextColumns:
    """Text fields by column; an empty field is a missing value.

    Attributes
    ----------
    source : str
        Where it comes from, to begin an error message with.
    columns : tuple of str
        Names of the features.
    fields : tuple of tuple of str
        The features, one tuple per column.
    labels : tuple of str
        The class of every row.
    lines : sequence of int
        Line of every row in the file.
    class_column : str
        Name of the last column.
    """

    source: str
    columns: tuple[str, ...]
    fields: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    lines: tuple[int, ...]
    class_column: str = "class"

    @classmethod
    def from_rows(
        cls, source: str, header: Sequence[str], rows: Iterable[Sequence[str]], lines: Iterable[int] | None = None
    ) -> "TextColumns":
        """From records whose last field is the class."""
        *fields, labels = zip(*rows, strict=True)
        lines = tuple(range(2, len(labels) + 2)) if lines is None else tuple(lines)
        return cls(source, tuple(header[:-1]), tuple(fields), labels, lines, header[-1])

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Records whose last field is the class."""
        return zip(*self.fields, self.labels, strict=True)


def read_table(path: str | os.PathLike) -> tuple[TextColumns, str]:
    """The table of a CSV file, gzipped or not, and the sha256 of its text.

    Parameters
    ----------
    path : path-like
        UTF-8, a header line, the class in the last column. A name that ends in .gz is unpacked.

    Returns
    -------
    table : TextColumns
        Every row has a field for every column, every column a name of its own, every row a class.
    sha256 : str
        Of the unpacked file, so that it is the same for x.csv and x.csv.gz.
    """
    content = content_of(Path(path), DatasetError)
    records, lines = csv_records(path, text_of(path, content, DatasetError), DatasetError)
    header, rows = records[0], records[1:]
    _check_header(path, header)
    if not rows:
        raise DatasetError(f"{path}: a header and no rows")
    for row, line in zip(rows, lines[1:], strict=True):
        if len(row) != len(header):
            raise DatasetError(f"{path}, line {line}: {counted(len(row), 'field')} where the header has {len(header)}")
        if not row[-1]:
            raise DatasetError(f"{path}, line {line}: the class (last column, {header[-1]!r}) is empty")
    return TextColumns.from_rows(str(path), header, rows, lines[1:]), hashlib.sha256(content).hexdigest()


def _check_header(path, header):
    seen: set[str] = set()
    for position, name in enumerate(header, 1):
        if not name:
            raise DatasetError(f"{path}, line 1: column {position} has no name")
        if name in seen:
            raise DatasetError(f"{path}, line 1: column {position} repeats the name {name!r}")
        seen.add(name)
    if len(header) < 2:
        raise DatasetError(f"{path}, line 1: one column only, {header[0]!r}; features and a class are needed")


def as_text(value: object) -> str:
    """A number in its shortest form, anything else as it stands."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def as_csv(table: TextColumns) -> bytes:
    """The bytes of a table as a CSV file."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*table.columns, table.class_column])
    writer.writerows(table.rows())
    return text.getvalue().encode()


def write_atomically(path: Path, content: bytes) -> None:
    """Write bytes to a file, whose folder is made if need be, that is there whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        raise DatasetError(f"{path}: cannot be written ({error.strerror})") from error
