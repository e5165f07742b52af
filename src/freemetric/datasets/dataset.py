"""Data sets as arrays: the paper's, and regression tables that need no network."""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..extras import require
from ..files.atomic import replacing
from .registry import GENERATED_ROWS, PACKAGE, PLAIN, info, list_regression, regression_info
from .store import as_folder, get_table
from .table import RULES, DatasetError, encode


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
    classes, y = np.unique(table.fields[-1], return_inverse=True)
    return Dataset(name, X, y, feature_names, tuple(classes.tolist()), encoding)


MOST_ROWS = 3000  # of more, so many are chosen by a seed
MOST_GAPS = 0.3  # columns with a larger share of gaps are left out, then rows with gaps
MOST_CATEGORIES = 30  # columns with more are names rather than categories


def load_regression(name: str, data_home: str | os.PathLike | None = None, *, check: bool = True) -> Dataset:
    """Load a regression data set, without a network.

    Parameters
    ----------
    name : str
        One of `list_regression`.
    data_home : path-like, default=None
        Folder to look in first, for a file `name`.npz that `export_regression` wrote.
    check : bool, default=True
        Whether arrays must be the registry's, by their sha256.

    Returns
    -------
    Dataset
        At most 3,000 rows of a table, chosen by a seed, without gaps; categories become 0/1 features. Of synthetic
        problems 2,000 rows; ``regression_info(name).problem`` draws others.

    Examples
    --------
    >>> from freemetric.datasets import load_regression
    >>> load_regression("diabetes").X.shape
    (442, 10)
    >>> data = load_regression("fan")
    >>> bool(abs(((data.y - data.mean) / data.noise).std() - 1) < 0.05)
    True
    """
    entry = regression_info(name)
    path = Path(as_folder(data_home, "data_home"), f"{name}.npz") if data_home is not None else None
    data = _from_file(path, entry) if path is not None and path.exists() else _from_source(entry)
    if check:
        _check(data, entry, path)
    return data


def export_regression(
    folder: str | os.PathLike, names: Iterable[str] | None = None, data_home: str | os.PathLike | None = None
) -> dict[str, str]:
    """Write data sets as `name`.npz, for machines where the packages that have them are not installed.

    Parameters
    ----------
    folder : path-like
        Folder to write to; it is made if need be.
    names : iterable of str or None, default=None
        Names of data sets; None: all but synthetic problems.
    data_home : path-like, default=None
        Folder to look in first.

    Returns
    -------
    dict
        Data sets that are not available, and why.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = [*list_regression("builtin"), *list_regression("table")] if names is None else list(names)
    problems = {}
    for name in names:
        try:
            data = load_regression(name, data_home)
            with replacing(folder / f"{name}.npz") as file:
                np.savez_compressed(file, X=data.X, y=data.y, feature_names=np.array(data.feature_names))
        except DatasetError as problem:
            problems[name] = str(problem)
    return problems


def _from_file(path, entry):
    try:
        with np.load(path, allow_pickle=False) as arrays:
            X, y, names = arrays["X"], arrays["y"], tuple(map(str, arrays["feature_names"]))
    except (OSError, ValueError, KeyError, EOFError) as problem:
        raise DatasetError(f"{path}: is not a file of export_regression ({type(problem).__name__})") from None
    if X.ndim != 2 or y.shape != X.shape[:1] or len(names) != X.shape[1]:
        raise DatasetError(f"{path}: X is {X.shape}, y {y.shape}, and there are {len(names)} names of features")
    return Dataset(entry.name, X.astype(np.float64), y.astype(np.float64), names, target=entry.target)


def _from_source(entry):
    if entry.problem is not None:
        X, y, mean, noise = entry.problem.sample(GENERATED_ROWS, 0)
        names = tuple(f"x{place}" for place in range(X.shape[1]))
        return Dataset(entry.name, X, y, names, target=entry.target, mean=mean, noise=noise)
    if entry.kind == "builtin":
        from sklearn.datasets import load_diabetes

        bunch = load_diabetes(scaled=False)
        return Dataset(entry.name, bunch.data, bunch.target, tuple(bunch.feature_names), target=entry.target)
    try:
        frame = require(PACKAGE, "regression").data(entry.origin, entry.item)
    except ImportError as missing:
        raise DatasetError(f"{entry.name}: {missing}") from None
    if frame is None:
        raise DatasetError(f"{entry.name}: {PACKAGE} has no table {entry.item!r} of {entry.origin!r}")
    lacking = [column for column in (entry.target, *entry.dropped) if column not in frame]
    if lacking:
        raise DatasetError(f"{entry.name}: {PACKAGE}'s {entry.item!r} has no column {lacking[0]!r}")
    frame = frame.drop(columns=["rownames", *entry.dropped], errors="ignore")
    return Dataset(entry.name, *encode_frame(frame, entry.target), target=entry.target)


def encode_frame(frame: Any, target: str) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[str, ...]]:
    """Features (N, d), target (N,) and names of features of a DataFrame.

    Columns of many gaps are left out, then rows with gaps, then all rows but ``MOST_ROWS`` of them, chosen by a seed.
    Numeric columns stay as they are, a category becomes 0/1 (two values) or one column per value; columns of one value,
    and of more than ``MOST_CATEGORIES`` texts, are left out.
    """
    gaps = frame.isna().mean()
    frame = frame[[column for column in frame if column == target or gaps[column] <= MOST_GAPS]].dropna()
    if len(frame) > MOST_ROWS:
        chosen = np.random.default_rng(0).permutation(len(frame))[:MOST_ROWS]
        frame = frame.iloc[np.sort(chosen)]
    y = frame[target].to_numpy(np.float64)
    features = [pair for column in frame if column != target for pair in _as_features(str(column), frame[column])]
    names, columns = zip(*((name, values) for name, values in features if values.min() < values.max()), strict=True)
    return np.column_stack(columns).astype(np.float64), y, names


def _as_features(name, column):
    """(name, values) of every feature that a column becomes."""
    if column.to_numpy().dtype.kind in "biuf":
        return [(name, column.to_numpy(np.float64))]
    texts = np.array(list(map(str, column)))
    values = np.unique(texts)
    return RULES["declared"](name, texts, values) if len(values) <= MOST_CATEGORIES else []


def _check(data, entry, path):
    where = path if path is not None and path.exists() else f"{entry.name} of {entry.package}"
    if data.X.shape != (entry.rows, entry.features):
        raise DatasetError(f"{where}: X has shape {data.X.shape}, expected {(entry.rows, entry.features)}")
    parts = (np.ascontiguousarray(part, dtype="<f8").tobytes() for part in (data.X, data.y))
    if entry.sha256 and not hashlib.sha256(b"".join(parts)).hexdigest().startswith(entry.sha256):
        raise DatasetError(f"{where}: the shape is right, the content differs (check=False loads it all the same)")
