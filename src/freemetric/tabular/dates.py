"""Dates in texts, and the numbers that they become."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from itertools import islice
from typing import NamedTuple

import numpy as np

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

PARTS = ("days", "year", "month", "weekday")
"""The numbers of a date: days since 1970, with the time of day; and Monday is 0."""

SOME = 100  # cells that tell whether it is worth to look at all of them
START = datetime(1970, 1, 1)


class DateMeaning(NamedTuple):
    """The order in which a column of texts is read as dates, or a text with two meanings."""

    order: str | None
    doubtful: str | None = None


def moment(text: str, order: str) -> datetime | None:
    """The date, and time if any, that a text stands for; None if it is none. Zones of time are not looked at."""
    found = ORDERS[order].fullmatch(text)
    if not found:
        return None
    fields = {name: int(found[name] or 0) for name in ("year", "month", "day", "hour", "minute", "second")}
    try:
        return datetime(**fields)  # type: ignore[arg-type]
    except ValueError:
        return None


def reads(texts: Iterable[str | None], order: str) -> bool:
    """Whether all texts are dates, or gaps."""
    return all(text is None or moment(text, order) is not None for text in texts)


def meaning(texts: Sequence[str | None]) -> DateMeaning:
    """The order with which all texts are dates, if it is one only."""
    first = next((text for text in texts if text is not None), None)
    fitting = [order for order in ORDERS if first is not None and moment(first, order) and reads(texts, order)]
    if len(fitting) < 2:
        return DateMeaning(fitting[0] if fitting else None)
    differing = (text for text in texts if text is not None and len({moment(text, order) for order in fitting}) > 1)
    doubtful = next(differing, None)
    return DateMeaning(fitting[0] if doubtful is None else None, doubtful)


def first_that_is_none(texts: Sequence[str | None]) -> int | None:
    """Where most texts are dates, the place of the first that is none in the order that fits most."""
    some = list(islice((text for text in texts if text is not None), SOME))
    if 2 * sum(any(moment(text, order) for order in ORDERS) for text in some) <= len(some):
        return None
    n_given = sum(text is not None for text in texts)
    odd = min(([text is not None and moment(text, order) is None for text in texts] for order in ORDERS), key=sum)
    return odd.index(True) if 0 < 2 * sum(odd) < n_given else None


def numbers(texts: Iterable[str | None], order: str) -> np.ndarray:
    """The parts of dates, (n, 4); NaN for a gap, infinity for what is no date."""
    return np.array([_numbers(text, order) for text in texts], dtype=np.float64).reshape(-1, len(PARTS))


def as_date(text: str, order: str) -> date:
    """For messages."""
    found = moment(text, order)
    assert found is not None
    return found.date()


def _numbers(text, order):
    if text is None:
        return [np.nan] * len(PARTS)
    found = moment(text, order)
    if found is None:
        return [np.inf] * len(PARTS)
    return [(found - START).total_seconds() / 86400, found.year, found.month, found.weekday()]
