"""A data set of the paper as arrays."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .encoding import encode
from .registry import PLAIN, info
from .store import get_coded_table, get_table
from .table import DatasetError, TextColumns


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
        Class numbers from 0.
    feature_names : tuple of str
        "column", or "column=value" for a 0/1 feature made of a nominal column.
    classes : tuple of str
        Names of the classes; sorted, so that `classes[y[i]]` is the class of row i.
    encoding : str
        "paper" or "plain".
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    feature_names: tuple[str, ...]
    classes: tuple[str, ...]
    encoding: str


def load(
    name: str, data_home: str | os.PathLike | None = None, *, encoding: str = "paper", check: bool = True
) -> Dataset:
    """Load a data set of the paper.

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
    if rules == "proben1":
        table = get_coded_table(entry, data_home, check)
        return as_dataset(name, table, {}, PLAIN, entry.missing, encoding)
    table = get_table(entry, data_home, check)
    return as_dataset(name, table, entry.nominal, rules, entry.missing, encoding)


def as_dataset(
    name: str,
    table: TextColumns,
    nominal: Mapping[str, Sequence[str]],
    rules: Mapping[str, str],
    missing: str,
    encoding: str,
) -> Dataset:
    """Encode a table."""
    X, feature_names = encode(table, nominal, rules, missing)
    classes, y = np.unique(table.labels, return_inverse=True)
    return Dataset(name, X, y, feature_names, tuple(classes.tolist()), encoding)
