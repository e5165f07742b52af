"""The cells of a table: numbers, dates, and texts that may be either."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import pandas as pd

GAPS = frozenset(
    ("", ".", "?", "na", "n/a", "#n/a", "<na>", "nan", "nat", "null", "none")
)
"""Texts, in lower case, that stand for a missing value."""

TRUTH_VALUES = {"true": 1.0, "yes": 1.0, "1": 1.0, "false": 0.0, "no": 0.0, "0": 0.0}
"""Numbers of the texts, in lower case, that stand for truth values."""

TRUTH = "true or false"
"""The unit of truth values."""

SPELLINGS = str.maketrans("\u00a0\u202f\u2009\u2019\u2212", "   '-")
"""Plain characters for those that typesetters use in numbers."""

UNIT = (
    r"[$£¥\u20a0-\u20cf%]|EUR|USD|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|BRL|MXN"
)
"""Per cent and currencies; Unicode's block of currency signs begins at 20a0."""

ISO = "ISO 8601"

DATE_FORMATS = (
    ISO,
    "%Y-%m",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%d.%m.%Y %H:%M",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%m/%d/%Y %H:%M",
    "%d/%m/%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%m/%d/%Y %H:%M:%S",
    "%d/%m/%Y %H:%M:%S",
    "%m/%d/%Y %I:%M %p",
    "%m/%d/%Y %I:%M:%S %p",
    "%d.%m.%y",
    "%m/%d/%y",
    "%d/%m/%y",
    "%m/%d/%y %H:%M",
    "%d/%m/%y %H:%M",
    "%d-%m-%Y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
)
"""The ways to write dates; the first that reads a whole column is taken."""

FEW_ROWS = 8
"""The number of rows up to which a table is read as one array."""

NO_CELLS = (complex, dict, list, tuple, set, np.ndarray)
"""The types of what a cell cannot hold."""


@dataclass(frozen=True)
class Numbers:
    """Numbers that were read from texts.

    Attributes
    ----------
    values : ndarray of shape (n_rows,)
        The numbers; NaN for gaps and for what is no number.
    unit : str
        The unit beside the numbers; empty without one.
    decimal : str
        The decimal mark, "." or ",".
    unread : list of int
        The rows whose texts are no numbers.
    """

    values: np.ndarray
    unit: str
    decimal: str
    unread: list


def cells_of_table(X, names):
    """Return the cells of columns.

    Parameters
    ----------
    X : DataFrame
        The table.
    names : list of str
        The columns.

    Returns
    -------
    cells : dict
        By name: an array of floats, where time spans are seconds; an array of dates
        in universal time; or a list of texts with None for gaps.
    """
    kinds = {name: dtype.kind for name, dtype in X.dtypes.items()}
    if len(X) <= FEW_ROWS:
        return cells_of_few_rows(X, names, kinds)
    numbers = [name for name, kind in kinds.items() if kind in "iuf"]
    is_number = [kind in "iuf" for kind in kinds.values()]
    block = X if all(is_number) else X.loc[:, is_number]
    values = block.to_numpy(dtype=float, na_value=np.nan)  # faster than one by one
    cells = dict(zip(numbers, values.T, strict=True))
    for name in names:
        if name not in cells:
            cells[name] = cells_of_column(X[name], kinds[name])
    return cells


def cells_of_few_rows(X, names, kinds):
    """Return the cells of a short table, which is fastest to read as one array."""
    rows = X.to_numpy(dtype=object)
    columns = dict(zip(kinds, rows.T.tolist(), strict=True))
    cells = {}
    for name in names:
        if kinds[name] in "mM":
            cells[name] = cells_of_column(X[name], kinds[name])
        elif kinds[name] in "iuf":
            numbers = [np.nan if cell is pd.NA else cell for cell in columns[name]]
            cells[name] = np.array(numbers, dtype=float)
        else:
            cells[name] = texts_of(name, columns[name])
    return cells


def cells_of_column(column, kind):
    """Return the cells of a Series that does not hold plain numbers."""
    if kind == "m":
        return column.dt.total_seconds().to_numpy(dtype=float, na_value=np.nan)
    if kind == "M":
        return column.to_numpy(dtype="datetime64[us]")
    return texts_of(column.name, column.tolist())


def texts_of(name, cells):
    """Return the cells of a column as texts, and None for gaps."""
    refused = [row for row, cell in enumerate(cells) if isinstance(cell, NO_CELLS)]
    if refused:
        kind = type(cells[refused[0]]).__name__
        message = f"argument must be a string, a number or a date, not a {kind}"
        raise TypeError(f"Column {name!r}, row {refused[0]}: {message}.")
    return [text_of(cell) for cell in cells]


def text_of(cell):
    """Return a cell as a text without blanks around it, or None for a gap."""
    if isinstance(cell, str):
        text = cell.strip()
    elif isinstance(cell, bytes):  # scipy reads ARFF files so
        text = cell.decode(errors="replace").strip()
    elif cell is None or cell is pd.NA or cell != cell:
        return None
    elif isinstance(cell, float) and cell.is_integer():
        text = str(int(cell))
    else:
        text = str(cell)
    return None if text.lower() in GAPS else text


