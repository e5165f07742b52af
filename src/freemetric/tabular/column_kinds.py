"""Whether columns hold numbers, names or dates, and how these are written."""

import re
import warnings
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from ..exceptions import DataWarning
from . import dates
from .number_marks import PLAIN, Marks, Meaning, all_plain, first_that_is_none, meaning, most_fitting, plain
from .table import InputError, Table, as_text, few, quoted

GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")


class Kind(NamedTuple):
    """ "numeric" with the marks of its numbers, "date" with the order of its dates, or "nominal"."""

    kind: str
    marks: Marks = PLAIN
    order: str = ""


def kinds_of(table: Table, names: Collection[str], given: Mapping[str, str]) -> dict[str, Kind]:
    """Kind of every column; one that is not given is numeric if every cell is a number, date if every cell is one.

    Notes say what was recognised, and what could mean two things.
    """
    kinds: dict[str, Kind] = {}
    marked: dict[Marks, list[str]] = {}
    dated: dict[str, list[str]] = {}
    for name in names:
        kind = given.get(name)
        order = None if kind in ("numeric", "nominal") else _date_order(table, name)
        if kind == "nominal":
            kinds[name] = Kind(kind)
        elif order is not None:
            kinds[name] = Kind("date", order=order)
            if kind != "date":  # as declared, it needs no word
                dated.setdefault(order, []).append(name)
        else:
            marks, is_news = _marks(table, name, must=kind == "numeric")
            kinds[name] = Kind("nominal") if marks is None else Kind("numeric", marks)
            if marks is not None and is_news:
                marked.setdefault(marks, []).append(name)
    for marks, columns in marked.items():
        otherwise = f"{table.option('nominal')} keeps them as names"
        warnings.warn(f"{table.source}: {recognised(table, marks, columns)}; {otherwise}", DataWarning, 5)
    for order, columns in dated.items():
        warnings.warn(f"{table.source}: {_read_as_dates(table, order, columns)}", DataWarning, 5)
    if any(marks.decimal == "," for marks in marked):
        _say_what_may_be_thousands(table, [name for name in kinds if kinds[name] == ("numeric", PLAIN, "")])
    return kinds


def number_marks(table: Table, name: str) -> Marks:
    """The marks in a column that must hold numbers."""
    return _marks(table, name, must=True)[0] or PLAIN


def marks_seen(table: Table, name: str) -> tuple[Meaning, bool]:
    """How the cells of a column are read as numbers, and whether by marks that nobody has given.

    No marks where it holds names, or numbers that could be two.
    """
    if table.cells(name).dtype.kind == "f":
        return Meaning(PLAIN), False
    texts = table.texts(name).tolist()
    if table.marks is not None and table.marks.reads(texts):
        return Meaning(table.marks), False
    numbers = all_plain(texts)
    if numbers is not None and not np.isinf(numbers).any():
        return Meaning(PLAIN), False
    found = meaning(texts)
    return found, found.marks is not None


def _marks(table: Table, name: str, must: bool) -> tuple[Marks | None, bool]:
    """The marks in a column, None where it holds names, and whether they are such as nobody has given."""
    found, is_news = marks_seen(table, name)
    if found.marks is not None:
        return found.marks, is_news
    if found.doubtful is not None:
        what = f"{table.source}: column {quoted(name)}: {doubt(table, found)}"
        if must:
            raise InputError(what)
        warnings.warn(f"{what}; until then the column is nominal", DataWarning, 6)
    elif must:
        table.numbers(name, most_fitting(table.texts(name).tolist()))  # which says where
    else:
        _say_what_is_no_number(table, name, table.texts(name).tolist())
    return None, False


def doubt(table: Table, found: Meaning) -> str:
    """In words which two numbers a text may be, and how to say which."""
    numbers = " or ".join(as_text(marks.number(found.doubtful)) for marks in found.readings)
    mark = "," if "," in (found.doubtful or "") else "."
    options = " or ".join(table.option(name, mark) for name in ("decimal", "thousands"))
    return f"{quoted(found.doubtful)} may be {numbers}: {options} says which"


def recognised(table: Table, marks: Marks, columns: list[str]) -> str:
    """In words how columns were read as numbers, with an example."""
    texts = (text for text in table.texts(columns[0]) if text is not None)
    example = next(text for text in texts if np.isinf(plain(text)))
    word = "column" if len(columns) == 1 else "columns"
    read = f"{word} {few(columns)} read as numbers with {marks}"
    return f"{read} ({quoted(example)} is {as_text(marks.number(example))})"


def _say_what_is_no_number(table, name, texts):
    """A warning names a column where most cells are numbers; infinity among numbers is an error."""
    odd = first_that_is_none(texts)
    wrong = (text for text in set(texts) if np.isinf(PLAIN.number(text)))  # few, where names are repeated
    if all(text.lower().lstrip("+-") in ("inf", "infinity") for text in wrong):
        table.numbers(name)  # which says where
    if odd is not None:
        place = table.place(odd, name)
        warnings.warn(f"{place}: {quoted(texts[odd])} is no number, so the column is nominal", DataWarning, 7)


def _say_what_may_be_thousands(table, names):
    """In a file with decimal commas "1.234" is a number as it stands, and perhaps another one."""
    for name in names:
        cells = table.cells(name)
        points = [text for text in cells if text is not None and "." in text] if cells.dtype.kind == "O" else []
        if points and all(GROUPED.fullmatch(text) for text in points):
            doubt = (
                f"{quoted(points[0])} is read as {as_text(plain(points[0]))}, though other columns have decimal commas"
            )
            warnings.warn(
                f"{table.source}: column {quoted(name)}: {doubt}; {table.option('decimal', ',')} reads thousands",
                DataWarning,
                6,
            )


def _date_order(table: Table, name: str) -> str | None:
    """The order of year, month and day in a column of dates; None where it holds something else, or could be two."""
    cells = table.cells(name)
    if cells.dtype.kind == "f":
        return None
    texts = cells.tolist()
    given = table.date_order
    if given is not None and any(text is not None for text in texts) and dates.reads(texts, given):
        return given
    found = dates.meaning(texts)
    where = f"{table.source}: column {quoted(name)}"
    if found.doubtful is not None:
        days = " or ".join(str(dates.as_date(found.doubtful, order)) for order in ("dmy", "mdy"))
        what = f"{quoted(found.doubtful)} may be {days}: {table.option('date-order', 'dmy')} or mdy says which"
        warnings.warn(f"{where}: {what}; until then the column is nominal", DataWarning, 6)
    elif found.order is None:
        odd = dates.first_that_is_none(texts)
        if odd is not None:
            what = f"{quoted(texts[odd])} is no date as the others are, so the column is nominal"
            warnings.warn(f"{table.place(odd, name)}: {what}", DataWarning, 6)
    return found.order


def _read_as_dates(table: Table, order: str, columns: list[str]) -> str:
    """One line about columns that become numbers."""
    example = next(text for text in table.texts(columns[0]) if text is not None)
    word = "column" if len(columns) == 1 else "columns"
    read = f"{word} {few(columns)} read as dates ({quoted(example)} is {dates.as_date(example, order)})"
    return f"{read}: {', '.join(dates.PARTS)} are features; {table.option('nominal')} keeps names"
