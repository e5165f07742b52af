"""What the columns of a table are: which is the class, which hold numbers, names or dates."""

from collections import Counter
from collections.abc import Collection
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from ..extras import require
from .column_kinds import Kind, kinds_of
from .dates import ORDERS, PARTS
from .number_marks import Marks, marks_of
from .table import InputError, Table, few, objects, quoted

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


@dataclass(frozen=True)
class Schema:
    """The class and the features of a table, by name."""

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
        """Find out the kinds of the columns.

        Parameters
        ----------
        table : Table
            The training rows.
        target : str or None, default=None
            Column of the class; None is what the format itself declares.
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
        kinds = kinds_of(table, names, {**table.kinds, **given})
        schema = cls(target, tuple(_column(table, name, kind) for name, kind in kinds.items()))
        again = [name for name, count in Counter(schema.names).items() if count > 1]
        if again:
            raise InputError(
                f"{table.source}: a date becomes the column {few(again)}, which is there; drop one of them"
            )
        return schema

    @property
    def names(self) -> list[str]:
        """What the columns of a frame are called."""
        return [part for column in self.columns for part in column.parts]

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Schema":
        """From what ``as_json`` gave; KeyError, TypeError or ValueError if it is something else."""
        return cls(str(content["target"]), tuple(Column.from_json(column) for column in content["columns"]))

    def as_json(self) -> dict[str, Any]:
        return {"target": self.target, "columns": [column.as_json() for column in self.columns]}

    def frame(self, table: Table) -> Any:
        """The features as a DataFrame, by name and in this order: float64, or objects that are texts or NaN."""
        missing = [column.name for column in self.columns if column.name not in table.columns]
        if missing and not table.sparse:
            raise InputError(f"{table.source}: no column {few(missing)}, which the model needs")
        pd = require("pandas", "cli")
        columns: dict[str, Any] = {}
        for column in self.columns:
            columns |= _series(pd, table, column)
        return pd.DataFrame(columns)

    def extra(self, table: Table) -> list[str]:
        """Columns of a table that are neither features nor the class."""
        known = {self.target, *(column.name for column in self.columns)}
        return [name for name in table.columns if name not in known]

    def unseen(self, frame: Any) -> dict[str, dict[str, int]]:
        """The categories of nominal columns that the training rows did not have, and how many rows hold each."""
        counts = {
            column.name: frame[column.name][~frame[column.name].isin(column.categories)].value_counts().to_dict()
            for column in self.columns
            if column.kind == "nominal"
        }
        return {name: values for name, values in counts.items() if values}


def target_name(table: Table, given: str | None) -> str:
    """The column that is to be predicted: the given one, or what the format itself declares."""
    target = given or table.target
    if target is None:
        question = f"which column is to be predicted? {table.option('target', '')} names one of {few(table.columns)}"
        raise InputError(f"{table.source}: {question}")
    return target


def _column(table: Table, name: str, kind: Kind) -> Column:
    if kind.kind == "numeric":
        missing = int(np.isnan(table.numbers(name, kind.marks)).sum())
        return Column(name, kind.kind, missing, decimal=kind.marks.decimal, thousands=kind.marks.thousands)
    texts = [text for text in table.texts(name) if text is not None]
    missing = table.n_rows - len(texts)
    if kind.kind == "date":
        return Column(name, kind.kind, missing, order=kind.order)
    return Column(name, kind.kind, missing, tuple(sorted(set(texts))))


def _series(pd: Any, table: Table, column: Column) -> dict[str, Any]:
    if column.kind == "numeric":
        return {column.name: table.numbers(column.name, column.marks)}
    if column.kind == "date":
        return dict(zip(column.parts, table.dates(column.name, column.order).T, strict=True))
    texts = objects(np.nan if text is None else text for text in table.texts(column.name))
    return {column.name: pd.Series(texts, dtype=object)}
