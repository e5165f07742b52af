"""The paper's data sets for tests, from a folder beside the checkout or named by FREEMETRIC_DATA."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(os.environ.get("FREEMETRIC_DATA", Path(__file__).parents[2] / "shared" / "data"))
MISSING = f"no data sets in {FOLDER.name}/: set FREEMETRIC_DATA to their folder"


def manifest():
    path = FOLDER / "MANIFEST.json"
    return json.loads(path.read_text()) if path.exists() else []


def names(fewest=0, most=3000):
    """Sets with a file and fewest <= rows < most."""
    return [entry["name"] for entry in manifest() if entry.get("file") and fewest <= entry["rows"] < most]


def load(name):
    """X scaled to [0, 1] and y; nominal columns one-hot, missing numbers replaced by their mean."""
    entry = next(entry for entry in manifest() if entry["name"] == name)
    nominal = list(entry["nominal_columns"])
    table = pd.read_csv(
        FOLDER / entry["file"], dtype=dict.fromkeys([*nominal, "class"], str), keep_default_na=False, na_values=[""]
    )
    y = np.unique(table.pop("class"), return_inverse=True)[1]
    nominal = [c for c in table if c in nominal or not pd.api.types.is_numeric_dtype(table[c])]
    X = pd.get_dummies(table, columns=nominal, dtype=float)
    X = X.fillna(X.mean()).to_numpy(dtype=float)
    span = np.ptp(X, axis=0)
    return (X - X.min(axis=0)) / np.where(span > 0, span, 1), y
