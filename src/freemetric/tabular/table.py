"""A table of cells with their places in the file, options for reading it, and cells from typed values."""

import codecs
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import count
from numbers import Real
from typing import Any

import numpy as np

from ..exceptions import warn_of_data
from .notation import NUMBERS, ORDERS, PLAIN, DateOrder, Marks, marks_of, plain

LONGEST = 40  # letters of a value in a message
LARGEST = 1 << 30  # bytes of a table that is larger than its file
NUMBERED = "column_"  # and its number, the name of a column of a file without names
LARGEST_NUMBER = 1e150  # whose square is still a number

MISSING = frozenset(
    ["", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "-NaN", "-nan", "NULL", "null", "None"]
)
"""Texts that stand for a missing value."""

GAPS = ("NAType", "NaTType")  # pandas' own, which need not be installed
NO_CELLS = (list, tuple, dict, set, frozenset, np.ndarray, complex)
NO_CELL = "which is no cell of a table; drop=[COLUMN] leaves it out"
DAY = np.timedelta64(1, "D")

BLANKS = " "  # stands for any number of blanks and tabs
SPELLED = {"\\t": "\t", "tab": "\t", "blank": BLANKS, "space": BLANKS}


class InputError(ValueError):
    """A file, column, row or option that cannot be used; the message is one line that names it."""


note = warn_of_data


