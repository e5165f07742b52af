"""How the numbers of a new file are written, which may be otherwise than in the training file."""

from collections.abc import Mapping, Sequence

import numpy as np

from .notation import Marks, Meaning, meaning, number_readings
from .table import Table, as_text, few, note, quoted

Texts = Sequence[str | None]
Ranges = Mapping[str, tuple[float, float]]
"""Smallest and largest training values by column."""


def marks_of_file(table: Table, known: Mapping[str, Marks], ranges: Ranges) -> dict[str, Marks]:
    """The marks of the columns in this file, from those in the training file and the ranges of the training values.

    A column that the known marks cannot read is read as it is written. If such columns have another decimal mark than
    in the training file, it holds for the ambiguous columns of the file, too. Else an ambiguous column is read so that
    its numbers are in the training range, or by the known decimal mark. Warnings report it.
    """
    if table.options.marks is not None:  # the user says how numbers are written
        return dict(known)
    columns = {name: table.cells(name) for name in known if name in table.columns}
    texts: dict[str, Texts] = {name: cells.tolist() for name, cells in columns.items() if cells.dtype.kind != "f"}
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


def _within(how: Meaning, texts: Texts, ends: tuple[float, float] | None) -> str | None:
    """The decimal mark of the only one of two readings whose numbers are all in the training range, if there is one."""
    if ends is None:
        return None
    values = ((marks.decimal, marks.values(texts)) for marks in how.readings)
    fitting = [mark for mark, found in values if np.nanmin(found) >= ends[0] and np.nanmax(found) <= ends[1]]
    return fitting[0] if len(fitting) == 1 else None


def _note_news(table: Table, texts: Mapping[str, Texts], news: Mapping[str, Marks], known: Mapping[str, Marks]) -> None:
    for marks in dict.fromkeys(news.values()):
        names = [name for name in news if news[name] == marks]
        first = names[0]
        example = next(text for text in texts[first] if np.isinf(known[first].value(text)))
        word = "column" if len(names) == 1 else "columns"
        value = f"{quoted(example)} is {as_text(marks.value(example))}"
        note(f"{table.source}: {word} {few(names)} read with {marks} ({value}), unlike the training table")


def _decided(table: Table, name: str, texts: Texts, usual: Marks, decimal: str) -> Marks:
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
