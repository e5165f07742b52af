"""The schema of a table: the target, and which columns hold numbers, names or dates, and how these are written."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from ..extras import require
from . import notation
from .notation import PARTS, PLAIN, DateOrder, Marks, Meaning, bare, meaning, number_readings, plain
from .table import NUMBERED, InputError, Table, as_text, few, note, objects, quoted

Texts = Sequence[str | None]
Ranges = Mapping[str, tuple[float, float]]
"""Smallest and largest training values by column."""
ALWAYS = ("name", "kind", "missing", "categories")  # in every model file
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")


@dataclass(frozen=True)
class Column:
    """A column of features: its name, its kind, and how its cells are written."""

    name: str
    kind: str  # "numeric", "nominal" or "date"
    missing: int = 0  # cells
    categories: tuple[str, ...] = ()  # of the training rows
    decimal: str = "."
    thousands: str = ""
    order: str = ""  # of year, month and day: "ymd", "dmy" or "mdy"
    unit: str = ""  # beside the numbers, one of notation.UNITS

    @property
    def marks(self) -> Marks:
        return Marks(self.decimal, self.thousands, self.unit)

    @property
    def parts(self) -> list[str]:
        """Names in a frame: a date becomes several numbers."""
        return [f"{self.name}: {part}" for part in PARTS] if self.kind == "date" else [self.name]

    def as_json(self) -> dict[str, Any]:
        """Its attributes; those that the first model files lack only where they differ from the default."""
        usual = {field.name: field.default for field in fields(self) if field.name not in ALWAYS}
        return {name: value for name, value in asdict(self).items() if name in ALWAYS or value != usual[name]}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Column":
        """The column of ``as_json``; KeyError, TypeError or ValueError if it is something else."""
        column = cls(**{**content, "categories": tuple(content["categories"])})
        if type(column.name) is not str or column.kind not in ("numeric", "nominal", "date"):
            raise ValueError("columns without a name or a kind")
        notation.check_marks(column.decimal, column.thousands, column.unit)
        if column.order not in (notation.ORDERS if column.kind == "date" else ("",)):
            raise ValueError("an order of no dates")
        return column


@dataclass(frozen=True)
class Schema:
    """The target and the features of a table, by name."""

    target: str
    columns: tuple[Column, ...]

    @classmethod
    def infer(
        cls,
        table: Table,
        target: str | None = None,
        *,
        drop: Collection[str] = (),
        numeric: Collection[str] = (),
        nominal: Collection[str] = (),
    ) -> "Schema":
        """Infer the kinds of the columns.

        Parameters
        ----------
        table : Table
            The training rows.
        target : str or None, default=None
            Column to predict; None is what the format itself declares.
        drop : collection of str, default=()
            Columns to leave out.
        numeric, nominal : collection of str, default=()
            Columns whose kind is given. Others are as the file declares, or numeric if all their cells are numbers, or
            dates if they are.

        Returns
        -------
        Schema
        """
        target = target_name(table, target)
        for name in (target, *drop, *numeric, *nominal):
            table.check(name)
        given = dict.fromkeys(numeric, "numeric") | dict.fromkeys(nominal, "nominal")
        names = [name for name in table.columns if name != target and name not in drop]
        if not names:
            raise InputError(f"{table.source}: no column is left beside the target {quoted(target)}")
        schema = cls(target, columns_of(table, names, {**table.kinds, **given}))
        if again := [name for name, count in Counter(schema.names).items() if count > 1]:
            what = f"a date becomes the column {few(again)}, which is there; drop one of them"
            raise InputError(f"{table.source}: {what}")
        return schema

    @property
    def names(self) -> list[str]:
        """Names of the columns of a frame."""
        return [part for column in self.columns for part in column.parts]

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Schema":
        """The schema of ``as_json``; KeyError, TypeError or ValueError if it is something else."""
        return cls(str(content["target"]), tuple(Column.from_json(column) for column in content["columns"]))

    def as_json(self) -> dict[str, Any]:
        return {"target": self.target, "columns": [column.as_json() for column in self.columns]}

    def frame(self, table: Table, ranges: Ranges | None = None) -> Any:
        """The features as a DataFrame, by name and in this order: float64, or objects that are texts or NaN.

        ``ranges`` of the training values decide where it is ambiguous how numbers are written.
        """
        missing = [column.name for column in self.columns if column.name not in table.columns]
        if missing and not table.sparse:
            raise InputError(f"{table.source}: no column {few(missing)}, which the model needs")
        pd, marks = require("pandas", "cli"), self.marks_in(table, ranges or {})
        columns: dict[str, Any] = {}
        for column in self.columns:
            if column.kind == "numeric":
                columns[column.name] = table.numbers(column.name, marks[column.name])
            elif column.kind == "date":
                columns |= dict(zip(column.parts, table.dates(column.name, column.order).T, strict=True))
            else:
                texts = objects(np.nan if text is None else text for text in table.texts(column.name))
                columns[column.name] = pd.Series(texts, dtype=object)
        return pd.DataFrame(columns)

    def marks_in(self, table: Table, ranges: Ranges, target: Marks | None = None) -> dict[str, Marks]:
        """How the numbers of a table are written, which may be otherwise than in the training table.

        ``target`` are the marks of the training target of a regression.
        """
        known = {column.name: column.marks for column in self.columns if column.kind == "numeric"}
        return marks_of_file(table, known if target is None else {**known, self.target: target}, ranges)

    def extra(self, table: Table) -> list[str]:
        """Columns of a table that are neither features nor the target."""
        known = {self.target, *(column.name for column in self.columns)}
        return [name for name in table.columns if name not in known]

    def unseen(self, frame: Any) -> dict[str, dict[str, int]]:
        """Categories that are not in the training rows, by nominal column, and their numbers of rows."""
        counts = {
            column.name: frame[column.name][~frame[column.name].isin(column.categories)].value_counts().to_dict()
            for column in self.columns
            if column.kind == "nominal"
        }
        return {name: values for name, values in counts.items() if values}


def target_name(table: Table, given: str | None) -> str:
    """The column to predict: the given one, or what the format itself declares; a number in a table without names."""
    target = given or table.target
    if target is not None and target.isdecimal() and not table.options.header and target not in table.columns:
        target = f"{NUMBERED}{target}"
    if target is None:
        question = f"which column is to be predicted? {table.option('target', '')} names one of {few(table.columns)}"
        raise InputError(f"{table.source}: {question}")
    return target


def columns_of(table: Table, names: Collection[str], given: Mapping[str, str]) -> tuple[Column, ...]:
    """Columns with their kinds; warnings report what was recognised, and what is ambiguous."""
    found: list[Column] = []
    news: dict[Any, list[str]] = {}
    for name in names:
        kind = given.get(name)
        order = None if kind in ("numeric", "nominal") else _date_order(table, name)
        read = Meaning() if kind == "nominal" or order else as_numbers(table, name, must=kind == "numeric")
        found.append(_column(table, name, read.reading, order))
        if (order and kind != "date") or read.is_news:
            news.setdefault(order or read.reading, []).append(name)
    for reading, columns in news.items():
        how = recognised(table, reading, columns)
        note(f"{table.source}: {how}; {table.option('nominal')} keeps them as names")
    if any(isinstance(reading, Marks) and reading.decimal == "," for reading in news):
        _note_what_may_be_thousands(table, found)
    return tuple(found)


def _column(table: Table, name: str, marks: Marks | None, order: str | None) -> Column:
    if marks is not None:
        missing = int(np.isnan(table.numbers(name, marks)).sum())
        return Column(name, "numeric", missing, decimal=marks.decimal, thousands=marks.thousands, unit=marks.unit)
    texts = [text for text in table.texts(name) if text is not None]
    missing = table.n_rows - len(texts)
    if order:
        return Column(name, "date", missing, order=order)
    return Column(name, "nominal", missing, tuple(sorted(set(texts))))


def number_meaning(table: Table, name: str) -> Meaning:
    """How the cells of a column are read as numbers; no reading where it holds names, or is ambiguous."""
    if table.cells(name).dtype.kind == "f":
        return Meaning(PLAIN)
    texts, given = table.texts(name).tolist(), table.options.marks
    if given is not None and given.reads(texts):
        return Meaning(given)
    numbers = notation.all_plain(texts)
    if numbers is not None and not np.isinf(numbers).any():
        return Meaning(PLAIN)
    readings = _readings_of(texts)
    if given is not None and (unit := readings[0].unit) and (with_unit := replace(given, unit=unit)).reads(texts):
        return Meaning(with_unit, is_news=True)
    return meaning(texts, readings)


def _readings_of(texts):
    """All ways to write numbers, with the unit of a column, if it has exactly one."""
    units = notation.units_of(texts)
    return number_readings(units[0] if len(units) == 1 else "")


def as_numbers(table: Table, name: str, must: bool) -> Meaning:
    """The same, with a warning about suspicious cells; an error where the column must hold numbers."""
    found = number_meaning(table, name)
    if found.doubtful is not None:
        if must:
            raise InputError(doubt(table, name, found))
        note(f"{doubt(table, name, found)}; until then the column is nominal")
    elif found.reading is None and must:
        texts = table.texts(name).tolist()
        table.numbers(name, notation.most_fitting(texts, _readings_of(texts)))  # which says where
    elif found.reading is None:
        _note_what_is_no_number(table, name, table.texts(name).tolist())
    return found


def doubt(table: Table, name: str, found: Meaning) -> str:
    """Message about an ambiguous number in a column."""
    numbers = " or ".join(as_text(marks.value(found.doubtful)) for marks in found.readings)
    mark = "," if "," in (found.doubtful or "") else "."
    options = " or ".join(table.option(name, mark) for name in ("decimal", "thousands"))
    return f"{table.source}: column {quoted(name)}: {quoted(found.doubtful)} may be {numbers}: {options} says which"


def recognised(table: Table, reading: Marks | str, columns: list[str]) -> str:
    """Message about how columns were read as numbers, or as dates in this order, with an example."""
    read = f"{'column' if len(columns) == 1 else 'columns'} {few(columns)} read as"
    texts = (text for text in table.texts(columns[0]) if text is not None)
    if isinstance(reading, str):
        example = next(texts)
        parts = f"{', '.join(PARTS)} are features"
        return f"{read} dates ({quoted(example)} is {_day(example, reading)}): {parts}"
    example = next(text for text in texts if np.isinf(plain(text)))
    return f"{read} numbers with {reading} ({quoted(example)} is {as_text(reading.value(example))})"


def _note_what_is_no_number(table, name, texts):
    """Warn of the odd cell where most cells are numbers; infinity among numbers is an error."""
    wrong = (text for text in set(texts) if np.isinf(PLAIN.value(text)))  # few, where names are repeated
    if all(text.lower().lstrip("+-") in ("inf", "infinity") for text in wrong):
        table.numbers(name)  # which says where
    units = notation.units_of(texts)
    if len(units) > 1:
        note(f"{table.source}: column {quoted(name)} has numbers with the units {few(units)}, so it is nominal")
        return
    unit = "".join(units)
    numbers = [None if text is None else bare(text, unit) for text in texts]
    odd = notation.odd_one(numbers, notation.NUMBERS, notation.LIKE_A_NUMBER)
    if odd is not None:
        note(f"{table.place(odd, name)}: {quoted(texts[odd])} is no number, so the column is nominal")


def _note_what_may_be_thousands(table, columns):
    """Warn of "1.234" in a file with decimal commas: it may be 1234."""
    for name in (column.name for column in columns if column.kind == "numeric" and column.marks == PLAIN):
        cells = table.cells(name)
        points = [text for text in cells if text is not None and "." in text] if cells.dtype.kind == "O" else []
        if points and all(GROUPED.fullmatch(text) for text in points):
            read = f"{quoted(points[0])} is read as {as_text(plain(points[0]))}, though other columns have"
            hint = f"{table.option('decimal', ',')} reads thousands"
            note(f"{table.source}: column {quoted(name)}: {read} decimal commas; {hint}")


def _date_order(table: Table, name: str) -> str | None:
    """The order of year, month and day in a column of dates; None where it holds something else, or is ambiguous."""
    cells, given = table.cells(name), table.options.date_order
    if cells.dtype.kind == "f":
        return None
    texts = cells.tolist()
    if given is not None and any(text is not None for text in texts) and DateOrder(given).reads(texts):
        return given
    found = meaning(texts, notation.DATES)
    if found.doubtful is not None:
        days = " or ".join(_day(found.doubtful, order) for order in ("dmy", "mdy"))
        what = f"{quoted(found.doubtful)} may be {days}: {table.option('date-order', 'dmy')} or mdy says which"
        note(f"{table.source}: column {quoted(name)}: {what}; until then the column is nominal")
    elif found.reading is None and (odd := notation.odd_one(texts, notation.DATES, notation.LIKE_A_DATE)) is not None:
        what = f"{quoted(texts[odd])} is no date as the others are, so the column is nominal"
        note(f"{table.place(odd, name)}: {what}")
    return found.reading.name if found.reading else None


def _day(text: str, order: str) -> str:
    return str(DateOrder(order).moment(text))[:10]


def marks_of_file(table: Table, known: Mapping[str, Marks], ranges: Ranges) -> dict[str, Marks]:
    """The marks of the columns in this file, from those in the training file and the ranges of the training values.

    A column that the known marks cannot read is read as it is written. If such columns have another decimal mark than
    in the training file, it holds for the ambiguous columns of the file, too. Else an ambiguous column is read so that
    its numbers are in the training range, or by the known decimal mark. Warnings report it.
    """
    if table.options.marks is not None:  # the user says how numbers are written
        return dict(known)
    cells = {name: table.cells(name) for name in known if name in table.columns}
    texts: dict[str, Texts] = {name: column.tolist() for name, column in cells.items() if column.dtype.kind != "f"}
    unread = [name for name in texts if np.isinf(known[name].values(texts[name])).any()]
    read = {name: meaning(texts[name], number_readings(known[name].unit)) for name in unread}
    found = {**known, **{name: how.reading for name, how in read.items() if how.reading is not None}}
    _note_news(table, texts, {name: found[name] for name in unread if found[name] != known[name]}, known)
    decimals = {found[name].decimal for name in unread if found[name].decimal != known[name].decimal}
    decimal = decimals.pop() if len(decimals) == 1 else None
    doubtful = [name for name, how in read.items() if how.doubtful is not None]
    others = [name for name in texts if name not in read and decimal not in (None, known[name].decimal)]
    for name in doubtful + others:
        likely = decimal or _within(read[name], texts[name], ranges.get(name)) or known[name].decimal
        found[name] = _decided(table, name, texts[name], found[name], likely)
    return found


def _within(how, texts, ends):
    """The decimal mark of the only one of two readings whose numbers are all in the training range, if there is one."""
    if ends is None:
        return None
    values = ((marks.decimal, marks.values(texts)) for marks in how.readings)
    fitting = [mark for mark, found in values if np.nanmin(found) >= ends[0] and np.nanmax(found) <= ends[1]]
    return fitting[0] if len(fitting) == 1 else None


def _note_news(table, texts, news, known):
    for marks in dict.fromkeys(news.values()):
        names = [name for name in news if news[name] == marks]
        example = next(text for text in texts[names[0]] if np.isinf(known[names[0]].value(text)))
        value = f"{quoted(example)} is {as_text(marks.value(example))}"
        read = f"{'column' if len(names) == 1 else 'columns'} {few(names)} read with {marks} ({value})"
        note(f"{table.source}: {read}, unlike the training table")


def _decided(table, name, texts, usual, decimal):
    """The marks with this decimal mark, and a warning where others would give other numbers; else the usual ones."""
    readings = number_readings(usual.unit)
    chosen = meaning(texts, [marks for marks in readings if marks.decimal == decimal]).reading
    if chosen is None:
        return usual
    other = meaning(texts, [chosen, *readings])
    if other.doubtful is None:
        return usual
    first, second = (as_text(marks.value(other.doubtful)) for marks in other.readings)
    hint = f"{table.option('decimal', other.readings[1].decimal)} reads {second}"
    what = f"{quoted(other.doubtful)} is read as {first}, with decimal {decimal!r}"
    note(f"{table.source}: column {quoted(name)}: {what}; {hint}")
    return chosen
