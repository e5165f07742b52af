"""Data sets as arrays: those of the paper, and the CSV files of any folder."""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..exceptions import DataWarning
from .encoding import encode, finite_number
from .registry import PLAIN, info
from .store import as_folder, get_table
from .table import DatasetError, TextColumns, read_table

SUFFIXES = (".csv", ".csv.gz")


@dataclass(frozen=True, eq=False)
class Dataset:
    """Arrays of a data set.

    Attributes
    ----------
    name : str
        Of the set.
    X : ndarray of shape (N, d)
        Features, float64, unscaled, without gaps.
    y : ndarray of shape (N,)
        Class numbers from 0, or for regression targets, float64, in their own units.
    feature_names : tuple of str
        "column", or "column=value" for a 0/1 feature made of a nominal column.
    classes : tuple of str
        Names of the classes, sorted, so that `classes[y[i]]` is the class of row i; none for regression.
    encoding : str
        "paper" or "plain".
    target : str
        What y is.
    mean, noise : ndarray of shape (N,) or None
        Of synthetic problems the expected target and its standard deviation; None for all others.
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray
    feature_names: tuple[str, ...]
    classes: tuple[str, ...] = ()
    encoding: str = "plain"
    target: str = "class"
    mean: NDArray[np.float64] | None = None
    noise: NDArray[np.float64] | None = None


def load(
    name: str, data_home: str | os.PathLike | None = None, *, encoding: str = "paper", check: bool = True
) -> Dataset:
    """Load a classification data set of the paper.

    A file `name`.csv or `name`.csv.gz is looked for in `data_home`, in the folder that the environment variable
    FREEMETRIC_DATA names, and in the user's cache folder. Without a file, iris and wine come from scikit-learn, balance
    and tic-tac-toe are generated, and the others are downloaded from OpenML into the cache folder.

    Parameters
    ----------
    name : str
        One of `list_datasets`.
    data_home : path-like, default=None
        Folder to look in first.
    encoding : {"paper", "plain"}, default="paper"
        "paper" gives the paper's number of features (but for anneal): two-valued nominal columns as 0/1, others by the
        rules in `info(name).encodings`; horse, card and soybean are read in the PROBEN1 coding, from the subfolder
        proben1. "plain": two-valued nominal columns as 0/1, others one column per value that occurs. In both, numeric
        columns stay as they are, a missing number is its column's mean, and a missing nominal value is what
        `info(name).missing` says. Nothing is scaled.
    check : bool, default=True
        Whether a file's sha256 must be the registry's, or that of an earlier download. Rows, columns, classes and
        nominal values are checked in any case.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetError
        One line that says which file or set, what was expected and what was found.

    Examples
    --------
    >>> from freemetric.datasets import load
    >>> iris = load("iris")
    >>> iris.X.shape, iris.classes
    ((150, 4), ('Iris-setosa', 'Iris-versicolor', 'Iris-virginica'))
    >>> load("tic-tac-toe").X.shape, load("tic-tac-toe", encoding="plain").X.shape
    ((958, 9), (958, 27))
    """
    entry = info(name)
    if encoding not in entry.encodings:
        raise DatasetError(f"encoding is {encoding!r}, must be one of {', '.join(map(repr, entry.encodings))}")
    rules = entry.encodings[encoding]
    table = get_table(entry, data_home, check, coded=rules == "proben1")
    if rules == "proben1":
        return _encoded(name, table, {}, PLAIN, entry.missing, encoding)
    return _encoded(name, table, entry.nominal, rules, entry.missing, encoding)


def _encoded(
    name: str,
    table: TextColumns,
    nominal: Mapping[str, Sequence[str]],
    rules: Mapping[str, str],
    missing: str,
    encoding: str,
) -> Dataset:
    X, feature_names = encode(table, nominal, rules, missing)
    classes, y = np.unique(table.labels, return_inverse=True)
    return Dataset(name, X, y, feature_names, tuple(classes.tolist()), encoding)


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
    """Names of the data sets in a folder: its files *.csv and *.csv.gz without the ending, sorted."""
    return list(_files(path))


def load_csv(path: str | os.PathLike) -> Dataset:
    """Load a classification data set from a CSV file, gzipped or not.

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
    return _encoded(_name(path), table, nominal, PLAIN, "value", "plain")


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
