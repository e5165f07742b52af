"""What the columns of a table are: which is the class, which hold numbers, names or dates."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..extras import require
from .column_kinds import Column, columns_of
from .table import InputError, Table, few, objects, quoted


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
        schema = cls(target, columns_of(table, names, {**table.kinds, **given}))
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


def _series(pd: Any, table: Table, column: Column) -> dict[str, Any]:
    if column.kind == "numeric":
        return {column.name: table.numbers(column.name, column.marks)}
    if column.kind == "date":
        return dict(zip(column.parts, table.dates(column.name, column.order).T, strict=True))
    texts = objects(np.nan if text is None else text for text in table.texts(column.name))
    return {column.name: pd.Series(texts, dtype=object)}
