"""Which columns hold dates, and what is said of them."""

import warnings

from ..exceptions import DataWarning
from .dates import PARTS, as_date, first_that_is_none, meaning, reads
from .table import Table, few, quoted


def date_order(table: Table, name: str) -> str | None:
    """The order of year, month and day in a column of dates; None where it holds something else, or could be two."""
    cells = table.cells(name)
    if cells.dtype.kind == "f":
        return None
    texts = cells.tolist()
    given = table.date_order
    if given is not None and any(text is not None for text in texts) and reads(texts, given):
        return given
    found = meaning(texts)
    where = f"{table.source}: column {quoted(name)}"
    if found.doubtful is not None:
        days = " or ".join(str(as_date(found.doubtful, order)) for order in ("dmy", "mdy"))
        what = f"{quoted(found.doubtful)} may be {days}: {table.option('date-order', 'dmy')} or mdy says which"
        warnings.warn(f"{where}: {what}; until then the column is nominal", DataWarning, 6)
    elif found.order is None:
        odd = first_that_is_none(texts)
        if odd is not None:
            what = f"{quoted(texts[odd])} is no date as the others are, so the column is nominal"
            warnings.warn(f"{table.place(odd, name)}: {what}", DataWarning, 6)
    return found.order


def read_as_dates(table: Table, order: str, columns: list[str]) -> str:
    """One line about columns that become numbers."""
    example = next(text for text in table.texts(columns[0]) if text is not None)
    word = "column" if len(columns) == 1 else "columns"
    return (
        f"{word} {few(columns)} read as dates ({quoted(example)} is {as_date(example, order)}): {', '.join(PARTS)} are "
        f"features; {table.option('nominal')} keeps names"
    )
