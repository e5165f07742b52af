"""What the columns of a table are: which is the class, which hold numbers, which hold names."""

import warnings
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..exceptions import DataWarning
from ..extras import require
from .table import InputError, Table, few, objects, quoted


@dataclass(frozen=True)
class Column:
    """A feature: "numeric", or "nominal" with the categories that were seen; and how many of its cells are missing."""

    name: str
    kind: str
    missing: int = 0
    categories: tuple[str, ...] = ()


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
        kinds = {name: given.get(name) or table.kinds.get(name) or _kind(table, name) for name in names}
        return cls(target, tuple(_column(table, name, kind) for name, kind in kinds.items()))

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Schema":
        """From what ``as_json`` gave; KeyError, TypeError or ValueError if it is something else."""
        columns = tuple(Column(**{**c, "categories": tuple(c["categories"])}) for c in content["columns"])
        if not all(type(c.name) is str and c.kind in ("numeric", "nominal") for c in columns):
            raise ValueError("columns without a name or a kind")
        return cls(str(content["target"]), columns)

    def as_json(self) -> dict[str, Any]:
        return {"target": self.target, "columns": [asdict(column) for column in self.columns]}

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

    def unknown(self, frame: Any) -> dict[str, int]:
        """How many cells of each nominal column hold a category that was never seen."""
        counts = {
            column.name: int((~frame[column.name].isin(column.categories) & frame[column.name].notna()).sum())
            for column in self.columns
            if column.kind == "nominal"
        }
        return {name: count for name, count in counts.items() if count}


def _kind(table, name):
    """Numeric if every cell is a number; a warning names a column where most are."""
    numbers = table.maybe_numbers(name)
    odd = np.flatnonzero(np.isinf(numbers))
    if len(odd) == 0:
        return "numeric"
    texts = table.texts(name)
    if all(texts[row].lower().lstrip("+-") in ("inf", "infinity") for row in odd):
        table.numbers(name)  # which says where
    if np.isfinite(numbers).sum() > len(odd):
        place = table.place(int(odd[0]), name)
        warnings.warn(f"{place}: {quoted(texts[odd[0]])} is no number, so the column is nominal", DataWarning, 4)
    return "nominal"


def _column(table, name, kind):
    if kind == "numeric":
        return Column(name, kind, int(np.isnan(table.numbers(name)).sum()))
    texts = [text for text in table.texts(name) if text is not None]
    return Column(name, kind, table.n_rows - len(texts), tuple(sorted(set(texts))))


def _series(pd, table, column):
    if column.kind == "numeric":
        return table.numbers(column.name)
    return pd.Series(objects(np.nan if text is None else text for text in table.texts(column.name)), dtype=object)
