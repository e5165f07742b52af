"""Rows to look at: their places in the learned space, their predictions, and their cells in the table."""

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_NEIGHBORS = 8
SPACE, CELLS = "space.npy", "rows.json"
KNOWN = ("row", "wrong", "fair", "numbers", "target")


class Rows:
    """The rows of a fitted model, from the files that ``fitting.write_rows`` wrote."""

    def __init__(self, folder: Path):
        self.folder = folder

    @cached_property
    def Z(self) -> NDArray:
        return np.load(self.folder / SPACE, allow_pickle=False)

    @cached_property
    def about(self) -> Mapping[str, Any]:
        return json.loads((self.folder / CELLS).read_bytes())

    def index(self) -> dict[str, Any]:
        """Numbers of the rows, and which of them are wrongly predicted; of a regression the predictions, too."""
        known = {name: self.about[name] for name in KNOWN if name in self.about}
        return {"n": len(self.about["row"]), **known}

    def look(self, i: int) -> dict[str, Any]:
        """A row with its nearest neighbours, and the cells of all of them, column by column; IndexError."""
        if not 0 <= i < len(self.Z):
            raise IndexError(f"there is no row {i}")
        distance = np.sqrt(((self.Z.astype(np.float64) - self.Z[i]) ** 2).sum(axis=1))
        distance[i] = np.inf
        near = np.argsort(distance, kind="stable")[: min(MOST_NEIGHBORS, len(distance) - 1)]
        columns = self.about["columns"]
        return {
            "self": self._who(i),
            "neighbors": [{**self._who(j), "distance": float(f"{distance[j]:.4g}")} for j in near],
            "columns": [{key: column[key] for key in ("name", "used", "weight")} for column in columns],
            "cells": [[column["cells"][j] for j in (i, *near)] for column in columns],
        }

    def _who(self, i):
        line = self.about["line"]
        names = {"row": "row", "class": "class", "judged": "judged", "stories": "story"}
        who = {name: self.about[key][i] for key, name in names.items() if key in self.about}
        return {"place": int(i), "line": None if line is None else line[i], **who}
