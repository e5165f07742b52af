"""The paper's 36 data sets: what each holds, where it is found, how it becomes numbers. The facts are registry.json."""

import json
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

from .table import DatasetError

PLAIN = {"*": "onehot"}


@dataclass(frozen=True)
class DataFile:
    """What a file of the registry must hold.

    Attributes
    ----------
    file : str
        Path inside a data folder; the same with .gz added is as good.
    columns : tuple of str or None
        Names of the features, in order; None where they are not known.
    rows, features : int
        Their numbers.
    class_counts : dict or None
        Rows of every class; None where they are not known.
    nominal : dict
        Values a nominal column may take. A column not named here is numeric.
    sha256 : str or None
        Of the unpacked file.
    """

    file: str
    columns: tuple[str, ...] | None
    rows: int
    features: int
    class_counts: dict[str, int] | None
    nominal: dict[str, list[str]]
    sha256: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features where they are known, else none."""
        return self.columns or ()


@dataclass(frozen=True)
class DatasetInfo:
    """One row of the registry.

    Attributes
    ----------
    number, name, paper_name : int, str, str
        Place and name in the paper's table, and the name used here.
    paper : dict
        The paper's "rows", "features" and "classes".
    rows, features, classes : int
        Ours; features before encoding.
    encoded : dict
        Features after encoding, for "paper" and "plain".
    class_counts : dict
        Rows of every class.
    nominal : dict
        Nominal columns with the values they may take, in their natural order if they have one.
    encodings : dict
        For "paper" and "plain" the rule of every nominal column, "*" for all others: "onehot" (a column per value that
        occurs), "declared" (a column per value of `nominal`), "ordinal" (its place in `nominal`, from 1) or "bits"
        (its place as a binary number, a column per digit). Two values make one 0/1 column. "proben1" in place of the
        rules: the numbers stand in the file `coded`.
    missing : {"mode", "value"}
        A missing nominal value is its column's most frequent one, or a value of its own.
    main : DataFile
        The file.
    coded : DataFile or None
        A second file, in the PROBEN1 coding, whose rows are in another order.
    openml : dict or None
        OpenML's name, version and data_id; "unusable" says why that copy is not this set.
    obtainable : bool
        Whether a public copy is known.
    notes : str
        How the set came about and what to know about it.
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


def list_datasets(*, obtainable_only: bool = True) -> list[str]:
    """Names of the paper's data sets, in its order.

    Parameters
    ----------
    obtainable_only : bool, default=True
        Leave out those without a public copy.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from freemetric.datasets import list_datasets
    >>> len(list_datasets()), len(list_datasets(obtainable_only=False))
    (35, 36)
    >>> list_datasets()[:4]
    ['balance', 'hepatitis', 'ionosphere', 'iris']
    """
    return [name for name, entry in _registry().items() if entry.obtainable or not obtainable_only]


def info(name: str) -> DatasetInfo:
    """What the registry knows about a data set.

    Parameters
    ----------
    name : str
        One of `list_datasets`.

    Returns
    -------
    DatasetInfo

    Examples
    --------
    >>> from freemetric.datasets import info
    >>> info("breast").paper["features"], info("breast").encoded
    (15, {'paper': 15, 'plain': 38})
    """
    try:
        return _registry()[name]
    except KeyError:
        close = get_close_matches(str(name).lower(), _registry(), 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise DatasetError(f"no data set is called {name!r}{hint}") from None


@cache
def _registry() -> dict[str, DatasetInfo]:
    rows = json.loads(files(__package__).joinpath("registry.json").read_text("utf-8"))
    return {row["name"]: _entry(row) for row in rows}


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
        number=row["number"],
        name=row["name"],
        paper_name=row["paper_name"],
        paper=paper,
        rows=rows,
        features=features,
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
