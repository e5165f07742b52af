"""The fitted columns of a table: each writes its cells as numbers."""

import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np

from .cells import ISO, TRUTH, read_dates, read_numbers, text_of

MAX_CATEGORIES = 32
"""The number of features that one column of categories may become."""

MIN_FREQUENCY = 2
"""The number of rows that a category needs for a feature of its own."""

MISSING = "missing"
"""The category of gaps."""

DATE_PARTS = ("days", "year", "month", "weekday")
"""The numbers that a date becomes; the days are those since 1970."""


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers.

    A gap becomes the median. If there were gaps in fit, a second feature of zeros and
    ones tells where they are.

    Attributes
    ----------
    name : str
        The name of the column.
    unit : str
        The unit beside the numbers; empty without one.
    decimal : str
        The decimal mark, "." or ",".
    low, high, median : float
        The least, the greatest and the middle number in fit.
    has_gaps : bool
        Whether there were gaps in fit.
    """

    name: str
    unit: str
    decimal: str
    low: float
    high: float
    median: float
    has_gaps: bool

    kind = "number"

    def feature_names(self):
        """Return the names of the features."""
        if self.has_gaps:
            return [self.name, f"{self.name}_{MISSING}"]
        return [self.name]

    def read(self, cells):
        """Return the cells as an array of numbers; other cells are an error."""
        if isinstance(cells, list):
            numbers = read_numbers(cells, self.decimal, self.unit)
            unread = numbers.unread
            if numbers.unit == TRUTH and not 0 <= self.low <= self.high <= 1:
                unread = np.flatnonzero(~np.isnan(numbers.values))
            self._check_read(cells, unread)
            check_finite(self.name, numbers.values)
            self._check_scale(numbers.values, numbers.unit)
            return numbers.values
        if cells.dtype.kind == "M":
            self._check_read(cells, np.flatnonzero(~np.isnat(cells)))
            return np.full(len(cells), np.nan)
        check_finite(self.name, cells)
        self._check_scale(cells, "")
        return cells

    def write(self, numbers, features):
        """Write numbers into an array of shape (n_rows, n_features)."""
        is_gap = np.isnan(numbers)
        features[:, 0] = np.where(is_gap, self.median, numbers)
        if self.has_gaps:
            features[:, 1] = is_gap

    def _check_read(self, cells, unread):
        """Raise an error that names the first cell that is no number of the unit."""
        wanted = f"numbers ({self.unit})" if self.unit else "numbers"
        check_read(self.name, cells, unread, wanted)

    def _check_scale(self, numbers, unit):
        """Warn if numbers and those in fit are per cent and shares of one."""
        if unit == self.unit or "%" not in (unit, self.unit):
            return
        largest = np.nanmax(numbers, initial=0)
        if 0 < min(largest, self.high) <= 1 < max(largest, self.high):
            now = f"holds numbers up to {largest:g}{unit}"
            fit = f"held numbers up to {self.high:g}{self.unit} in fit"
            message = f"Column {self.name!r} {now}, and {fit}."
            warnings.warn(message, UserWarning, stacklevel=2)


@dataclass(frozen=True)
class CategoryColumn:
    """A column of categories, each of which becomes a feature of zeros and ones.

    Rare categories share one feature. It also stands for the categories that were not
    in fit.

    Attributes
    ----------
    name : str
        The name of the column.
    categories : tuple of str
        The categories that have a feature of their own; "missing" is that of gaps.
    has_others : bool
        Whether there is a feature of rare categories.
    holds_words : bool
        Whether no category in fit was a number.
    """

    name: str
    categories: tuple
    has_others: bool
    holds_words: bool

    kind = "category"

    def feature_names(self):
        """Return the names of the features."""
        names = [f"{self.name}_{category}" for category in self.categories]
        return [*names, f"{self.name}_others"] if self.has_others else names

    def read(self, cells):
        """Return the cells as texts; numbers are an error if there were only words."""
        if isinstance(cells, list):
            return cells
        texts = [text_of(cell) for cell in cells.tolist()]
        if self.holds_words:
            rows = [row for row, text in enumerate(texts) if text is not None]
            check_read(self.name, cells, rows, "words")
        return texts

    def write(self, texts, features):
        """Write texts into an array of shape (n_rows, n_features)."""
        others = len(self.categories)
        codes = {category: code for code, category in enumerate(self.categories)}
        rows = [codes.get(text or MISSING, others) for text in texts]
        features[:] = np.eye(others + 1)[rows, : features.shape[1]]


@dataclass(frozen=True)
class DateColumn:
    """A column of dates, which become their DATE_PARTS.

    The parts of a gap are the medians. If there were gaps in fit, a further feature of
    zeros and ones tells where they are.

    Attributes
    ----------
    name : str
        The name of the column.
    kind : str
        The format of the dates.
    medians : tuple of float
        The medians of the parts in fit.
    has_gaps : bool
        Whether there were gaps in fit.
    """

    name: str
    kind: str
    medians: tuple
    has_gaps: bool

    def feature_names(self):
        """Return the names of the features."""
        parts = [*DATE_PARTS, MISSING] if self.has_gaps else DATE_PARTS
        return [f"{self.name}_{part}" for part in parts]

    def read(self, cells):
        """Return the cells as an array of dates; other cells are an error."""
        if not isinstance(cells, list):
            if cells.dtype.kind == "f":
                numbers = np.flatnonzero(~np.isnan(cells))
                check_read(self.name, cells, numbers, "dates")
            return cells.astype("datetime64[us]")
        is_text = np.array([text is not None for text in cells])
        dates = read_dates(cells, self.kind)
        if np.isnat(dates[is_text]).any():  # ISO 8601 cannot be misunderstood
            dates = read_dates(cells, ISO)
        unread = np.flatnonzero(is_text & np.isnat(dates))
        check_read(self.name, cells, unread, "dates")
        return dates

    def write(self, dates, features):
        """Write dates into an array of shape (n_rows, n_features)."""
        is_gap = np.isnat(dates)
        n_parts = len(DATE_PARTS)
        parts = parts_of_dates(dates)
        features[:, :n_parts] = np.where(is_gap[:, None], self.medians, parts)
        if self.has_gaps:
            features[:, n_parts] = is_gap


def fit_numbers(name, values, unit="", decimal="."):
    """Return the fitted column of numbers."""
    check_finite(name, values)
    return NumberColumn(
        name,
        unit,
        decimal,
        low=float(np.nanmin(values)),
        high=float(np.nanmax(values)),
        median=float(np.nanmedian(values)),
        has_gaps=bool(np.isnan(values).any()),
    )


def fit_categories(name, texts):
    """Return the fitted column of categories."""
    counts = Counter(text or MISSING for text in texts)
    n_features = len(counts)
    if n_features > MAX_CATEGORIES:
        n_features = MAX_CATEGORIES - 1  # one more is that of the others
    common = counts.most_common(n_features)
    frequent = sorted(text for text, count in common if count >= MIN_FREQUENCY)
    return CategoryColumn(
        name,
        categories=tuple(frequent),
        has_others=len(frequent) < len(counts),
        holds_words=len(read_numbers(list(counts)).unread) == len(counts),
    )


def fit_dates(name, dates, date_format):
    """Return the fitted column of dates."""
    is_gap = np.isnat(dates)
    medians = np.median(parts_of_dates(dates[~is_gap]), axis=0)
    return DateColumn(name, date_format, tuple(medians.tolist()), bool(is_gap.any()))


def parts_of_dates(dates):
    """Return the DATE_PARTS of an array of dates, of shape (n_dates, 4)."""
    days = dates.astype("datetime64[D]").astype(float)
    time = (dates - dates.astype("datetime64[D]")) / np.timedelta64(1, "D")
    year = dates.astype("datetime64[Y]").astype(float) + 1970
    month = dates.astype("datetime64[M]").astype(float) % 12 + 1
    weekday = (days + 3) % 7  # the first of January 1970 was a Thursday
    return np.column_stack([days + time, year, month, weekday])


def check_read(name, cells, unread, wanted):
    """Raise an error that names the first cell that is not what it was in fit."""
    if len(unread):
        row = unread[0]
        message = f"it holds {str(cells[row])!r}, and the column held {wanted} in fit"
        raise ValueError(f"Column {name!r}, row {row}: {message}.")


def check_finite(name, numbers):
    """Raise an error that names the first row with an infinite number."""
    infinite = np.isinf(numbers)
    if infinite.any():
        row = infinite.argmax()
        raise ValueError(f"Column {name!r}, row {row}: it holds an infinite number.")
