"""The fitted columns of a table: each writes its cells as numbers."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ..exceptions import warn_of_data
from .cells import ISO, TRUTH, format_of_dates, read_dates, read_numbers, text_of

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
        unit = ""
        unread = []
        if isinstance(cells, list):
            found = read_numbers(cells, self.decimal, self.unit)
            numbers = found.values
            unread = found.unread
            unit = found.unit
        elif cells.dtype.kind == "M":
            unread = np.flatnonzero(~np.isnat(cells))
            numbers = np.full(len(cells), np.nan)
        else:
            numbers = cells
        self._check_read(cells, unread)
        check_finite(self.name, numbers)
        if unit != self.unit:
            self._check_unit(cells, numbers, unit)
        return numbers

    def write(self, numbers, features):
        """Write numbers into an array of shape (n_rows, n_features)."""
        is_gap = np.isnan(numbers)
        features[:, 0] = np.where(is_gap, self.median, numbers)
        if self.has_gaps:
            features[:, 1] = is_gap

    def _check_read(self, cells, unread):
        """Raise an error that names the first cell that is no number of the unit."""
        wanted = f"numbers ({self.unit})" if self.unit else "numbers"
        wanted = TRUTH if self.unit == TRUTH else wanted
        check_read(self.name, cells, unread, wanted)

    def _check_unit(self, cells, numbers, unit):
        """Warn of, or refuse, numbers whose unit differs from that in fit."""
        is_number = ~np.isnan(numbers)
        if not is_number.any():
            return
        if unit == TRUTH:
            self._check_read(cells, np.flatnonzero(is_number & (self.high > 1)))
            self._check_read(cells, np.flatnonzero(is_number & (self.low < 0)))
            self._warn("holds true and false, and held numbers in fit: true is 1")
        elif self.unit == TRUTH:
            is_truth = np.isin(numbers, (0, 1))
            self._check_read(cells, np.flatnonzero(is_number & ~is_truth))
            self._warn("holds numbers, and held true and false in fit: 1 is true")
        elif "%" in (unit, self.unit):
            self._check_scale(numbers, unit)
        elif not self.unit:
            self._warn(f"holds numbers with {unit}, and held numbers without in fit")

    def _check_scale(self, numbers, unit):
        """Warn if numbers without a per cent sign may be shares of one."""
        largest = np.nanmax(numbers)
        share = self.high if unit == "%" else largest
        if 0 < share <= 1:
            now = f"holds numbers up to {largest:g}{unit}"
            self._warn(f"{now}, and held numbers up to {self.high:g}{self.unit} in fit")

    def _warn(self, problem):
        """Warn of what this column holds."""
        warn_of_data(f"Column {self.name!r} {problem}.", topic=f"column {self.name}")


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
        texts = cells
        if not isinstance(cells, list):
            texts = [text_of(cell) for cell in cells.tolist()]
        distinct = dict.fromkeys(texts)
        distinct.pop(None, None)
        if distinct and distinct.keys().isdisjoint(self.categories):
            self._check_unknown(cells, texts, list(distinct))
        return texts

    def _check_unknown(self, cells, texts, distinct):
        """Warn of, or refuse, texts of which none was in fit."""
        if self.holds_words:
            are_texts = isinstance(cells, list)
            are_words = are_texts and len(read_numbers(distinct).unread) > 0
            if not are_words or format_of_dates(distinct) is not None:
                check_read(self.name, texts, [texts.index(distinct[0])], "words")
        if not self.has_others:
            problem = f"none of its categories was in fit, such as {distinct[0]!r}"
            warn_of_data(
                f"Column {self.name!r}: {problem}.", topic=f"column {self.name}"
            )

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
    words = read_numbers([text for text in counts if text != MISSING])
    n_features = len(counts)
    if n_features > MAX_CATEGORIES:
        n_features = MAX_CATEGORIES - 1  # one more is that of the others
    common = counts.most_common(n_features)
    frequent = sorted(text for text, count in common if count >= MIN_FREQUENCY)
    return CategoryColumn(
        name,
        categories=tuple(frequent),
        has_others=len(frequent) < len(counts),
        holds_words=len(words.unread) == len(words.values) > 0,
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