@dataclass(frozen=True)
class ReadingOptions:
    """How to read a table; None lets the reader decide. Wrong options are an InputError.

    Attributes
    ----------
    missing : collection of str
        Texts that stand for a missing value.
    delimiter : str or None
        One character between the fields of a text; a blank is any number of blanks and tabs. None is a comma or a tab,
        or with a warning a semicolon, tab or bar that makes a table.
    encoding : str or None
        Encoding of a text. None is that of a byte-order mark, else UTF-8 if the text is valid, else cp1252 with a
        warning.
    sheet : str or None
        Name or number, from 1, of an Excel sheet. None is the first; a warning names the others.
    decimal : {".", ","} or None
        Mark before the decimals of numbers. None recognises it where a column is unambiguous.
    thousands : {".", ",", "'", " ", ""} or None
        Mark between groups of three digits.
    date_order : {"ymd", "dmy", "mdy"} or None
        Order of year, month and day in dates. None recognises it where a column is unambiguous.
    header : bool or None
        Whether the first row of a text or a sheet holds the names of the columns. None is True; without names the
        columns are column_1, column_2, ...
    """

    missing: Collection[str] = MISSING
    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    date_order: str | None = None
    header: bool | None = None

    def __post_init__(self):
        if self.date_order is not None and self.date_order not in ORDERS:
            raise InputError(f"the order of dates is one of {', '.join(ORDERS)} and not {self.date_order!r}")
        try:
            marks_of(self.decimal, self.thousands)
        except ValueError as problem:
            raise InputError(str(problem)) from problem
        delimiter = SPELLED.get(self.delimiter or "", self.delimiter)
        if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
            raise InputError(f"a delimiter is one character, not {self.delimiter!r}")
        encoding = self.encoding
        try:
            encoding = None if encoding is None else codecs.lookup(encoding).name
        except (LookupError, ValueError) as problem:
            usual = "utf-8, cp1252, latin-1, utf-16, cp1250, cp1251, mac-roman, shift-jis, gb18030"
            raise InputError(f"unknown encoding {encoding!r}; usual ones are {usual}") from problem
        object.__setattr__(self, "missing", MISSING if self.missing is None else frozenset(self.missing))
        object.__setattr__(self, "delimiter", delimiter)
        object.__setattr__(self, "encoding", "utf-8-sig" if encoding == "utf-8" else encoding)
        object.__setattr__(self, "header", self.header is not False)

    @property
    def marks(self) -> Marks | None:
        """The given marks of numbers."""
        return marks_of(self.decimal, self.thousands)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Columns of a file.

    Attributes
    ----------
    source : str
        Where it comes from; begins messages.
    columns : dict of ndarray
        Cells by column: float64 with NaN for a gap, or objects, each a text or None for a gap.
    kinds : dict of str
        "numeric" or "nominal" for the columns whose kind the file itself declares.
    lines : sequence of int or None
        Line of every row, where the file has lines.
    target : str or None
        The column that the format itself declares to be the target.
    sparse : bool
        Whether a column that is not there is a column of zeros.
    options : ReadingOptions
        Options given by the user.
    """

    source: str
    columns: Mapping[str, np.ndarray]
    kinds: Mapping[str, str] = field(default_factory=dict)
    lines: Sequence[int] | None = None
    target: str | None = None
    sparse: bool = False
    options: ReadingOptions = field(default_factory=ReadingOptions)

    def __repr__(self) -> str:
        """The size and some names, without the cells."""
        about = f"{self.n_rows} rows, {len(self.columns)} columns"
        about += f": {few(self.columns)}" if self.columns else ""
        about += "" if self.target is None else f"; target {quoted(self.target)}"
        return f"<{type(self).__name__} {quoted(self.source)}: {about}>"

    @property
    def n_rows(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def place(self, row: int, name: str | None = None) -> str:
        """Where a cell is, in words."""
        line = f" (line {self.lines[row]})" if self.lines is not None else ""
        column = "" if name is None else f", column {quoted(name)}"
        return f"{self.source}: row {row + 1}{line}{column}"

    def option(self, name: str, value: str = "COLUMN") -> str:
        """The option that a message names."""
        return f"--{name} {value}".strip()

    def check(self, name: str) -> None:
        """InputError where there is no such column."""
        if name not in self.columns and not self.sparse:
            raise InputError(f"{self.source}: no column {quoted(name)}; there are {few(self.columns)}")

    def cells(self, name: str) -> np.ndarray:
        """The cells of a column as they are."""
        self.check(name)
        return self.columns[name] if name in self.columns else np.zeros(self.n_rows)

    def texts(self, name: str) -> np.ndarray:
        """A column as texts, None for a gap."""
        cells = self.cells(name)
        if cells.dtype.kind != "f":
            return cells
        return objects(None if np.isnan(number) else as_text(number) for number in cells)

    def numbers(self, name: str, marks: Marks = PLAIN) -> np.ndarray:
        """A column as float64, NaN for a gap; InputError names the first cell that is no usable number."""
        numbers = self.maybe_numbers(name, marks)
        wrong = np.flatnonzero(np.abs(numbers) > LARGEST_NUMBER)
        if len(wrong):
            row = int(wrong[0])
            why = "is not a finite number" if np.isinf(numbers[row]) else "is too large a number"
            cell = self.cells(name)[row]
            if isinstance(cell, str) and any(other.reads([cell]) for other in NUMBERS):
                options = " and ".join(self.option(option, "") for option in ("decimal", "thousands"))
                why += f" with {marks}; {options} say how it is written"
            elif marks.unit:
                why += f" with {marks}"
            raise InputError(f"{self.place(row, name)}: {quoted(cell)} {why}")
        return numbers

    def maybe_numbers(self, name: str, marks: Marks = PLAIN) -> np.ndarray:
        """A column as float64, NaN for a gap, infinity for other texts; the user's marks come first where they fit."""
        cells = self.cells(name)
        if cells.dtype.kind == "f":
            return cells
        texts, given = cells.tolist(), self.options.marks
        given = None if given is None else replace(given, unit=marks.unit)
        return given.values(texts) if given is not None and given.reads(texts) else marks.values(texts)

    def dates(self, name: str, order: str) -> np.ndarray:
        """A column of dates as the numbers of ``notation.PARTS``; the user's order comes first where it fits."""
        cells, given = self.texts(name), self.options.date_order
        if given is not None and DateOrder(given).reads(cells):
            order = given
        parts = DateOrder(order).parts(cells)
        wrong = np.flatnonzero(np.isinf(parts[:, 0]))
        if len(wrong):
            raise InputError(f"{self.place(int(wrong[0]), name)}: {quoted(cells[wrong[0]])} is no date ({order})")
        return parts


def as_text(number: float) -> str:
    """A number in its shortest form, whole ones without a point."""
    return repr(float(number)).removesuffix(".0") if abs(number) < 1e16 else repr(float(number))


