"""What a user says about how a table is written: one object for files, frames, the command line and the server."""

import codecs
from collections.abc import Collection
from dataclasses import dataclass

from .dates import ORDERS
from .number_marks import Marks, marks_of
from .table import InputError

MISSING = frozenset(
    ["", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "-NaN", "-nan", "NULL", "null", "None"]
)
"""Texts that stand for a missing value."""

BLANKS = " "  # stands for any number of blanks and tabs
SPELLED = {"\\t": "\t", "tab": "\t", "blank": BLANKS, "space": BLANKS}


@dataclass(frozen=True)
class ReadingOptions:
    """How a table is to be read; None is what the reader finds out by itself. Wrong ones are an InputError.

    Attributes
    ----------
    missing : frozenset of str
        Texts that stand for a missing value.
    delimiter, encoding, sheet : str or None
        Of text files, and the name or number of an Excel sheet.
    marks : Marks or None
        How numbers in texts are written.
    date_order : {"ymd", "dmy", "mdy"} or None
        How dates in texts are written.
    """

    missing: frozenset[str] = MISSING
    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    marks: Marks | None = None
    date_order: str | None = None

    @classmethod
    def checked(
        cls,
        missing: Collection[str] | None = None,
        delimiter: str | None = None,
        encoding: str | None = None,
        sheet: str | None = None,
        decimal: str | None = None,
        thousands: str | None = None,
        date_order: str | None = None,
    ) -> "ReadingOptions":
        """The options as ``read`` takes them."""
        if date_order is not None and date_order not in ORDERS:
            raise InputError(f"the order of dates is one of {', '.join(ORDERS)} and not {date_order!r}")
        try:
            marks = marks_of(decimal, thousands)
        except ValueError as problem:
            raise InputError(str(problem)) from problem
        gaps = MISSING if missing is None else frozenset(missing)
        return cls(gaps, _delimiter(delimiter), _encoding(encoding), sheet, marks, date_order)


def _delimiter(text: str | None) -> str | None:
    delimiter = text if text is None else SPELLED.get(text, text)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise InputError(f"a delimiter is one character, not {text!r}")
    return delimiter


def _encoding(encoding: str | None) -> str | None:
    """The name under which Python knows an encoding."""
    if encoding is None:
        return None
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError) as problem:
        usual = "utf-8, cp1252, latin-1, utf-16, cp1250, cp1251, mac-roman, shift-jis, gb18030"
        raise InputError(f"unknown encoding {encoding!r}; usual ones are {usual}") from problem
    return "utf-8-sig" if name == "utf-8" else name
