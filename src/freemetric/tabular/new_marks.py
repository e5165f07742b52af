"""How the numbers of a new file are written, which may be otherwise than in the training file."""

from collections.abc import Mapping, Sequence

import numpy as np

from .notation import Marks, meaning, number_readings
from .table import Table, as_text, few, note, quoted

Texts = Sequence[str | None]


def marks_of_file(table: Table, known: Mapping[str, Marks]) -> dict[str, Marks]:
    """The marks of the columns in this file, from those in the training file.

    A column that the known marks cannot read is read as it is written. If such columns have another decimal mark than
    in the training file, it holds for the ambiguous columns of the file, too; else their known decimal mark does.
    Warnings report both.
    """
    texts = {name: _texts(table, name) for name in known if name in table.columns}
    unread = [name for name in texts if np.isinf(known[name].values(texts[name])).any()]
    read = {name: meaning(texts[name], number_readings(known[name].unit)) for name in unread}
    found = {**known, **{name: how.reading for name, how in read.items() if how.reading is not None}}
    _note_news(table, texts, {name: found[name] for name in unread if found[name] != known[name]}, known)
    decimals = {found[name].decimal for name in unread if found[name].decimal != known[name].decimal}
    decimal = decimals.pop() if len(decimals) == 1 else None
    doubtful = [name for name, how in read.items() if how.doubtful is not None]
    others = [name for name in texts if name not in read and decimal not in (None, known[name].decimal)]
    for name in doubtful + others:
        found[name] = _decided(table, name, texts[name], found[name], decimal or known[name].decimal)
    return found


def _texts(table: Table, name: str) -> Texts:
    """The cells of a column, empty where they are numbers, or where the user says how they are written."""
    cells, given = table.cells(name), table.options.marks
    return [] if cells.dtype.kind == "f" or given is not None else cells.tolist()


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
