"""A folder of tables as people have them: data frames, read and split for comparisons.

The folder has a CSV file for every table, gzipped, with the column "target", and a
file MANIFEST.csv with the columns "name" and "kind". The environment variable
FREEMETRIC_POOL names it; without it, it is ../shared/data/pool.
"""

import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, StratifiedKFold

from freemetric.experiments.protocol import Split

ROOT = Path(__file__).parents[1]
KINDS = {
    "mixed-class": "classes, with categories and gaps",
    "numeric-class": "classes, numbers only",
    "regression": "regression",
}
MOST_ROWS = 2000


def pool_folder():
    """Return the folder of the tables, which need not exist."""
    return Path(os.environ.get("FREEMETRIC_POOL", ROOT.parent / "shared/data/pool"))


def pool_tables():
    """Return the kind of every table by its name."""
    path = pool_folder() / "MANIFEST.csv"
    if not path.exists():
        return {}
    manifest = pd.read_csv(path)
    return dict(zip(manifest["name"], manifest["kind"], strict=True))


def load_table(name):
    """Return features, a data frame, and targets, an array; classes are numbers."""
    frame = pd.read_csv(pool_folder() / f"{name}.csv.gz")
    rows = np.random.default_rng(0).permutation(len(frame))[:MOST_ROWS]
    frame = frame.iloc[rows].reset_index(drop=True)
    y = frame.pop("target")
    if pool_tables()[name] == "regression":
        return frame, y.to_numpy(dtype=float)
    return frame, np.unique(y.astype(str), return_inverse=True)[1]


def table_halves(name, repeat):
    """Return both splits of a table into two halves."""
    X, y = load_table(name)
    splitter = KFold if y.dtype.kind == "f" else StratifiedKFold
    splitter = splitter(2, shuffle=True, random_state=repeat)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes with a single row
        folds = list(splitter.split(X, y))
    return [Split(X.iloc[a], y[a], X.iloc[b], y[b]) for a, b in folds]
