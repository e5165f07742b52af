"""The data sets: facts about each, from two JSON files beside this one."""

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from .synthetic import SYNTHETIC


class DatasetError(ValueError):
    """A data set is missing, malformed or another one; the message is one line."""


@dataclass(frozen=True)
class PaperDataset:
    """Facts about a classification data set of the paper.

    Attributes
    ----------
    number, name, paper_name : int, str, str
        Row in the paper's table, the name used here, and the paper's.
    paper : dict
        The paper's "rows", "features" and "classes".
    rows, features : int
        Numbers in our file; features before encoding.
    encoded : dict
        Number of features after encoding, for "paper" and "plain".
    file, sha256, columns : str, str, list of str
        Its file, the digest of the unpacked file, and its features in order.
    class_counts : dict
        Rows of every class; empty where no public copy is known.
    nominal : dict
        Values of every nominal column, in their natural order if they have one.
    paper_rules : dict
        Encodings of nominal columns in the paper, "*" for all others; see
        :mod:`freemetric.experiments.encoding`.
    missing : {"mode", "value"}
        A missing nominal value is its column's most frequent one, or a value of its
        own.
    coded : dict
        File of the features in the PROBEN1 coding, which the paper used.
    openml : dict
        OpenML's name, version and data_id; "unusable" says why that copy is another.
    notes : str
        Remarks.
    """

    number: int
    name: str
    paper_name: str
    paper: dict
    rows: int
    features: int
    encoded: dict
    file: str
    sha256: str
    columns: list
    class_counts: dict
    nominal: dict = field(default_factory=dict)
    paper_rules: dict = field(default_factory=dict)
    missing: str = "mode"
    coded: dict = field(default_factory=dict)
    openml: dict = field(default_factory=dict)
    notes: str = ""

    @property
    def obtainable(self):
        """Whether a public copy is known."""
        return bool(self.class_counts)


@dataclass(frozen=True)
class RegressionTable:
    """Facts about a regression data set.

    Attributes
    ----------
    name, target : str
        Names of the data set and of its target.
    rows, features : int
        Numbers after encoding.
    sha256 : str
        First 16 digits of the digest of its arrays.
    origin, item, origin_license : str
        The R package of the table, its name there, and its licence; empty for the one
        of scikit-learn.
    dropped : dict
        Columns that are left out, and why.
    """

    name: str
    target: str
    rows: int
    features: int
    sha256: str
    origin: str = ""
    item: str = ""
    origin_license: str = ""
    dropped: dict = field(default_factory=dict)


def dataset_names(kind="paper"):
    """Return the names of the data sets of a kind.

    Parameters
    ----------
    kind : {"paper", "regression", "synthetic"}, default="paper"
        The paper's classification data sets of which a public copy is known, in its
        order; regression tables; synthetic regression problems.

    Returns
    -------
    names : list of str
        Names for :func:`load_dataset`.

    Examples
    --------
    >>> from freemetric.experiments import dataset_names
    >>> len(dataset_names()), dataset_names()[:4]
    (35, ['balance', 'hepatitis', 'ionosphere', 'iris'])
    >>> len(dataset_names("regression")), len(dataset_names("synthetic"))
    (33, 6)
    """
    if kind == "paper":
        return [name for name, entry in _paper().items() if entry.obtainable]
    return sorted({"regression": _tables(), "synthetic": SYNTHETIC}[kind])


def dataset_info(name):
    """Return the facts about a data set.

    Parameters
    ----------
    name : str
        Name of a data set of any kind, also of the paper's that has no public copy.

    Returns
    -------
    info : PaperDataset, RegressionTable or Problem
        The facts, by the kind of the data set.

    Examples
    --------
    >>> from freemetric.experiments import dataset_info
    >>> dataset_info("breast").encoded
    {'paper': 15, 'plain': 38}
    >>> dataset_info("wage").dropped
    {'logwage': "the target's logarithm"}
    """
    available = {**_paper(), **_tables(), **SYNTHETIC}
    if name not in available:
        raise DatasetError(f"No data set is called {name!r}.")
    return available[name]


@cache
def _paper():
    return {row["name"]: PaperDataset(**row) for row in _rows("classification.json")}


@cache
def _tables():
    return {row["name"]: RegressionTable(**row) for row in _rows("regression.json")}


def _rows(file):
    text = files(__package__).joinpath("data", file).read_text("utf-8")
    return json.loads(text)