def distinct_texts(texts):
    """Return the different texts in the order of their first rows, without gaps."""
    return [text for text in dict.fromkeys(texts) if text is not None]


def number_pattern(decimal, thousands):
    """Return the pattern of numbers that have certain marks, and perhaps a unit."""
    groups = rf"[1-9]\d{{0,2}}(?P<mark>{thousands})\d{{3}}(?:(?P=mark)\d{{3}})*"
    digits = rf"(?={decimal}?\d)(?:{groups}|\d*)(?:{decimal}\d*)?(?:e[-+]?\d+)?"
    before = rf"(?P<sign>[-+]?) ?(?P<before>{UNIT})? ?"
    after = rf"(?: ?(?P<after>{UNIT}))?"
    return re.compile(rf"{before}(?P<digits>{digits}){after}", re.IGNORECASE)


NUMBER_PATTERNS = {
    ".": number_pattern(r"\.", "[,' ]"),
    ",": number_pattern(",", "[.' ]"),
}
"""The patterns of numbers, by decimal mark."""


def parse_number(text, decimal):
    """Return the number in a text and its unit, or None if there is no number.

    Accountants write a negative number in parentheses.
    """
    if not text.isascii():
        text = text.translate(SPELLINGS)
    if text[:1] == "(" and text[-1:] == ")":
        text = f"-{text[1:-1]}"
    match = NUMBER_PATTERNS[decimal].fullmatch(text)
    if match is None:
        return None
    digits = match["digits"]
    if match["mark"]:
        digits = digits.replace(match["mark"], "")
    number = float(match["sign"] + digits.replace(decimal, "."))
    unit = match["before"] or match["after"] or ""
    return number, unit.upper()


def read_plain_numbers(texts):
    """Return numbers as Python writes them, or None if a text is none of them."""
    try:
        values = [np.nan if text is None else float(text) for text in texts]
    except ValueError:
        return None
    has_underscores = any(text is not None and "_" in text for text in texts)
    if has_underscores or np.isinf(values).any():
        return None
    return Numbers(np.array(values), "", ".", [])


def read_truth_values(texts):
    """Return zeros and ones of the texts that stand for truth values."""
    distinct = distinct_texts(texts)
    numbers = {text: TRUTH_VALUES.get(text.lower(), np.nan) for text in distinct}
    values = np.array([numbers.get(text, np.nan) for text in texts])
    unread = [row for row in np.flatnonzero(np.isnan(values)) if texts[row] is not None]
    return Numbers(values, TRUTH, ".", unread)


def read_marked_numbers(texts, decimal, unit):
    """Return numbers with a certain decimal mark and with at most one unit."""
    values = np.full(len(texts), np.nan)
    unread = []
    for row, text in enumerate(texts):
        if text is None:
            continue
        number, own_unit = parse_number(text, decimal) or (np.nan, "")
        unit = unit or own_unit
        if own_unit in ("", unit):
            values[row] = number
        if np.isnan(values[row]):
            unread.append(row)
    return Numbers(values, unit, decimal, unread)


def read_numbers(texts, decimal=".", unit=""):
    """Return the numbers in texts.

    Parameters
    ----------
    texts : list of str or None
        The texts; None is a gap.
    decimal : {".", ","}, default="."
        The decimal mark to try first. The other one is taken if it reads all texts.
    unit : str, default=""
        The unit that the numbers may have; by default the first that occurs.

    Returns
    -------
    numbers : Numbers
        The numbers, and the rows that hold other texts.

    Examples
    --------
    >>> read_numbers(["$20,906", "$ 7.5", None]).values.tolist()
    [20906.0, 7.5, nan]
    >>> read_numbers(["1.234,56", "7"]).values.tolist()
    [1234.56, 7.0]
    """
    plain = read_plain_numbers(texts) if decimal == "." else None
    if plain is not None:
        return plain
    truth_values = read_truth_values(texts)
    if unit == TRUTH or not truth_values.unread:
        return truth_values
    numbers = read_marked_numbers(texts, decimal, unit)
    if not numbers.unread:
        return numbers
    other_mark = "," if decimal == "." else "."
    others = read_marked_numbers(texts, other_mark, unit)
    return numbers if others.unread else others


def needs_comma(texts):
    """Return whether texts are numbers only if the decimal mark is a comma."""
    if read_plain_numbers(texts) or all(parse_number(text, ".") for text in texts):
        return False
    return all(parse_number(text, ",") for text in texts)


def parse_date(text, date_format):
    """Return the date and universal time in a text, or None if there is none."""
    try:
        if date_format == ISO:
            moment = datetime.fromisoformat(text)
        else:
            moment = datetime.strptime(text, date_format)
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None
    return moment


def read_dates(texts, date_format):
    """Return the dates in texts; NaT for gaps and for what is no date in a format."""
    dates = {text: parse_date(text, date_format) for text in distinct_texts(texts)}
    values = [dates.get(text) for text in texts]
    return np.array(values, dtype="datetime64[us]")


def format_of_dates(texts):
    """Return the first format that reads all of some texts, or None."""
    for date_format in DATE_FORMATS:
        if all(parse_date(text, date_format) for text in texts):
            return date_format
    return None
