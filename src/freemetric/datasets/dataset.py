"""Data sets of the paper as arrays."""

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .registry import PLAIN, info
from .store import get_table
from .table import DatasetError, encode


@dataclass(frozen=True, eq=False)
class Dataset:
    """Arrays of a data set.

    Attributes
    ----------
    name : str
        Name of the data set.
    X : ndarray of shape (N, d)
        Features, float64, unscaled, without gaps.
    y : ndarray of shape (N,)
        Class numbers from 0, or targets of regression, float64.
    feature_names : tuple of str
        "column", or "column=value" for a 0/1 feature made of a nominal column.
    classes : tuple of str
        Names of the classes, sorted; none for regression.
    encoding : {"paper", "plain"}
        Encoding of nominal columns.
    target : str
        Name of the target.
    mean, noise : ndarray of shape (N,) or None
        Expected target and its standard deviation, for synthetic problems only.
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
        proben1. "plain": two-valued nominal columns as 0/1, others one column per value that occurs. A missing number
        becomes its column's mean, a missing nominal value follows `info(name).missing`. Nothing is scaled.
    check : bool, default=True
        Whether a file's sha256 must be the registry's, or that of an earlier download. Rows, columns, classes and
        nominal values are checked in any case, and a difference is a `DatasetError`.

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
    nominal, rules = ({}, PLAIN) if rules == "proben1" else (entry.nominal, rules)
    X, feature_names = encode(table, nominal, rules, entry.missing)
    classes, y = np.unique(table.labels, return_inverse=True)
    return Dataset(name, X, y, feature_names, tuple(classes.tolist()), encoding)
