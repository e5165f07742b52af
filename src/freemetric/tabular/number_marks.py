"""How numbers are written: which mark stands before the decimals, which one between groups of three digits."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

DECIMALS, THOUSANDS = ".,", ".,' "
SPELLINGS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'"})  # of blanks and apostrophes
LIKE_A_NUMBER = re.compile(r"[+-]?[.,]?\d[\d.,' ]*(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class Marks:
    """The marks in the numbers of a column.

    Without a mark of thousands a number may still have one before its decimals: "1.234,56" has one meaning, while
    "1.234" would have two.
    """

    decimal: str = "."
    thousands: str = ""

    def number(self, text: str | None) -> float:
        """The number that a text stands for, NaN for None, infinity for no finite number."""
        if text is None:
            return np.nan
        if self.decimal == "." and self.thousands != ".":
            number = plain(text)
            if math.isfinite(number):
                return number
        text = text.translate(SPELLINGS)
        if not _pattern(self.decimal, self.thousands).fullmatch(text):
            return np.inf
        for mark in THOUSANDS.replace(self.decimal, ""):
            text = text.replace(mark, "")
        return float(text.replace(self.decimal, "."))

    def numbers(self, texts: Sequence[str | None]) -> np.ndarray:
        """The numbers of all texts, as ``number`` reads them."""
        found = all_plain(texts) if self.decimal == "." and self.thousands != "." else None
        return found if found is not None else np.array([self.number(text) for text in texts], dtype=np.float64)

    def reads(self, texts: Iterable[str | None]) -> bool:
        """Whether all texts are numbers, or gaps."""
        return all(not math.isinf(self.number(text)) for text in texts)

    def __str__(self) -> str:
        return f"decimal {self.decimal!r}" + (f", thousands {self.thousands!r}" if self.thousands else "")


PLAIN = Marks()
READINGS = [Marks(d, t) for d in DECIMALS for t in ("", *THOUSANDS) if t != d]


class Meaning(NamedTuple):
    """How a column of texts is read as numbers: ``marks``, or the readings of one text that tell different numbers."""

    marks: Marks | None
    doubtful: str | None = None
    readings: Sequence[Marks] = ()


def meaning(texts: Sequence[str | None]) -> Meaning:
    """The marks with which all texts are numbers, if these numbers are the same whatever the marks."""
    fitting = [marks for marks in READINGS if marks.reads(texts)]
    if not fitting:
        return Meaning(None)
    first = fitting[0].numbers(texts)
    for other in fitting[1:]:
        differs = np.flatnonzero(~np.isclose(other.numbers(texts), first, rtol=1e-12, atol=0, equal_nan=True))
        if len(differs):
            return Meaning(None, texts[differs[0]], (fitting[0], other))
    return Meaning(fitting[0])


def is_marked(cell: object) -> bool:
    """Whether a cell is a number with some marks."""
    return isinstance(cell, str) and any(marks.reads([cell]) for marks in READINGS)


def most_fitting(texts: Sequence[str | None]) -> Marks:
    """The marks with which most texts are numbers, for a word about those that are none."""
    return min(READINGS, key=lambda marks: int(np.isinf(marks.numbers(texts)).sum()))


def first_that_is_none(texts: Sequence[str | None]) -> int | None:
    """Where most texts look like numbers, the place of the first that is none in the reading that fits most."""
    given = [text for text in texts if text is not None]
    if 2 * sum(bool(LIKE_A_NUMBER.fullmatch(text.translate(SPELLINGS))) for text in given) <= len(given):
        return None
    odd = np.isinf(most_fitting(texts).numbers(texts))
    return int(np.flatnonzero(odd)[0]) if 2 * odd.sum() < len(given) else None


def marks_of(decimal: str | None, thousands: str | None) -> Marks | None:
    """The marks that a user gives, or None; of a point and a comma the one that is not given is the other one.

    ValueError, in one line, where they are no such marks.
    """
    if decimal is None and thousands is None:
        return None
    if decimal is not None and (len(decimal) != 1 or decimal not in DECIMALS):
        raise ValueError(f"the mark of decimals is . or , and not {decimal!r}")
    if thousands is not None and (len(thousands) > 1 or thousands not in THOUSANDS):
        raise ValueError(f"the mark of thousands is one of . , ' or a blank and not {thousands!r}")
    if decimal is not None and decimal == thousands:
        raise ValueError(f"decimals and thousands cannot both have the mark {decimal!r}")
    other = {".": ",", ",": "."}
    decimal = decimal or other.get(thousands or "", ".")
    return Marks(decimal, other[decimal] if thousands is None else thousands)


def plain(text: str | None) -> float:
    """What Python reads without any marks of ours, infinity for no finite number."""
    if text is None:
        return np.nan
    try:
        return np.inf if "_" in text else float(text)
    except ValueError:
        return np.inf


def all_plain(texts: Sequence[str | None]) -> np.ndarray | None:
    """All texts as Python reads them, at once; None where one is no number."""
    try:
        numbers = [np.nan if text is None else float(text) for text in texts]
    except ValueError:
        return None
    return None if any("_" in text for text in texts if text is not None) else np.array(numbers, dtype=np.float64)


@cache
def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    d = re.escape(decimal)
    fraction, grouped = rf"{d}\d+", r"[1-9]\d{0,2}"
    if thousands:
        whole = rf"(?:\d+|{grouped}(?:{re.escape(thousands)}\d{{3}})+)(?:{fraction})?"
    else:
        marks = re.escape(THOUSANDS.replace(decimal, ""))
        whole = rf"(?:\d+(?:{fraction})?|{grouped}([{marks}])\d{{3}}(?:\1\d{{3}})*{fraction})"
    return re.compile(rf"[+-]?(?:{whole}|{fraction})(?:[eE][+-]?\d+)?")
