"""What a comparison says: errors with their spread, and how they were measured."""

from collections import defaultdict
from dataclasses import asdict
from typing import Any

import numpy as np

from ..extras import require
from .evaluation import Settings, Split
from .text_table import TextTable

OVER_LIMIT = "over the limit"


class Comparison:
    """Splits grouped by file and method; an error is missing where one of its splits has none."""

    def __init__(self, splits: list[Split], settings: Settings):
        self.settings = settings
        self.cells: dict[tuple[str, str], list[Split]] = defaultdict(list)
        for split in splits:
            self.cells[split.file, split.method].append(split)
        self.files = list(dict.fromkeys(split.file for split in splits))
        self.methods = list(dict.fromkeys(split.method for split in splits))
        self.failures = [split for split in splits if split.failure]

    def protocol(self) -> str:
        """How errors were measured, in words."""
        set_ = self.settings
        limits = {"s": set_.limits.seconds, "MB": set_.limits.megabytes}
        most = [f"{most:g} {unit}" for unit, most in limits.items() if most is not None]
        return (
            f"Protocol honest: {set_.repeats} x {set_.folds}-fold stratified cross-validation, seed {set_.seed}; "
            "preprocessing, metric and k come from the training rows of each split alone"
        ) + (f"; limit of one fit {', '.join(most)}" if most else "")

    def errors(self) -> Any:
        """Mean error in %, a DataFrame (files x methods), NaN where a split failed."""
        rows = [[self._error(file, method) for method in self.methods] for file in self.files]
        return require("pandas", "cli").DataFrame(rows, index=self.files, columns=self.methods, dtype=float)

    def _error(self, file: str, method: str) -> float:
        errors = [split.error for split in self.cells[file, method] if split.error is not None]
        return float(np.mean(errors)) if len(errors) == len(self.cells[file, method]) else np.nan

    def rows(self) -> list[dict[str, Any]]:
        """One dict per file and method."""
        return [self._row(file, method) for file, method in self.cells]

    def _row(self, file: str, method: str) -> dict[str, Any]:
        splits, error = self.cells[file, method], self._error(file, method)
        errors = [split.error for split in splits if split.error is not None]
        known = not np.isnan(error)
        return {
            "file": file,
            "method": method,
            "error": error if known else None,
            "spread": float(np.std(errors, ddof=1)) if known and len(errors) > 1 else None,
            "seconds": float(np.mean([split.seconds for split in splits])),
            "errors": errors,
            "failure": next((split.failure for split in splits if split.failure), None),
            "over_limit": any(split.over_limit for split in splits),
        }

    def table(self) -> TextTable:
        """Error, spread over the splits and seconds a split; the lowest error of a file in bold."""
        rows, cells, bold = self.rows(), [], set()
        lowest = self.errors().min(axis=1)
        for i, row in enumerate(rows):
            known = row["error"] is not None
            spread = "" if row["spread"] is None else f" \u00b1 {row['spread']:.2f}"
            error = f"{row['error']:.2f}{spread}" if known else OVER_LIMIT if row["over_limit"] else None
            cells.append((row["file"], row["method"], error, f"{row['seconds']:.2f}"))
            if known and row["error"] <= lowest[row["file"]] + 1e-9:
                bold.add((i, 2))
        caption = f"Error in % \u00b1 standard deviation over splits. {self.protocol()}."
        return TextTable(("File", "Method", "Error in %", "Seconds"), tuple(cells), caption, frozenset(bold))

    def as_json(self) -> dict[str, Any]:
        """Everything, as JSON values."""
        return {"protocol": "honest", **asdict(self.settings), "results": self.rows()}
