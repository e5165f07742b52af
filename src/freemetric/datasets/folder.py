"""Any folder of CSV files as a suite of data sets."""

import os
import warnings
from pathlib import Path

from ..exceptions import DataWarning
from .dataset import Dataset, as_dataset
from .encoding import finite_number
from .registry import PLAIN
from .store import as_folder
from .table import DatasetError, read_table

SUFFIXES = (".csv", ".csv.gz")


class Suite:
    """The CSV files of a folder.

    Parameters
    ----------
    folder : path-like
        Its files *.csv and *.csv.gz are the data sets; see `load_csv` for their form.

    Attributes
    ----------
    names : list of str
        File names without the ending, sorted.
    """

    def __init__(self, folder: str | os.PathLike):
        self._files = _files(folder)
        self.names = list(self._files)

    def load(self, name: str) -> Dataset:
        """Load a set by name, as `load_csv` does."""
        if name not in self._files:
            raise DatasetError(f"no data set is called {name!r}; there are {', '.join(self.names)}")
        return load_csv(self._files[name])


def list_folder(path: str | os.PathLike) -> list[str]:
    """Names of the data sets in a folder of CSV files.

    Parameters
    ----------
    path : path-like
        Its files *.csv and *.csv.gz count, subfolders do not.

    Returns
    -------
    list of str
        File names without the ending, sorted.
    """
    return list(_files(path))


def load_csv(path: str | os.PathLike) -> Dataset:
    """Load a CSV file, gzipped or not.

    Parameters
    ----------
    path : path-like
        UTF-8, the first line names the columns, the last column is the class, an empty field is a missing value. A
        column of numbers is numeric and a gap in it becomes its mean; any other column is nominal and becomes 0/1 (two
        values) or one column per value, a gap being a value of its own.

    Returns
    -------
    Dataset
        With encoding "plain".

    Raises
    ------
    DatasetError
        One line that names the file and the line or column that is malformed.
    """
    path = Path(path)
    table, _ = read_table(path)
    _check_has_header(table)
    _check_classes(table)
    nominal = {}
    for column, fields in zip(table.columns, table.fields, strict=True):
        if not _is_numeric(table, column, fields):
            nominal[column] = sorted(set(fields) - {""})
    return as_dataset(_name(path), table, nominal, PLAIN, "value", "plain")


def _files(folder: str | os.PathLike) -> dict[str, Path]:
    folder = as_folder(folder, "the suite")
    paths = sorted(p for p in folder.iterdir() if p.name.endswith(SUFFIXES) and not p.name.startswith("."))
    if not paths:
        raise DatasetError(f"{folder}: no file *.csv or *.csv.gz")
    by_name: dict[str, Path] = {}
    for path in sorted(paths, key=_name):
        if _name(path) in by_name:
            raise DatasetError(f"{folder}: both {by_name[_name(path)].name} and {path.name}")
        by_name[_name(path)] = path
    return by_name


def _name(path):
    return path.name.removesuffix(".gz").removesuffix(".csv")


def _check_has_header(table):
    numbers = [finite_number(name) for name in table.columns]
    counted = numbers in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))
    if None not in numbers and not counted:
        first = table.columns[0]
        raise DatasetError(f"{table.source}, line 1: {first!r} and the others are numbers where columns must be named")


def _check_classes(table):
    classes = set(table.labels)
    if len(classes) == 1:
        raise DatasetError(f"{table.source}: every row has the class {table.labels[0]!r}; two are needed")
    for line, label in zip(table.lines, table.labels, strict=True):
        number = finite_number(label)
        if number is not None and number != int(number):
            raise DatasetError(
                f"{table.source}, line {line}: {label!r} in the last column, {table.class_column!r}, is no class"
            )


def _is_numeric(table, column, fields):
    """Whether a column holds numbers; a warning names one that does so for the most part."""
    numbers = [finite_number(text) is not None for text in fields]
    odd = next((row for row, text in enumerate(fields) if text and not numbers[row]), None)
    if odd is None or fields[odd].lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        return True  # what is not finite the encoder refuses, by its line
    if 2 * sum(numbers) > sum(map(bool, fields)):
        warnings.warn(
            f"{table.source}: column {column!r} is read as nominal, "
            f"for {fields[odd]!r} in line {table.lines[odd]} is not a number",
            DataWarning,
            stacklevel=3,
        )
    return False