def objects(values: Iterable) -> np.ndarray:
    values = list(values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def quoted(value: object) -> str:
    """A value in quotes, on one line and not too long."""
    text = as_text(value) if isinstance(value, float) else str(value)
    return repr(text if len(text) <= LONGEST else text[:LONGEST] + "...")


def numbered(n_columns: int) -> list[str]:
    return [f"{NUMBERED}{number}" for number in range(1, n_columns + 1)]


def distinct(names: Iterable[str], taken: Collection[str] = ()) -> list[str]:
    """The names, where one that came before, or is taken, gets a number: x, x_2, x_3."""
    names = list(names)
    made, used, known = [], set(taken), {*names, *taken}
    for name in names:
        if name in used:
            name = next(new for number in count(2) if (new := f"{name}_{number}") not in known)
        used.add(name)
        known.add(name)
        made.append(name)
    return made


def noted_distinct(where: str, names: Sequence[str]) -> list[str]:
    """Distinct names, with a warning about those that were given twice."""
    made = distinct(names)
    if changed := [f"{quoted(new)} (was {quoted(old)})" for old, new in zip(names, made, strict=True) if old != new]:
        note(f"{where}: columns of the same name are renamed: {beginning(changed)}")
    return made


def few(names: Iterable[str], most: int = 8) -> str:
    """Some names in quotes, and how many more there are."""
    return beginning([quoted(name) for name in names], most)


def beginning(texts: Sequence[str], most: int = 8) -> str:
    """The first texts, and how many more there are."""
    return ", ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


def cells(values: np.ndarray, missing: Collection[str], where: str) -> np.ndarray:
    """A column of a ``Table``: float64 with NaN for a gap, or objects, each a text or None.

    Time spans are days, dates are texts in the order year, month, day, truth values are "True" and "False"; other
    values are their text. ``missing`` are texts that stand for a missing value, ``where`` begins a message.
    """
    kind = values.dtype.kind if values.ndim == 1 else "V"
    if kind in "iuf":
        return values.astype(np.float64)
    if kind == "m":
        return values / DAY
    if kind == "M":
        days, gaps = values.astype("M8[D]"), np.isnat(values)
        midnights = bool((gaps | (days == values)).all())
        texts = np.datetime_as_string(days if midnights else values.astype("M8[s]"))
        return objects(None if gap else text for text, gap in zip(texts.tolist(), gaps, strict=True))
    if kind not in "bOUST":
        raise InputError(f"{where} holds {values.dtype}, {NO_CELL}")
    unknown = {*missing, *(number for number in map(plain, missing) if np.isfinite(number))}
    found = [cell(value, where) for value in values.tolist()]
    found = [None if one in unknown else one for one in found]
    if not any(isinstance(one, str) for one in found):
        return np.array([np.nan if one is None else one for one in found], dtype=np.float64)
    return objects(as_text(one) if isinstance(one, float) else one for one in found)


def typed_table(source: str, columns: Mapping[str, Any], missing: Collection[str], lines: Any) -> Table:
    made = {name: cells(objects(columns[name]), missing, f"{source}: column {quoted(name)}") for name in columns}
    return Table(source, made, {name: "numeric" for name in made if made[name].dtype.kind == "f"}, lines)


def is_gap(value: Any) -> bool:
    if value is None or type(value).__name__ in GAPS:
        return True
    return isinstance(value, float | Decimal | np.floating | np.datetime64) and bool(value != value)


def cell(value: Any, where: str) -> float | str | None:
    """A number, a text, or None for a gap."""
    if isinstance(value, str):
        return value.strip()
    if is_gap(value):
        return None
    if isinstance(value, bool | np.bool_):
        return str(value)
    if isinstance(value, time):
        value = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)
    if isinstance(value, timedelta | np.timedelta64):
        return float(np.timedelta64(value) / DAY)
    if isinstance(value, Real | Decimal):
        try:
            return float(value)
        except OverflowError:
            return np.inf if value == abs(value) else -np.inf
    if isinstance(value, bytes):
        try:
            return value.decode().strip()
        except UnicodeDecodeError:
            raise InputError(f"{where} holds bytes that are no text") from None
    if hasattr(value, "start_time"):  # a period, as pandas has them
        return cell(value.start_time, where)
    if isinstance(value, np.datetime64 | date):
        return str(value).removesuffix(" 00:00:00") if isinstance(value, datetime) else str(value)
    no_text = type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__
    if isinstance(value, NO_CELLS) or no_text:
        name = type(value).__name__
        raise InputError(f"{where} holds {'an' if name[0] in 'aeiou' else 'a'} {name}, {NO_CELL}")
    return str(value).strip()
