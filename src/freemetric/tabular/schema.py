"""What the columns of a table are: which is the class, which hold numbers, which hold names."""

from collections.abc import Collection
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from ..extras import require
from .column_kinds import kinds_of
from .number_marks import Marks, marks_of
from .table import InputError, Table, few, objects, quoted


@dataclass(frozen=True)
class Column:
    """A feature.

    Attributes
    ----------
    name : str
        What the file calls it.
    kind : {"numeric", "nominal"}
        Whether it holds numbers or names.
    missing : int
        How many of its cells are missing.
    categories : tuple of str
        The names that were seen.
    decimal, thousands : str
        The marks in its numbers.
    """

    name: str
    kind: str
    missing: int = 0
    categories: tuple[str, ...] = ()
    decimal: str = "."
    thousands: str = ""

    @property
    def marks(self) -> Marks:
        return Marks(self.decimal, self.thousands)

    def as_json(self) -> dict[str, Any]:
        """Its attributes; those that came after the first model files only where they are not as usual."""
        usual = {field.name: field.default for field in fields(self) if field.name not in ALWAYS}
        return {name: value for name, value in asdict(self).items() if name in ALWAYS or value != usual[name]}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Column":
        """From what ``as_json`` gave; KeyError, TypeError or ValueError if it is something else."""
        column = cls(**{**content, "categories": tuple(content["categories"])})
        if type(column.name) is not str or column.kind not in ("numeric", "nominal"):
            raise ValueError("columns without a name or a kind")
        if type(column.decimal) is not str or type(column.thousands) is not str:
            raise ValueError("marks that are no texts")
        marks_of(column.decimal, column.thousands)
        return column


ALWAYS = ("name", "kind", "missing", "categories")


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
            Columns whose kind is given. Others are as the file declares, or numeric if all their cells are numbers.

        Returns
        -------
        Schema
        """
        target = target or table.target
        if target is None:
            raise InputError(f"{table.source}: which column is the class? --target names one of {few(table.columns)}")
        for name in (target, *drop, *numeric, *nominal):
            table.cells(name)
        given = dict.fromkeys(numeric, "numeric") | dict.fromkeys(nominal, "nominal")
        names = [name for name in table.columns if name != target and name not in drop]
        if not names:
            raise InputError(f"{table.source}: no column is left beside the class {quoted(target)}")
        kinds = kinds_of(table, names, {**table.kinds, **given})
        return cls(target, tuple(_column(table, name, *kind) for name, kind in kinds.items()))

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
        return pd.DataFrame({column.name: _series(pd, table, column) for column in self.columns})

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


def _column(table, name, kind, marks):
    if kind == "numeric":
        missing = int(np.isnan(table.numbers(name, marks)).sum())
        return Column(name, kind, missing, decimal=marks.decimal, thousands=marks.thousands)
    texts = [text for text in table.texts(name) if text is not None]
    return Column(name, kind, table.n_rows - len(texts), tuple(sorted(set(texts))))


def _series(pd, table, column):
    if column.kind == "numeric":
        return table.numbers(column.name, column.marks)
    return pd.Series(objects(np.nan if text is None else text for text in table.texts(column.name)), dtype=object)
