"""One column of a table, as a model knows it."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from .dates import ORDERS, PARTS
from .number_marks import Marks, marks_of

ALWAYS = ("name", "kind", "missing", "categories")  # in every model file


@dataclass(frozen=True)
class Column:
    """A feature.

    Attributes
    ----------
    name : str
        What the file calls it.
    kind : {"numeric", "nominal", "date"}
        Whether it holds numbers, names or dates.
    missing : int
        How many of its cells are missing.
    categories : tuple of str
        The names that were seen.
    decimal, thousands : str
        The marks in its numbers.
    order : {"", "ymd", "dmy", "mdy"}
        Of year, month and day in its dates.
    """

    name: str
    kind: str
    missing: int = 0
    categories: tuple[str, ...] = ()
    decimal: str = "."
    thousands: str = ""
    order: str = ""

    @property
    def marks(self) -> Marks:
        return Marks(self.decimal, self.thousands)

    @property
    def parts(self) -> list[str]:
        """What it is called in a frame: a date becomes several numbers."""
        return [f"{self.name}: {part}" for part in PARTS] if self.kind == "date" else [self.name]

    def as_json(self) -> dict[str, Any]:
        """Its attributes; those that came after the first model files only where they are not as usual."""
        usual = {field.name: field.default for field in fields(self) if field.name not in ALWAYS}
        return {name: value for name, value in asdict(self).items() if name in ALWAYS or value != usual[name]}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Column":
        """From what ``as_json`` gave; KeyError, TypeError or ValueError if it is something else."""
        column = cls(**{**content, "categories": tuple(content["categories"])})
        if type(column.name) is not str or column.kind not in ("numeric", "nominal", "date"):
            raise ValueError("columns without a name or a kind")
        if type(column.decimal) is not str or type(column.thousands) is not str:
            raise ValueError("marks that are no texts")
        marks_of(column.decimal, column.thousands)
        if (column.kind == "date") != (column.order in ORDERS) or (column.kind != "date" and column.order != ""):
            raise ValueError("an order of no dates")
        return column
