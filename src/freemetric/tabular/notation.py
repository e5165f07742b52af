"""Numbers and dates in texts: marks of decimals and thousands, units, the order of year, month and day."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import numpy as np

DECIMALS, THOUSANDS = ".,", ".,' "
SPELLINGS = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2019": "'"})  # of blanks and apostrophes
PARTS = ("days", "year", "month", "weekday")
"""The numbers of a date: days since 1970, with the time of day; and Monday is 0."""
START = datetime(1970, 1, 1)
FIELDS = ("year", "month", "day", "hour", "minute", "second")

TIME = (
    r"(?:[T ]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?"
)
DAY, MONTH, YEAR = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})", r"(?P<year>\d{4})"
ORDERS = {
    "ymd": re.compile(rf"{YEAR}(?P<mark>[-/.]){MONTH}(?P=mark){DAY}{TIME}"),
    "dmy": re.compile(rf"{DAY}(?P<mark>[-/.]){MONTH}(?P=mark){YEAR}{TIME}"),
    "mdy": re.compile(rf"{MONTH}(?P<mark>[-/]){DAY}(?P=mark){YEAR}{TIME}"),  # a point is between day and month
}
"""How dates are written, by the order of year, month and day."""
SYMBOLS = tuple("€$£¥₹₽₩₺₴₫₪฿")
CODES = "EUR USD GBP CHF JPY CNY INR CAD AUD NZD SEK NOK DKK PLN CZK HUF RON BGN TRY RUB UAH BRL MXN ZAR KRW SGD HKD "
CODES += "ILS AED SAR THB IDR MYR PHP VND kr zł Kč Ft Fr. US$ R$"
CURRENCIES = frozenset((*SYMBOLS, *CODES.split()))
"""Units that may stand before a number, and whose negative numbers may stand in parentheses."""
SHARES = ("%", "‰", "°C", "°F", "°")
# no single capital letter: 12 A may be a house, 12 B a seat
MEASURES = "kg g mg µg t lb lbs oz km m cm mm µm nm mi ft in yd km² m² cm² m³ ha l ml mL cl dl s ms min h kB MB GB TB "
MEASURES += "kW MW Wh kWh MWh mV kV mA Hz kHz MHz GHz Pa hPa kPa bar mbar psi mmHg km/h mph m/s kJ kcal cal ppm "
MEASURES += "mg/dl mg/dL mmol/l mmol/L"
UNITS = CURRENCIES | {*SHARES, *MEASURES.split()}
"""Units that are recognised beside a number; a closed list, so that codes such as 12A and A12 stay names."""


def _either(units: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(units, key=len, reverse=True)))


BEFORE = rf"(?P<symbol>{_either(SYMBOLS)}) ?|(?P<code>{_either(CODES.split())}) "
LETTERS = [unit for unit in MEASURES.split() if len(unit) == 1]  # which need a blank
AFTER = rf"{_either(UNITS - {*LETTERS})}|(?<= )(?:{_either(LETTERS)})"
WITH_UNIT = re.compile(rf"[-+(]{{0,2}} ?(?:{BEFORE})?[-+]?[.,]?\d[\d.,' ]*(?:[eE][+-]?\d+)?(?P<after>{AFTER})?\)?")


class Notation:
    """A way to read texts as values: ``value`` of one is NaN for None, and infinity for what cannot be read."""

    value: Callable[[str | None], float]

    def values(self, texts: Sequence[str | None]) -> np.ndarray:
        return np.array([self.value(text) for text in texts], dtype=np.float64)

    def reads(self, texts: Iterable[str | None]) -> bool:
        return all(not math.isinf(self.value(text)) for text in texts)


@dataclass(frozen=True)
class Marks(Notation):
    """Marks of decimals and thousands, and a unit, which numbers may have and need not.

    Without a mark of thousands a number may still have one before its decimals: "1.234,56" is unambiguous. A percentage
    is the number as written, 45.3 for "45.3%".
    """

    decimal: str = "."
    thousands: str = ""
    unit: str = ""

    def value(self, text: str | None) -> float:
        if text is None:
            return np.nan
        text = bare(text, self.unit)
        if self._is_plain and math.isfinite(number := plain(text)):
            return number
        text = text.translate(SPELLINGS)
        if not _pattern(self.decimal, self.thousands).fullmatch(text):
            return np.inf
        for mark in THOUSANDS.replace(self.decimal, ""):
            text = text.replace(mark, "")
        return float(text.replace(self.decimal, "."))

    def values(self, texts: Sequence[str | None]) -> np.ndarray:
        found = all_plain(texts) if self._is_plain else None
        return super().values(texts) if found is None else found

    @property
    def _is_plain(self) -> bool:  # whether numbers as Python writes them are read
        return self.decimal == "." and self.thousands != "."

    def __str__(self) -> str:
        thousands, unit = f", thousands {self.thousands!r}", f", unit {self.unit!r}"
        return f"decimal {self.decimal!r}" + (thousands if self.thousands else "") + (unit if self.unit else "")


@dataclass(frozen=True)
class DateOrder(Notation):
    """The order of year, month and day, a name in ``ORDERS``; time zones are ignored."""

    name: str

    def moment(self, text: str) -> datetime | None:
        found = ORDERS[self.name].fullmatch(text)
        if not found:
            return None
        try:
            return datetime(**{name: int(found[name] or 0) for name in FIELDS})  # type: ignore[arg-type]
        except ValueError:
            return None

    def value(self, text: str | None) -> float:
        return self._parts(text)[0]

    def parts(self, texts: Iterable[str | None]) -> np.ndarray:
        """The numbers ``PARTS`` of dates, (n, 4); NaN for a gap, infinity for what is no date."""
        return np.array([self._parts(text) for text in texts], dtype=np.float64).reshape(-1, len(PARTS))

    def _parts(self, text):
        if text is None:
            return [np.nan] * len(PARTS)
        if (found := self.moment(text)) is None:
            return [np.inf] * len(PARTS)
        return [(found - START).total_seconds() / 86400, found.year, found.month, found.weekday()]


PLAIN = Marks()
NUMBERS = [Marks(d, t) for d in DECIMALS for t in ("", *THOUSANDS) if t != d]
DATES = [DateOrder(name) for name in ORDERS]
LIKE_A_NUMBER = re.compile(r"[+-]?[.,]?\d[\d.,' ]*(?:[eE][+-]?\d+)?")
LIKE_A_DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}.*")


class Meaning(NamedTuple):
    """The reading of a column of texts; or a text to which two readings give different values."""

    reading: Any = None
    doubtful: str | None = None
    readings: tuple = ()
    is_news: bool = False  # whether the reading was recognised, and not given


def meaning(texts: Sequence[str | None], readings: Sequence[Notation]) -> Meaning:
    """The first reading of all texts, if the other possible ones give the same values."""
    fitting = [reading for reading in readings if reading.reads(texts)]
    if not fitting or all(text is None for text in texts):
        return Meaning()
    first = fitting[0].values(texts)
    for other in fitting[1:]:
        differs = np.flatnonzero((other.values(texts) != first) & ~np.isnan(first))
        if len(differs):
            return Meaning(None, texts[differs[0]], (fitting[0], other))
    return Meaning(fitting[0], is_news=True)


def number_readings(unit: str) -> list[Marks]:
    return [replace(marks, unit=unit) for marks in NUMBERS]


def units_of(texts: Sequence[str | None]) -> list[str]:
    """The units beside numbers in texts, if at least half of them have one, the most frequent first."""
    given = [text for text in texts if text is not None]
    found = (WITH_UNIT.fullmatch(text.translate(SPELLINGS).strip()) for text in given)
    beside = [list(filter(None, match.group("symbol", "code", "after"))) for match in found if match]
    counts = Counter(units[0] for units in beside if len(units) == 1)
    return [unit for unit, _ in counts.most_common()] if 2 * counts.total() >= len(given) else []


def bare(text: str, unit: str) -> str:
    """A text without its unit; a minus stands for the parentheses around a negative amount of money."""
    if not unit:
        return text
    text, sign = text.translate(SPELLINGS).strip(), ""
    if unit in CURRENCIES and text.startswith("(") and text.endswith(")"):
        text, sign = text[1:-1].strip(), "-"
    if text.endswith(unit):
        return sign + text.removesuffix(unit).rstrip()
    if unit in CURRENCIES:
        start = text[:1] if text[:1] in ("+", "-") else ""
        rest = text[len(start) :].lstrip()
        if rest.startswith(unit):
            return sign + start + rest.removeprefix(unit).lstrip()
    return sign + text


def most_fitting(texts: Sequence[str | None], readings: Sequence[Any]) -> Any:
    return min(readings, key=lambda reading: int(np.isinf(reading.values(texts)).sum()))


def odd_one(texts: Sequence[str | None], readings: Sequence[Notation], like: re.Pattern[str]) -> int | None:
    """Index of the first text that the best reading cannot read, where most texts look readable."""
    given = [text for text in texts if text is not None]
    if 2 * sum(bool(like.fullmatch(text.translate(SPELLINGS))) for text in given) <= len(given):
        return None
    odd = np.isinf(most_fitting(texts, readings).values(texts))
    return int(odd.argmax()) if 0 < 2 * odd.sum() < len(given) else None


def check_marks(decimal: Any, thousands: Any, unit: Any) -> None:
    """ValueError unless they are those of ``Marks``."""
    if {type(decimal), type(thousands), type(unit)} != {str}:
        raise ValueError("marks or a unit that are no texts")
    marks_of(decimal, thousands)
    if unit and unit not in UNITS:
        raise ValueError("a unit that is not known")


def marks_of(decimal: str | None, thousands: str | None) -> Marks | None:
    """The given marks, or None; of a point and a comma the one that is not given is the other one."""
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
    if text is None:
        return np.nan
    try:
        return np.inf if "_" in text else float(text)
    except ValueError:
        return np.inf


def all_plain(texts: Sequence[str | None]) -> np.ndarray | None:
    """The numbers of Python's float; None where one text is no number."""
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
