"""Data sets with numbers to predict that need no network: scikit-learn's, generated ones, tables inside a package."""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..files.atomic import replacing
from .regression_tables import GENERATED_ROWS, list_regression, read_number_table, regression_info
from .store import as_folder
from .table import DatasetError


@dataclass(frozen=True, eq=False)
class RegressionDataset:
    """Arrays of a data set with numbers to predict.

    Attributes
    ----------
    name : str
        Of the set.
    X : ndarray of shape (N, d)
        Features, float64, unscaled, without gaps.
    y : ndarray of shape (N,)
        Numbers, float64, in their own units.
    feature_names : tuple of str
        "column", or "column=value" for a 0/1 feature made of a category.
    target : str
        What y is.
    mean, noise : ndarray of shape (N,) or None
        Of generated sets the expected number and its standard deviation; None for all others.
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.float64]
    feature_names: tuple[str, ...]
    target: str
    mean: NDArray[np.float64] | None = None
    noise: NDArray[np.float64] | None = None


def load_regression(name: str, data_home: str | os.PathLike | None = None, *, check: bool = True) -> RegressionDataset:
    """Load a data set with numbers to predict, without a network.

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
    RegressionDataset
        Tables are encoded as `frame_as_numbers` says: at most 3,000 rows by a seeded choice, categories as 0/1. Of
        generated sets 2,000 rows; ``regression_info(name).problem`` draws others.

    Raises
    ------
    DatasetError
        One line: the package that is not installed, or what is wrong with the file.

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
    """Write sets as `name`.npz, for machines where the packages they come from are not installed.

    Parameters
    ----------
    folder : path-like
        Where to; it is made if need be.
    names : iterable of str or None, default=None
        Which; None: all but the generated ones, which can be drawn anywhere.
    data_home : path-like, default=None
        Folder to look in first.

    Returns
    -------
    dict
        Sets that could not be had, and why.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = [*list_regression("builtin"), *list_regression("table")] if names is None else list(names)
    problems = {}
    for name in names:
        try:
            _write(load_regression(name, data_home), folder / f"{name}.npz")
        except DatasetError as problem:
            problems[name] = str(problem)
    return problems


def _write(data, path):
    with replacing(path) as file:
        np.savez_compressed(file, X=data.X, y=data.y, feature_names=np.array(data.feature_names))


def _from_file(path, entry):
    try:
        with np.load(path, allow_pickle=False) as arrays:
            X, y, names = arrays["X"], arrays["y"], tuple(map(str, arrays["feature_names"]))
    except (OSError, ValueError, KeyError, EOFError) as problem:
        raise DatasetError(f"{path}: is not a file of export_regression ({type(problem).__name__})") from None
    if X.ndim != 2 or y.shape != X.shape[:1] or len(names) != X.shape[1]:
        raise DatasetError(f"{path}: X is {X.shape}, y {y.shape}, and there are {len(names)} names of features")
    return RegressionDataset(entry.name, X.astype(np.float64), y.astype(np.float64), names, entry.target)


def _from_source(entry):
    if entry.problem is not None:
        X, y, mean, noise = entry.problem.sample(GENERATED_ROWS, 0)
        names = tuple(f"x{place}" for place in range(X.shape[1]))
        return RegressionDataset(entry.name, X, y, names, entry.target, mean, noise)
    if entry.kind == "builtin":
        from sklearn.datasets import load_diabetes

        bunch = load_diabetes(scaled=False)
        return RegressionDataset(entry.name, bunch.data, bunch.target, tuple(bunch.feature_names), entry.target)
    X, y, names = read_number_table(entry.name)
    return RegressionDataset(entry.name, X, y, names, entry.target)


def _check(data, entry, path):
    where = path if path is not None and path.exists() else f"{entry.name} of {entry.package}"
    if data.X.shape != (entry.rows, entry.features):
        raise DatasetError(f"{where}: {data.X.shape} patterns and features, expected {(entry.rows, entry.features)}")
    if entry.sha256 and not fingerprint(data).startswith(entry.sha256):
        raise DatasetError(f"{where}: the shape is right, the content differs (check=False loads it all the same)")


def fingerprint(data: RegressionDataset) -> str:
    """sha256 of the arrays, as little-endian float64."""
    parts = (np.ascontiguousarray(part, dtype="<f8").tobytes() for part in (data.X, data.y))
    return hashlib.sha256(b"".join(parts)).hexdigest()
